"""What translations are held against: references, as models' material or as a file of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Protocol

from longways.errors import CorpusError
from longways.evaluation.metrics.score import TextDocuments
from longways.evaluation.structure_check import Layout, check_layout
from longways.evaluation.system_output import SystemOutput, read_judged
from longways.evaluation.text_files import Texts, bare_name, language_of, read_texts

KEPT = ".json"
"""The suffix of files that hold kept translations of a model."""


class Reference(Protocol):
    """Documents whose translation is known."""

    @property
    def references(self) -> TextDocuments:
        """The known translation."""

    @property
    def names(self) -> Sequence[str]:
        """Of the documents."""

    @property
    def sources(self) -> TextDocuments | None:
        """What was translated, if it is known."""

    @property
    def target_language(self) -> str:
        """The language that is judged; empty where it is not known."""


@dataclass(frozen=True)
class ReferenceFile:
    """References from a file."""

    texts: Texts
    sources: TextDocuments | None
    target_language: str

    @property
    def name(self) -> str:
        """Of the file."""
        return bare_name(self.texts.path)

    @property
    def names(self) -> Sequence[str]:
        """Of the documents."""
        return self.texts.names

    @property
    def references(self) -> TextDocuments:
        """As they were written."""
        return self.texts.sentences


def read_reference(path: Path, source: Path | None = None) -> ReferenceFile:
    """References, and beside them what was translated, if it is named."""
    if path.suffix == KEPT:
        raise CorpusError(f"{path} is no text, but references are: plain text, or a TSV file.")
    texts = read_texts(path)
    given = read_texts(source) if source else None
    sources = (given.of_sources() or given) if given else texts.of_sources()
    found = _fitting(sources, texts) if sources else None
    return ReferenceFile(texts, found, language_of(path))


def read_hypothesis(path: Path, reference: ReferenceFile) -> SystemOutput:
    """Translations from a file, of any kind that there is."""
    wanted = Layout.of(reference.texts)
    if path.suffix == KEPT:
        judged = read_judged(path)
        check_layout(Layout(str(path), [len(document) for document in judged.output]), wanted)
        return judged
    texts = read_texts(path, may_be_empty=True)
    return SystemOutput(
        bare_name(path), None, _fitting(texts, reference.texts), language=language_of(path)
    )


def _fitting(texts: Texts, wanted: Texts) -> list[list[str]]:
    """Sentences in the documents of other texts, where they have them."""
    if texts.is_plain and (found := _line_by_line(texts, wanted)):
        return found
    check_layout(Layout.of(texts), Layout.of(wanted))
    return texts.sentences


def _line_by_line(texts: Texts, wanted: Texts) -> list[list[str]] | None:
    """Plain text whose blank lines are empty sentences where the other texts have some there.

    None unless every line stands where it is wanted.
    """
    places = _places(wanted)
    given = {s.line: s.text for document in texts.documents for s in document}
    if texts.lines < places[-1][-1] or not given.keys() <= {n for some in places for n in some}:
        return None
    return [[given.get(line, "") for line in some] for some in places]


def _places(texts: Texts) -> list[Sequence[int]]:
    """The line of each sentence in plain text, with one blank line between documents."""
    if texts.is_plain:
        return [[sentence.line for sentence in document] for document in texts.documents]
    sizes = [len(document) for document in texts.documents]
    starts = accumulate((size + 1 for size in sizes[:-1]), initial=1)
    return [range(start, start + size) for start, size in zip(starts, sizes, strict=True)]
