"""The references that translations are scored against, from a test set or from a text file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Protocol

from longways.errors import CorpusError
from longways.evaluation.metrics.score import TextDocuments
from longways.evaluation.structure_check import DocumentStructure, check_structure
from longways.evaluation.system_output import SystemOutput, read_output
from longways.evaluation.text_files import TextFile, bare_name, language_of, read_text_file

OUTPUT_SUFFIX = ".json"
"""The suffix of files with a system's output."""


class Reference(Protocol):
    """Documents with reference translations."""

    @property
    def references(self) -> TextDocuments:
        """The reference translations."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the documents."""

    @property
    def sources(self) -> TextDocuments | None:
        """The source documents, if they are known."""

    @property
    def target_language(self) -> str:
        """The target language; empty if it is not known."""


@dataclass(frozen=True)
class ReferenceFile:
    """References from a text file."""

    texts: TextFile
    sources: TextDocuments | None
    target_language: str

    @property
    def name(self) -> str:
        """The name of the file."""
        return bare_name(self.texts.path)

    @property
    def names(self) -> Sequence[str]:
        """The names of the documents."""
        return self.texts.names

    @property
    def references(self) -> TextDocuments:
        """The reference translations, unchanged."""
        return self.texts.sentences


def read_reference(path: Path, source: Path | None = None) -> ReferenceFile:
    """Read references, and the source documents from the same file or from `source`."""
    if path.suffix == OUTPUT_SUFFIX:
        raise CorpusError(
            f"{path} is a JSON file, but references must be plain text or a TSV file."
        )
    texts = read_text_file(path)
    given = read_text_file(source) if source else None
    sources = (given.of_sources() or given) if given else texts.of_sources()
    found = _as_structured(sources, texts) if sources else None
    return ReferenceFile(texts, found, language_of(path))


def read_hypothesis(path: Path, reference: ReferenceFile) -> SystemOutput:
    """Read translations from plain text, a TSV file, or a file with a system's output."""
    wanted = DocumentStructure.of(reference.texts)
    if path.suffix == OUTPUT_SUFFIX:
        output = read_output(path)
        sizes = [len(document) for document in output.output]
        check_structure(DocumentStructure(str(path), sizes), wanted)
        return output
    texts = read_text_file(path, may_be_empty=True)
    return SystemOutput(
        bare_name(path), None, _as_structured(texts, reference.texts), language=language_of(path)
    )


def _as_structured(texts: TextFile, wanted: TextFile) -> list[list[str]]:
    """The sentences of a file in the document structure of another file."""
    if texts.is_plain and (found := _line_by_line(texts, wanted)):
        return found
    check_structure(DocumentStructure.of(texts), DocumentStructure.of(wanted))
    return texts.sentences


def _line_by_line(texts: TextFile, wanted: TextFile) -> list[list[str]] | None:
    """Read a blank line of plain text as an empty sentence where the other file has a sentence.

    None unless each line with text has a sentence of the other file on the same line.
    """
    lines = _sentence_lines(wanted)
    given = {s.line: s.text for document in texts.documents for s in document}
    if texts.lines < lines[-1][-1] or not given.keys() <= {n for some in lines for n in some}:
        return None
    return [[given.get(line, "") for line in some] for some in lines]


def _sentence_lines(texts: TextFile) -> list[Sequence[int]]:
    """The line of each sentence in plain text, with one blank line between documents."""
    if texts.is_plain:
        return [[sentence.line for sentence in document] for document in texts.documents]
    sizes = [len(document) for document in texts.documents]
    starts = accumulate((size + 1 for size in sizes[:-1]), initial=1)
    return [range(start, start + size) for start, size in zip(starts, sizes, strict=True)]
