"""The style of text on a page: size, weight, slant, and whether its font is for code."""

from __future__ import annotations

import ctypes
import math
import re
from dataclasses import dataclass
from typing import Any

from longways.formats.pdf.pages.tags import is_artifact

_FIXED_PITCH, _ITALIC, _FORCE_BOLD = 1, 1 << 6, 1 << 18
_BOLD_WEIGHT = 600
_INVISIBLE_MODE = 3
_MAX_NAME_BYTES = 256
_BOLD_NAME = re.compile(
    r"bold|black|heavy|semibd|demi(?!ght)|[-,]bd|cmbx|cmb\d|[-_]Medi\b|SimHei|STHeiti(?!.*light)|FZHei|FZXiaoBiaoSong|FZDaBiaoSong",
    re.IGNORECASE,
)
_ITALIC_NAME = re.compile(r"italic|oblique|slanted|[-,]it\b|cmti|cmsl", re.IGNORECASE)
_CODE_NAME = re.compile(
    r"mono|courier|consol|menlo|cmtt|typewriter|source-?code|fira-?code|inconsolata|lucida-?console"
    r"|nimbusmon|[-_]tt\d|lmtt|sftt|ectt|txtt|jetbrains|andale|terminal|hack-?regular|cascadia",
    re.IGNORECASE,
)
_PICTURES_NAME = re.compile(r"dingbat|wingding|webding|monotypesorts", re.IGNORECASE)
_SUBSET = re.compile(r"\A[A-Z]{6}\+")


@dataclass(frozen=True, slots=True)
class Style:
    """How text looks."""

    size: float
    """The size of the font on the page, in points."""
    bold: bool = False
    italic: bool = False
    code: bool = False
    """Whether all letters of the font have the same width, as in code."""


@dataclass(frozen=True, slots=True)
class TextObject:
    """What the characters of one text object have in common."""

    style: Style
    angle: int
    """The direction of the text in degrees."""
    hidden: bool
    """Whether the text is invisible, as over a scanned page."""
    tag: int = -1
    """The number of its marked content in the structure tree; negative without one."""
    is_artifact: bool = False
    """Whether it is marked as no part of the text."""
    pictures: bool = False
    """Whether its font has small pictures for letters, which begin items of lists."""


class Fonts:
    """Reads the text objects of a page; the names of fonts are read once."""

    def __init__(self, raw: Any, text: Any) -> None:
        self.raw, self.text = raw, text
        self._matrix = raw.FS_MATRIX()
        self._box = raw.FS_RECTF()
        self._known = dict[int, tuple[bool, bool, bool, bool]]()
        self._name = ctypes.create_string_buffer(_MAX_NAME_BYTES)
        self._flags = ctypes.c_int()

    def read(self, index: int, entry: Any) -> TextObject:
        """The text object of the character with this index."""
        raw, matrix = self.raw, self._matrix
        raw.FPDFText_GetMatrix(self.text, index, matrix)
        size = raw.FPDFText_GetFontSize(self.text, index) * math.hypot(matrix.c, matrix.d)
        angle = round(math.degrees(math.atan2(matrix.b, matrix.a))) % 360
        font = raw.FPDFTextObj_GetFont(entry) if entry else None
        key = ctypes.addressof(font.contents) if font else 0
        if key not in self._known:
            self._known[key] = self._looks(index, font)
        bold, italic, code, pictures = self._known[key]
        hidden = bool(entry) and raw.FPDFTextObj_GetTextRenderMode(entry) == _INVISIBLE_MODE
        style = Style(round(self._checked(index, size), 1), bold, italic, code)
        tag = raw.FPDFPageObj_GetMarkedContentID(entry) if entry else -1
        aside = bool(entry) and tag < 0 and is_artifact(raw, entry)
        return TextObject(style, angle, hidden, tag, aside, pictures)

    def _checked(self, index: int, size: float) -> float:
        """A size as it is on the page; fonts made of drawings name sizes of their own."""
        self.raw.FPDFText_GetLooseCharBox(self.text, index, self._box)
        height = abs(self._box.top - self._box.bottom)
        if height and not height / 4 < size < height * 4:
            size = height
        return min(max(size, 0.1), 10_000.0)

    def _looks(self, index: int, font: Any) -> tuple[bool, bool, bool, bool]:
        """Whether a font is bold, italic, for code, for pictures."""
        raw = self.raw
        length = raw.FPDFText_GetFontInfo(
            self.text, index, self._name, _MAX_NAME_BYTES, self._flags
        )
        name = self._name.raw[: max(min(length, _MAX_NAME_BYTES) - 1, 0)].decode("utf-8", "replace")
        name, flags = _SUBSET.sub("", name), self._flags.value
        weight = raw.FPDFFont_GetWeight(font) if font else 0
        bold = bool(_BOLD_NAME.search(name)) or bool(flags & _FORCE_BOLD) or weight >= _BOLD_WEIGHT
        italic = bool(_ITALIC_NAME.search(name)) or bool(flags & _ITALIC)
        return bold, italic, bool(_CODE_NAME.search(name)), bool(_PICTURES_NAME.search(name))
