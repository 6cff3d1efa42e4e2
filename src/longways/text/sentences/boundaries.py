# ruff: noqa: RUF001, RUF002 - Chinese marks look like ASCII ones
"""Sentence boundaries within a line, by rules.

- 。！？； and the full stops of other scripts end a sentence, with the closing quotes and brackets
  after them, unless a comma or similar mark follows. …… between Chinese characters ends one too, as
  do ASCII ! and ? beside them, and the full-width full stop ． after one.
- . ! ? and ... end a sentence before a space, unless a comma or a small letter follows, also after
  a dash. A full stop does not end one after an abbreviation, an initial, or a list number.
  In German it does not end one after an ordinal: am 3. Mai.
- Closing quotes are the ones of the language: „Ja.“ in German, « Oui. » with spaces in French.
  A particle of Japanese after a quote continues the sentence: 「はい。」と言った。
  Inside numbers, file names and addresses no space follows, so no sentence ends there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from longways.text.sentences.abbreviations import abbreviations_of
from longways.text.sentences.languages import has_spaces

CLOSING = "”’」』）】》〉〕〗\"')\\]»›"
"""Quotes and brackets that may close a sentence, as the inside of a character class."""


_FULL_STOPS = "。！？；｡؟۔।॥։።។။"
_MARKS = rf"([.．!?…{_FULL_STOPS}]+)"
_SPACED_CLOSING = CLOSING + "“‘«"
"""Also the closing quotes of German: „Ja.“ »Nein.« Where words have spaces between them, an opening
quote never follows a full stop directly."""
_END = re.compile(rf"{_MARKS}([{CLOSING}]*)")
_SPACED_END = re.compile(rf"{_MARKS}([{_SPACED_CLOSING}]*)")
_FRENCH_END = re.compile(rf"{_MARKS}((?:[{CLOSING}]|[ \u00a0\u202f]»)*)")
"""French writes a space before a closing quote: « Oui ! » dit-il."""
_PARTICLE = re.compile(
    "と(?!ころ|ても|にかく|き|も)|って|は(?!い)|が|の|を|も(?!し|う|ちろん)|に|で(?!は|も)"
    "|へ|や|から|まで|より|だ[。、と]"
)
"""A word of Japanese that continues a sentence after a quote or a bracket: 「はい。」と言った。"""
_NO_START = re.compile(r"[，、；：。！？,;:.!?…”’」』）】》〉〕〗)\]]")
_CJK = re.compile(
    "[\u2e80-\u2fdf\u3005\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
_BULLET = re.compile(r"[(（]?(?:(?:\d{1,3}\.)*\d{1,3}|[^\W\d_]|[ivxlcIVXLC]{1,6})[.)）]+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_NUMBER = re.compile(r"(?<!\S)(?:([^\W\d_]{2,10})\s)?[(„»]?(?:\d{1,3}|[IVX]{1,5})$")
_NEXT_WORD = re.compile(r"(\w{1,30})(\.?)")
_AND_SO_ON = re.compile(r"\bт\.\s?[дп]$")
_WORD = re.compile(r"[^\s(（\[“‘«\"]*$")
_VISIBLE = re.compile(r"\S")
_AFTER_DASH = re.compile(r"[\s—–-]*(\w?)")
_MAY_END = frozenset(["a.m", "p.m", "т.д", "т.п", "i", "я"])
_ELLIPSIS_MIN_CHARACTERS = 8
"""An ellipsis between Chinese characters ends a sentence only after this many characters."""
_MAX_ABBREVIATION_CHARACTERS = 24
"""Length of the longest abbreviation or list number that is recognised."""


def sentence_ends(line: str, language: str) -> Iterator[int]:
    """Offsets at which sentences end; whitespace after a sentence is not included."""
    start = quotes = counted = 0
    for match in _ends_of(language).finditer(line):
        quotes += line.count('"', counted, match.end(1))
        counted = match.end(1)
        end = _without_opening_quote(match, quotes)
        if _is_end(line, start, match, end, language):
            yield end
            start = end


def _ends_of(language: str) -> re.Pattern[str]:
    """The pattern of full stops with the closing marks that a language writes after them."""
    if re.split("[-_]", language)[0].lower() == "fr":
        return _FRENCH_END
    return _SPACED_END if has_spaces(language) else _END


def _without_opening_quote(match: re.Match[str], quotes: int) -> int:
    """End of a sentence with its closing marks; a straight quote closes only an open quote."""
    for place in range(match.start(2), match.end(2)):
        if match.string[place] == '"':
            if quotes % 2 == 0:
                return place
            quotes += 1
    return match.end()


def _is_end(line: str, start: int, match: re.Match[str], end: int, language: str) -> bool:
    """Whether a sentence that began at `start` ends with these marks."""
    following = _VISIBLE.search(line, end)
    if not following or _NO_START.match(following[0]):
        return False
    marks, spaced = match[1], following.start() > end
    if match[2] and not spaced and _PARTICLE.match(line, end):
        return False
    if any(mark in _FULL_STOPS for mark in marks):
        return True
    beside = _CJK.match(line, max(match.start() - 1, 0)) or _CJK.match(following[0])
    if marks[0] == "．":
        return _CJK.match(line, max(match.start() - 1, 0)) is not None
    if beside and marks[0] in "!?…":
        return marks[0] != "…" or match.start() - start >= _ELLIPSIS_MIN_CHARACTERS
    if not spaced or _continues(line, end) or _is_bullet(line, start, end):
        return False
    before = line[max(start, match.start() - _MAX_ABBREVIATION_CHARACTERS) : match.start()]
    if marks != ".":
        return True
    if _is_ordinal(before, _NEXT_WORD.match(line, following.start()), language):
        return False
    return not _is_abbreviation(before, following[0], language)


def _continues(line: str, end: int) -> bool:
    """Whether a small letter follows, be it after a dash: «Да!» — сказал он."""
    letter = _AFTER_DASH.match(line, end)
    return bool(letter and letter[1].islower())


def _is_bullet(line: str, start: int, end: int) -> bool:
    """Whether there is nothing but the number of a list item: 1. or (a). or 2.1."""
    return end - start < _MAX_ABBREVIATION_CHARACTERS and bool(
        _BULLET.fullmatch(line[start:end].strip())
    )


def _is_ordinal(before: str, following: re.Match[str] | None, language: str) -> bool:
    """Whether a full stop after a number means an ordinal, as in German: am 3. Mai."""
    known, number = abbreviations_of(language), _NUMBER.search(before)
    if not known.after_ordinals or number is None or following is None:
        return False
    word, previous = following[1].lower(), (number[1] or "").lower()
    if word.isdigit():  # a month or a year
        return bool(following[2]) or len(word) == 4
    if word in known.after_ordinals:
        return True
    return previous in known.before_ordinals and word not in known.starts


def _is_abbreviation(before: str, following: str, language: str) -> bool:
    """Whether the word before a full stop is an abbreviation, so that the sentence continues."""
    found = _WORD.search(before)
    word = found[0].lstrip("'") if found else ""
    known = abbreviations_of(language)
    if word.lower() in _MAY_END or _AND_SO_ON.search(before):
        return False
    if word.lower() in known.always or _INITIALS.fullmatch(word):
        return True
    return word.lower() in known.before_numbers and following.isdigit()
