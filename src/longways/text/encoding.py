"""Bytes as text: which encoding a file has, and what to say if it has none of those we try.

Tried without being told: UTF-8, with or without a mark at its start, and UTF-16 and UTF-32 with
one. Line ends are left as they are.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from longways.errors import TextError

CHUNK = 1 << 16
"""Bytes that are read together."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32-le"),  # before UTF-16, whose mark begins like this one
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
)
"""What a text may start with, the encoding that skips it, and the one of what follows it."""

_OLDER = {"zh": ("gb18030", "big5"), "ja": ("shift_jis", "euc_jp"), "ko": ("euc_kr",)}
_OLDER |= dict.fromkeys(("ru", "uk", "bg", "be"), ("cp1251", "koi8_r"))
TRIED = "utf-8, and utf-16 and utf-32 with a mark at the start"


class Checked(NamedTuple):
    """What is known of a file that was read once through."""

    encoding: str
    characters: int


def check_encoding(encoding: str | None) -> None:
    """Raise if there is no encoding of text of this name; base64, say, is none."""
    try:
        b"a".decode(encoding or "utf-8", "replace")
    except (LookupError, UnicodeError) as error:
        raise TextError(
            f"There is no encoding {encoding!r}. Use a name such as utf-8, gb18030 or cp1251."
        ) from error


def check_file(path: Path, encoding: str | None, language: str) -> Checked:
    """Read a file once through, so that nothing is begun that cannot be finished."""
    try:
        with path.open("rb") as file:
            found = encoding or guess_encoding(file.read(4))
            file.seek(0)
            characters = sum(map(len, decode_chunks(file, encoding, str(path), language)))
    except OSError as error:
        raise TextError(f"{path} cannot be read: {error.strerror}.") from error
    return Checked(found, characters)


def decode_chunks(
    file: BinaryIO, encoding: str | None, name: str, language: str = ""
) -> Iterator[str]:
    """The text of an open file, piece by piece, as soon as there is some."""
    decoder, place = None, 0
    while True:
        data = read_some(file)
        if decoder is None:
            while data and len(data) < 4 and (more := read_some(file)):
                data += more  # a mark may come in parts
            codec = encoding or guess_encoding(data)
            decoder = codecs.getincrementaldecoder(codec)()
        held = len(decoder.getstate()[0])  # bytes of a character that has just begun
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise _undecodable(name, error, encoding, language, place - held) from error
        if "\0" in text:
            raise TextError(
                f"{name} is not plain text: there is a NUL character in it. If it is text in "
                "UTF-16 without a mark, say --encoding utf-16-le."
            )
        yield text
        place += len(data)
        if not data:
            return


def read_some(file: BinaryIO) -> bytes:
    """What is there to read, at most a chunk; waits only if there is nothing."""
    read = getattr(file, "read1", file.read)
    data: bytes = read(CHUNK)
    return data


def guess_encoding(start: bytes) -> str:
    """By the mark at the start of the bytes, or UTF-8."""
    return next((name for mark, name, _ in _MARKS if start.startswith(mark)), "utf-8")


def split_mark(data: bytes) -> tuple[bytes, str | None]:
    """The mark at the start of the bytes, and the encoding of what follows it; None without one."""
    return next(((mark, name) for mark, _, name in _MARKS if data.startswith(mark)), (b"", None))


def _undecodable(
    name: str, error: UnicodeDecodeError, encoding: str | None, language: str, place: int
) -> TextError:
    where = f"byte {place + error.start + 1}: {error.reason}"
    if encoding:
        return TextError(f"{name} is not in the encoding {encoding} ({where}). Name another one.")
    older = [codec for codec in _OLDER.get(language, ()) if _decodes(error.object, codec)]
    hint = f"--encoding {older[0] if older else 'NAME'}"
    likely = "which fits its first bytes" if older else "gb18030, say, for older Chinese text"
    return TextError(
        f"{name} is binary or in another encoding than those tried ({TRIED}; {where}). If it is "
        f"text, name its encoding with {hint}, {likely}."
    )


def _decodes(data: bytes, codec: str) -> bool:
    try:
        codecs.getincrementaldecoder(codec)().decode(data)
    except UnicodeDecodeError:
        return False
    return True
