"""A second search for translations with problems.

Three remedies are tried in this order, and the translation with the fewest problems is taken: the
sentence alone, without context and with more beams; the missing numbers and names as constraints of
search; an edit of the numbers and names, or of a repetition, that no search has avoided.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.rescore import rescore
from longways.decoding.runtime import AnyRuntime
from longways.decoding.searcher import search_all
from longways.decoding.windows import Window, sliding_window
from longways.text.pipeline import TextPipeline
from longways.translation.sanity.checks import Problems, copies_context, find_problems
from longways.translation.sanity.english_numerals import MONTHS
from longways.translation.sanity.names import name_pattern, names_of, with_name
from longways.translation.sanity.numbers import source_numbers, with_readable_numbers
from longways.translation.sanity.quantities import SourceNumber
from longways.translation.sanity.repetition import without_repetition, without_stutter
from longways.translation.terminology.constrained import Request, TermConstrainedSearch
from longways.translation.terminology.glossary import Constraint

MIN_BEAMS = 4
"""Beams of the second search, unless the first had more."""

MISSING_PART_SEVERITY = 5
"""A missing placeholder or term weighs more than any other problem."""

MAX_NAMES = 4
"""The most missing names that are constraints of one search."""

_TORN = re.compile(r"\d[\d.]*\.\.[\d.]*\d")
"""A number that lost digits between its points: 2..0 for 2.2.0."""

_OTHER_DAYTIME = {"A": "PM", "P": "AM"}


@dataclass(frozen=True)
class Checked:
    """A translation that is checked."""

    source: str
    """The source as the model reads it, with stand-ins for its kept parts."""
    tokens: Sequence[int]
    """The tokens of the source."""
    constraints: Sequence[Constraint]
    window: Window
    found: Hypothesis
    is_damaged: Callable[[str], bool] = lambda _: False
    """Whether a kept part is not intact in a translation."""


class SecondSearch:
    """Searches translations with problems again."""

    def __init__(self, runtime: AnyRuntime, text: TextPipeline, config: TranslateConfig) -> None:
        beams = replace(config.search, beams=max(MIN_BEAMS, config.search.beams), nbest=1)
        self.runtime, self.text = runtime, text
        self.config = replace(config, search=beams)
        self.terms = TermConstrainedSearch(runtime, text, self.config)
        self.languages = text.source_language, text.target_language

    def improve(self, given: Sequence[Checked]) -> list[Hypothesis]:
        """The best translation of each sentence; one without problems is returned as it is."""
        best = {n: one.found for n, one in enumerate(given) if self._severity(one, one.found)}
        for remedy in (self._alone, self._with_missing, self._edited):
            wrong = [n for n in best if self._severity(given[n], best[n])]
            for number, found in remedy(given, best, wrong):
                if self._severity(given[number], found) < self._severity(
                    given[number], best[number]
                ):
                    best[number] = found
        return [best.get(number, one.found) for number, one in enumerate(given)]

    def _problems(self, one: Checked, found: Hypothesis) -> Problems:
        return find_problems(
            one.source,
            self._decode(found),
            (len(one.tokens), len(found.tokens)),
            self.languages,
            copies_context(one.window, found.tokens),
            found.stop is None,
            [(constraint.source, constraint.target) for constraint in one.constraints],
        )

    def _severity(self, one: Checked, found: Hypothesis) -> int:
        text = self._decode(found)
        missing = sum(not constraint.is_in(text) for constraint in one.constraints)
        missing += one.is_damaged(text)
        return self._problems(one, found).severity + MISSING_PART_SEVERITY * missing

    def _alone(
        self, given: Sequence[Checked], best: dict[int, Hypothesis], wrong: Sequence[int]
    ) -> Iterator[tuple[int, Hypothesis]]:
        """The sentences without context, with more beams; also with readable numbers."""
        asked = [(number, window) for number in wrong for window in self._windows(given[number])]
        for place, found in search_all(self.runtime, [w for _, w in asked], self.config):
            number, window = asked[place]
            yield number, found[0]
            if given[number].constraints:
                one = given[number]
                request = Request(one.source, one.constraints, window, found[0])
                yield number, self.terms.constrain([request])[0]

    def _with_missing(
        self, given: Sequence[Checked], best: dict[int, Hypothesis], wrong: Sequence[int]
    ) -> Iterator[tuple[int, Hypothesis]]:
        """The translations with their missing numbers and names as constraints."""
        requests = list[tuple[int, Request]]()
        for number in wrong:
            one, found = given[number], best[number]
            problems = self._problems(one, found)
            if problems.numbers.missing or problems.names_missing:
                wanted = [*one.constraints, *self._wanted(one, found, problems)]
                request = Request(one.source, wanted, self._window(one.tokens), found)
                requests.append((number, request))
        found_all = self.terms.constrain([request for _, request in requests])
        for (number, request), found in zip(requests, found_all, strict=True):
            if found is not request.found:
                yield number, found

    def _wanted(self, one: Checked, found: Hypothesis, problems: Problems) -> Iterator[Constraint]:
        """Constraints for missing numbers and names, and for numbers in digits, which must stay."""
        text = self._decode(found)
        for number in source_numbers(one.source, self.languages[0]):
            constraint = _of_number(one.source, number)
            if number in problems.numbers.missing or constraint.is_in(text):
                yield constraint
        places = names_of(one.source, self.languages[0])
        for name in problems.names_missing[:MAX_NAMES]:
            pattern, spans = name_pattern(name), (places[name].span(),)
            yield Constraint(name, name, pattern, spans, 1, False)

    def _edited(
        self, given: Sequence[Checked], best: dict[int, Hypothesis], wrong: Sequence[int]
    ) -> Iterator[tuple[int, Hypothesis]]:
        """The translations with their numbers and repetitions edited."""
        edits = list[tuple[int, Hypothesis]]()
        for number in wrong:
            text, problems = self._decode(best[number]), self._problems(given[number], best[number])
            for new in _edits(text, given[number].source, problems):
                tokens = self.text.target.encode([new])[0]
                edits.append((number, best[number]._replace(tokens=tokens)))
        pairs = [(given[number].window, found) for number, found in edits]
        fitting = [n for n, (w, f) in enumerate(pairs) if self._fits(w, f)]
        alpha = self.config.search.alpha
        scored = rescore(self.runtime, [pairs[n] for n in fitting], alpha)
        for place, found in zip(fitting, scored, strict=True):
            yield edits[place][0], found

    def _fits(self, window: Window, found: Hypothesis) -> bool:
        return len(window.prefix) + len(found.tokens) <= self.runtime.positions

    def _windows(self, one: Checked) -> list[Window]:
        tokens, digits = one.tokens, with_readable_numbers(one.source, self.languages[0])
        if not self.languages[1].startswith("en") or digits == one.source:
            return [self._window(tokens)]
        others = self.text.source_ids(self.text.normalise(digits))
        return [self._window(tokens), self._window(others)]

    def _window(self, tokens: Sequence[int]) -> Window:
        return sliding_window((), tokens, self.config.length, self.runtime.positions)

    def _decode(self, found: Hypothesis) -> str:
        return self.text.target.decode([found.tokens])[0]


def _of_number(source: str, number: SourceNumber) -> Constraint:
    """The constraint that a translation has a number."""
    written = number.in_english
    pattern = re.compile(rf"(?<![\d.,]){re.escape(written)}(?![\d])")
    span = number.start, number.end
    return Constraint(source[slice(*span)], written, pattern, (span,), 1, False)


def _edits(text: str, source: str, problems: Problems) -> Iterator[str]:
    """Texts in which a wrong number is replaced by a missing one, or a repetition is removed."""
    missing, foreign, daytime = problems.numbers
    months = list(re.finditer(rf"\b(?:{'|'.join(MONTHS)})\b", text))
    if len(missing) == 1 and missing[0].is_month and len(months) == 1:
        yield text[: months[0].start()] + missing[0].in_english + text[months[0].end() :]
    torn = list(_TORN.finditer(text))
    if len(missing) == 1 and len(torn) == 1:
        yield text[: torn[0].start()] + missing[0].in_english + text[torn[0].end() :]
    if len(missing) == 1 and len(foreign) == 1:
        (start, end), number = foreign[0], missing[0]
        yield text[:start] + number.in_english + text[end:]
    for start, end in foreign if not missing else ():
        if text[:start].rstrip(" ,").endswith(tuple(MONTHS)):
            yield text[:start].rstrip(" ,") + text[end:]
    if daytime:
        start, end = daytime
        yield text[:start] + _OTHER_DAYTIME[text[start].upper()] + text[end:]
    for name in problems.names_missing[:MAX_NAMES]:
        yield from with_name(text, name, source)
    if problems.repetition:
        yield without_repetition(text)
        yield without_stutter(text, source)
    if problems.doubled_words:
        yield without_repetition(text, doubles=True)
