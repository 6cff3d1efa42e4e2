"""Marks on the right words: a known span of the source is marked, and its mark is projected.

The translations are the references of a corpus, so the right words are known and do not depend on
search. Three kinds of spans occur once in a source sentence and once in its reference:

- verbatim: the same name or number in both;
- word: a term of the glossary and its translation, singular or plural;
- phrase: the text in the only brackets or quotes of both; the brackets are removed.

A mark is right if it encloses exactly the target's words, articles not counted. It is exact if it
also begins and ends at the same characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from longways.errors import ConfigError
from longways.evaluation.test_set import RawTestSet, open_test_set
from longways.formats.base import Mark, Passage
from longways.results import Report, report
from longways.text.sentences.splitter import Segment
from longways.translation.markup.alignment import Aligner
from longways.translation.markup.passages import marked_sentence
from longways.translation.markup.waiting import WaitingMarks
from longways.translation.segments import TranslatedSegment
from longways.translation.terminology.glossary import Span, Terms
from longways.translation.terminology.glossary_files import read_glossary
from longways.translation.translator import load

MAX_CHARACTERS = 300
"""Longer sources are passed over."""

_NAME = re.compile(r"[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*")
_ENCLOSED = {
    "source": re.compile('“([^“”]+)”|「([^「」]+)」|\uff08([^\uff08\uff09]+)\uff09|"([^"]+)"'),
    "target": re.compile('“([^“”]+)”|"([^"]+)"|\\(([^()]+)\\)'),
}
_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")
_ARTICLES = {"a", "an", "the"}


class Item(NamedTuple):
    """A sentence pair with one span whose translation is known."""

    source: str
    target: str
    marked: Span
    wanted: Span


def measure(glossary: Path, data: Path, part: str, root: Path, most: int) -> Report:
    """Project at most `most` marks of each kind, chosen evenly over the corpus."""
    material = open_test_set(data, part, root)
    if not isinstance(material, RawTestSet):
        raise ConfigError(f"{data} is prepared data. Name a recipe or a TSV file: text is needed.")
    translator = load(threads=1)
    aligner = Aligner(translator.runtime, translator.model.text)
    terms = Terms(read_glossary(glossary), language=translator.target_language)
    pairs = [
        pair
        for document in material.documents
        for pair in zip(document.source, document.target, strict=True)
        if len(pair[0]) <= MAX_CHARACTERS
    ]
    kinds: dict[str, Callable[[str, str], Iterator[Item]]] = {
        "verbatim": _names,
        "word": lambda source, target: _terms(source, target, terms),
        "phrase": _phrases,
    }
    rows = []
    for kind, find in kinds.items():
        items = [item for source, target in pairs for item in find(source, target)]
        rows.append({"marks": kind, **_row(items[:: max(1, len(items) // most)][:most], aligner)})
    settings = {"data": material.name, "part": part, "model": translator.model.folder.name}
    return report("marks", "The share of marks on the right words", settings, rows, "cpu")


def _names(source: str, target: str) -> Iterator[Item]:
    for name in dict.fromkeys(_NAME.findall(source)):
        whole = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])")
        ours, theirs = list(whole.finditer(source)), list(whole.finditer(target))
        if len(ours) == len(theirs) == 1 and name != source:
            yield Item(source, target, ours[0].span(), theirs[0].span())


def _terms(source: str, target: str, terms: Terms) -> Iterator[Item]:
    for term in terms.find(source):
        places = [match.span() for match in term.pattern.finditer(target)]
        if len(term.spans) == len(places) == 1 and term.spans[0] != (0, len(source)):
            yield Item(source, target, term.spans[0], places[0])


def _phrases(source: str, target: str) -> Iterator[Item]:
    ours = list(_ENCLOSED["source"].finditer(source))
    theirs = list(_ENCLOSED["target"].finditer(target))
    if len(ours) != 1 or len(theirs) != 1:
        return
    (source, marked), (target, wanted) = _bare(source, ours[0]), _bare(target, theirs[0])
    is_round = ours[0][0][0] == "\uff08", theirs[0][0][0] == "("
    several = len(_WORD.findall(target[slice(*wanted)])) > 1
    chinese = re.search("[\u4e00-\u9fff]", source[slice(*marked)])
    if several and chinese and is_round[0] == is_round[1] and marked != (0, len(source)):
        yield Item(source, target, marked, wanted)


def _bare(text: str, match: re.Match[str]) -> tuple[str, Span]:
    """A text without the brackets of a match, and the place of what they enclosed."""
    inner = next(group for group in match.groups() if group)
    start = match.start()
    return text[:start] + inner + text[match.end() :], (start, start + len(inner))


def _row(items: list[Item], aligner: Aligner) -> dict[str, object]:
    exact = right = enclosing = empty = 0
    for item in items:
        placed, found, wanted = _project(item, aligner), set[Span](), set[Span]()
        for match in _WORD.finditer(item.target):
            if match[0].lower() not in _ARTICLES:
                found |= {match.span()} if _inside(match.span(), placed) else set()
                wanted |= {match.span()} if _inside(match.span(), item.wanted) else set()
        exact, right = exact + (placed == item.wanted), right + (found == wanted)
        enclosing += wanted <= found
        empty += not any(map(str.isalnum, item.target[slice(*placed)]))
    shares = {"right": right, "exact": exact, "encloses the words": enclosing}
    count = len(items)
    return {
        "count": count,
        **{name: round(number / max(1, count), 3) for name, number in shares.items()},
        "on no word": empty,
    }


def _project(item: Item, aligner: Aligner) -> Span:
    """The place of the mark on the reference."""
    ready = TranslatedSegment(0, Segment(item.source, ""), item.target, 0.0)
    passage = Passage(item.source, (Mark(*item.marked, 0),))
    waiting = WaitingMarks(aligner)
    _, marks = marked_sentence(ready, (0, len(item.source)), passage, waiting)
    waiting.place()
    (mark,) = marks
    return mark.start, mark.end


def _inside(word: Span, span: Span) -> bool:
    return span[0] < word[1] and word[0] < span[1]
