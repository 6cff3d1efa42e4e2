"""What the YAML scanner looks for on a line, and what it finds: scalars."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Style = Literal["plain", "single", "double", "literal", "folded"]

DOUBLE = re.compile(r'"(?:[^"\\]++|\\[\s\S])*+"')
SINGLE = re.compile(r"'(?:[^']++|'')*+'")
PROPERTY = re.compile(r"[&!][^\s,\[\]{}]*(?=[\s,\]}]|$)[ \t]*")
ALIAS = re.compile(r"\*[^\s,\[\]{}]+[ \t]*")
HEADER = re.compile(r"([|>])(?:([1-9])[+-]?|[+-]([1-9])?)?(?=[ \t\r\n]|$)[ \t]*(?:#[^\r\n]*)?")
KEY_END = re.compile(r":(?=[ \t\r\n]|$)")
QUOTED_KEY = re.compile(r"[ \t]*:(?=[ \t\r\n]|$)")
COMMENT = re.compile(r"[ \t]#|[\r\n]|$")
REST = re.compile(r"[ \t]*(?:(?<=[ \t])#[^\r\n]*)?(?=[\r\n]|$)")
LINE = re.compile(r"([ ]*)([^\r\n]*)(\r\n|\n|\r|$)")
MARKER = re.compile(r"(?:---|\.\.\.)(?=[ \t\r\n]|$)")
FLOW_SPACE = re.compile(r"(?:\s++|(?<=\s)#[^\r\n]*+)*+")
FLOW_PLAIN = re.compile(r"(?:[^\s,\[\]{}:#]|:(?![\s,\[\]{}]|$)|(?<=\S)#|\s++(?=[^\s#,\[\]{}:]))++")
FLOW_QUOTED_KEY = re.compile(r"\s*:")
FLOW_KEY = re.compile(r"\s*:(?=[\s,\[\]{}]|$)")
ITEM = re.compile(r"-(?=[ \t\r\n]|$)")
COMPLEX = re.compile(r"[?:](?=[ \t\r\n]|$)")


class Scalar(NamedTuple):
    """A string value: `text[start:end]` without quotes."""

    start: int
    end: int
    style: Style
    indent: int = 0
    """Spaces before each line of a literal or folded block."""
    in_flow: bool = False
