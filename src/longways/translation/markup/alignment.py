"""Word alignment of a translation with the characters of its source; restores placeholders.

T target words, N source characters.

The cross attention of the model aligns tokens; here tokens become characters and words. A
placeholder that is missing in the translation replaces the words that are aligned with it. Where no
word is, it follows the word before it. No placeholder is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.decoding.runtime import AnyRuntime
from longways.text.pipeline import TextPipeline
from longways.text.tokenizers.base import Tokenizer
from longways.translation.markup.projection import Aligned, best_run, word_before
from longways.translation.markup.token_alignment import align_tokens
from longways.translation.terminology.glossary import Constraint, Span

_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")  # noqa: RUF001 - a curly apostrophe
_NAME = re.compile(r"[A-Za-z0-9_]+")


class AlignmentRequest(NamedTuple):
    """A sentence and its translation, which are to be aligned.

    The spans in `keep` and `marked` are encoded by themselves: a token that crosses the end of a
    mark would be aligned with words inside and outside of it.
    """

    source: str
    translation: str
    keep: Sequence[Span] = ()
    """Placeholders; each will be one word of the translation."""
    marked: Sequence[Span] = ()
    terms: Sequence[Constraint] = ()
    """Terms are aligned with their translations, which the model may find unlikely."""

    @property
    def breaks(self) -> set[int]:
        """The places in the source that no token crosses."""
        return {place for span in (*self.keep, *self.marked) for place in span}


class _Tokens(NamedTuple):
    """The tokens of a sentence and its translation."""

    normal: str
    """The normalised source, which has the places of the source."""
    source: list[int]
    target: list[int]


class Aligner:
    """Aligns sentences with their translations by a model's own attention."""

    def __init__(self, runtime: AnyRuntime, text: TextPipeline) -> None:
        self.runtime, self.text = runtime, text

    def align(self, request: AlignmentRequest) -> Aligned:
        """The alignment of one sentence."""
        (aligned,) = self.align_all([request])
        return aligned

    def align_all(self, requests: Sequence[AlignmentRequest]) -> list[Aligned]:
        """The alignment of each sentence; the model reads sentences of similar length together."""
        shares = self._by_character(requests)
        return [
            _aligned(one, self.kept(one), own) for one, own in zip(requests, shares, strict=True)
        ]

    def kept(self, request: AlignmentRequest) -> tuple[Span, ...]:
        """The placeholders, and the signs that the model cannot spell, such as emoji."""
        signs, keep = self.text.signs(request.source), request.keep
        return *keep, *(one for one in signs if all(one[1] <= a or b <= one[0] for a, b in keep))

    def is_complete(self, request: AlignmentRequest) -> bool:
        """Whether every placeholder and sign is in the translation, however they are aligned."""
        return all_found(request.source, request.translation, self.kept(request))

    def _by_character(self, requests: Sequence[AlignmentRequest]) -> list[NDArray[np.float64]]:
        """(target characters, N) each: attention of target characters to source characters."""
        tokens = [self._tokens(one) for one in requests]
        shares = align_tokens(self.runtime, [(one.source, one.target) for one in tokens])
        return [self._of_characters(*each) for each in zip(requests, tokens, shares, strict=True)]

    def _tokens(self, request: AlignmentRequest) -> _Tokens:
        """The token ids of both texts."""
        normal = self.text.normalise(request.source)
        theirs = self.text.target.encode([request.translation])[0]
        return _Tokens(normal, self.text.source_ids(normal, request.breaks), theirs)

    def _of_characters(
        self, request: AlignmentRequest, tokens: _Tokens, shares: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """The attention between characters, given that between tokens."""
        visible = self.text.visible(tokens.normal)
        columns = _spread(self.text.source, visible, tokens.source)
        if visible != tokens.normal:
            read = [place for place, c in enumerate(tokens.normal) if self.text.visible(c)]
            seen, columns = columns, np.zeros((len(columns), len(tokens.normal)))
            columns[:, read] = seen
        rows = _spread(self.text.target, request.translation, tokens.target)
        columns = columns / np.maximum(columns.sum(1, keepdims=True), 1)
        return np.asarray(rows.T @ shares.astype(float) @ columns)


def _aligned(
    request: AlignmentRequest, keep: Sequence[Span], shares: NDArray[np.float64]
) -> Aligned:
    """The alignment of words, with every part of `keep` in the translation."""
    source, translation = request.source, request.translation
    found, missing = find_kept(source, translation, keep, shares)
    words = _words(translation, [place for place, _ in found])
    aligned = Aligned(source, translation, words, _by_word(shares, words))
    for place, part in (*_anchors(aligned), *found):
        aligned.shares[words.index(place)] = _only(part, len(source))
    for place, part in _terms(aligned, request.terms):
        inside = [n for n, (a, b) in enumerate(words) if place[0] <= a and b <= place[1]]
        aligned.shares[inside] = _only(part, len(source))
    for part in missing:
        aligned = _put_in(aligned, part)
    return aligned


def _spread(side: Tokenizer, text: str, ids: list[int]) -> NDArray[np.float64]:
    """(tokens, characters): 1 where a token covers a character."""
    ends = np.array([0, *side.ends(text, ids)])[:, None]
    places = np.arange(len(text))
    return ((ends[:-1] <= places) & (places < ends[1:])).astype(float)


def find_kept(
    source: str,
    translation: str,
    keep: Sequence[Span],
    shares: NDArray[np.float64] | None = None,
) -> tuple[list[tuple[Span, Span]], list[Span]]:
    """The places of placeholders in a translation, each used once, and the missing ones.

    Of several places, a placeholder gets the one with the highest attention to it: in "import
    with `import`" the verb is no code. `shares` is the attention of target characters (rows) to
    source characters; without it, places are given in their order.
    """
    found, taken = list[tuple[Span, Span]](), list[Span]()
    alike = dict[str, list[Span]]()
    for start, end in sorted(keep):
        alike.setdefault(source[start:end], []).append((start, end))
    for part in sorted(alike, key=len, reverse=True):
        places = [match.span() for match in re.finditer(re.escape(part), translation)]
        free = [p for p in places if all(p[1] <= a or b <= p[0] for a, b in taken)]
        pairs = _pairs(free, alike[part], shares)
        found += pairs
        taken += [place for place, _ in pairs]
    known = {part for _, part in found}
    return found, sorted(span for span in keep if span not in known)


def all_found(source: str, translation: str, keep: Sequence[Span]) -> bool:
    """Whether `find_kept` finds all placeholders, whatever the attention: no two want one place."""
    counts = Counter(source[start:end] for start, end in keep)
    places = [m.span() for part in counts for m in re.finditer(re.escape(part), translation)]
    return all(translation.count(part) == count for part, count in counts.items()) and all(
        one[1] <= other[0] for one, other in pairwise(sorted(places))
    )


def _pairs(
    places: list[Span], parts: list[Span], shares: NDArray[np.float64] | None
) -> list[tuple[Span, Span]]:
    """Each part with a place of its own, the highest attention first."""
    if shares is None or len(places) <= len(parts) == 1 or not parts:
        return list(zip(places, parts, strict=False))
    ranked = sorted(
        ((place, part) for place in places for part in parts),
        key=lambda pair: -float(shares[slice(*pair[0]), slice(*pair[1])].sum()),
    )
    pairs = list[tuple[Span, Span]]()
    for place, part in ranked:
        if all(place != other and part != one for other, one in pairs):
            pairs.append((place, part))
    return pairs


def _words(translation: str, whole: list[Span]) -> tuple[Span, ...]:
    """The words of a text; each span in `whole` is one word."""
    words, start = list[Span](), 0
    for place in (*sorted(whole), (len(translation), len(translation))):
        words += [m.span() for m in _WORD.finditer(translation, start, place[0])]
        words += [place] if place[0] < place[1] else []
        start = place[1]
    return tuple(words)


def _anchors(aligned: Aligned) -> Iterator[tuple[Span, Span]]:
    """Numbers and names that occur once in both texts: they are aligned without the model."""
    ours = _once(aligned.source, [m.span() for m in _NAME.finditer(aligned.source)])
    theirs = _once(aligned.translation, aligned.words)
    yield from ((theirs[name], ours[name]) for name in theirs if name in ours)


def _terms(aligned: Aligned, terms: Iterable[Constraint]) -> Iterator[tuple[Span, Span]]:
    """The places of terms that occur once in both texts."""
    for term in terms:
        places = [match.span() for match in term.pattern.finditer(aligned.translation)]
        if len(places) == aligned.source.count(term.source) == 1:
            start = aligned.source.index(term.source)
            yield places[0], (start, start + len(term.source))


def _once(text: str, places: Sequence[Span]) -> dict[str, Span]:
    """The names and numbers that occur once in a text, with their places."""
    counts = Counter(text[start:end] for start, end in places)
    return {
        name: (start, end)
        for start, end in places
        if counts[name := text[start:end]] == 1 and _NAME.fullmatch(name)
    }


def _by_word(shares: NDArray[np.float64], words: Sequence[Span]) -> NDArray[np.float64]:
    """(T, N): rows sum to 1, or to 0 without attention."""
    rows = np.array([shares[start:end].sum(0) for start, end in words])
    rows = rows.reshape(len(words), shares.shape[1])
    return np.asarray(rows / np.maximum(rows.sum(1, keepdims=True), 1e-12))


def _only(part: Span, characters: int) -> NDArray[np.float64]:
    row = np.zeros(characters)
    row[part[0] : part[1]] = 1 / (part[1] - part[0])
    return row


def _put_in(aligned: Aligned, part: Span) -> Aligned:
    """Insert a placeholder as a word, in place of the words that are aligned with it."""
    run = best_run(aligned, *part)
    if run is None:
        before = word_before(aligned, part[0])
        run = (0, 0) if before is None else (before + 1, before + 1)
    return _replace(aligned, run, part)


def _replace(aligned: Aligned, run: Span, part: Span) -> Aligned:
    """Replace a run of words by a placeholder, with a space on either side."""
    words, text = aligned.words, aligned.translation
    start = words[run[0]][0] if run[0] < run[1] else (words[run[0] - 1][1] if run[0] else 0)
    end = words[run[1] - 1][1] if run[0] < run[1] else start
    left, right = text[:start].rstrip(), text[end:]
    left += " " if left and run[0] else ""
    right = f" {right}" if right[:1].isalnum() else right
    kept = aligned.source[part[0] : part[1]]
    place, shift = (len(left), len(left) + len(kept)), len(left) + len(kept) - end
    shift += len(right) - len(text[end:])
    after = [(a + shift, b + shift) for a, b in words[run[1] :]]
    before, behind = aligned.shares[: run[0]], aligned.shares[run[1] :]
    shares = np.concatenate([before, _only(part, len(aligned.source))[None], behind])
    return Aligned(aligned.source, left + kept + right, (*words[: run[0]], place, *after), shares)
