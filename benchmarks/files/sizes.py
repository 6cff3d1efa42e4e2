"""Time and memory of reading and writing files of every format, and of two very large files.

The peak of memory is that of Python's allocations, as a multiple of the file: while it is read, and
while it is written with all texts new, the read file included. Time is measured without that
tracing, in seconds of one CPU.
"""

from __future__ import annotations

import gc
import io
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from typing import Any, TypeVar

from benchmarks.files.archives import zipped
from benchmarks.files.generated import WRITERS, sentences
from benchmarks.files.generated_office import xlsx
from longways.formats.base import Format, FormattedDocument, Passage
from longways.formats.registry import format_named
from longways.results import Report, report

LANGUAGE = "zh"
T = TypeVar("T")
_MB = 1_000_000
SENTENCES_OF_A_PAGE = 20
TEXTS_OF_A_WORKBOOK = 20_000
SMALL = " of a small file"
SENTENCES_OF_A_SMALL_FILE = 1000
"""A smaller file needs more memory for its size, if something takes the same for all files."""


def measure(count: int, megabytes: int, pages: int) -> Report:
    """Files of this many sentences, a workbook of this size, and a book of this many pages."""
    rows = []
    for name, (_, build) in WRITERS.items():
        if name != "text":
            rows.append(_row(name, name, build(sentences(count, 1))))
            small = build(sentences(SENTENCES_OF_A_SMALL_FILE, 1))
            rows[-1] |= _memory(name, small, SMALL)
    large = [("xlsx", f"xlsx of {megabytes} MB", workbook(megabytes * _MB, TEXTS_OF_A_WORKBOOK))]
    large.append(("epub", f"epub of {pages:,} pages", book(pages)))
    none = {f"{key}{SMALL}": "-" for key in ("reading", "writing")}
    rows += [_row(*one) | none for one in large]
    return report("sizes", "Time and memory of files", {"sentences": count}, rows, "cpu")


def workbook(size: int, texts: int) -> bytes:
    """A workbook of at least this many bytes, most of it numbers and some of it texts."""
    whole = xlsx(sentences(texts, 2))
    numbers = b"".join(b'<c r="A%d"><v>%d</v></c>' % (n, n * 7) for n in range(1000))
    row = b"<row>%b</row>" % numbers
    count = max(0, size - len(whole)) // len(row) + 1
    return _filled(whole, row * count)


def _filled(data: bytes, rows: bytes) -> bytes:
    """A workbook with more rows at the end of its sheet."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    name = "xl/worksheets/sheet1.xml"
    parts[name] = parts[name].replace(b"</sheetData>", rows + b"</sheetData>")
    return zipped(parts)


def book(pages: int) -> bytes:
    """A book with a document for each page."""
    said = sentences(SENTENCES_OF_A_PAGE, 3)
    root = '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="zh"><head><title>页</title></head>'
    body = "".join(f"<p>{s[:-4]}<b>{s[-4:]}</b></p>" for s in said)
    names = [f"{n}.xhtml" for n in range(pages)]
    kind = "application/xhtml+xml"
    items = "".join(f'<item id="i{n}" href="{n}" media-type="{kind}"/>' for n in names)
    order = "".join(f'<itemref idref="i{n}"/>' for n in names)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/>'
        f"<manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    container = '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>'
    parts = {"mimetype": "application/epub+zip", "META-INF/container.xml": container}
    parts |= {"a.opf": package, **{n: f"{root}<body>{n}{body}</body></html>" for n in names}}
    return zipped({name: part.encode() for name, part in parts.items()})


def _row(name: str, label: str, data: bytes) -> dict[str, Any]:
    form = format_named(name)
    assert form, "it is no plain text"
    seconds, writing = _seconds(form, data)
    return {
        "file": label,
        "MB": round(len(data) / _MB, 1),
        "read s": round(seconds, 2),
        "write s": round(writing, 2),
        **_memory(name, data),
    }


def _memory(name: str, data: bytes, suffix: str = "") -> dict[str, float]:
    """The peaks of memory while a file is read and while it is written."""
    form = format_named(name)
    assert form, "it is no plain text"
    reading, held, document = _peak(lambda: form.read(data, LANGUAGE))
    new = _new(document)
    writing, _, _ = _peak(lambda: document.write(new, "en"))
    found = {"reading": reading, "writing": held + writing}
    return {f"{key}{suffix}": round(peak / len(data), 1) for key, peak in found.items()}


def _seconds(form: Format, data: bytes) -> tuple[float, float]:
    """The time to read a file, and to write it with all passages new."""
    seconds, document = _timed(lambda: form.read(data, LANGUAGE))
    new = _new(document)
    return seconds, _timed(lambda: document.write(new, "en"))[0]


def _new(document: FormattedDocument) -> list[Passage]:
    """The passages of a document with other texts."""
    return [Passage(f"x{p.text}", p.marks, p.keep) for p in document.passages]


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    began = time.process_time()
    found = call()
    return time.process_time() - began, found


def _peak(call: Callable[[], T]) -> tuple[int, int, T]:
    """The peak of the memory that a call allocates, what is left of it, and the result."""
    gc.collect()
    tracemalloc.start()
    try:
        found = call()
        held, peak = tracemalloc.get_traced_memory()
        return peak, held, found
    finally:
        tracemalloc.stop()
