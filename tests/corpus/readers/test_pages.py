"""Folders of translated pages as corpora."""

import pytest

from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.pages import read_pages, read_pages_folder
from longways.errors import CorpusError

PAIR = ("en", "de")
EN = "# Title\n\nSave the file. Then close it.\n"
DE = "# Titel\n\nSpeichern Sie die Datei. Schließen Sie sie dann.\n"


@pytest.fixture
def tree(tmp_path):
    def tree(files: dict[str, str]):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return tree


@pytest.mark.parametrize(
    ("en", "de"),
    [
        ("page.en.md", "page.de.md"),
        ("page.md", "page.de.md"),
        ("page_en.md", "page_de.md"),
        ("docs/en/page.md", "docs/de/page.md"),
        ("docs/en-US/a/page.md", "docs/de-DE/a/page.md"),
        ("docs/page.md", "docs/de/page.md"),
        ("README.md", "README.de.md"),
        ("docs/a/page.md", "i18n/de/docusaurus-plugin-content-docs/current/a/page.md"),
        ("site/blog/page.md", "site/i18n/de/docusaurus-plugin-content-blog/page.md"),
    ],
)
def test_pages_are_paired_by_their_paths_without_the_language(tree, en, de):
    folder = tree({en: EN, de: DE, "image.png": "x", "other.fr.md": "# Titre\n"})
    (document,) = read_pages_folder(folder, PAIR, BadInputPolicy())
    assert document.source == ["Title", "Save the file.", "Then close it."]
    assert document.target[1:] == ["Speichern Sie die Datei.", "Schließen Sie sie dann."]


def test_two_folders_have_the_same_paths(tree):
    folder = tree({"a/x/page.md": EN, "b/x/page.md": DE, "a/only.md": EN, "b/x/page.txt": "z"})
    inspector = BadInputPolicy()
    (document,) = read_pages(folder / "a", folder / "b", PAIR, inspector)
    assert (document.name, len(document)) == ("x/page.md", 3)
    assert inspector.dropped["page without translation"] == 2


def test_simplified_chinese_is_taken_before_traditional(tree):
    folder = tree({"en/p.md": "Save.\n", "zh-TW/p.md": "儲存。\n", "zh-CN/p.md": "保存。\n"})
    (document,) = read_pages_folder(folder, ("en", "zh"), BadInputPolicy())
    assert document.target == ["保存。"]


def test_pages_that_are_no_translations_are_counted(tree):
    folder = tree({"p.en.md": "Short.\n\n" * 20, "p.de.md": "Etwas ganz anderes hier. " * 40})
    inspector = BadInputPolicy()
    assert list(read_pages_folder(folder, PAIR, inspector)) == []
    assert inspector.dropped == {"page that is no translation of the other": 1}


def test_a_long_gap_ends_a_document_and_a_short_one_does_not(tree):
    extra = "\n\nHier steht ein langer Zusatz, den nur die deutsche Seite hat, wie man lesen kann."
    more = " The folder has all files that the program needs while it runs."
    mehr = " Der Ordner enthält alle Dateien, die das Programm im Betrieb benötigt."
    inspector = BadInputPolicy()
    for gap, sizes in ((1, [6]), (2, [1, 5])):
        page = DE.replace("Titel", "Titel" + gap * extra).replace("dann.", "dann." + 3 * mehr)
        folder = tree({"p.en.md": EN.replace("close it.", "close it." + 3 * more), "p.de.md": page})
        found = list(read_pages_folder(folder, PAIR, inspector))
        assert [len(document) for document in found] == sizes
    assert inspector.dropped["sentence without counterpart"] == 3


def test_folders_without_pairs_say_how_pages_are_named(tree):
    folder = tree({"page.en.md": EN, "seite.de.md": DE})
    with pytest.raises(CorpusError, match=r"1 pages in en and 1 in de, but no page in both"):
        list(read_pages_folder(folder, PAIR, BadInputPolicy()))
    with pytest.raises(CorpusError, match="There is no folder"):
        list(read_pages_folder(folder / "none", PAIR, BadInputPolicy()))


def test_a_damaged_page_is_named_or_counted(tree):
    folder = tree({"p.en.docx": "no zip", "p.de.docx": "no zip", "q.en.md": EN, "q.de.md": DE})
    with pytest.raises(CorpusError, match=r"p\.en\.docx"):
        list(read_pages_folder(folder, PAIR, BadInputPolicy()))
    inspector = BadInputPolicy(skip_bad=True)
    assert len(list(read_pages_folder(folder, PAIR, inspector))) == 1
    assert inspector.dropped["damaged file"] == 2
