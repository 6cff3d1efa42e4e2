"""Masking of the code between template tags: `{{< mermaid >}}` ... `{{< /mermaid >}}`."""

from __future__ import annotations

import re

from longways.formats.markdown.hidden.masks import VALUE, covered

_TAG = re.compile(
    r"""\{(?:\{[<%]|%-?)[ \t]*(?P<ends>/[ \t]*|end)?
        (?P<name>code|codeblock|chart|echarts|highlight|katex|latex|math|mermaid|plantuml)
        (?=[ \t%>-])[^\n{}]{0,500}?(?:[>%]\}\}|%\})(?P<alone>[ \t]*\n)?""",
    re.VERBOSE,
)
_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)
_LINE = re.compile(r"[^ \t>\n][^\n]*")


def hide_code_of_tags(text: str) -> str:
    """Mask the lines between a tag of code that ends its line and the tag that ends it.

    Every line is masked by itself, since empty lines of code end no paragraph of it.
    """
    parts, place = list[str](), 0
    opened: re.Match[str] | None = None
    for tag in _TAG.finditer(text):
        if not tag["ends"]:
            opened = tag if tag["alone"] else None
        elif opened and opened["name"] == tag["name"]:
            code = text[opened.end() : tag.start()]
            if len(_FENCE.findall(code)) % 2 == 0:
                masked = _LINE.sub(lambda line: covered(line[0], VALUE), code)
                parts += text[place : opened.end()], masked
                place = tag.start()
            opened = None
    return "".join([*parts, text[place:]]) if parts else text
