"""Reader of checked lines of a text file, plain or compressed (.gz, .xz)."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from longways.corpus.readers.bad_input import BadInputPolicy
from longways.errors import CorpusError

MAX_LINE_BYTES = 1_000_000
"""A longer line is bad input: no sentence is this long."""

_BOM = b"\xef\xbb\xbf"


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, decompressed if its name ends in .gz or .xz."""
    openers: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}
    try:
        with openers.get(path.suffix, open)(path, "rb") as file:
            yield file
    except FileNotFoundError as error:
        raise CorpusError(f"There is no file {path}. Check the path.") from error
    except IsADirectoryError as error:
        raise CorpusError(f"{path} is a folder, but a file was expected.") from error
    except (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error) as error:
        raise CorpusError(f"{path} is truncated or damaged: {error}. Copy it again.") from error


def read_lines(path: Path, inspector: BadInputPolicy) -> Iterator[tuple[int, str | None]]:
    """The number and text of every line; the text of a bad line that was dropped is None.

    Only a line feed ends a line, since other Unicode line separators can occur inside a sentence.
    """
    with open_bytes(path) as file:
        number = 0
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            yield number, _checked(line, number, path, file, inspector)


def _checked(
    line: bytes, number: int, path: Path, file: BinaryIO, inspector: BadInputPolicy
) -> str | None:
    place = f"{path}, line {number}"
    if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
        _finish_line(file)
        inspector.bad("line too long", f"{place}: longer than {MAX_LINE_BYTES:,} bytes.")
        return None
    if number == 1:
        line = line.removeprefix(_BOM)
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    if (nul := line.find(b"\0")) >= 0:
        inspector.bad("NUL byte", f"{place}, byte {nul + 1}: a NUL byte, so this is not text.")
        return None
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{place}, byte {error.start + 1}: not valid UTF-8 ({error.reason})."
        inspector.bad("invalid UTF-8", message)
        return None


def _finish_line(file: BinaryIO) -> None:
    while (rest := file.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
        pass
