"""Typical documents, compared with python-docx before and after translation."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import replace

import docx
import pytest
from docx.document import Document as Word
from docx.table import Table

from longways.formats.base import Mark, Passage

from .docx_files import read
from .docx_samples import SAMPLES, build

names = pytest.mark.parametrize("name", SAMPLES)


def opened(data: bytes) -> Word:
    return docx.Document(io.BytesIO(data))


def lines(word: Word) -> Iterator[str]:
    """The readable text of each paragraph."""
    for block in word.iter_inner_content():
        yield from _table(block) if isinstance(block, Table) else [block.text]
    yield from (p.text for p in word.sections[0].header.paragraphs)
    yield from (p.text for p in word.sections[0].footer.paragraphs)


def _table(table: Table) -> Iterator[str]:
    for cell in (cell for row in table.rows for cell in row.cells):
        for block in cell.iter_inner_content():
            yield from _table(block) if isinstance(block, Table) else [block.text]


def doubled(passage: Passage) -> Passage:
    """A passage with each character doubled, and its marks."""
    marks = tuple(Mark(2 * mark.start, 2 * mark.end, mark.tag) for mark in passage.marks)
    return Passage("".join(2 * c for c in passage.text), marks)


@names
def test_passages_are_what_a_reader_reads(name):
    data = build(name)
    passages = read(data).passages
    assert [passage.text for passage in passages] == [t for t in lines(opened(data)) if t.strip()]


@names
def test_a_sample_comes_back_to_the_byte(name):
    data = build(name)
    document = read(data)
    assert document.write(document.passages, "en") == data


@names
def test_a_translated_sample_reads_as_its_translation(name):
    data = build(name)
    document = read(data)
    new = document.write([doubled(passage) for passage in document.passages], "en")
    expected = ["".join(2 * c for c in line) for line in lines(opened(data))]
    assert list(lines(opened(new))) == expected
    again = [replace(passage, keep=()) for passage in read(new).passages]
    assert again == [doubled(passage) for passage in document.passages]


@names
def test_looks_styles_links_and_images_stay(name):
    data = build(name)
    document = read(data)
    old = opened(data)
    new = opened(document.write([doubled(passage) for passage in document.passages], "en"))
    assert len(new.inline_shapes) == len(old.inline_shapes)
    assert [p.style.name for p in new.paragraphs] == [p.style.name for p in old.paragraphs]
    for before, after in zip(old.paragraphs, new.paragraphs, strict=True):
        looks = [("".join(2 * c for c in r.text), r.bold, r.italic) for r in before.runs]
        assert [(r.text, r.bold, r.italic) for r in after.runs] == looks
        assert [h.address for h in after.hyperlinks] == [h.address for h in before.hyperlinks]


@names
def test_other_parts_stay_with_their_order_times_and_packing(name):
    data = build(name)
    document = read(data)
    passages = [doubled(document.passages[0]), *document.passages[1:]]
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(io.BytesIO(document.write(passages, "en"))) as new,
    ):
        for before, after in zip(old.infolist(), new.infolist(), strict=True):
            assert (before.filename, before.date_time) == (after.filename, after.date_time)
            assert before.compress_type == after.compress_type
            same = old.read(before) == new.read(after)
            assert same == (before.filename != "word/document.xml")


@names
def test_a_bilingual_sample_has_each_paragraph_below_its_translation(name):
    data = build(name)
    document = read(data)
    new = document.write([doubled(p) for p in document.passages], "en", bilingual=True)
    read_again = [line for line in lines(opened(new)) if line.strip()]
    expected = [[doubled(p).text, p.text] for p in document.passages]
    assert read_again == [line for pair in expected for line in pair]


@names
def test_any_mixture_of_old_and_new_is_a_document(name):
    document = read(build(name))
    mixed = [doubled(p) if n % 3 else p for n, p in enumerate(document.passages)]
    again = read(document.write(mixed, "en")).passages
    assert [replace(p, keep=()) for p in again] == [replace(p, keep=()) for p in mixed]
