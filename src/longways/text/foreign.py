"""Foreign text: sentences that are not in the source language, which are copied unchanged.

The script decides where it can: a sentence without a letter of the source's script is foreign, and
so is one in kana where the source is Chinese. Where source and target share their script, a
language identifier (py3langid) decides between the two; short sentences count as source, since a
few words do not identify a language.
"""

from __future__ import annotations

import re

from longways.text.languages.identify import MIN_LOG_ODDS, identifier
from longways.text.scripts import MAX_KANA_SHARE, letters_of

MIN_IDENTIFIED_LETTERS = 24
"""Shorter sentences in a shared script count as source."""
_KANA = re.compile("[\u3040-\u30fa\u30fc-\u30ff]")
_QUOTED_OR_KATAKANA = re.compile("[「『“《][^「」『』“”《》]{0,200}[」』”》]|[\u30a0-\u30ff]+")
_CHINESE = re.compile("[是这們们嗎吗呢您你请說说语为个没还让过对从时吧么]")
"""Characters that are common in Chinese, and rare in Japanese or written otherwise there."""


def is_foreign(sentence: str, source: str, target: str) -> bool:
    """Whether a sentence with letters is not in the source language."""
    own = letters_of(source)
    if own is None:
        return False
    if not own.search(sentence):
        return True
    if _base(source) == "zh":
        return _is_japanese(sentence)
    return own == letters_of(target) and _is_target(sentence, source, target)


def _is_japanese(sentence: str) -> bool:
    """Whether a sentence with Chinese characters is Japanese; kana may be quoted in Chinese."""
    if _CHINESE.search(sentence):
        sentence = _QUOTED_OR_KATAKANA.sub("", sentence)
    return len(_KANA.findall(sentence)) > MAX_KANA_SHARE * _letters(sentence)


def _is_target(sentence: str, source: str, target: str) -> bool:
    """Whether the language identifier takes a sentence for the target language."""
    languages = _base(source), _base(target)
    if languages[0] == languages[1] or _letters(sentence) < MIN_IDENTIFIED_LETTERS:
        return False
    known = identifier(frozenset(languages))
    if known is None:
        return False
    scores = dict(known.rank(sentence))
    return bool(scores[languages[1]] - scores[languages[0]] > MIN_LOG_ODDS)


def _letters(sentence: str) -> int:
    return sum(map(str.isalpha, sentence))


def _base(language: str) -> str:
    return re.split("[-_]", language)[0].lower()
