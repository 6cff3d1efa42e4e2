"""The bytes of an XML file as the parser knows them, in UTF-8 or UTF-16, and what is wrong in them.

The parser has no encodings of several bytes, in which Chinese and Japanese files are written.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat

from longways.errors import FormatError
from longways.text.encodings import text_codec

CHUNK = 1 << 16
"""Bytes that are parsed together."""
MAX_DEPTH = 256
"""The most elements that may lie within each other."""

_DECLARED = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([\w.-]+)[\"']", re.ASCII)
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030"}
"""Encodings by whose names larger ones are declared."""


def parsed_chunks(file: BinaryIO) -> tuple[str | None, Iterator[bytes]]:
    """The encoding for the parser, None as the file declares it, and the file in chunks."""
    first = file.read(CHUNK)
    codec = _other_codec(first)
    chunks = _chunks(first, file)
    return ("utf-8", _decoded(chunks, codec)) if codec else (None, chunks)


def _other_codec(start: bytes) -> str | None:
    """The codec of a file in an encoding that is not of Unicode."""
    found = _DECLARED.match(start)
    name = found[1].decode().lower() if found else "utf-8"
    return None if name.startswith(("utf", "us-ascii")) else text_codec(_WIDER.get(name, name))


def _chunks(first: bytes, file: BinaryIO) -> Iterator[bytes]:
    while first:
        yield first
        first = file.read(CHUNK)


def _decoded(chunks: Iterator[bytes], codec: str) -> Iterator[bytes]:
    """Chunks in UTF-8; bytes that no text has are an error."""
    decoder = codecs.getincrementaldecoder(codec)()
    for chunk in chunks:
        yield decoder.decode(chunk).encode()
    yield decoder.decode(b"", True).encode()


def not_well_formed(path: Path, line: int, error: Exception) -> FormatError:
    """The error for a file that the parser does not accept from this line on."""
    code = getattr(error, "code", None)
    what = str(error) if code is None else expat.ErrorString(code)
    return FormatError(
        f"{path}, line {line}: the file is not well-formed XML ({what}). Correct it, or export it "
        "again from the tool that wrote it."
    )


def check_depth(path: Path, parser: expat.XMLParserType, depth: int) -> None:
    """Raise if elements lie too deep within each other."""
    if depth > MAX_DEPTH:
        raise FormatError(
            f"{path}, line {parser.CurrentLineNumber}: elements lie more than {MAX_DEPTH} deep "
            "within each other. Check that the file is whole."
        )
