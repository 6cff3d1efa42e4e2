"""Sentences of documents from files."""

import gzip
from pathlib import Path

import pytest

from longways.errors import CorpusError
from longways.evaluation.text_files import bare_name, language_of, read_text_file


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_blank_lines_end_documents_of_plain_text(tmp_path):
    found = read_text_file(written(tmp_path / "a.txt", "\none\ntwo\n\n \nthree\n\n"))
    assert found.sentences == [["one", "two"], ["three"]]
    assert [[s.line for s in document] for document in found.documents] == [[2, 3], [6]]
    assert (found.names, found.of_sources(), found.lines) == (["1", "2"], None, 7)


def test_text_without_blank_lines_is_one_document(tmp_path):
    assert read_text_file(written(tmp_path / "a", "one\ntwo")).sentences == [["one", "two"]]


def test_a_tsv_file_names_its_documents(tmp_path):
    found = read_text_file(written(tmp_path / "a.tsv", "x\tone\nx\ttwo\ny\tthree\n"))
    assert (found.names, found.sentences) == (["x", "y"], [["one", "two"], ["three"]])
    assert found.of_sources() is None


def test_a_tsv_file_of_three_columns_has_the_sources_too(tmp_path):
    found = read_text_file(written(tmp_path / "a.tsv", "x\teins\tone\ny\tzwei\ttwo\n"))
    assert found.sentences == [["one"], ["two"]]
    assert found.of_sources().sentences == [["eins"], ["zwei"]]


def test_files_may_be_packed(tmp_path):
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(b"x\tone\n"))
    assert read_text_file(path).names == ["x"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "", "a.txt is empty, so there is nothing to score"),
        ("a.txt", " \n\n", "a.txt is empty, so there is nothing to score"),
        ("a.tsv", "x\tone\ntwo\n", "a.tsv, line 2: 1 columns, but there must be 2"),
        ("a.tsv", "x\ta\tb\tc\n", "a.tsv, line 1: 4 columns, but there must be 2"),
        ("a.tsv", "x\ta\tb\nx\tc\n", "line 2: 2 columns, but there must be 3, .* source, sentence"),
        ("a.tsv", "x\ta\ny\tb\nx\tc\n", "line 3: document 'x' ended earlier and continues here"),
        ("a.tsv", "x\ta\nx\t \n", "a.tsv, line 2: the sentence is empty"),
        ("a.txt", "one\n\0\n", "line 2, byte 1: a NUL byte, so this is not text. Fix the file."),
    ],
)
def test_what_cannot_be_scored_is_refused(tmp_path, name, text, message):
    with pytest.raises(CorpusError, match=message):
        read_text_file(written(tmp_path / name, text))


def test_translations_may_be_empty(tmp_path):
    path = written(tmp_path / "a.tsv", "x\ta\nx\t\n")
    assert read_text_file(path, may_be_empty=True).sentences == [["a", ""]]


@pytest.mark.parametrize(
    ("name", "bare", "language"),
    [
        ("page.zh.txt", "page.zh", "zh"),
        ("page.en.tsv.gz", "page.en", "en"),
        ("corpus.zh-en.zh", "corpus.zh-en.zh", "zh"),
        ("system.v2", "system.v2", ""),
        ("zh", "zh", ""),
    ],
)
def test_a_name_may_say_the_language(name, bare, language):
    assert (bare_name(Path(name)), language_of(Path(name))) == (bare, language)
