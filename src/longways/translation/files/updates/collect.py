"""The pairs of a translation that is ready, before it appears."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from longways.errors import LongwaysError
from longways.formats.base import Format, FormattedDocument
from longways.formats.registry import WRITTEN, format_of
from longways.translation.files.plan import File
from longways.translation.files.updates.kept import (
    Head,
    Kept,
    KeptPassage,
    KeptSentence,
    same_as_read,
)
from longways.translation.files.updates.store import file_hash
from longways.translation.markup.passages import Passages

_NOT_OPTIONS = {
    *("journal", "longways", "text", "links", "encoding", "format", "update"),
    "translation memory",
}
"""What a fingerprint says of the source, of the program and of what grows with every job."""


def text_of(fingerprint: Mapping[str, Any]) -> str:
    """What stands for the text of a source, its links as they are written included."""
    return str(fingerprint["text"]) + str(fingerprint.get("links", ""))


def options_of(fingerprint: Mapping[str, Any]) -> dict[str, Any]:
    """The model and the options in a fingerprint."""
    return {key: value for key, value in fingerprint.items() if key not in _NOT_OPTIONS}


def passage_pairs(passages: Passages) -> list[KeptPassage]:
    """The passages of a file that is translated, with their sentences."""
    found = list[KeptPassage]()
    for number, (source, target) in enumerate(zip(passages.given, passages.ready, strict=True)):
        known = passages.known[number].corrected if passages.known else []
        pairs = passages.sentences[number]
        flags = [*known, *[False] * (len(pairs) - len(known))]
        sentences = (KeptSentence(*pair, flag) for pair, flag in zip(pairs, flags, strict=False))
        found.append(KeptPassage(source, target, tuple(sentences)))
    return found


def written_form(form: Format) -> Format:
    """The format in which a file of a format is written: that of PDF files is Markdown."""
    suffix = WRITTEN.get(form.name)
    return (suffix and format_of(Path(f"page{suffix}"))) or form


def read_output(
    data: bytes, form: Format, language: str, encoding: str | None
) -> FormattedDocument | None:
    """A translation as it reads; None if it cannot be read.

    It has the encoding of its source, or UTF-8 where that lacks a character.
    """
    for name in dict.fromkeys([encoding, None, "utf-8"]):
        with suppress(LongwaysError):
            return form.read(data, language, name)
    return None


def collect(
    passages: Sequence[KeptPassage],
    whole: Path,
    file: File,
    form: Format,
    fingerprint: Mapping[str, Any],
    language: str,
) -> Kept:
    """The pairs of a translation that `whole` holds until it appears as that of the file."""
    target, source = file.target, file.source
    assert target is not None, "it is standard output"
    assert source is not None, "it is standard input"
    document = read_output(whole.read_bytes(), written_form(form), language, file.encoding)
    read = list(document.passages) if document else []
    head = Head(
        target.name,
        os.path.relpath(source, target.parent),
        text_of(fingerprint),
        file_hash(whole),
        form.name,
        options_of(fingerprint),
        file_hash(target) if target.is_file() else "",
    )
    return Kept(head, passages, None if same_as_read(passages, read) else read)
