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

import numpy as np
from numpy.typing import NDArray

from longways.decoding.runtime import AnyRuntime
from longways.text.pipeline import TextPipeline
from longways.text.tokenizers.base import Tokenizer
from longways.text.tokenizers.special_tokens import EOS
from longways.translation.markup.projection import Aligned, best_run, word_before
from longways.translation.terminology.glossary import Constraint, Span

_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")  # noqa: RUF001 - a curly apostrophe
_NAME = re.compile(r"[A-Za-z0-9_]+")


class Aligner:
    """Aligns sentences with their translations by a model's own attention."""

    def __init__(self, runtime: AnyRuntime, text: TextPipeline) -> None:
        self.runtime, self.text = runtime, text

    def align(
        self,
        source: str,
        translation: str,
        keep: Sequence[Span] = (),
        marked: Iterable[Span] = (),
        terms: Iterable[Constraint] = (),
    ) -> Aligned:
        """The alignment of a sentence; every placeholder is one word of the translation.

        The spans in `keep` and `marked` are encoded by themselves: a token that crosses the end of
        a mark would be aligned with words inside and outside of it. A term is aligned with its
        translation, which the model may find unlikely. Signs that the model cannot spell, such as
        emoji, are kept like placeholders.
        """
        breaks = {place for span in (*keep, *marked) for place in span}
        keep = (*keep, *self._signs(source, keep))
        shares = self._by_character(source, translation, breaks)
        found, missing = find_kept(source, translation, keep, shares)
        words = _words(translation, [place for place, _ in found])
        aligned = Aligned(source, translation, words, _by_word(shares, words))
        for place, part in (*_anchors(aligned), *found):
            aligned.shares[words.index(place)] = _only(part, len(source))
        for place, part in _terms(aligned, terms):
            inside = [n for n, (a, b) in enumerate(words) if place[0] <= a and b <= place[1]]
            aligned.shares[inside] = _only(part, len(source))
        for part in missing:
            aligned = _put_in(aligned, part)
        return aligned

    def _signs(self, source: str, keep: Sequence[Span]) -> list[Span]:
        """The signs of a sentence outside of its placeholders."""
        found = self.text.signs(source)
        return [one for one in found if all(one[1] <= a or b <= one[0] for a, b in keep)]

    def _by_character(
        self, source: str, translation: str, breaks: Iterable[int]
    ) -> NDArray[np.float64]:
        """(target characters, N): attention of target characters to source characters."""
        normal = self.text.normalise(source)
        visible = self.text.visible(normal)
        ours = self.text.source_ids(normal, breaks)
        theirs = self.text.target.encode([translation])[0]
        windows = (np.array([[*ids, EOS]]) for ids in (ours, theirs))
        shares = np.asarray(self.runtime.align(*windows)[0, : len(theirs), : len(ours)], float)
        read = [place for place, c in enumerate(normal) if self.text.visible(c)]
        columns = np.zeros((len(ours), len(source)))
        columns[:, read] = _spread(self.text.source, visible, ours)
        rows = _spread(self.text.target, translation, theirs)
        columns = columns / np.maximum(columns.sum(1, keepdims=True), 1)
        return np.asarray(rows.T @ shares @ columns)


def _spread(side: Tokenizer, text: str, ids: list[int]) -> NDArray[np.float64]:
    """(tokens, characters): 1 where a token covers a character."""
    found = np.zeros((len(ids), len(text)))
    for token, (start, end) in enumerate(pairwise([0, *side.ends(text, ids)])):
        found[token, start:end] = 1
    return found


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
