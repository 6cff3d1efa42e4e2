"""What lies over a page: links, and the values of forms."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from typing import Any

from longways.formats.pdf.pages.words import Link

_URI = 3
_MAX_LINKS = 2_000
_MAX_ADDRESS_BYTES = 1 << 12
_ADDRESS = re.compile(r"(?:https?|ftps?)://[^\s<>]+|mailto:[^\s<>]+", re.IGNORECASE)
_MAX_ANNOTATIONS = 20_000


def has_texts(raw: Any, page: Any) -> bool:
    """Whether fields of a form or typed notes lie over a page."""
    kinds = (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT)
    for index in range(min(raw.FPDFPage_GetAnnotCount(page), _MAX_ANNOTATIONS)):
        entry = raw.FPDFPage_GetAnnot(page, index)
        if not entry:
            continue
        kind = raw.FPDFAnnot_GetSubtype(entry)
        raw.FPDFPage_CloseAnnot(entry)
        if kind in kinds:
            return True
    return False


def read_links(raw: Any, document: Any, page: Any) -> Iterator[Link]:
    """The links of a page that have a public address."""
    place, link, box = ctypes.c_int(0), raw.FPDF_LINK(), raw.FS_RECTF()
    for _ in range(_MAX_LINKS):
        if not raw.FPDFLink_Enumerate(page, place, link):
            return
        action = raw.FPDFLink_GetAction(link)
        if not action or raw.FPDFAction_GetType(action) != _URI:
            continue
        buffer = ctypes.create_string_buffer(_MAX_ADDRESS_BYTES)
        size = raw.FPDFAction_GetURIPath(document, action, buffer, _MAX_ADDRESS_BYTES)
        address = buffer.raw[: max(min(size, _MAX_ADDRESS_BYTES) - 1, 0)].decode("utf-8", "replace")
        if _ADDRESS.fullmatch(address) and raw.FPDFLink_GetAnnotRect(link, box):
            yield Link(
                min(box.left, box.right),
                min(box.bottom, box.top),
                max(box.left, box.right),
                max(box.bottom, box.top),
                address,
            )
