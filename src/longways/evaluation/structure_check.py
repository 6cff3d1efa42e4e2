"""Check that a translation has the documents and sentences of its reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from longways.errors import CorpusError
from longways.evaluation.text_files import TextFile


@dataclass(frozen=True)
class DocumentStructure:
    """The number of sentences in each document of a text."""

    title: str
    """The name of the text in error messages."""
    sizes: Sequence[int]
    names: Sequence[str] | None = None
    """The names of the documents, if they have names."""
    lines: Sequence[Sequence[int]] | None = None
    """The line number of each sentence, if the text is a file."""

    @classmethod
    def of(cls, texts: TextFile) -> DocumentStructure:
        """The structure of a file."""
        sizes = [len(document) for document in texts.documents]
        lines = [[sentence.line for sentence in document] for document in texts.documents]
        return cls(str(texts.path), sizes, None if texts.is_plain else texts.names, lines)

    def document(self, number: int) -> str:
        """A document in words; numbers count from 0 here, from 1 in the words."""
        return f"document {number + 1}" + (f" ({self.names[number]!r})" if self.names else "")

    def line(self, document: int, sentence: int) -> str:
        """The line of a sentence in words, or nothing; both numbers count from 0."""
        return f"line {self.lines[document][sentence]}" if self.lines else ""


def check_structure(translation: DocumentStructure, reference: DocumentStructure) -> None:
    """Raise an error at the first document that differs."""
    for i, (one, other) in enumerate(zip_longest(translation.sizes, reference.sizes)):
        if one is None or other is None:
            raise CorpusError(_missing_document(i, translation, reference))
        if one != other:
            raise CorpusError(_other_size(i, translation, reference))
        if translation.names and reference.names and translation.names[i] != reference.names[i]:
            raise CorpusError(_other_name(i, translation, reference))


def _missing_document(
    number: int, translation: DocumentStructure, reference: DocumentStructure
) -> str:
    only, which = (
        (reference, "latter") if number < len(reference.sizes) else (translation, "former")
    )
    line = only.line(number, 0)
    return (
        f"{translation.title} and {reference.title} differ at {only.document(number)}: only the "
        f"{which} has it{f', from {line} on' if line else ''}. Both must have the same documents"
        f"{'' if only.names else ', with blank lines between them'}."
    )


def _other_size(number: int, translation: DocumentStructure, reference: DocumentStructure) -> str:
    sizes = translation.sizes[number], reference.sizes[number]
    longer, which = (translation, "former") if sizes[0] > sizes[1] else (reference, "latter")
    line = longer.line(number, min(sizes))
    return (
        f"{translation.title} and {reference.title} differ at {reference.document(number)}: it has "
        f"{sizes[0]} and {sizes[1]} sentences, so sentence {min(sizes) + 1} of the {which}"
        f"{f' ({line})' if line else ''} has no counterpart. Both must be parallel."
    )


def _other_name(number: int, translation: DocumentStructure, reference: DocumentStructure) -> str:
    names = [structure.names[number] for structure in (translation, reference) if structure.names]
    return (
        f"{translation.title} and {reference.title} differ at document {number + 1}: it is "
        f"{names[0]!r} in the former, but {names[1]!r} in the latter. Both must have the same "
        "documents in the same order."
    )
