"""Masking of front matter and template tags, which other programs process before Markdown.

Each character of a template tag is replaced by a noncharacter of Unicode, so that positions stay
the same and the Markdown parser sees a word in place of `{{< ref "page.md" >}}`.
"""

from __future__ import annotations

import re

from longways.formats.markdown.hidden.code_tags import hide_code_of_tags
from longways.formats.markdown.hidden.jsx import hide_comments, hide_expressions
from longways.formats.markdown.hidden.masks import ATTRIBUTES, TAG, VALUE, covered

_TEMPLATE = re.compile(
    r"""
      (?P<tag>
        \{\{ [<%] (?: (?! \n [ \t>]* \n ) [^`] ){0,2000}? [>%] \}\}
      | \{% (?: (?! \n [ \t>]* \n ) [^`] ){0,2000}? %\}
      | \{\# [ ] [^`\n]{0,500}? \#\}
      | \{: [^{}`\n]{0,500} \}
      | \{ [ ]? (?: [.\#]\w | [\w-]+= ) [^{}`\n]{0,500} \}
      )
    | \{\{\{ [^{}`\n]{0,500} \}\}\}
    | \{\{ (?! [<%] ) [^{}`\n]{0,500} \}\}
    """,
    re.VERBOSE | re.MULTILINE,
)
_OF_HEADING = re.compile(
    r"^((?: {0,3}+> ?+)*+ {0,3}+\#{1,6}[ \t][^\n]*?)"
    r"(\{:?[ ]?[#.]\w[^{}`\n]{0,500}\})(?=(?:[ \t]+#+)?[ \t]*$)",
    re.MULTILINE,
)
_SETTING = re.compile(r"""[ \t]*(?:\#|\[|["']?[\w.-][\w. -]*["']?[ \t]*[:=](?:\s|$))""")
_FRONT_MATTER = (
    ("---", re.compile(r"(?:---|\.\.\.)[ \t]*(?:\n|\Z)"), _SETTING),
    ("+++", re.compile(r"\+\+\+[ \t]*(?:\n|\Z)"), re.compile(r"[^=\n]*=|[ \t]*[#\[]")),
    ("{", re.compile(r"\}[ \t]*(?:\n|\Z)"), re.compile(r"[ \t]*\"")),
)
"""Opening line, closing line and first setting of front matter in YAML, TOML and JSON."""


def hide_templates(text: str) -> str:
    """Mask every template tag and the code of MDX; the length stays the same."""
    if "{" not in text:
        return text
    text = hide_comments(hide_code_of_tags(text))
    text = _OF_HEADING.sub(lambda match: match[1] + ATTRIBUTES * len(match[2]), text)
    return hide_expressions(_TEMPLATE.sub(_hidden, text))


def front_matter_end(text: str) -> int:
    """Offset after the front matter; 0 without front matter.

    Settings must follow the line `---`, since a file may also begin with a thematic break.
    """
    first = text[: text.find("\n") + 1]
    for opening, closing, setting in _FRONT_MATTER:
        if first.rstrip(" \t\n") == opening:
            end = _line_match(closing, text, len(first))
            settings = end and (end.start() == len(first) or setting.match(text, len(first)))
            return end.end() if end and settings else 0
    return 0


def _line_match(pattern: re.Pattern[str], text: str, place: int) -> re.Match[str] | None:
    """The first line, from an offset on, that matches a pattern."""
    while 0 <= place < len(text):
        if match := pattern.match(text, place):
            return match
        place = text.find("\n", place) + 1 or -1
    return None


def _hidden(match: re.Match[str]) -> str:
    return covered(match[0], TAG if match["tag"] else VALUE)
