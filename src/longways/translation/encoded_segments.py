"""Encoded segments: what of a segment the model reads, and what its translation must contain.

Signs, tags and the signs of comments at the ends of a segment are copied and never read, nor is the
number or the sign of a list item. Signs inside it and the placeholders of its format have
stand-ins. A segment that is too long for the model is split.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from longways.decoding.hypothesis import Hypothesis
from longways.decoding.searcher import Found
from longways.formats.placeholders import code_spans, kept_parts
from longways.text.foreign import is_foreign
from longways.text.normalisation import INVISIBLE
from longways.text.pipeline import TextPipeline
from longways.text.sentences.gaps import without_gaps_in_labels
from longways.text.sentences.long_sentences import split_long
from longways.text.sentences.splitter import BLOCK, Segment
from longways.text.tokenizers.special_tokens import EOS
from longways.text.untranslatable import is_untranslatable
from longways.translation.list_numbers import is_label, label_length, translated_label
from longways.translation.memory.lookup import TranslationMemory
from longways.translation.memory.units import Match
from longways.translation.outer_tags import without_outer_tags
from longways.translation.terminology.glossary import Constraint, Span, Terms, spans_inside
from longways.translation.terminology.stand_ins import Masked, mask

MAX_SEGMENT_TOKENS = 200
"""Tokens of the longest segment that is translated unsplit, if the model has the positions."""

BLANK = "".join(c for c in map(chr, range(0x3001)) if c.isspace()) + INVISIBLE
"""Whitespace and invisible characters, which are copied at the ends of a segment."""

_COMMENT = re.compile(r"(?://+|/\*+|#+(?=\s)|[-+*](?=\s))\s*")
_COMMENT_END = re.compile(r"(?<!\s)\s*\*/$")


class EncodedSegment(NamedTuple):
    """A segment with its token ids; it has none if it stays untranslated."""

    segment: Segment
    tokens: list[int]
    constraints: Sequence[Constraint] = ()
    """The terms and stand-ins that its translation must contain."""
    masked: Masked = Masked("")
    """The translated text with stand-ins for its kept parts: what the tokens spell."""
    core: Span = (0, 0)
    """The span of the segment that is translated; list numbers and signs at its ends are not."""
    source: str = ""
    """The core, normalised outside of its kept parts."""
    keep: Sequence[Span] = ()
    """The kept parts of the source."""
    known: Found | None = None
    """The translation that is given, as the model would have written it."""
    match: Match | None = None
    """What a translation memory has for it."""


def longest_segment(positions: int) -> int:
    """The most tokens of a segment: a translation of twice the length should fit as well."""
    return max(1, min(MAX_SEGMENT_TOKENS, (positions - 10) // 2))


def encode_segments(
    segments: Iterable[Segment],
    text: TextPipeline,
    longest: int,
    terms: Terms,
    memory: TranslationMemory | None = None,
) -> Iterator[EncodedSegment]:
    """Encode segments, each of at most `longest` tokens, one at a time as they are asked for.

    A segment whose translation is given is never split. It is context of the others if it is no
    longer than they may be.
    """
    before = ""
    for segment in map(_with_placeholders, segments):
        one = EncodedSegment(segment, [])
        if segment.text and (memory or segment.given is not None):
            one = _looked_up(_encoded(segment, text, terms), before, text, memory)
            before = segment.text
        if one.segment.given is not None:
            yield _known(one, text, longest)
            continue
        masked = mask(text.normalise(segment.text, segment.keep), segment.keep)
        if is_copied(segment, masked, text):
            yield EncodedSegment(segment, [])
        elif len(masked.text) > BLOCK or len(encode(masked, text)) > longest:
            for part in _split(segment, masked, text, longest):
                yield _encoded(part, text, terms)
        else:
            yield _encoded(segment, text, terms)._replace(match=one.match)


def _looked_up(
    one: EncodedSegment, before: str, text: TextPipeline, memory: TranslationMemory | None
) -> EncodedSegment:
    """A segment with what a memory has for it: all of it, or without list number and signs."""
    if memory is None or one.segment.given is not None:
        return one._replace(match=memory.taken(one.segment) if memory else None)
    whole, (start, end) = one.segment.text, one.core
    if match := memory.find(whole, before, one.segment.keep):
        return _given(one, match, match.target)
    core = whole[start:end]
    if core and core != whole and (match := memory.find(core, before, one.keep)):
        label = translated_label(whole[:start], text.target_language)
        return _given(one, match, label + match.target + whole[end:])
    return one._replace(match=memory.like(core)) if one.tokens else one


def _given(one: EncodedSegment, match: Match, given: str) -> EncodedSegment:
    return one._replace(segment=one.segment._replace(given=given), match=match)


def _known(one: EncodedSegment, text: TextPipeline, longest: int) -> EncodedSegment:
    """A segment with its given translation as the model would have written it."""
    given, (start, end) = one.segment.given or "", one.core
    label = translated_label(one.segment.text[:start], text.target_language)
    core = given.removeprefix(label).removesuffix(one.segment.text[end:])
    for part in one.masked.parts:
        core = core.replace(part.text, part.name)
    tokens = text.target.encode([core])[0] if one.tokens else []
    if not tokens or max(len(one.tokens), len(tokens) // 2) > longest:
        return one._replace(tokens=[])
    return one._replace(known=[Hypothesis(tokens, 0.0, 0.0, EOS)])


def is_copied(segment: Segment, masked: Masked, text: TextPipeline) -> bool:
    """Whether a segment stays as it is: it has no words, or none of the source language.

    The language is that of the segment as it was given: simplified Japanese looks like Chinese.
    """
    if is_untranslatable(masked.outside):
        return True
    given = mask(segment.text, segment.keep).outside
    return is_foreign(given, text.source_language, text.target_language)


def encode(masked: Masked, text: TextPipeline) -> list[int]:
    """The token ids of one source sentence."""
    return text.source_ids(without_gaps_in_labels(masked.text))


def _with_placeholders(segment: Segment) -> Segment:
    """A segment of plain text has no kept parts yet; formats have found theirs."""
    if segment.keep or len(segment.text) > BLOCK:
        return segment
    return segment._replace(keep=kept_parts(segment.text, code_spans(segment.text)))


def _encoded(segment: Segment, text: TextPipeline, terms: Terms) -> EncodedSegment:
    """A segment without the signs at its ends; signs inside it are kept like placeholders."""
    signs = [] if len(segment.text) > BLOCK else text.signs(segment.text)
    kept = _disjoint([*segment.keep, *signs])
    core = _without_ends(segment.text, [span for span in kept if span not in segment.keep])
    core = without_outer_tags(segment.text, core, segment.keep)
    core = _without_comment_signs(segment.text, core)
    core = _without_label(segment, core, text.source_language)
    keep = spans_inside(kept, core)
    source = text.normalise(segment.text[slice(*core)], keep)
    masked = mask(source, keep)
    if is_copied(segment, masked, text):
        return EncodedSegment(segment, [], core=core, keep=keep)
    given = mask(segment.text[slice(*core)], keep).text
    constraints = [*masked.constraints(), *_terms(given, masked, terms)]
    return EncodedSegment(segment, encode(masked, text), constraints, masked, core, source, keep)


def _terms(given: str, masked: Masked, terms: Terms) -> list[Constraint]:
    """The terms of a sentence, as it was given (Traditional, full-width) or normalised."""
    parts = [part.span for part in masked.parts]
    if given == masked.text or len(given) != len(masked.text):
        return terms.find(masked.text, outside=parts)
    found = terms.find(given, outside=parts)
    spans = [span for constraint in found for span in constraint.spans]
    return [*found, *terms.find(masked.text, outside=[*parts, *spans])]


def _without_ends(text: str, signs: Sequence[Span]) -> Span:
    """The span of a text between the signs at its ends; a word in another script is no sign."""
    start, end = 0, len(text)
    outer = [(a, b) for a, b in signs if not any(map(str.isalpha, text[a:b]))]
    for a, b in outer:
        if not text[start:a].strip(BLANK):
            start = b
    for a, b in reversed(outer):
        if a >= start and not text[b:end].strip(BLANK):
            end = a
    core = text[start:end].lstrip(BLANK)
    return end - len(core), end - len(core) + len(core.rstrip(BLANK))


def _without_comment_signs(text: str, core: Span) -> Span:
    """The span without the signs of a comment in a program, // # /* */, or of an item: - + *."""
    start, end = core
    opened = _COMMENT.match(text, start, end)
    start = opened.end() if opened else start
    closed = _COMMENT_END.search(text, start, end)
    return start, closed.start() if closed else end


