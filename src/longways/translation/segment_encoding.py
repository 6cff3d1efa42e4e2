"""Segments of text as token ids; a segment that is too long for the model is split."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from longways.text.sentences.long_sentences import split_long
from longways.text.sentences.splitter import BLOCK, Segment
from longways.text.tokenizers.base import Tokenizer
from longways.text.untranslatable import is_untranslatable
from longways.translation.terminology.glossary import (
    Constraint,
    Terms,
    placeholder_constraints,
    spans_inside,
)

MAX_SEGMENT_TOKENS = 200
"""Tokens of the longest segment that is translated unsplit, if the model has the positions."""


class EncodedSegment(NamedTuple):
    """A segment with its token ids; it has none if it stays untranslated."""

    segment: Segment
    tokens: list[int]
    constraints: Sequence[Constraint] = ()
    """The terms and placeholders that its translation must contain."""


def longest_segment(positions: int) -> int:
    """The most tokens of a segment: a translation of twice the length should fit as well."""
    return max(1, min(MAX_SEGMENT_TOKENS, (positions - 10) // 2))


def encode_segments(
    segments: Iterable[Segment], tokenizer: Tokenizer, longest: int, terms: Terms
) -> Iterator[EncodedSegment]:
    """Encode segments, each of at most `longest` tokens, one at a time as they are asked for."""
    for segment in segments:
        if is_untranslatable(segment.text):
            yield EncodedSegment(segment, [])
        elif len(segment.text) <= BLOCK and len(ids := encode(segment.text, tokenizer)) <= longest:
            yield EncodedSegment(segment, ids, _constraints(segment, terms))
        else:
            yield from _encode_split(segment, tokenizer, longest, terms)


def _encode_split(
    segment: Segment, tokenizer: Tokenizer, longest: int, terms: Terms
) -> Iterator[EncodedSegment]:
    """A segment that is too long, split at its best breaks."""

    def fits(text: str) -> bool:
        return len(text) <= BLOCK and len(encode(text, tokenizer)) <= longest

    parts, start = split_long(segment.text, fits), 0
    for number, whole in enumerate(parts, 1):
        text, is_last = whole.rstrip(), number == len(parts)
        after = segment.after if is_last else whole[len(text) :]
        keep = spans_inside(segment.keep, (start, start + len(text)))
        part = Segment(text, after, segment.ends and is_last, tuple(keep))
        tokens = [] if is_untranslatable(text) else encode(text, tokenizer)
        yield EncodedSegment(part, tokens, _constraints(part, terms) if tokens else ())
        start += len(whole)


def _constraints(segment: Segment, terms: Terms) -> list[Constraint]:
    """The placeholders of a segment, and the terms outside of them."""
    kept = placeholder_constraints(segment.text, segment.keep)
    return [*kept, *terms.find(segment.text, outside=segment.keep)]


def encode(text: str, tokenizer: Tokenizer) -> list[int]:
    """The token ids of one sentence."""
    return tokenizer.encode([text])[0]
