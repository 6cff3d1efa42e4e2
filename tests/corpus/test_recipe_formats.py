"""Every format of a corpus is recognised on the command line, and prepared."""

import gzip

import pytest

from longways.cli.corpus_files import files_table
from longways.corpus.prepare import Reporter, prepare
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.recipe import CorpusConfig, FilesConfig, read_split
from longways.errors import ConfigError, CorpusError
from longways.text.config import TextConfig

QUIET = Reporter(lambda *_: None, lambda _: None)
EN = "Save the file before you close the window, or all changes are lost."
DE = "Speichern Sie die Datei, bevor Sie das Fenster schließen, sonst ist alles verloren."
TMX = (
    '<tmx version="1.4"><header/><body><tu><tuv xml:lang="en"><seg>{}</seg></tuv>'
    '<tuv xml:lang="de"><seg>{}</seg></tuv></tu></body></tmx>'
)
XLIFF = (
    '<xliff version="1.2"><file original="a" source-language="en" target-language="de"><body>'
    '<trans-unit id="1"><source>{}</source><target>{}</target></trans-unit></body></file></xliff>'
)
FILES = {
    "a.tmx": (TMX.format(EN, DE), "tmx"),
    "a.tmx.gz": (TMX.format(EN, DE), "tmx"),
    "a.xlf": (XLIFF.format(EN, DE), "xliff"),
    "a.sdlxliff": (XLIFF.format(EN, DE), "xliff"),
    "a.po": (f'msgid "{EN}"\nmsgstr "{DE}"\n', "po"),
    "a.jsonl": (f'{{"en": "{EN}", "de": "{DE}"}}\n', "jsonl"),
    "a.tsv": (f"d\t{EN}\t{DE}\n", "tsv"),
    "pages/p.en.md,pages/p.de.md": ((EN, DE), "pages"),
    "lines/p.en.txt,lines/p.de.txt": ((EN, DE), "folder"),
}


def config(table: dict, pair=("en", "de")) -> CorpusConfig:
    languages = {"source_language": pair[0], "target_language": pair[1]}
    return CorpusConfig(**languages, train=FilesConfig(**table), text=TextConfig(vocabulary=300))


def write(folder, names: str) -> str:
    content, _ = FILES[names]
    for name, text in zip(names.split(","), [content] if isinstance(content, str) else content,
                          strict=True):  # fmt: skip
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        data = text.encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return str(path.parent if "," in names else path)


@pytest.mark.parametrize("names", FILES)
def test_a_file_is_recognised_by_its_name(tmp_path, names):
    table = files_table([write(tmp_path, names)])
    assert table["format"] == FILES[names][1]
    (document,) = read_split(config(table), "train", tmp_path, BadInputPolicy())
    assert (document.source, document.target) == ([EN], [DE])


def test_two_folders_are_pages_and_two_catalogues_are_one_corpus(tmp_path):
    for code, text in (("en", EN), ("de", DE)):
        (tmp_path / code).mkdir()
        (tmp_path / code / "p.md").write_text(text)
        (tmp_path / f"{code}.po").write_text(f'msgid "key"\nmsgstr "{text}"\n')
    for names, kind in (("en,de", "pages"), ("en.po,de.po", "po")):
        table = files_table([",".join(str(tmp_path / name) for name in names.split(","))])
        assert table["format"] == kind
        (document,) = read_split(config(table), "train", tmp_path, BadInputPolicy())
        assert (document.source, document.target) == ([EN], [DE])


def test_files_of_two_formats_in_a_split_are_refused():
    with pytest.raises(ConfigError, match=r"a\.tmx, b\.po are of the formats po, tmx"):
        files_table(["a.tmx", "b.po"])


@pytest.mark.parametrize("names", ["a.tsv", "a.tmx"])
def test_a_corpus_is_prepared_and_swapped_languages_stop_it(tmp_path, names):
    table = files_table([write(tmp_path, names)])
    data = prepare(config(table), tmp_path, tmp_path / "out", QUIET)
    assert data.counts["train"].sentences == 1
    if names == "a.tsv":  # a TMX file names its languages, so it has both directions
        with pytest.raises(CorpusError, match="languages are swapped"):
            prepare(config(table, ("de", "en")), tmp_path, tmp_path / "swapped", QUIET)
        assert not (tmp_path / "swapped").exists()
