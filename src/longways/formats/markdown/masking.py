"""Masking of front matter and template tags, which other programs process before Markdown.

Each character of a template tag is replaced by a noncharacter of Unicode, so that positions stay
the same and the Markdown parser sees a word in place of `{{< ref "page.md" >}}`.
"""

from __future__ import annotations

import re

TAG, TAG_CONTINUATION = "\ufdd0", "\ufdd1"
"""Mask of a tag with an effect: `{{< figure >}}`, `{% if x %}`, `{: .wide}`, `{width=50%}`.

The first character of a tag has the first mask, all others have the second.
"""
VALUE, VALUE_CONTINUATION = "\ufdd2", "\ufdd3"
"""Mask of a tag that is replaced by a value: `{{ name }}`."""
ATTRIBUTES = "\ufdd4"
"""Mask of the attributes at the end of a heading: `{#anchor}`."""
NEVER_IN_TEXT = re.compile("[\ufdd0-\ufdd4\0\ud800-\udfff]")

HIDDEN = re.compile(
    f"(?P<tag>{TAG}{TAG_CONTINUATION}*(?:\n[ \t]*{TAG_CONTINUATION}+)*)"
    f"|{VALUE}{VALUE_CONTINUATION}*(?:\n[ \t]*{VALUE_CONTINUATION}+)*"
)
"""A masked tag; a tag over several lines is one match."""

_TEMPLATE = re.compile(
    r"""
      (?P<tag>
        \{\{ [<%] (?: (?! \n [ \t>]* \n ) [^`] ){0,2000}? [>%] \}\}
      | \{% (?: (?! \n [ \t>]* \n ) [^`] ){0,2000}? %\}
      | \{\# [ ] [^`\n]{0,500}? \#\}
      | \{: [^{}`\n]{0,500} \}
      | \{ [ ]? (?: [.\#]\w | [\w-]+= ) [^{}`\n]{0,500} \}
      )
    | \{\{ (?! [<%] ) [^{}`\n]{0,500} \}\}
    """,
    re.VERBOSE | re.MULTILINE,
)
_OF_HEADING = re.compile(
    r"^((?: {0,3}> ?)* {0,3}\#{1,6}[ \t][^\n]*?)"
    r"(\{:?[ ]?[#.]\w[^{}`\n]{0,500}\})(?=(?:[ \t]+#+)?[ \t]*$)",
    re.MULTILINE,
)
_PREFIX = re.compile(r"\n[ \t>]*|[^\n]+")
_SETTING = re.compile(r"""[ \t]*(?:\#|\[|["']?[\w.-][\w. -]*["']?[ \t]*[:=](?:\s|$))""")
_FRONT_MATTER = (
    ("---", re.compile(r"(?:---|\.\.\.)[ \t]*(?:\n|\Z)"), _SETTING),
    ("+++", re.compile(r"\+\+\+[ \t]*(?:\n|\Z)"), re.compile(r"[^=\n]*=|[ \t]*[#\[]")),
    ("{", re.compile(r"\}[ \t]*(?:\n|\Z)"), re.compile(r"[ \t]*\"")),
)
"""Opening line, closing line and first setting of front matter in YAML, TOML and JSON."""


def hide_templates(text: str) -> str:
    """Mask every template tag; the length stays the same."""
    if "{" not in text:
        return text
    text = _OF_HEADING.sub(lambda match: match[1] + ATTRIBUTES * len(match[2]), text)
    return _TEMPLATE.sub(_hidden, text)


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
    """The mask of a tag; line ends and quote prefixes stay visible."""
    first, more = (TAG, TAG_CONTINUATION) if match["tag"] else (VALUE, VALUE_CONTINUATION)
    parts = _PREFIX.findall(match[0])
    covered = [part if part[0] == "\n" else more * len(part) for part in parts]
    return first + "".join(covered)[1:]
