"""PDFium, the library that opens a PDF document: its pages, outline and errors.

It is the renderer of Chromium, hardened against hostile files, and reads a hundred times faster
than readers in pure Python. It is not thread-safe, so one document is open at a time.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from longways.errors import FormatError

_LOCK = threading.RLock()
_PASSWORD_ERROR = 4
_MAX_OUTLINE_ENTRIES = 20_000
_MAX_OUTLINE_DEPTH = 6
_MAX_TITLE_BYTES = 1 << 12


def load_library() -> Any:
    """The functions of PDFium; raises if it is not installed."""
    try:
        return import_module("pypdfium2.raw")
    except ImportError as error:
        raise FormatError(
            "PDF documents are read by a library that is not installed. Install it with: "
            "pip install 'longways[pdf]'"
        ) from error


def library_version() -> str:
    """The name and the version of the library; empty if it is not installed."""
    try:
        return f"pypdfium2 {version('pypdfium2')}"
    except PackageNotFoundError:
        return ""


@contextmanager
def opened(data: bytes) -> Iterator[tuple[Any, Any]]:
    """PDFium and an open document; raises `FormatError` if it cannot be read."""
    raw = load_library()
    with _LOCK:
        document = raw.FPDF_LoadMemDocument64(data, len(data), None)
        if not document:
            raise FormatError(_reason(raw.FPDF_GetLastError()))
        try:
            yield raw, document
        finally:
            raw.FPDF_CloseDocument(document)


def _reason(code: int) -> str:
    if code == _PASSWORD_ERROR:
        return (
            "This PDF document is encrypted with a password. Save a copy without one, for example "
            "with: qpdf --decrypt --password=PASSWORD FILE COPY"
        )
    return (
        "This file is damaged, or it is no PDF document. Open it in a PDF viewer; if it opens "
        "there, print it into a new PDF file."
    )


def outline(raw: Any, document: Any) -> list[tuple[int, str]]:
    """The entries of the outline, each with its depth from 1 and its title."""
    found = list[tuple[int, str]]()
    seen = set[int]()
    first = raw.FPDFBookmark_GetFirstChild(document, None)
    waiting = [(1, first)] if first else []
    while waiting and len(found) < _MAX_OUTLINE_ENTRIES:
        depth, entry = waiting.pop()
        address = ctypes.addressof(entry.contents)
        if address in seen:
            continue
        seen.add(address)
        found.append((depth, _title(raw, entry)))
        if following := raw.FPDFBookmark_GetNextSibling(document, entry):
            waiting.append((depth, following))
        if depth < _MAX_OUTLINE_DEPTH and (
            child := raw.FPDFBookmark_GetFirstChild(document, entry)
        ):
            waiting.append((depth + 1, child))
    return found


def _title(raw: Any, entry: Any) -> str:
    buffer = ctypes.create_string_buffer(_MAX_TITLE_BYTES)
    size = raw.FPDFBookmark_GetTitle(entry, buffer, _MAX_TITLE_BYTES)
    return buffer.raw[: max(min(size, _MAX_TITLE_BYTES) - 2, 0)].decode("utf-16-le", "replace")
