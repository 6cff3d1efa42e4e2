"""A split gives the same documents in every pass, and pages are aligned only once."""

import pytest

from longways.corpus import recipe
from longways.corpus.filter.config import FilterConfig
from longways.corpus.passes import SplitReader
from longways.corpus.prepare import Reporter, prepare
from longways.corpus.recipe import CorpusConfig, FilesConfig
from longways.errors import CorpusError
from longways.text.config import TextConfig

QUIET = Reporter(lambda *_: None, lambda _: None)
TMX = (
    '<tmx version="1.4"><header/><body><tu><prop type="x-origin">machine</prop><tuv xml:lang="en">'
    '<seg>A</seg></tuv><tuv xml:lang="de"><seg>B</seg></tuv></tu></body></tmx>'
)


def config(**files) -> CorpusConfig:
    return CorpusConfig(
        source_language="en", target_language="de", train=FilesConfig(**files),
        filter=FilterConfig(splits=("train",)), text=TextConfig(vocabulary=300),
    )  # fmt: skip


def write_pages(folder):
    for code, texts in (
        ("en", ["One page.", "Two, 1987."]),
        ("de", ["Eine Seite.", "Zwei, 1988."]),
    ):
        for number, text in enumerate(texts):
            (folder / f"p{number}.{code}.md").write_text(text)


def test_pages_are_read_once_and_the_counts_stay(tmp_path, monkeypatch):
    write_pages(tmp_path)
    with SplitReader(config(format="pages", files=(".",)), "train", tmp_path, False) as reader:
        first, dropped = list(reader.documents()), dict(reader.dropped)
        monkeypatch.setattr(recipe, "read_pages_folder", None)
        assert list(reader.documents()) == list(reader.documents()) == first
        assert dict(reader.dropped) == dropped == {"different numbers": 1}
    assert [document.target for document in first] == [["Eine Seite."]]


def test_a_pass_that_was_left_early_is_read_again(tmp_path):
    write_pages(tmp_path)
    with SplitReader(config(format="pages", files=(".",)), "train", tmp_path, False) as reader:
        passes = reader.documents()
        next(passes)
        passes.close()
        assert len(list(reader.documents())) == 1


def test_a_split_without_sentences_says_what_was_dropped(tmp_path):
    (tmp_path / "a.tmx").write_text(TMX)
    only = config(format="tmx", files=("a.tmx",))
    with pytest.raises(
        CorpusError, match=r"no sentences\. Dropped were: 1 x machine translation\."
    ):
        prepare(only, tmp_path, tmp_path / "out", QUIET)
