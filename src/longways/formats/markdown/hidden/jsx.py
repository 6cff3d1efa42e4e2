r"""Masking of MDX: comments `{/* ... */}` and the expressions of attributes, `height={250}`.

Their characters become noncharacters of Unicode, like the characters of template tags. So the
Markdown parser sees tags without code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from longways.formats.markdown.hidden.masks import ATTRIBUTES, TAG, VALUE, covered
from longways.formats.placeholders import closing_braces

_TAG_START = re.compile(r"<[A-Za-z][\w.-]*(?=[\s/>])")
_IN_TAG = re.compile(r"""[^<>{}"'`\n]+|"[^"\n]*"|'[^'\n]*'|\n(?![ \t]*\n)|(?P<brace>\{)""")
_MAX_TAG = 4_000
"""A tag with more characters is text."""

_MAX_COMMENT = 10_000
_LEAVES = re.compile(r"\n[ \t>]*\n|```|~~~")
"""What no expression of a tag contains."""
_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)
_HEADING = re.compile(r"(?: {0,3}+> ?+)*+ {0,3}+#{1,6}[ \t]")


def hide_comments(text: str) -> str:
    """Mask the comments of MDX; one at the end of a heading is masked as its attributes."""
    parts, place, search, end = list[str](), 0, 0, 0
    while (start := text.find("{/*", search)) >= 0:
        search = start + len("{/*")
        end = end if end >= search + 3 else text.find("*/}", search) + len("*/}")
        if end < len("*/}"):
            break
        if end - start <= _MAX_COMMENT and _is_comment(text, start, end):
            parts += text[place:start], _mask_of_comment(text, start, end)
            place = search = end
    return "".join([*parts, text[place:]]) if parts else text


def _is_comment(text: str, start: int, end: int) -> bool:
    """Whether a range is a comment, and not two signs in code with text between them."""
    inside = text[start:end]
    if "`" not in inside and "~~~" not in inside:
        return True
    line = text.rfind("\n", 0, start) + 1
    return not text[line:start].strip(" \t>") and not _FENCE.search(inside)


def _mask_of_comment(text: str, start: int, end: int) -> str:
    line, after = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    rest = text[end : after if after >= 0 else len(text)]
    if _HEADING.match(text, line, start) and not rest.strip(" \t#") and "\n" not in text[start:end]:
        return ATTRIBUTES * (end - start)
    return covered(text[start:end], TAG)


def hide_expressions(text: str) -> str:
    """Mask the expressions `{...}` between the name of a tag and its end."""
    parts, place = list[str](), 0
    for start, end in _expressions(text, closing_braces(text)) if "{" in text else ():
        parts += text[place:start], covered(text[start:end], VALUE)
        place = end
    return "".join([*parts, text[place:]]) if parts else text


def _expressions(text: str, ends: dict[int, int]) -> Iterator[tuple[int, int]]:
    """The expressions of all tags that are ended."""
    place = 0
    while tag := _TAG_START.search(text, place):
        found, place = list[tuple[int, int]](), tag.end()
        limit = tag.end() + _MAX_TAG
        while part := _IN_TAG.match(text, place, limit):
            place = part.end()
            if part["brace"]:
                place = ends.get(part.start(), 0)
                if not place or place > limit or _LEAVES.search(text, part.start(), place):
                    place, found = part.end(), []
                    break
                found.append((part.start(), place))
        if text.startswith(">", place):
            yield from found
        else:
            place = tag.end()


def hide_braces(text: str) -> str:
    """Mask every `{...}`, the content of a component."""
    ends, parts, place = closing_braces(text), list[str](), 0
    while (start := text.find("{", place)) >= 0:
        end = ends.get(start, start + 1)
        mask = covered(text[start:end], VALUE) if start in ends else text[start:end]
        parts += text[place:start], mask
        place = end
    return "".join([*parts, text[place:]])
