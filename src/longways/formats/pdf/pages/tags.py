"""The tags of a page: which of its text is a heading, by the structure tree of the document."""

from __future__ import annotations

import ctypes
import re
from typing import Any

_MAX_ELEMENTS, _MAX_DEPTH = 50_000, 60
_MAX_TYPE_BYTES = 64
_HEADING = re.compile(r"H([1-6])?|Title")


def read_headings(raw: Any, page: Any) -> dict[int, int]:
    """The level of each heading of a page, by the number of its marked content."""
    tree = raw.FPDF_StructTree_GetForPage(page)
    if not tree:
        return {}
    try:
        return _levels(raw, tree)
    finally:
        raw.FPDF_StructTree_Close(tree)


def _levels(raw: Any, tree: Any) -> dict[int, int]:
    levels: dict[int, int] = {}
    count = raw.FPDF_StructTree_CountChildren(tree)
    waiting = [(raw.FPDF_StructTree_GetChildAtIndex(tree, n), 0, 0) for n in range(count)]
    for _ in range(_MAX_ELEMENTS):
        if not waiting:
            break
        element, level, depth = waiting.pop()
        if not element or depth > _MAX_DEPTH:
            continue
        level = level or _level(raw, element)
        for place in range(max(raw.FPDF_StructElement_CountChildren(element), 0)):
            number = raw.FPDF_StructElement_GetChildMarkedContentID(element, place)
            if number >= 0 and level:
                levels[number] = level
            elif number < 0:
                child = raw.FPDF_StructElement_GetChildAtIndex(element, place)
                waiting.append((child, level, depth + 1))
    return levels


def _level(raw: Any, element: Any) -> int:
    """The level of an element that is a heading; 0 for others."""
    buffer = ctypes.create_string_buffer(_MAX_TYPE_BYTES)
    size = raw.FPDF_StructElement_GetType(element, buffer, _MAX_TYPE_BYTES)
    name = buffer.raw[: max(min(size, _MAX_TYPE_BYTES) - 2, 0)].decode("utf-16-le", "replace")
    match = _HEADING.fullmatch(name)
    return int(match[1] or 1) if match else 0


def is_artifact(raw: Any, entry: Any) -> bool:
    """Whether the author marked an object as no part of the text, such as a running head."""
    size = ctypes.c_ulong()
    buffer = (ctypes.c_ushort * (_MAX_TYPE_BYTES // 2))()
    for place in range(max(raw.FPDFPageObj_CountMarks(entry), 0)):
        mark = raw.FPDFPageObj_GetMark(entry, place)
        if raw.FPDFPageObjMark_GetName(mark, buffer, _MAX_TYPE_BYTES, size):
            name = bytes(buffer)[: max(size.value - 2, 0)].decode("utf-16-le", "replace")
            if name == "Artifact":
                return True
    return False
