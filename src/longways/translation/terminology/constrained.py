"""Search that honours terms: translations that lack one are searched again with it in its place.

A term belongs where the words stand that come from its source. Search goes on from there: all
before is forced, then the term, and the rest is found anew, so that it fits. The other way is the
same translation with just those words replaced; the model says which of the two is likelier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.length_penalty import rank
from longways.decoding.runtime import AnyRuntime, pad_rows
from longways.decoding.searcher import search_all
from longways.decoding.windows import Window
from longways.text.pipeline import TextPipeline
from longways.text.sentences.joiner import has_spaces
from longways.text.tokenizers.special_tokens import EOS
from longways.translation.markup.alignment import Aligner
from longways.translation.markup.projection import Aligned, best_run, word_before
from longways.translation.terminology.glossary import Span, Wanted

SHORTEST = 0.7
"""Tokens of a new translation, at least, for each of the old: a term must not cost other words."""


@dataclass(frozen=True)
class Request:
    """A sentence that was translated."""

    source: str
    wanted: Sequence[Wanted]
    window: Window
    found: Hypothesis

    def with_found(self, found: Hypothesis) -> Request:
        """The same with another translation."""
        return Request(self.source, self.wanted, self.window, found)


@dataclass(frozen=True)
class Candidate:
    """Tokens that a new translation begins with, or all of it."""

    asked: int
    tokens: list[int]
    whole: bool = False


class TermConstrainedSearch:
    """Puts terms into translations."""

    def __init__(self, runtime: AnyRuntime, text: TextPipeline, config: TranslateConfig) -> None:
        self.runtime, self.text, self.config = runtime, text, config
        self.aligner = Aligner(runtime, text)

    def honour(self, asked: Sequence[Request]) -> list[Hypothesis]:
        """The translations with their terms, as far as that is possible.

        Every round puts at most one more term into each of them.
        """
        asked, given_up = list(asked), {index: set[str]() for index in range(len(asked))}
        while tried := self._missing(asked, given_up):
            better = self._search(asked, tried)
            for index, wanted in tried.items():
                if index in better:
                    asked[index] = asked[index].with_found(better[index])
                else:
                    given_up[index].add(wanted.target)
        return [one.found for one in asked]

    def _missing(
        self, asked: Sequence[Request], given_up: dict[int, set[str]]
    ) -> dict[int, Wanted]:
        """For each translation that lacks terms, the one whose source comes first."""
        found = {}
        for index, one in enumerate(asked):
            translation = self._decode(one.found.tokens) if one.wanted else ""
            missing = [
                wanted
                for wanted in one.wanted
                if wanted.target not in given_up[index] and not wanted.is_in(translation)
            ]
            if missing:
                found[index] = min(missing, key=lambda wanted: wanted.spans)
        return found

    def _search(self, asked: Sequence[Request], tried: dict[int, Wanted]) -> dict[int, Hypothesis]:
        """The best translation of each with one more term in it, where there is one."""
        tries = [
            one
            for index, wanted in tried.items()
            for one in self._tries(index, asked[index], wanted)
        ]
        ended = [
            (one.asked, Hypothesis(one.tokens, 0.0, 0.0, asked[one.asked].found.stop))
            for one in tries
            if one.whole and len(one.tokens) <= asked[one.asked].window.max_tokens
        ]
        ended += self._go_on(asked, [one for one in tries if not one.whole])
        better = [
            (index, found)
            for index, found in ended
            if self._is_better(asked[index], found, tried[index])
        ]
        best: dict[int, Hypothesis] = {}
        for index, found in self._scored(asked, better):
            if index not in best or found.rank > best[index].rank:
                best[index] = found
        return best

    def _tries(self, index: int, asked: Request, wanted: Wanted) -> Iterator[Candidate]:
        """A beginning that ends with the term, and a translation in which it replaces words."""
        translation = self._decode(asked.found.tokens)
        aligned = _without(self.aligner.align(asked.source, translation), _others(asked, wanted))
        number = min(wanted.found_in(translation), len(wanted.spans) - 1)
        start, end = _place(aligned, wanted.spans[number])
        left, term, right = _around(translation[:start], wanted.target, translation[end:])
        left = _spaced(left, self.text.target_language)
        if not left and not wanted.exact:
            term = term[:1].upper() + term[1:]
        yield Candidate(index, self._encode(left + term))
        yield Candidate(index, self._encode(left + term + right), whole=True)

    def _go_on(
        self, asked: Sequence[Request], tries: Sequence[Candidate]
    ) -> Iterator[tuple[int, Hypothesis]]:
        """Search from each beginning to an end."""
        windows = [_continued(asked[one.asked].window, one.tokens) for one in tries]
        room = [place for place, window in enumerate(windows) if window.max_tokens > 0]
        chosen = [windows[place] for place in room]
        for number, found in search_all(self.runtime, chosen, self.config):
            begun = tries[room[number]]
            tokens = [*begun.tokens, *found[0].tokens]
            yield begun.asked, Hypothesis(tokens, 0.0, 0.0, found[0].stop)

    def _is_better(self, asked: Request, found: Hypothesis, new: Wanted) -> bool:
        """Whether a translation has the new term once more, and all that the old one had."""
        before, after = self._decode(asked.found.tokens), self._decode(found.tokens)
        if found.stop is None or len(found.tokens) < SHORTEST * len(asked.found.tokens):
            return False
        if new.found_in(after) <= new.found_in(before):
            return False
        return all(
            min(wanted.found_in(after), wanted.times) >= min(wanted.found_in(before), wanted.times)
            for wanted in asked.wanted
        )

    def _scored(
        self, asked: Sequence[Request], found: Sequence[tuple[int, Hypothesis]]
    ) -> Iterator[tuple[int, Hypothesis]]:
        """The translations with what the model thinks of them."""
        if not found:
            return
        sources = pad_rows([asked[index].window.source for index, _ in found])
        targets = [
            [*asked[index].window.prefix[1:], *one.tokens, one.stop or EOS] for index, one in found
        ]
        scores = self.runtime.score(sources, pad_rows(targets))
        for row, target, (index, one) in zip(scores, targets, found, strict=True):
            length = len(one.tokens) + 1
            score = float(np.sum(row[len(target) - length : len(target)]))
            ranked = rank(score, length, self.config.search.alpha)
            yield index, one._replace(score=score, rank=ranked)

    def _encode(self, text: str) -> list[int]:
        return self.text.target.encode([text])[0]

    def _decode(self, tokens: list[int]) -> str:
        return self.text.target.decode([tokens])[0]


def _others(asked: Request, wanted: Wanted) -> list[re.Pattern[str]]:
    return [other.pattern for other in asked.wanted if other is not wanted]


def _without(aligned: Aligned, taken: Sequence[re.Pattern[str]]) -> Aligned:
    """The same with words that are other terms coming from nothing: they stay."""
    spans = [m.span() for pattern in taken for m in pattern.finditer(aligned.translation)]
    free = [all(end <= a or b <= start for a, b in spans) for start, end in aligned.words]
    return replace(aligned, shares=aligned.shares * np.array(free, float)[:, None])


def _continued(window: Window, tokens: list[int]) -> Window:
    """A window whose translation begins with these tokens."""
    most = window.max_tokens - len(tokens)
    return window._replace(prefix=[*window.prefix, *tokens], min_tokens=0, max_tokens=most)


def _place(aligned: Aligned, span: Span) -> Span:
    """Characters of a translation that a term replaces: none if no word comes from its source."""
    run = best_run(aligned, *span)
    if run is not None:
        return aligned.words[run[0]][0], aligned.words[run[1] - 1][1]
    before = word_before(aligned, span[0])
    end = 0 if before is None else aligned.words[before][1]
    return end, end


def _around(left: str, term: str, right: str) -> tuple[str, str, str]:
    """The same without the marks beside a term that it has itself: `[[` before `[[page]]`, say."""
    opening, closing = re.findall(r"^\W*|\W*$", term)[:2]
    if opening.strip() and left.rstrip().endswith(opening.strip()):
        left = left.rstrip().removesuffix(opening.strip())
    if closing.strip() and right.lstrip().startswith(closing.strip()):
        right = right.lstrip().removeprefix(closing.strip())
    return left, term, right


def _spaced(left: str, language: str) -> str:
    """What comes before a term, with a space behind a word."""
    return f"{left} " if left[-1:].isalnum() and has_spaces(language) else left
