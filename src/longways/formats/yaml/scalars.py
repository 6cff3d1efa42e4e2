"""The text of YAML scalars in each style, and new text in the same style."""

from __future__ import annotations

import re
from collections.abc import Callable

from longways.formats.resources.decoded import Decoded
from longways.formats.yaml.tokens import Scalar

_Meaning = Callable[[re.Match[str]], str]
_FOLD = r"(?:(?<![ \t])[ \t]++)?+(?:(?:\r\n|\n|\r)[ \t]*+)++"
_LINE_END = re.compile(r"\r\n|\n|\r")
_PATTERNS = {
    "plain": re.compile(_FOLD),
    "single": re.compile(rf"''|{_FOLD}"),
    "double": re.compile(
        r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|(?:\r\n|\n|\r)[ \t]*|.)|" + _FOLD
    ),
}
_NAMES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f",
          "v": "\v", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"}  # fmt: skip
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_CONTROL = re.compile('[\x00-\x1f"\\\\\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]')
_NO_STRING = re.compile(
    r"~|null|true|false|yes|no|on|off|y|n|<<|=|[-+]?[\d.][\d_.:,eExXoO+-]*(?:[TtZz ][\d:.+ -]*)?"
    r"|[-+]?\.(?:inf|nan)",
    re.IGNORECASE,
)
"""Plain scalars that YAML 1.1 or 1.2 reads as no string."""
_NO_START = re.compile(r"[!&*?|>@`%\"'#,\[\]{}:-]")
_NO_PLAIN = re.compile(r":(?=\s|$)|\s#|[\x00-\x1f\x7f-\x9f]|\A\s|\s\Z")


def decoded_scalar(text: str, scalar: Scalar) -> Decoded:
    """The value of a scalar."""
    if scalar.style in ("literal", "folded"):
        return Decoded(text, scalar.start, scalar.end, *_of_block(text, scalar))
    return Decoded(text, scalar.start, scalar.end, _PATTERNS[scalar.style], _meaning)


def is_word_of_yaml(value: str) -> bool:
    """Whether a plain scalar is a truth value, a number or nothing, and no text."""
    return bool(_NO_STRING.fullmatch(value))


def escaped_scalar(new: str, scalar: Scalar, newline: str, *, ascii_only: bool) -> str:
    """New text inside of a scalar of the same style; a plain one is checked later."""
    if scalar.style == "double":
        return double_quoted(new, ascii_only=ascii_only)
    if scalar.style in ("literal", "folded"):
        more = newline if scalar.style == "folded" else ""
        indent = newline + more + " " * scalar.indent
        return re.sub(r"\n(?!\n)", lambda _: indent, new).replace("\n\n", newline * 2)
    lines = new.replace("\n", newline * 2)
    return lines.replace("'", "''") if scalar.style == "single" else lines


def plain_or_quoted(raw: str, *, in_flow: bool, ascii_only: bool) -> str:
    """A plain scalar that is read as a string again; in quotes if that is needed."""
    value = Decoded(raw, 0, len(raw), _PATTERNS["plain"], _meaning).value
    is_plain = not (
        is_word_of_yaml(value)
        or _NO_START.match(value)
        or _NO_PLAIN.search(value)
        or (in_flow and re.search(r"[,\[\]{}?]|:[\"']", value))
    )
    return raw if is_plain and value else f'"{double_quoted(value, ascii_only=ascii_only)}"'


def double_quoted(text: str, *, ascii_only: bool) -> str:
    """A text between double quotes."""
    text = _CONTROL.sub(lambda char: _ESCAPES.get(char[0]) or _code(char[0]), text)
    return "".join(map(_code, text)) if ascii_only and not text.isascii() else text


def _code(char: str) -> str:
    number = ord(char)
    if 32 <= number < 127:
        return char
    if number < 256:
        return f"\\x{number:02X}"
    return f"\\u{number:04X}" if number < 0x10000 else f"\\U{number:08X}"


def _of_block(text: str, scalar: Scalar) -> tuple[re.Pattern[str], _Meaning]:
    """The pattern of a line end in a block, and its meaning."""
    indent = f"[ ]{{0,{scalar.indent}}}"
    lines = re.compile(rf"(?:\r\n|\n|\r){indent}")
    has_shape = scalar.style == "literal" or re.search(
        rf"[\r\n][ ]{{{scalar.indent}}}[ \t]", text[scalar.start : scalar.end]
    )
    if has_shape:
        return lines, lambda _: "\n"
    return re.compile(rf"(?:(?:\r\n|\n|\r){indent})+"), _meaning


def _meaning(escape: re.Match[str]) -> str:
    """What an escape, or a fold of lines, stands for."""
    if escape[0] == "''":
        return "'"
    if escape[0][0] == "\\":
        sign = escape[0][1]
        if sign in "\r\n":
            return ""
        if sign in "xuU" and len(escape[0]) > 2:
            number = int(escape[0][2:], 16)
            return chr(number) if number < 0x110000 else "\ufffd"
        return _NAMES.get(sign, sign)
    ends = len(_LINE_END.findall(escape[0]))
    return "\n" * (ends - 1) if ends > 1 else " "
