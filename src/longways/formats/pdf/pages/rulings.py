"""The ruled lines and the pictures of a page."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from longways.formats.pdf.pages.words import turned

_PATH, _IMAGE, _FORM = 2, 3, 5
_MAX_OBJECTS = 50_000
_MAX_SEGMENTS = 200
_THIN = 3.0
"""A filled box is a line if it is thinner, in points."""
_SHORT = 6.0
"""The shortest line, in points."""
_SLANT = 1.0
"""How far the ends of a straight line may differ, in points."""
_PICTURE_SHARE = 0.02
"""The part of the page that the smallest picture covers."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """A horizontal or vertical line."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def is_horizontal(self) -> bool:
        """Whether it is wider than high."""
        return self.right - self.left >= self.bottom - self.top


@dataclass(frozen=True)
class Drawings:
    """What is drawn on a page."""

    rulings: list[Ruling]
    pictures: int


def read_drawings(raw: Any, page: Any, angle: int) -> Drawings:
    """The lines of a page that is turned by an angle, and the number of its pictures."""
    rulings, pictures = list[Ruling](), 0
    area = raw.FPDF_GetPageWidthF(page) * raw.FPDF_GetPageHeightF(page)
    edges = tuple(ctypes.c_float() for _ in range(4))
    for entry, kind in _objects(raw, page):
        if not raw.FPDFPageObj_GetBounds(entry, *edges):
            continue
        left, bottom, right, top = (edge.value for edge in edges)
        if kind == _IMAGE:
            pictures += (right - left) * (top - bottom) > _PICTURE_SHARE * area
        elif angle % 90 == 0:
            boxes = _lines(raw, entry, (left, bottom, right, top))
            rulings += (_ruling(box, angle) for box in boxes)
    return Drawings(rulings, pictures)


def _objects(raw: Any, page: Any) -> Iterator[tuple[Any, int]]:
    """The paths and images of a page; paths inside of forms have other coordinates."""
    for index in range(min(raw.FPDFPage_CountObjects(page), _MAX_OBJECTS)):
        entry = raw.FPDFPage_GetObject(page, index)
        kind = raw.FPDFPageObj_GetType(entry)
        if kind in (_PATH, _IMAGE):
            yield entry, kind


Box = tuple[float, float, float, float]


def _lines(raw: Any, entry: Any, box: Box) -> Iterator[Box]:
    """The straight lines of a path: a thin box, the edges of a box, or its segments."""
    left, bottom, right, top = box
    if min(right - left, top - bottom) < _THIN:
        if max(right - left, top - bottom) > _SHORT:
            yield box
        return
    count = raw.FPDFPath_CountSegments(entry)
    if not 2 <= count <= _MAX_SEGMENTS:
        return
    x, y = ctypes.c_float(), ctypes.c_float()
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(entry, matrix)
    last = start = (0.0, 0.0)
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(entry, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        here = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = here
        elif kind == raw.FPDF_SEGMENT_LINETO:
            yield from _straight(last, here)
        last = here
        if raw.FPDFPathSegment_GetClose(segment):
            yield from _straight(here, start)
            last = start


def _straight(one: tuple[float, float], two: tuple[float, float]) -> Iterator[Box]:
    """The line between two points, if it is upright or level."""
    wide, high = abs(one[0] - two[0]), abs(one[1] - two[1])
    if min(wide, high) <= _SLANT and max(wide, high) > _SHORT:
        yield min(one[0], two[0]), min(one[1], two[1]), max(one[0], two[0]), max(one[1], two[1])


def _ruling(box: Box, angle: int) -> Ruling:
    one, two = turned(box[0], box[1], angle), turned(box[2], box[3], angle)
    return Ruling(
        min(one[0], two[0]), min(one[1], two[1]), max(one[0], two[0]), max(one[1], two[1])
    )
