"""Read the documents of a text file, with one language or two, and the line of each sentence.

    plain text    one sentence per line; documents are separated by blank lines
    *.tsv         document TAB sentence, or document TAB source TAB sentence

Either may be compressed as .gz or .xz.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.lines import read_lines
from longways.errors import CorpusError

COMPRESSED_SUFFIXES, TEXT_SUFFIXES = (".gz", ".xz"), (".txt", ".tsv")
"""Suffixes that name a file's format, not its content."""


class Strict(BadInputPolicy):
    """Raises an error for bad input, because a score without some lines is another score."""

    def bad(self, kind: str, message: str) -> None:
        """Raise the message."""
        raise CorpusError(f"{message} Fix the file.")


class Sentence(NamedTuple):
    """A sentence and its place in a file."""

    document: str
    """The document's name; in plain text, its number."""
    line: int
    text: str
    source: str | None = None


@dataclass(frozen=True)
class TextFile:
    """The documents of a file."""

    path: Path
    documents: list[list[Sentence]]
    lines: int
    """The number of lines in the file, blank lines included."""

    @property
    def is_plain(self) -> bool:
        """Whether the file is plain text, where documents have no names."""
        return _text_suffix(self.path) != ".tsv"

    @property
    def names(self) -> list[str]:
        """The names of the documents."""
        return [document[0].document for document in self.documents]

    @property
    def sentences(self) -> list[list[str]]:
        """The text of the sentences, document by document."""
        return [[sentence.text for sentence in document] for document in self.documents]

    def of_sources(self) -> TextFile | None:
        """The source side of the same lines; None if the file has no sources."""
        if self.documents[0][0].source is None:
            return None
        sources = [[s._replace(text=s.source or "") for s in d] for d in self.documents]
        return replace(self, documents=sources)


def read_text_file(path: Path, may_be_empty: bool = False) -> TextFile:
    """Read the documents of a file; sentences must have text unless they `may_be_empty`."""
    lines = [(number, line or "") for number, line in read_lines(path, Strict())]
    if not any(line.strip() for _, line in lines):
        raise CorpusError(f"{path} is empty, so there is nothing to score. Check the path.")
    is_tsv = _text_suffix(path) == ".tsv"
    sentences = _from_tsv(path, lines) if is_tsv else _from_plain(lines)
    documents = [list(group) for _, group in groupby(sentences, lambda s: s.document)]
    if is_tsv:
        _check_tsv(path, documents, may_be_empty)
    return TextFile(path, documents, len(lines))


def bare_name(path: Path) -> str:
    """A file's name without the suffixes of its format."""
    while path.suffix in COMPRESSED_SUFFIXES + TEXT_SUFFIXES:
        path = path.with_suffix("")
    return path.name


def language_of(path: Path) -> str:
    """The language code in a file name such as page.zh.txt, or an empty string."""
    suffix = Path(bare_name(path)).suffix[1:]
    return suffix if len(suffix) == 2 and suffix.isalpha() else ""


def _text_suffix(path: Path) -> str:
    """The suffix below that of the compression."""
    return path.with_suffix("").suffix if path.suffix in COMPRESSED_SUFFIXES else path.suffix


def _from_plain(lines: Iterable[tuple[int, str]]) -> Iterator[Sentence]:
    groups = groupby(lines, lambda line: bool(line[1].strip()))
    documents = (group for has_text, group in groups if has_text)
    for document, group in enumerate(documents, start=1):
        for number, line in group:
            yield Sentence(str(document), number, line)


def _from_tsv(path: Path, lines: list[tuple[int, str]]) -> Iterator[Sentence]:
    wanted = 3 if lines[0][1].count("\t") == 2 else 2
    for number, line in lines:
        columns = line.split("\t")
        if len(columns) != wanted:
            raise CorpusError(
                f"{path}, line {number}: {len(columns)} columns, but there must be {wanted}, "
                f"separated by tabs: document, {'source, ' if wanted == 3 else ''}sentence."
            )
        yield Sentence(columns[0], number, columns[-1], columns[1] if wanted == 3 else None)


def _check_tsv(path: Path, documents: list[list[Sentence]], may_be_empty: bool) -> None:
    seen: set[str] = set()
    for document in documents:
        name, line = document[0].document, document[0].line
        if name in seen:
            raise CorpusError(
                f"{path}, line {line}: document {name!r} ended earlier and continues here, but "
                "the lines of a document must be consecutive."
            )
        seen.add(name)
        empty = next((s.line for s in document if not s.text.strip()), None)
        if empty and not may_be_empty:
            raise CorpusError(f"{path}, line {empty}: the sentence is empty. Fix the file.")
