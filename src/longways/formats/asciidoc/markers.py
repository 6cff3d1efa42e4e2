"""How blocks of AsciiDoc begin: fences, titles, items, attributes, macros."""

from __future__ import annotations

import re

VERBATIM = re.compile(r"-{4,}\Z|\.{4,}\Z|\+{4,}\Z|/{4,}\Z|```[^`\s]*(?:,.*)?\Z")
CONTAINER = re.compile(r"={4,}\Z|\*{4,}\Z|_{4,}\Z|--\Z|~{4,}\Z|\"\"\Z")
TABLE = re.compile(r"[|,:!]={3,}\Z")
SECTION = re.compile(r"(?P<sign>={1,6}|\#{1,6})\s+(?=\S)")
CLOSED = re.compile(r"\s+(={1,6}|\#{1,6})\Z")
UNDERLINE = re.compile(r"(?:=+|-+|~+|\^+|\++)\Z")
TITLE = re.compile(r"\.(?=\.?[^\s.])")
STYLE = re.compile(r"\[(?!\[)(?P<inside>[^\n]*)\]\Z")
ANCHOR = re.compile(r"\[\[[^\[\]]*\]\]\Z")
ENTRY = re.compile(r":(?P<name>!?[\w-]+!?):(?:\s+|\Z)")
DIRECTIVE = re.compile(
    r"\\?(?P<name>ifdef|ifndef|ifeval|endif|include)::[^\s\[]*\[(?P<inside>.*)\]\Z"
)
MACRO = re.compile(r"(?P<name>[a-z][\w-]*)::(?P<target>[^\s\[]*)\[(?P<inside>.*)\]\Z")
RULE = re.compile(r"'{3,}\Z|<{3,}\Z|-{3}\Z|\*{3}\Z|\*[ ]\*[ ]\*\Z|-[ ]-[ ]-\Z|\+\Z")
ITEM = re.compile(
    r"(?:-|\*{1,6}|\u2022|\.{1,6}|\d+\.|[a-zA-Z]\.|[ivxIVX]+\)|<(?:\d+|\.)>)\s+"
    r"(?:\[[ x*]\]\s+)?(?=\S)"
)
TERM = re.compile(r"(?!//)(?P<term>[^\s:](?:[^\n]*?[^:\s])??)\s*(?P<sign>:::?:?|;;)(?:\s+|\Z)")
ADMONITION = re.compile(r"(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+")
MARKDOWN_QUOTE = re.compile(r">\s?")
