"""Header of a gettext file: language, encoding and number of plural forms."""

from __future__ import annotations

import re

from longways.errors import FormatError
from longways.formats.text_file import codec_of

_CHARSET = re.compile(
    rb"Content-Type:(?:[^\"\\]|\"\s*\")*?charset\s*=\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE
)
_FORMS = re.compile(r"nplurals\s*=\s*(\d{1,2})")
_HEADER_BYTES = 1 << 14
"""The header is searched in the first bytes of this number, before the encoding is known."""

PLURALS = (
    ("zh ja ko vi th id ms lo my km yue wuu", "nplurals=1; plural=0;"),
    ("fr pt hy", "nplurals=2; plural=(n > 1);"),
    (
        "ru uk be sr hr bs",
        "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && "
        "(n%100<10 || n%100>=20) ? 1 : 2);",
    ),
    ("cs sk", "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;"),
    (
        "pl",
        "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
    ),
)
"""Plural rules of languages that do not form plurals like English."""


def charset_of(data: bytes) -> str | None:
    """The encoding that the header names; None if there is no such encoding, as in a template.

    Where the name can be read as ASCII, the file is not in UTF-16 or UTF-32.
    """
    match = _CHARSET.search(data[:_HEADER_BYTES])
    try:
        name = codec_of(match[1].decode("ascii")) if match else None
    except FormatError:
        return None
    return None if name and name.startswith(("utf-16", "utf-32")) else name


def plural_forms(language: str) -> str:
    """The value of the header field Plural-Forms for a language."""
    code = re.split("[-_]", language)[0].lower()
    rules = (rule for codes, rule in PLURALS if code in codes.split())
    return next(rules, "nplurals=2; plural=(n != 1);")


def forms_in(header: str) -> int | None:
    """The number of plural forms that a header gives, or None."""
    match = _FORMS.search(header)
    return max(1, int(match[1])) if match else None


def with_field(raw: str, name: str, value: str, newline: str) -> str:
    """The raw header with a field set; a missing field is added."""
    pattern = re.compile(rf'("|\\n){name}:[^"\\]*', re.IGNORECASE)
    if pattern.search(raw):
        return pattern.sub(lambda match: f"{match[1]}{name}: {value}", raw, count=1)
    is_ended = re.search(r'(?:\\n"|"")\s*$', raw)
    return f'{raw}{newline}"{"" if is_ended else chr(92) + "n"}{name}: {value}\\n"'


def with_charset(raw: str, newline: str) -> str:
    """The raw header for a file in UTF-8."""
    pattern = re.compile(r"charset\s*=\s*[^\"\\;\s]*", re.IGNORECASE)
    if pattern.search(raw):
        return pattern.sub("charset=UTF-8", raw, count=1)
    return with_field(raw, "Content-Type", "text/plain; charset=UTF-8", newline)
