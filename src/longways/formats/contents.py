"""What a file holds, by its first bytes or characters, where its name does not say it."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from longways.errors import FormatError
from longways.formats.registry import SUFFIXES

SIGNATURE_BYTES = 8
"""The length of the longest signature."""

_BINARY = {
    b"%PDF-": "a PDF document",
    b"PK\x03\x04": "a zip archive, as are .docx, .pptx, .xlsx, .odt and .epub",
    b"\xd0\xcf\x11\xe0": "an old Office document, as are .doc, .xls and .ppt",
    b"{\\rtf": "an RTF document",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"\x1f\x8b": "a compressed file",
    b"7z\xbc\xaf": "a compressed file",
    b"BZh9": "a compressed file",
    b"Rar!": "a compressed file",
    b"\xfd7zXZ": "a compressed file",
}
"""The first bytes of files that are not text."""

_HINTS = {
    b"PK\x03\x04": " If it is an office file, name its kind, as in --format docx.",
    b"%PDF-": " Its text can be read with --format pdf.",
}

_LINE = {
    "html": re.compile(r"\s*<(?:!doctype html|html|head|body)\b", re.IGNORECASE),
    "vtt": re.compile(r"WEBVTT(?=\s|\Z)"),
    "srt": re.compile(r"\s*\d+[ \t]*\r?\n\d+:\d\d:\d\d[,.]\d+ --> "),
    "eml": re.compile(
        r"(?:[A-Z][A-Za-z-]{1,40}:[ \t][^\n]*\n(?:[ \t][^\n]*\n)*)*"
        r"(?:Received|Return-Path|Message-I[Dd]|MIME-Version):[ \t]"
    ),
    "ass": re.compile(r"\s*\[Script Info\]"),
    "po": re.compile(r"(?:#[^\n]*\n|\s)*msgid[ \t]+\""),
    "xliff": re.compile(r"(?:\s*<[?!][^>]*>)*\s*<(?:\w+:)?xliff\b"),
    "ts": re.compile(r"(?:\s*<[?!][^>]*>)*\s*<TS\b"),
    "android": re.compile(r"(?:\s*<[?!][^>]*>)*\s*<resources\b"),
    "latex": re.compile(r"(?:\s*%[^\n]*\n)*\s*\\(?:documentclass|begin\{|chapter\{|section\{)"),
    "org": re.compile(r"(?:#[ \t][^\n]*\n|\s)*#\+(?:title|options|author|startup):", re.IGNORECASE),
    "ipynb": re.compile(r"\s*\{\s*\"(?:cells\"\s*:\s*\[\s*\{|nbformat)"),
    "asciidoc": re.compile(
        r"(?:\s|//[^\n]*\n|:[\w-]+:[^\n]*\n)*(?:= \S|\[\[[^\[\]\n]+\]\]\n=+ \S)"
    ),
    "rst": re.compile(
        r"\s*(?:\.\. [\w:-]+::(?:\s|\Z)|\.\. _[^:\n]+:|([=#*~-])\1{3,}\n[^\n]+\n\1{4,}\n"
        r"|\S[^\n]*\n={4,}\n(?:[^\n]*\n){0,40}?\.\. [\w:-]+::(?:\s|\Z))"
    ),
    "json": re.compile(r"\s*\{\s*\"(?:[^\"\\\n]|\\.){0,200}\"\s*:"),
}
"""The beginning of a file of each format."""

_MARKDOWN = (
    re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE),
    re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE),
    re.compile(r"^ {0,3}\|?[ \t]*:?-{3,}:?[ \t]*\|", re.MULTILINE),
    re.compile(r"!?\[[^\[\]\n]{1,200}\]\([^()\s]{1,200}\)"),
    re.compile(r"\*\*[^\s*][^*\n]{0,200}\*\*"),
)
"""Signs of Markdown; plain text may have one of them."""


_ROOTS = {".xml": re.compile(rb"<resources[\s>]"), ".ts": re.compile(rb"<TS[\s>]")}
"""The root element of files whose suffix is also of files for programs."""
_ROOT_BYTES = 1 << 14


def has_another_root(path: Path) -> bool:
    """Whether the root of a file is that of another format; in a folder it is not translated."""
    root = _ROOTS.get(path.suffix.lower())
    if root is None:
        return False
    with suppress(OSError), path.open("rb") as file:
        return not root.search(file.read(_ROOT_BYTES).replace(b"\0", b""))
    return False


def check_text(start: bytes, name: str) -> None:
    """Raise if a file that should be text begins like one that is not."""
    for signature, kind in _BINARY.items():
        if start.startswith(signature):
            raise FormatError(
                f"{name} is {kind}, and no text. Longways translates .txt, {', '.join(SUFFIXES)}; "
                f"save it as one of these.{_HINTS.get(signature, '')}"
            )


def check_text_file(path: Path, name: str) -> None:
    """Check the first bytes of a file; one that cannot be opened is left to its reader."""
    with suppress(OSError), path.open("rb") as file:
        check_text(file.read(SIGNATURE_BYTES), name)


def likely_format(text: str) -> str | None:
    """The format that the beginning of a text shows; None for plain text."""
    text = text.removeprefix("\ufeff")
    for name, pattern in _LINE.items():
        if pattern.match(text):
            return name
    fence, *signs = (bool(pattern.search(text)) for pattern in _MARKDOWN)
    return "markdown" if fence or sum(signs) > 1 else None
