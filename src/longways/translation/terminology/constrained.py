"""Lexically constrained decoding: a translation that lacks a term is searched again with the term.

A term belongs where the words stand that are aligned with its source. There are two candidates.
The first forces all tokens before that place, then the term, and search continues to the end. The
second replaces only the aligned words. The model's score decides between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.rescore import rescore
from longways.decoding.runtime import AnyRuntime
from longways.decoding.searcher import search_all
from longways.decoding.windows import Window
from longways.text.pipeline import TextPipeline
from longways.text.sentences.joiner import has_spaces
from longways.translation.markup.alignment import Aligner, AlignmentRequest
from longways.translation.markup.projection import (
    Aligned,
    best_run,
    content_run,
    word_before,
)
from longways.translation.terminology.english_forms import like, with_article
from longways.translation.terminology.glossary import Constraint, Span

MIN_LENGTH_RATIO = 0.7
"""A new translation has at least this share of the old tokens: a term must not cost other words."""


@dataclass(frozen=True)
class Request:
    """A translated sentence and the constraints on its translation."""

    source: str
    constraints: Sequence[Constraint]
    window: Window
    found: Hypothesis

    def with_found(self, found: Hypothesis) -> Request:
        """The same request with another translation."""
        return Request(self.source, self.constraints, self.window, found)


@dataclass(frozen=True)
class Candidate:
    """The first tokens of a new translation, or all of them."""

    request: int
    tokens: list[int]
    left: str
    """The text before the term."""
    replaced: str
    """The words that the term replaces."""
    whole: bool = False


class TermConstrainedSearch:
    """Searches translations that contain their terms and placeholders."""

    def __init__(self, runtime: AnyRuntime, text: TextPipeline, config: TranslateConfig) -> None:
        self.runtime, self.text, self.config = runtime, text, config
        self.aligner = Aligner(runtime, text)

    def constrain(self, requests: Sequence[Request]) -> list[Hypothesis]:
        """The translations with their terms, as far as that is possible.

        Every round adds at most one term to each translation.
        """
        requests = list(requests)
        given_up = [set[str]() for _ in requests]
        while missing := self._missing(requests, given_up):
            better = self._search(requests, missing)
            for index, constraint in missing.items():
                if index in better:
                    requests[index] = requests[index].with_found(better[index])
                else:
                    given_up[index].add(constraint.target)
        return [request.found for request in requests]

    def _missing(
        self, requests: Sequence[Request], given_up: Sequence[set[str]]
    ) -> dict[int, Constraint]:
        """For each translation that lacks terms, the term whose source comes first."""
        found = {}
        for index, request in enumerate(requests):
            translation = self._decode(request.found.tokens) if request.constraints else ""
            missing = [
                constraint
                for constraint in request.constraints
                if constraint.target not in given_up[index] and not constraint.is_in(translation)
            ]
            if missing:
                found[index] = min(missing, key=lambda constraint: constraint.spans)
        return found

    def _search(
        self, requests: Sequence[Request], missing: dict[int, Constraint]
    ) -> dict[int, Hypothesis]:
        """For each request the best translation with one more term, where there is one."""
        candidates = [
            candidate
            for index, constraint in missing.items()
            for candidate in self._candidates(index, requests[index], constraint)
        ]
        ended = [
            (one.request, Hypothesis(one.tokens, 0.0, 0.0, requests[one.request].found.stop))
            for one in candidates
            if one.whole and len(one.tokens) <= requests[one.request].window.max_tokens
        ]
        ended += self._continue(requests, [one for one in candidates if not one.whole])
        better = [
            (index, found)
            for index, found in ended
            if self._is_better(requests[index], found, missing[index])
        ]
        best: dict[int, Hypothesis] = {}
        for index, found in self._scored(requests, better):
            if index not in best or found.rank > best[index].rank:
                best[index] = found
        return best

    def _candidates(
        self, index: int, request: Request, constraint: Constraint
    ) -> Iterator[Candidate]:
        """A beginning that ends with the term, and a translation in which it replaces words."""
        translation = self._decode(request.found.tokens)
        pair = AlignmentRequest(request.source, translation, marked=constraint.spans)
        aligned = self.aligner.align(pair)
        aligned = _without(aligned, _other_patterns(request, constraint))
        number = min(constraint.found_in(translation), len(constraint.spans) - 1)
        start, end = _place(aligned, constraint.spans[number])
        replaced = translation[start:end]
        target, inflects = constraint.target, self._inflects(constraint)
        target = like(target, replaced) if inflects else target
        left, term, right = _around(translation[:start], target, translation[end:])
        left = _spaced(left, self.text.target_language)
        if inflects:
            left = with_article(left, term)
        if not left and not constraint.exact:
            term = term[:1].upper() + term[1:]
        yield Candidate(index, self._encode(left + term), left, replaced)
        yield Candidate(index, self._encode(left + term + right), left, replaced, whole=True)

    def _inflects(self, constraint: Constraint) -> bool:
        """Whether a constraint is an English term, of which the plural counts as well."""
        return self.text.target_language == "en" and constraint.is_term and not constraint.exact

    def _continue(
        self, requests: Sequence[Request], candidates: Sequence[Candidate]
    ) -> Iterator[tuple[int, Hypothesis]]:
        """Search from each beginning to an end."""
        windows = [_continued(requests[one.request].window, one.tokens) for one in candidates]
        possible = [place for place, window in enumerate(windows) if window.max_tokens > 0]
        chosen = [windows[place] for place in possible]
        for number, found in search_all(self.runtime, chosen, self.config):
            begun = candidates[possible[number]]
            tokens = [*begun.tokens, *found[0].tokens]
            before = self._decode(requests[begun.request].found.tokens)
            if _is_doubled(begun, before, self._decode(begun.tokens), self._decode(tokens)):
                continue
            yield begun.request, Hypothesis(tokens, 0.0, 0.0, found[0].stop)

    def _is_better(self, request: Request, found: Hypothesis, new: Constraint) -> bool:
        """Whether a translation has the new term once more, and all terms of the old one."""
        before, after = self._decode(request.found.tokens), self._decode(found.tokens)
        too_short = len(found.tokens) < MIN_LENGTH_RATIO * len(request.found.tokens)
        if found.stop is None or too_short:
            return False
        if new.found_in(after) <= new.found_in(before):
            return False
        return all(
            min(one.found_in(after), one.times) >= min(one.found_in(before), one.times)
            for one in request.constraints
        )

    def _scored(
        self, requests: Sequence[Request], found: Sequence[tuple[int, Hypothesis]]
    ) -> Iterator[tuple[int, Hypothesis]]:
        """The translations with the scores that the model gives them."""
        pairs = [(requests[index].window, one) for index, one in found]
        scored = rescore(self.runtime, pairs, self.config.search.alpha)
        yield from zip((index for index, _ in found), scored, strict=True)

    def _encode(self, text: str) -> list[int]:
        return self.text.target.encode([text])[0]

    def _decode(self, tokens: list[int]) -> str:
        return self.text.target.decode([tokens])[0]


def _other_patterns(request: Request, constraint: Constraint) -> list[re.Pattern[str]]:
    return [other.pattern for other in request.constraints if other is not constraint]


def _without(aligned: Aligned, taken: Sequence[re.Pattern[str]]) -> Aligned:
    """The alignment without the words of other terms, so that none of them is replaced."""
    spans = [m.span() for pattern in taken for m in pattern.finditer(aligned.translation)]
    free = [all(end <= a or b <= start for a, b in spans) for start, end in aligned.words]
    return replace(aligned, shares=aligned.shares * np.array(free, float)[:, None])


def _continued(window: Window, tokens: list[int]) -> Window:
    """A window whose translation begins with these tokens."""
    room = window.max_tokens - len(tokens)
    return window._replace(prefix=[*window.prefix, *tokens], min_tokens=0, max_tokens=room)


def _place(aligned: Aligned, span: Span) -> Span:
    """The characters of a translation that a term replaces; empty if no word is aligned with it."""
    run = best_run(aligned, *span)
    if run is not None:
        first, last = content_run(aligned, run)
        return aligned.words[first][0], aligned.words[last][1]
    before = word_before(aligned, span[0])
    end = 0 if before is None else aligned.words[before][1]
    return end, end


def _is_doubled(candidate: Candidate, before: str, begun: str, after: str) -> bool:
    """Whether search has written the replaced words again, beside the term: knot nodes.

    `before` is the old translation, `begun` the new one up to the term, `after` all of it.
    """
    stem = re.escape(candidate.replaced.lower().removesuffix("s"))
    if not any(map(str.isalnum, stem)):
        return False
    new = f"{candidate.left} {after[len(begun) :]}".lower()
    return len(re.findall(rf"\b{stem}", new)) >= len(re.findall(rf"\b{stem}", before.lower()))


def _around(left: str, term: str, right: str) -> tuple[str, str, str]:
    """Remove brackets beside a term that the term has itself: `[[` before `[[page]]`."""
    opening, closing = re.findall(r"^\W*|\W*$", term)[:2]
    if opening.strip() and left.rstrip().endswith(opening.strip()):
        left = left.rstrip().removesuffix(opening.strip())
    if closing.strip() and right.lstrip().startswith(closing.strip()):
        right = right.lstrip().removeprefix(closing.strip())
    return left, term, right


def _spaced(left: str, language: str) -> str:
    """The text before a term, with a space after a word if the language writes spaces."""
    return f"{left} " if left[-1:].isalnum() and has_spaces(language) else left
