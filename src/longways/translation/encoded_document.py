"""A document on its way into the model: read, cut where it is too long, and encoded when asked for.

The sliding window takes a document as a sequence of sentences. This one is read one sentence at a
time, and the next only after the last was taken, so that it may come from a person typing, and its
memory does not grow with its length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from longways.text.sentences.long_sentences import split_long
from longways.text.sentences.splitter import BLOCK, Segment
from longways.text.tokenizers.base import Tokenizer
from longways.text.untranslatable import is_untranslatable
from longways.translation.terminology.glossary import Terms, Wanted, spans_inside, wanted_parts


class Encoded(NamedTuple):
    """A segment and its tokens; none if it comes back as it is."""

    segment: Segment
    tokens: list[int]
    wanted: Sequence[Wanted] = ()
    """What its translation must have in it."""


class EncodedDocument(Sequence[Sequence[int]]):
    """The token ids of a document's segments. Its length is what is known of it: one ahead."""

    def __init__(
        self, segments: Iterable[Segment], side: Tokenizer, longest: int, terms: Terms | None = None
    ) -> None:
        self._coming = encode_segments(segments, side, longest, terms or Terms({}))
        self._next: Encoded | None = None
        self._taken = 0

    def __len__(self) -> int:
        if self._next is None:
            self._next = next(self._coming, None)
        return self._taken + (self._next is not None)

    def __getitem__(self, place: Any) -> Any:
        if self._next is None or place != self._taken:
            raise IndexError(f"sentence {place} is not there: {self._taken} were taken")
        return self._next.tokens

    @property
    def coming(self) -> Encoded:
        """The segment that is translated now."""
        assert self._next is not None, "nothing was asked for"
        return self._next

    def take(self) -> Encoded:
        """The segment that is translated now; afterwards the next one may be read."""
        taken, self._next = self._next, None
        assert taken is not None, "nothing was asked for"
        self._taken += 1
        return taken


def encode_segments(
    segments: Iterable[Segment], side: Tokenizer, longest: int, terms: Terms
) -> Iterator[Encoded]:
    """Segments of at most `longest` tokens; what cannot be translated has none."""
    for segment in segments:
        if is_untranslatable(segment.text):
            yield Encoded(segment, [])
        elif len(segment.text) <= BLOCK and len(tokens := encode(segment.text, side)) <= longest:
            yield Encoded(segment, tokens, _wanted(segment, terms))
        else:
            yield from _encode_pieces(segment, side, longest, terms)


def _encode_pieces(
    segment: Segment, side: Tokenizer, longest: int, terms: Terms
) -> Iterator[Encoded]:
    """A segment that is too long, cut at its best breaks."""

    def fits(piece: str) -> bool:
        return len(piece) <= BLOCK and len(encode(piece, side)) <= longest

    pieces, start = split_long(segment.text, fits), 0
    for number, piece in enumerate(pieces, 1):
        text, is_last = piece.rstrip(), number == len(pieces)
        after = segment.after if is_last else piece[len(text) :]
        keep = spans_inside(segment.keep, (start, start + len(text)))
        part = Segment(text, after, segment.ends and is_last, tuple(keep))
        tokens = [] if is_untranslatable(text) else encode(text, side)
        yield Encoded(part, tokens, _wanted(part, terms) if tokens else ())
        start += len(piece)


def _wanted(segment: Segment, terms: Terms) -> list[Wanted]:
    """What must be kept, and terms outside of that."""
    kept = wanted_parts(segment.text, segment.keep)
    return [*kept, *terms.find(segment.text, outside=segment.keep)]


def encode(text: str, side: Tokenizer) -> list[int]:
    """The ids of one sentence."""
    return side.encode([text])[0]
