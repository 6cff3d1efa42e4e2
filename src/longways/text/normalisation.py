# ruff: noqa: RUF001 - a table; full-width signs look like ASCII ones
"""Normalisation of a source sentence: characters that the vocabulary lacks become ones that it has.

A character with a vocabulary entry never changes, so text like the training text is encoded as it
always was. Of the others, each is replaced by the first of these that the vocabulary knows:

- its compatibility form (NFKC): full-width letters, digits and signs, half-width kana;
- a similar bracket, quote or dash;
- for Chinese, the Simplified form of a Traditional text (`traditional`).

A full-width colon or comma inside a number becomes an ASCII one. Every character keeps its place,
so that offsets of marks and placeholders stay true; a model never reads the characters that are
invisible (`visible`). A replacement of another length or one that loses something is not
made: ℃, ², ㊙ and ① are signs that search copies (`signs`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property

from longways.text.scripts import is_of_script
from longways.text.traditional import FILLER, simplified

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
        "‐-",
        "‑-",
        "‒-",
        "﹘—",
        "❝“",
        "❞”",
        "❛‘",
        "❜’",
        "〘[",
        "〙]",
        "〚[",
        "〛]",
        "∶：",
        "︰：",
        "∕/",
        "⁄/",
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
_DASHES = re.compile(r"(?<=[^\W_])[─━]{1,2}(?=[^\W_])")
"""Lines of boxes that stand for a dash between two words."""
_IN_NUMBER = re.compile(
    "(?<=[0-9０-９])：(?=[0-9０-９])|(?<=[０-９])，(?=[０-９]{3}(?![0-9０-９]))"
)
"""A full-width colon of a time or ratio, and a comma of full-width thousands."""
_RULE = re.compile(r"^\s*([-=*#~_+])\1\1+|(?<![-=*#~_+])([-=*#~_+])\2\2+\s*$")
"""A run of equal signs at either end of a sentence, such as -----."""

_EMOJI = re.compile("[0-9#*]\ufe0f?\u20e3|[^\\w\\s](?:[\ufe0e\ufe0f]|[\U0001f3fb-\U0001f3ff])+")
"""A keycap, or a sign with a variation or a skin colour; its first character may be known."""

_SAME_USE = frozenset(["<wide>", "<narrow>", "<small>", "<vertical>", "<compat>", "<noBreak>"])
"""Kinds of compatibility forms that lose nothing; raised, circled and styled forms do."""
INVISIBLE = "\u00ad\u180e\u200b\u200c\u200e\u200f\u2060\ufeff" + "".join(
    map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A)))
)
"""Characters without width: breaks, soft hyphens, byte order marks and marks of direction."""


class Normaliser:
    """Normalises sentences of one language for one vocabulary."""

    def __init__(self, language: str, known: frozenset[str]) -> None:
        """`known` are the characters with an entry in the vocabulary."""
        self.language, self.known = language, known
        self.chinese = language.lower().replace("_", "-").split("-")[0] in ("zh", "yue", "wuu")
        self._replacements = dict[str, str]()

    def __call__(self, sentence: str, keep: Iterable[tuple[int, int]] = ()) -> str:
        """The sentence, of the same length; the spans in `keep` stay as they are."""
        changed = self._with_ascii_numbers(sentence)
        unknown = set(changed) - self.known
        if not unknown:
            return _restored(changed, sentence, keep)
        changed = simplified(changed, unknown) if self.chinese else changed
        changed = _WORD_STOP.sub(lambda _: self._full_stop, changed)
        changed = _DASHES.sub(lambda dash: len(dash[0]) * self._dash, changed)
        changed = "".join(c if c in self.known else self._replacement(c) for c in changed)
        return _restored(changed, sentence, keep)

    def signs(self, sentence: str) -> list[tuple[int, int]]:
        """The runs of characters that search must copy, since the vocabulary cannot spell them.

        These are signs, emoji and letters of other scripts. Rare letters of the language itself
        are left to the model, which reads them byte by byte.
        """
        normal = self(sentence)
        special = _EMOJI.search(normal) or _RULE.search(normal)
        if not special and self.known.issuperset(normal):
            return []
        copied = [self._is_copied(c) for c in normal]
        for place, character in enumerate(normal):  # joiners and variation selectors
            if not copied[place] and place and copied[place - 1] and _joins(character):
                copied[place] = True
        for whole in (*_EMOJI.finditer(normal), *_RULE.finditer(normal)):
            copied[slice(*whole.span())] = [True] * len(whole[0])
        return list(_runs(copied))

    def visible(self, normal: str) -> str:
        """A normalised sentence as a model reads it: without invisible characters."""
        if self._invisible.isdisjoint(normal):
            return normal
        return "".join(c for c in normal if c not in self._invisible)

    def is_invisible(self, character: str) -> bool:
        """Whether a character has no width and no entry in the vocabulary."""
        return character in self._invisible

    @cached_property
    def _invisible(self) -> frozenset[str]:
        return frozenset(INVISIBLE) - self.known | {FILLER}

    def _is_copied(self, character: str) -> bool:
        if character in self.known or character.isspace() or _joins(character):
            return False
        if self.is_invisible(character):
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

    @cached_property
    def _dash(self) -> str:
        return "—" if "—" in self.known else "-"

    def _with_ascii_numbers(self, sentence: str) -> str:
        """A sentence with ASCII signs inside its numbers, if the vocabulary has them."""
        if not self.known.issuperset(":,") or not ("：" in sentence or "，" in sentence):
            return sentence
        return _IN_NUMBER.sub(lambda sign: ":" if sign[0] == "：" else ",", sentence)


def _compatible(character: str) -> str:
    """The compatibility form of the same use; numbers of other shapes keep theirs: ① ½ ² Ⅳ."""
    return unicodedata.normalize("NFKC", character) if is_same_use(character) else character


def is_same_use(character: str) -> bool:
    """Whether the compatibility form of a character loses nothing: not of ①, ½, ² or Ⅳ."""
    kind = unicodedata.decomposition(character).partition(" ")[0]
    loses = kind[:1] == "<" and kind not in _SAME_USE
    return not loses and unicodedata.category(character) not in ("No", "Nl")


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
    parts, place = list[str](), 0
    for start, end in sorted(keep):
        parts += [changed[place:start], sentence[max(place, start) : end]]
        place = max(place, end)
    return "".join([*parts, changed[place:]])
