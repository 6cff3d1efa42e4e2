"""Whether a translation has the documents and sentences of its reference, and where they part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from longways.errors import CorpusError
from longways.evaluation.text_files import Texts


@dataclass(frozen=True)
class Layout:
    """How many sentences each document of a text has."""

    title: str
    """What the text is called."""
    sizes: Sequence[int]
    names: Sequence[str] | None = None
    lines: Sequence[Sequence[int]] | None = None
    """Where each sentence stands, in a file."""

    @classmethod
    def of(cls, texts: Texts) -> Layout:
        """Of a file."""
        sizes = [len(document) for document in texts.documents]
        lines = [[sentence.line for sentence in document] for document in texts.documents]
        return cls(str(texts.path), sizes, None if texts.is_plain else texts.names, lines)

    def document(self, number: int) -> str:
        """What a document is called, counted from 0."""
        return f"document {number + 1}" + (f" ({self.names[number]!r})" if self.names else "")

    def line(self, document: int, sentence: int) -> str:
        """The line of a sentence, if it is known; both are counted from 0."""
        return f"line {self.lines[document][sentence]}" if self.lines else ""


def check_layout(translation: Layout, reference: Layout) -> None:
    """Raise where they first differ, if they do."""
    for i, (one, other) in enumerate(zip_longest(translation.sizes, reference.sizes)):
        if one is None or other is None:
            raise CorpusError(_end(i, translation, reference))
        if one != other:
            raise CorpusError(_size(i, translation, reference))
        if translation.names and reference.names and translation.names[i] != reference.names[i]:
            raise CorpusError(_name(i, translation, reference))


def _end(number: int, translation: Layout, reference: Layout) -> str:
    only, which = (
        (reference, "latter") if number < len(reference.sizes) else (translation, "former")
    )
    line = only.line(number, 0)
    return (
        f"{translation.title} and {reference.title} part at {only.document(number)}: only the "
        f"{which} has it{f', from {line} on' if line else ''}. Both must have the same documents"
        f"{'' if only.names else ', with blank lines between them'}."
    )


def _size(number: int, translation: Layout, reference: Layout) -> str:
    sizes = translation.sizes[number], reference.sizes[number]
    longer, which = (translation, "former") if sizes[0] > sizes[1] else (reference, "latter")
    line = longer.line(number, min(sizes))
    return (
        f"{translation.title} and {reference.title} part at {reference.document(number)}: it has "
        f"{sizes[0]} and {sizes[1]} sentences, so sentence {min(sizes) + 1} of the {which}"
        f"{f' ({line})' if line else ''} has no partner. Both must be parallel."
    )


def _name(number: int, translation: Layout, reference: Layout) -> str:
    names = [layout.names[number] for layout in (translation, reference) if layout.names]
    return (
        f"{translation.title} and {reference.title} part at document {number + 1}: it is "
        f"{names[0]!r} in the former, but {names[1]!r} in the latter. Both must have the same "
        "documents in the same order."
    )
