"""Character encodings of text files: detection, decoding in chunks, and error messages.

UTF-8 is detected with or without a byte order mark, UTF-16 and UTF-32 only with one. Line ends are
left as they are.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from longways.errors import TextError, unreadable
from longways.text.encodings import byte_order, commonness, likeliest, text_codec

CHUNK_BYTES = 1 << 16
"""Size of one read."""
MIN_COMMONNESS = 0.8
"""The smallest share of common letters in a text whose encoding nobody names."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32-le"),  # before UTF-16, whose mark begins like this one
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
)
"""Byte order mark, the codec that skips the mark, and the codec of the text after the mark."""

OLDER = {"zh": ("gb18030", "big5"), "ja": ("shift_jis", "euc_jp"), "ko": ("euc_kr",)}
OLDER |= dict.fromkeys(("ru", "uk", "bg", "be"), ("cp1251", "koi8_r"))
"""The encodings without a mark of older texts, by language."""
TRIED = "utf-8, and utf-16 and utf-32 with a mark at the start"


class Checked(NamedTuple):
    """Encoding and length of a file that was read completely."""

    encoding: str
    characters: int


def check_encoding(encoding: str | None) -> None:
    """Raise `TextError` if no file has this encoding; base64 and idna, for example, are none."""
    if encoding is not None and text_codec(encoding) is None:
        raise TextError(
            f"There is no encoding {encoding!r} of text files. Use a name such as utf-8, gb18030 "
            "or cp1251."
        )


def check_file(path: Path, encoding: str | None, language: str) -> Checked:
    """Decode a whole file before work starts, so that an undecodable file fails early."""
    try:
        with path.open("rb") as file:
            found = encoding or guess_encoding(file.read(4))
            file.seek(0)
            characters = sum(map(len, decode_chunks(file, encoding, str(path), language)))
    except OSError as error:
        raise TextError(unreadable(path, error)) from error
    return Checked(found, characters)


def decode_chunks(
    file: BinaryIO, encoding: str | None, name: str, language: str = ""
) -> Iterator[str]:
    """Yield the text of an open file in chunks, as soon as bytes arrive."""
    decoder, place = None, 0
    while True:
        data = read_some(file)
        if decoder is None:
            while data and len(data) < 4 and (more := read_some(file)):
                data += more  # the first read may return only part of a byte order mark
            codec = _codec_for(encoding, data)
            decoder = codecs.getincrementaldecoder(codec)()
        held = len(decoder.getstate()[0])  # bytes of an incomplete character
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise _undecodable(name, error, encoding, language, place - held) from error
        if "\0" in text:
            raise TextError(
                f"{name} is not plain text: there is a NUL character in it. If it is text in "
                "UTF-16 without a mark, use --encoding utf-16-le."
            )
        yield text
        place += len(data)
        if not data:
            return


def read_some(file: BinaryIO) -> bytes:
    """Read the available bytes, at most one chunk; blocks only if no byte is available."""
    read = getattr(file, "read1", file.read)
    data: bytes = read(CHUNK_BYTES)
    return data


def guess_encoding(start: bytes) -> str:
    """The encoding that the byte order mark shows, or UTF-8 without a mark."""
    return next((name for mark, name, _ in _MARKS if start.startswith(mark)), "utf-8")


def _codec_for(encoding: str | None, start: bytes) -> str:
    """The codec of a text; `utf-16` without a mark gets the byte order that the text shows."""
    codec = (text_codec(encoding) or encoding) if encoding else guess_encoding(start)
    if codec in ("utf-16", "utf-32") and not split_mark(start)[1]:
        return f"{codec}-{byte_order(start, int(codec[4:]) // 8)}"
    return codec


def older_encoding(data: bytes, language: str) -> str | None:
    """The encoding without a mark that a text is in, if it has the common letters of a language.

    Few bytes beyond ASCII are valid in many encodings, but seldom common letters in them.
    """
    name = likeliest(data, OLDER.get(language, ()))
    if name is None or commonness(data.decode(name, "ignore"), name) < MIN_COMMONNESS:
        return None
    return name


def split_mark(data: bytes) -> tuple[bytes, str | None]:
    """The byte order mark and the encoding of the text after it; None without a mark."""
    return next(((mark, name) for mark, _, name in _MARKS if data.startswith(mark)), (b"", None))


def _undecodable(
    name: str, error: UnicodeDecodeError, encoding: str | None, language: str, place: int
) -> TextError:
    where = f"byte {place + error.start + 1}: {error.reason}"
    if encoding:
        return TextError(f"{name} is not in the encoding {encoding} ({where}). Name another one.")
    found = _fitting(error.object, language)
    hint = f"--encoding {found or 'NAME'}"
    likely = "which fits its first bytes" if found else "for example gb18030 for Chinese text"
    return TextError(
        f"{name} is binary or in another encoding than those tried ({TRIED}; {where}). If it is "
        f"text, name its encoding with {hint}, {likely}."
    )


def _fitting(data: bytes, language: str) -> str | None:
    """The encoding without a mark that a text of this language has by its first bytes."""
    if b"\0" in data:
        return likeliest(data, [f"utf-16-{byte_order(data)}"]) if data.count(0) > 1 else None
    return likeliest(data, OLDER.get(language, ()))
