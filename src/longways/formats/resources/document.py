"""A resource file as a document: its values in order, and the bytes that are written for them."""

from __future__ import annotations

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

    messages: list[Message]
    escape: Escape

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
            for message in value.messages:
                text = rendered(self.file.text, message, new, value.escape)
                yield message.start, message.end, text


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text after disjoint edits, in order."""
    parts, place = list[str](), 0
    for start, end, new in edits:
        parts += text[place:start], new
        place = end
    return "".join([*parts, text[place:]])
