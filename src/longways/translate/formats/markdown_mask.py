"""What Markdown does not know of and other programs read before it does: front matter, templates.

Tags of templates are hidden under characters that no text has, one for each of theirs, so that
places stay the same and a parser of Markdown sees a word where `{{< ref "page.md" >}}` stands.
"""

from __future__ import annotations

import re

TAG, TAG_GOES_ON = "\ufdd0", "\ufdd1"
"""Over a tag that does something: `{{< figure >}}`, `{% if x %}`, `{: .wide}`, `{width=50%}`."""
VALUE, VALUE_GOES_ON = "\ufdd2", "\ufdd3"
"""Over a tag that a word will replace: `{{ name }}`."""
ATTRIBUTES = "\ufdd4"
"""Over what says something of a whole heading: `{#anchor}` at its end."""
NEVER_IN_TEXT = re.compile("[\ufdd0-\ufdd4\0\ud800-\udfff]")

HIDDEN = re.compile(
    f"(?P<tag>{TAG}{TAG_GOES_ON}*(?:\n[ \t]*{TAG_GOES_ON}+)*)"
    f"|{VALUE}{VALUE_GOES_ON}*(?:\n[ \t]*{VALUE_GOES_ON}+)*"
)
"""A hidden tag; one that goes on in the next line is one tag."""

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
"""The line above settings in YAML, TOML and JSON, the line below, and how they begin."""


def hide_templates(text: str) -> str:
    """A text of the same length, with every tag of a template hidden."""
    if "{" not in text:
        return text
    text = _OF_HEADING.sub(lambda match: match[1] + ATTRIBUTES * len(match[2]), text)
    return _TEMPLATE.sub(_hidden, text)


def front_matter_end(text: str) -> int:
    """Where the text begins after the settings at its start; 0 without any.

    Between the lines `---` there must be settings: a file may begin with a rule as well.
    """
    first = text[: text.find("\n") + 1]
    for opening, closing, setting in _FRONT_MATTER:
        if first.rstrip(" \t\n") == opening:
            end = _line_match(closing, text, len(first))
            settings = end and (end.start() == len(first) or setting.match(text, len(first)))
            return end.end() if end and settings else 0
    return 0


def _line_match(pattern: re.Pattern[str], text: str, place: int) -> re.Match[str] | None:
    """The first line, from a place on, that a pattern fits."""
    while 0 <= place < len(text):
        if match := pattern.match(text, place):
            return match
        place = text.find("\n", place) + 1 or -1
    return None


def _hidden(match: re.Match[str]) -> str:
    """Characters over a tag; line ends, and what begins a line of a quote, stay to be seen."""
    first, more = (TAG, TAG_GOES_ON) if match["tag"] else (VALUE, VALUE_GOES_ON)
    parts = _PREFIX.findall(match[0])
    covered = [part if part[0] == "\n" else more * len(part) for part in parts]
    return first + "".join(covered)[1:]
