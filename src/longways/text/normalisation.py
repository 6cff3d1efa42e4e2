# ruff: noqa: RUF001 - a table; full-width signs look like ASCII ones
"""Normalisation of a source sentence: characters that the vocabulary lacks become ones that it has.

A character with a vocabulary entry never changes, so text like the training text is encoded as it
always was. Of the others, each is replaced by the first of these that the vocabulary knows:

- its compatibility form (NFKC): full-width letters, digits and signs, half-width kana;
- a similar bracket, quote or dash;
- for Chinese, the Simplified form of a Traditional text (OpenCC, with the terms of Taiwan).

Every character keeps its place, so that offsets of marks and placeholders stay true. A replacement
of another length is not made: ℃ and ① are signs that search copies (`signs`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache

from longways.text.optional_import import import_optional
from longways.text.scripts import is_of_script

VERSION = 1
"""Version of the rules, saved with a model. A model of version 0 is given raw text."""

_SIMILAR = {
    pair[0]: pair[1]
    for pair in [
        "【“",
        "】”",
        "〔(",
        "〕)",
        "〖[",
        "〗]",
        "［[",
        "］]",
        "｛{",
        "｝}",
        "〈《",
        "〉》",
        "『「",
        "』」",
        "﹁「",
        "﹂」",
        "﹃「",
        "﹄」",
        "〝“",
        "〞”",
        "„“",
        "‟”",
        "«“",
        "»”",
        "‹‘",
        "›’",
        "‚‘",
        "‛’",
        '＂"',
        "＇'",
        "｢「",
        "｣」",
        "｡。",
        "､、",
        "･·",
        "〜~",
        "～~",
        "∼~",
        "―—",
        "─—",
        "━—",
        "‐-",
        "‑-",
        "‒-",
        "➔→",
        "➜→",
        "⇒→",
        "✱*",
        "∗*",
        "˙·",
        "・·",
        "‧·",
        "∙·",
    ]
}
"""Characters of the same use. Brackets and quotes stay brackets and quotes."""

_WORD_STOP = re.compile(r"(?<=[^\W\d_a-zA-Z])．|．(?=\s*$)")
"""A full-width full stop after a Chinese character or at the end; others stand in numbers."""


class Normaliser:
    """Normalises sentences of one language for one vocabulary."""

    def __init__(self, language: str, known: frozenset[str]) -> None:
        """`known` are the characters with an entry in the vocabulary."""
        self.language, self.known = language, known
        self.chinese = language.lower().replace("_", "-").split("-")[0] in ("zh", "yue", "wuu")
        self._replacements = dict[str, str]()

    def __call__(self, sentence: str, keep: Iterable[tuple[int, int]] = ()) -> str:
        """The sentence, of the same length; the spans in `keep` stay as they are."""
        unknown = set(sentence) - self.known
        if not unknown:
            return sentence
        changed = self._simplified(sentence, unknown) if self.chinese else sentence
        changed = _WORD_STOP.sub(lambda _: self._full_stop, changed)
        changed = "".join(c if c in self.known else self._replacement(c) for c in changed)
        return _restored(changed, sentence, keep)

    def signs(self, sentence: str) -> list[tuple[int, int]]:
        """The runs of characters that search must copy, since the vocabulary cannot spell them.

        These are signs, emoji and letters of other scripts. Rare letters of the language itself
        are left to the model, which reads them byte by byte.
        """
        normal = self(sentence)
        copied = [self._is_copied(c) for c in normal]
        for place, character in enumerate(normal):  # joiners and variation selectors
            if not copied[place] and place and copied[place - 1] and _joins(character):
                copied[place] = True
        return list(_runs(copied))

    def _is_copied(self, character: str) -> bool:
        if character in self.known or character.isspace() or _joins(character):
            return False
        return not (character.isalpha() and is_of_script(character, self.language))

    def _replacement(self, character: str) -> str:
        found = self._replacements.get(character)
        if found is None:
            forms = (_compatible(character), _SIMILAR.get(character, ""))
            nested = _SIMILAR.get(forms[0], "")
            usable = (form for form in (*forms, nested) if len(form) == 1 and form in self.known)
            found = self._replacements[character] = next(usable, character)
        return found

    @cached_property
    def _full_stop(self) -> str:
        return "。" if self.chinese and "。" in self.known else "."

    def _simplified(self, sentence: str, unknown: set[str]) -> str:
        """A sentence with Traditional characters that the vocabulary lacks, in Simplified ones."""
        if not any("\u3400" <= c <= "\u9fff" for c in unknown):
            return sentence
        if _converter("t2s")("".join(sorted(unknown))) == "".join(sorted(unknown)):
            return sentence
        forms = (_converter("tw2sp")(sentence), _converter("t2s")(sentence))
        return next((form for form in forms if len(form) == len(sentence)), sentence)


def _compatible(character: str) -> str:
    """The compatibility form; a circled or raised number keeps its own form."""
    if unicodedata.category(character) == "No":
        return character
    return unicodedata.normalize("NFKC", character)


@lru_cache
def _converter(name: str) -> Callable[[str], str]:
    convert: Callable[[str], str] = import_optional("opencc").OpenCC(name).convert
    return convert


def _joins(character: str) -> bool:
    """Whether a character continues an emoji: a joiner, variation selector, modifier or tag."""
    return character in "\u200d\ufe0e\ufe0f\u20e3" or "\U0001f3fb" <= character <= "\U0001f3ff"


def _runs(flags: list[bool]) -> Iterable[tuple[int, int]]:
    start = None
    for place, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = place
        elif not flag and start is not None:
            yield start, place
            start = None


def _restored(changed: str, sentence: str, keep: Iterable[tuple[int, int]]) -> str:
    for start, end in keep:
        changed = changed[:start] + sentence[start:end] + changed[end:]
    return changed
