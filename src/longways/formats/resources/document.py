"""A resource file as a document: its values in order, and the bytes that are written for them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from longways.formats.base import Passage
from longways.formats.resources.messages import Message
from longways.formats.resources.rendering import Escape, is_new, rendered
from longways.formats.text_file import TextFile

Edit = tuple[int, int, str]
"""Start and end offset of some characters of a file, and their replacement."""


@dataclass(frozen=True, slots=True)
class Value:
    """The messages of a value, and how new text is escaped in it."""

    messages: Sequence[Message]
    escape: Escape
    range: tuple[int, int] = (0, 0)
    """Where the value is, if it is written as a whole."""
    whole: Escape | None = None
    """The last step for a value that is written as a whole."""

    def passages(self) -> Iterator[Passage]:
        """The passages of all messages."""
        for message in self.messages:
            yield from message.passages()


class ResourceDocument:
    """A parsed resource file. It has one language: `bilingual` changes nothing."""

    def __init__(
        self,
        file: TextFile,
        values: Iterable[Value],
        warnings: Sequence[str] = (),
        languages: Callable[[str], Iterable[Edit]] = lambda _: (),
    ) -> None:
        """`languages` are the edits that name the language of a file with new text in it."""
        self.file, self.warnings, self._languages = file, warnings, languages
        self._values = [value for value in values if any(True for _ in value.passages())]
        self.passages = [passage for value in self._values for passage in value.passages()]

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages in place of its own; see `FormattedDocument`."""
        if not any(is_new(new, own) for new, own in zip(passages, self.passages, strict=True)):
            return self.file.data
        edits = sorted([*self._edits(passages), *self._languages(language)])
        return self.file.encode(edited(self.file.text, edits))

    def _edits(self, passages: Sequence[Passage]) -> Iterator[Edit]:
        new = iter(passages)
        for value in self._values:
            own = list(itertools.islice(new, sum(1 for _ in value.passages())))
            if any(is_new(n, o) for n, o in zip(own, value.passages(), strict=True)):
                yield from self._edited(value, iter(own))

    def _edited(self, value: Value, new: Iterator[Passage]) -> Iterator[Edit]:
        text = self.file.text
        edits = [(m.start, m.end, rendered(text, m, new, value.escape)) for m in value.messages]
        if not value.whole:
            yield from edits
            return
        start, end = value.range
        moved = [(first - start, last - start, part) for first, last, part in edits]
        yield start, end, value.whole(edited(text[start:end], moved))


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text after disjoint edits, in order."""
    parts, place = list[str](), 0
    for start, end, new in edits:
        parts += text[place:start], new
        place = end
    return "".join([*parts, text[place:]])
