"""Long files for benchmarks: a formatted page that is repeated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from longways.errors import FormatError
from longways.formats.base import Format
from longways.formats.registry import format_of
from longways.text.sentences.splitter import split_text
from longways.translation.markup.passages import unwrap


def repeat_page(page: Path, sentences: int, language: str) -> bytes:
    """Repeat a page until it has this many sentences."""
    data = page.read_bytes()
    return data * -(-sentences // max(1, count_sentences(page, data, language)))


def count_sentences(page: Path, data: bytes, language: str) -> int:
    """The number of sentences of a file in the format of this page."""
    texts = page_texts(page, data, language)
    return sum(bool(segment.text) for text in texts for segment in split_text(text, language))


def page_texts(page: Path, data: bytes, language: str) -> Iterator[str]:
    """The passages of a file in the format of this page, each on one line."""
    passages = page_format(page).read(data, language).passages
    return (unwrap(passage, language).text for passage in passages)


def page_format(page: Path) -> Format:
    """The format of a page; plain text is an error."""
    form = format_of(page)
    if form is None:
        raise FormatError(f"{page} is plain text. Name a file with a format, such as page.md.")
    return form
