"""The text of a table: in UTF-8, with a byte order mark, or as older office programs write it."""

from __future__ import annotations

from longways.errors import FormatError
from longways.formats.subtitles.timing import Warnings
from longways.formats.text_file import TextFile, read_text
from longways.text.charset import older_encoding, split_mark


def read_table_text(
    data: bytes, language: str, encoding: str | None, warnings: Warnings
) -> TextFile:
    """Decode a table; if it is not UTF-8, in the encoding of its language that fits it.

    Office programs write tables in the encoding of the system, GB 18030 in China, without a sign.
    """
    try:
        return read_text(data, language, encoding)
    except FormatError:
        is_marked = encoding or split_mark(data)[1] or b"\0" in data
        name = None if is_marked else older_encoding(data, language)
        if name is None:
            raise
    what = (
        f"the table is not in UTF-8; it is read in {name}, which fits it. --encoding names another."
    )
    warnings.add("encoding", 1, what)
    return read_text(data, language, name)
