"""A PDF read in a process of its own, whose time and memory have limits.

A few kilobytes of PDF can draw a page that PDFium reads for days, or that fills the memory, and no
call of PDFium can be stopped. A process can, and a fault in it ends nothing else.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from longways.errors import FormatError
from longways.formats.pdf.document import Summary, read_document
from longways.formats.pdf.pages.library import load_library

PAGE_SECONDS = 30.0
"""The CPU time in which a page must be read."""
MAX_BYTES = 4 << 30
"""The memory that reading may use, besides the size of the file."""

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from longways.formats.pdf.isolated import main; main(*map(float, sys.argv[2:]))"
)


def read_isolated(
    data: bytes, seconds: float = PAGE_SECONDS, memory: int = MAX_BYTES
) -> tuple[str, Summary]:
    """The Markdown of a document and its summary; raises `FormatError` if it cannot be read."""
    load_library()
    if not sys.executable:  # a program that embeds Python
        return read_document(data)
    limits = [str(seconds), str(memory + 4 * len(data))]
    done = subprocess.run(
        [sys.executable, "-c", _START, json.dumps(sys.path), *limits],
        input=data,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace")
        raise FormatError(_stopped(done.returncode, said, seconds))
    found = json.loads(done.stdout)
    if "refused" in found:
        raise FormatError(found["refused"])
    return found["markdown"], Summary(**found["summary"])


def main(seconds: float, memory: float) -> None:
    """Read a document from standard input, and write what was found as JSON."""
    _limit_memory(int(memory))
    data = sys.stdin.buffer.read()
    found: dict[str, Any]
    try:
        markdown, summary = read_document(data, lambda: _limit_time(seconds))
        found = {"markdown": markdown, "summary": asdict(summary)}
    except FormatError as error:
        found = {"refused": str(error)}
    json.dump(found, sys.stdout)


def _limit_memory(size: int) -> None:
    with suppress(ImportError, ValueError, OSError):  # not on Windows; a user may have a limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _limit_time(seconds: float) -> None:
    """Let the system end this process after so much CPU time, unless this is called again."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _stopped(code: int, said: str, seconds: float) -> str:
    """Why the process ended early; a fault of ours is raised."""
    if hasattr(signal, "SIGPROF") and code == -signal.SIGPROF:
        return (
            f"A page of this PDF document takes more than {seconds:.0f} seconds to read. Open "
            "it in a PDF viewer, and print the pages that you need into a new PDF file."
        )
    if code > 0 and "MemoryError" not in said:
        raise RuntimeError(f"The process that reads PDF documents failed:\n{said}")
    return (
        "This PDF document is damaged, or it needs too much memory. Open it in a PDF viewer, and "
        "print the pages that you need into a new PDF file."
    )