def _without_label(segment: Segment, core: Span, language: str) -> Span:
    """The span without a list number at its start, unless a kept part begins inside of it.

    It is empty where there is nothing but a list number.
    """
    start, end = core
    if is_label(segment.text[start:end], language) and not segment.keep:
        return end, end
    after = start + label_length(segment.text[start:end], language)
    if any(a < after and start < b for a, b in segment.keep):
        return core
    return after, end


def _disjoint(spans: Sequence[Span]) -> list[Span]:
    """The spans in order; of two that overlap, the one that was given first."""
    found = list[Span]()
    for span in spans:
        if all(span[1] <= a or b <= span[0] for a, b in found):
            found.append(span)
    return sorted(found)


def _split(segment: Segment, masked: Masked, text: TextPipeline, longest: int) -> Iterator[Segment]:
    """A segment that is too long, split at its best breaks; no break is inside a kept part."""

    def fits(part: str) -> bool:
        return len(part) <= BLOCK and len(encode(Masked(part), text)) <= longest

    parts, start = masked.split_source(segment.text, split_long(masked.text, fits)), 0
    for number, whole in enumerate(parts, 1):
        part, is_last = whole.rstrip(), number == len(parts)
        after = segment.after if is_last else whole[len(part) :]
        keep = spans_inside(segment.keep, (start, start + len(part)))
        yield Segment(part, after, segment.ends and is_last, tuple(keep))
        start += len(whole)
