"""The zip package of an office file: how its parts are read and replaced.

Every part is unpacked once when the file is read, within size limits. A damaged part or a zip bomb
is therefore found before translation starts.
"""

from __future__ import annotations

import copy
import io
import re
import zipfile
import zlib
from collections.abc import Mapping

from longways.errors import FormatError
from longways.text.charset import split_mark
from longways.text.encodings import has_states, text_codec

MAX_PART_BYTES = 200 << 20
"""Bytes that one part may unpack to."""
MAX_FILE_BYTES = 512 << 20
"""Bytes that all parts may unpack to together."""
RATIO_MIN_BYTES = 10 << 20
"""Larger parts and files must not exceed `MAX_COMPRESSION_RATIO` times their packed size."""
MAX_COMPRESSION_RATIO = 200

_CHUNK = 1 << 20
_ENCODING = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([\w.-]+)[\"']", re.ASCII)
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
AGAIN = "Open it in the program that it is for, and save it again."


class Package:
    """The parts of a file, each by its name."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._zip = _opened(data)
        infos = self._zip.infolist()
        _check_sizes(infos, len(data))
        self.names = {info.filename for info in infos}
        if len(self.names) < len(infos):
            raise FormatError(f"This file has two parts of the same name in it. {AGAIN}")
        if strange := next((name for name in self.names if not name.isprintable()), None):
            raise FormatError(
                f"The part {strange!a} of this file has a control character in its name. {AGAIN}"
            )
        for info in infos:
            self._unpacked(info, keep=False)

    def read(self, name: str) -> bytes:
        """The bytes of a part."""
        return self._unpacked(self._zip.getinfo(name), keep=True)

    def exchanged(self, parts: Mapping[str, bytes]) -> bytes:
        """The file with these parts replaced; all other parts keep their bytes and order."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as written:
            written.comment = self._zip.comment
            for info in self._zip.infolist():
                new = parts.get(info.filename)
                data = self._unpacked(info, keep=True) if new is None else new
                written.writestr(copy.copy(info), data, info.compress_type)
        return out.getvalue()

    def _unpacked(self, info: zipfile.ZipInfo, *, keep: bool) -> bytes:
        """Unpack a part within the size limits; its bytes are returned only with `keep`."""
        chunks, size = list[bytes](), 0
        try:
            with self._zip.open(info) as part:
                while chunk := part.read(_CHUNK):
                    size += len(chunk)
                    _check_size(info.filename, size, info.compress_size)
                    chunks += [chunk] if keep else []
        except NotImplementedError as error:
            raise FormatError(
                f"The part {info.filename} of this file is packed in a way that is not known "
                f"here. {AGAIN}"
            ) from error
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise FormatError(
                f"The part {info.filename} of this file is damaged and cannot be unpacked. "
                "Get the file once more from where it came."
            ) from error
        return b"".join(chunks)


def as_utf8(name: str, data: bytes) -> tuple[bytes, bytes, str]:
    """A part as UTF-8 without its byte order mark, the mark, and the encoding that it has."""
    bom, marked = split_mark(data)
    said = _ENCODING.match(data)
    encoding = marked or _unmarked(data) or (said[1].decode() if said else "utf-8")
    codec = text_codec(encoding)
    if b"\0" in data[len(bom) : len(bom) + 4] and not (codec or "").startswith(
        ("utf-16", "utf-32")
    ):
        codec = None  # an XML parser would read UTF-16 whatever the mark says
    if codec in ("utf-8", "utf-8-sig", "ascii"):
        return data[len(bom) :], bom, "utf-8"
    try:
        if codec and not has_states(codec):
            return data[len(bom) :].decode(codec).encode(), bom, codec
    except UnicodeError:
        pass
    raise FormatError(
        f"The part {name} of this file is not in its encoding, {encoding}. Open it in its "
        "program and save it again."
    )


def declared(name: str) -> FormatError:
    """The error for a part that declares a document type."""
    return FormatError(
        f"The part {name} of this file declares a document type or entities, which no office "
        "program writes; such files are refused, as they may be made to do harm."
    )


def _unmarked(data: bytes) -> str | None:
    """UTF-16 without a byte order mark, which an XML parser knows by the first bytes."""
    return {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}.get(data[:2])


def _opened(data: bytes) -> zipfile.ZipFile:
    if data.startswith(_OLD_OFFICE):
        raise _old_office(data)
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, EOFError, OSError, NotImplementedError) as error:
        raise FormatError(
            "This is not an office document or a book, or a damaged one: it cannot be opened as a "
            "zip file. Get it once more from where it came."
        ) from error


def _old_office(data: bytes) -> FormatError:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return FormatError(
            "This file is protected with a password. Open it in its program, remove the password, "
            "and save it again."
        )
    return FormatError(
        "This is a document of the older kind, such as .doc, .xls or .ppt, whatever its name says. "
        "Open it in its program and save it as .docx, .xlsx or .pptx."
    )


def _check_sizes(infos: list[zipfile.ZipInfo], packed: int) -> None:
    """Raise if the headers say that there is something that should not be unpacked."""
    for info in infos:
        if info.flag_bits & 1:
            raise FormatError(f"Parts of this file are protected with a password. {AGAIN}")
        _check_size(info.filename, info.file_size, info.compress_size)
    size = sum(info.file_size for info in infos)
    if size > MAX_FILE_BYTES or _is_bomb(size, packed):
        raise FormatError(
            f"This file has {packed:,} bytes, but would unpack to {size:,}. If it is no trap, cut "
            "it into several files."
        )


def _check_size(name: str, size: int, packed: int) -> None:
    if size > MAX_PART_BYTES or _is_bomb(size, packed):
        raise FormatError(
            f"The part {name} of this file is {packed:,} bytes that would unpack to {size:,} or "
            "more. If it is no trap, cut the document into several files."
        )


def _is_bomb(size: int, packed: int) -> bool:
    return size > RATIO_MIN_BYTES and size > MAX_COMPRESSION_RATIO * packed
