"""Words and numbers of the source that a translation writes without the space before them.

Chinese puts no space between 使用 and hooks. A model that copies `hooks` as it stands there writes
`usehooks`, `anDFA` or `Column5`: the source has the word right after a Chinese character, and the
translation has it only at the end of another word.
"""

from __future__ import annotations

import re
from collections import Counter

_COPIED = re.compile(
    "(?<=[\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff])([A-Za-z][A-Za-z0-9]*|[0-9]+)(?![A-Za-z0-9])"
)
"""A word or a number right after a character of a script without spaces."""
_WORD = re.compile("[A-Za-z0-9]+")
_SHORT_WORDS = frozenset(["a", "an", "as", "at", "by", "if", "in", "is", "of", "on", "or", "to"])
_ARTICLES = frozenset(["a", "an", "the"])
_TYPES = frozenset(["int", "uint", "float", "utf", "sha", "base", "ipv", "iso", "rfc"])
"""Words that are written together with a number."""
_MIN_LETTERS, _MIN_LETTERS_BEFORE = 2, 3
"""Letters of a copied word, one more in lower case, and of a word before it."""


def without_glued_words(translation: str, source: str) -> str:
    """The translation with a space before each glued word; `source` is what the model read."""
    copied = Counter(match[1] for match in _COPIED.finditer(source))
    if not copied:
        return translation
    missing = copied - Counter(_WORD.findall(translation))
    if not missing:
        return translation
    known = {word.lower() for word in _WORD.findall(source)}
    return _WORD.sub(lambda word: _apart(word[0], missing, known), translation)


def _apart(word: str, missing: Counter[str], known: set[str]) -> str:
    """A word of a translation, divided before the missing word that it ends with."""
    if word.lower() in known:
        return word
    for rest in [rest for rest in missing if rest in word[-len(rest) - 1 :]]:
        ending = _plural(word, rest)
        first = word.removesuffix(rest + ending)
        if first != word and missing[rest] > 0 and _are_two(first, rest):
            missing[rest] -= 1
            return f"{first} {rest}{ending}"
    return word


def _plural(word: str, rest: str) -> str:
    """The plural ending behind the missing word, which only an abbreviation has: IDs."""
    return "s" if rest.isupper() and word.endswith(f"{rest}s") else ""


def _are_two(first: str, rest: str) -> bool:
    """Whether the parts of a word are two words: `result1`, `anDFA`, `5Thread`.

    `v2`, `uint32` and `JavaScript` are one.
    """
    if first.isdigit():
        return rest.isalpha() and len(rest) > _MIN_LETTERS_BEFORE
    if not first.isalpha() or (rest.isdigit() and first.lower() in _TYPES):
        return False
    if first[0].isupper() and first.lower() not in _ARTICLES and rest[1:].islower():
        return False
    if first.lower() in _SHORT_WORDS and first != "A" and not rest.islower():
        return True  # AADC may be a damaged ADC
    is_long = rest.isdigit() or len(rest) >= _MIN_LETTERS + rest.islower()
    return is_long and len(first) >= _MIN_LETTERS_BEFORE
