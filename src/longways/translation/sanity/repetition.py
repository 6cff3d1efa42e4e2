"""Repetitions: words or syllables that a model writes over and over."""

from __future__ import annotations

import re
from itertools import groupby

MAX_BLOCK_WORDS = 8
"""The longest block of words that is looked for."""
LONG_BLOCK_WORDS = 4
"""A block of this many words is a repetition when it comes twice; a shorter one, three times."""
MIN_DOUBLED_LETTERS = 3
"""A word that comes twice is one that was doubled if it has at least this many letters."""
MAX_TIMES_RATIO = 1.3
"""A translation may repeat a block this many times as often as its source repeats one."""

_OFTEN_DOUBLED = frozenset(
    ["that", "had", "very", "really", "far", "long", "many", "again", "bye", "yes", "one", "two"]
)
"""Words that English says twice."""
_SIGNS = frozenset("-_/\\")
"""Signs that join words to a name or a path."""
_DOUBLED = re.compile("([\u3400-\u9fff]{1,8})\\1")
"""A Chinese word that the source itself doubles: 常常."""

_SYLLABLES = re.compile(r"((?=[^\W\d_]*[^\W\d_])\w{1,6}?|(?:\.\d))\1{3,}")
_NAME = re.compile(r"[A-Za-z0-9_]+")
_WORD = re.compile(r"\w+(?:['’]\w+)?|[^\w\s]")  # noqa: RUF001 - a curly apostrophe
_CHARACTERS = re.compile(r"(\w{1,8}?)\1{2,}")


def is_repetitive(translation: str, source: str) -> bool:
    """Whether a translation repeats itself and its source does not."""
    if without_repetition(translation) == translation and not _stutters(translation, source):
        return False
    return _most_times(translation) > MAX_TIMES_RATIO * _most_times(source)


def has_doubled_words(translation: str, source: str) -> bool:
    """Whether a translation says a word or two twice and its source does not: items items."""
    if _DOUBLED.search(source) or without_repetition(source, doubles=True) != source:
        return False
    return without_repetition(translation, doubles=True) != translation


def _most_times(text: str) -> float:
    """How often the most repeated block, or syllable in a word, comes in a row; at least 1."""
    words = [match[0].lower() for match in _WORD.finditer(text)]
    times, place = 1.0, 0
    while place < len(words):
        size, found = _block(words, place)
        times, place = max(times, found), place + max(1, size * found)
    runs = [*_CHARACTERS.finditer(text), *_SYLLABLES.finditer(text)]
    return max([times, *(len(run[0]) / len(run[1]) for run in runs)])


def without_repetition(text: str, *, doubles: bool = False) -> str:
    """The text with every repeated block once; with `doubles` also a word that comes twice."""
    words = [match.span() for match in _WORD.finditer(text)]
    names = [text[a:b].lower() for a, b in words]
    cuts, place = list[tuple[int, int]](), 0
    while place < len(words):
        size, times = _block(names, place, doubles=doubles)
        if times:
            end = place + size * times
            cuts.append((words[place + size - 1][1], words[end - 1][1]))
            place = end
        else:
            place += 1
    for start, stop in reversed(cuts):
        text = text[:start] + text[stop:]
    return text


def without_stutter(translation: str, source: str) -> str:
    """The translation with `gcccc` as the source spells it, or else with the syllable once."""
    match = _SYLLABLES.search(translation)
    if match is None or match[0] in source:
        return translation
    names = {_once(name): name for name in _NAME.findall(source)}
    for word in _NAME.finditer(translation):
        if word.start() <= match.start() < word.end() and _once(word[0]) in names:
            name = names[_once(word[0])]
            return f"{translation[: word.start()]}{name}{translation[word.end() :]}"
    return f"{translation[: match.start()]}{match[1]}{translation[match.end() :]}"


def _once(name: str) -> str:
    """A name with every run of one letter as one letter."""
    return "".join(letter for letter, _ in groupby(name.lower()))


def _block(names: list[str], place: int, *, doubles: bool = False) -> tuple[int, int]:
    """The size of a repeated block at a place, and how often it comes; 0 times if none is."""
    for size in range(1, MAX_BLOCK_WORDS + 1):
        block = names[place : place + size]
        if not any(word[0].isalpha() for word in block):
            continue
        times = 1
        while names[place + size * times : place + size * (times + 1)] == block:
            times += 1
        is_long = size >= LONG_BLOCK_WORDS or (doubles and _is_of_words(names, place, size))
        if times >= (2 if is_long else 3):
            return size, times
    return 0, 0


def _is_of_words(names: list[str], place: int, size: int) -> bool:
    """Whether a short block has words only, none of them part of a longer one: add add-peer."""
    block = names[place : place + size]
    beside = [*names[max(0, place - 1) : place], *names[place + 2 * size : place + 2 * size + 1]]
    if not all(word.isalpha() for word in block) or not _SIGNS.isdisjoint(beside):
        return False
    return max(map(len, block)) >= MIN_DOUBLED_LETTERS and _OFTEN_DOUBLED.isdisjoint(block)


def _stutters(translation: str, source: str) -> bool:
    """Whether a syllable is repeated inside a word that the source does not have."""
    match = _SYLLABLES.search(translation)
    return match is not None and match[0] not in source
