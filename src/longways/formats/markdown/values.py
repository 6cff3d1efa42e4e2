"""Readable values inside template tags: `{{< figure src="a.png" caption="Overview" >}}`.

Each value is a passage of its own. A shortcode that prints its argument `text`, or a macro that
prints its second argument, is a mark around this text: it is part of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial

from longways.formats.html.components import is_prose, is_read
from longways.formats.markdown.nodes import PassageNode, value_node
from longways.formats.placeholders import Range

_ARGUMENT = re.compile(
    r"""(?<![\w$.-]) (?P<name>[A-Za-z][\w-]*)
        (?: \s*=\s* (?: "(?P<double>(?:[^"\\\n]|\\.)*)" | '(?P<single>(?:[^'\\\n]|\\.)*)' )
          | = (?P<bare>[^\s"'{}<>%=`]+) )
      | "(?P<alone>(?:[^"\\\n]|\\.)*)" """,
    re.VERBOSE,
)
_PROGRAM = re.compile(
    r"\{%-?\s*(?:assign|capture|case|elsif|elif|extends|for|from|if|import|macro|set|unless|when)\b"
    r"|\{\{[<%]\s*/?(?:ref|relref|code|highlight|mermaid)\b|\{/\*|\{\#"
)
"""Tags whose values are compared, are addresses or code, and comments."""
_QUOTED = r"""(?:[^{}"\n]|"[^"\n]*")"""
_PRINTED = re.compile(
    rf"""\{{\{{[<%]\s*[\w./-]+\s{_QUOTED}*?\btext\s*=\s*"(?P<text>[^"\\\n]+)"{_QUOTED}*[%>]\}}\}}
      | \{{\{{\s*\w+\(\s*(?:"[^"\n]*"|'[^'\n]*')\s*,\s*
        (?:"(?P<double>[^"\\\n]+)"|'(?P<single>[^'\\\n]+)')[^{{}}\n]*\)\s*\}}\}}""",
    re.VERBOSE,
)
_TITLED = re.compile(
    r"""\{%-?\s*(?:admonition|callout|details|folding|hidetoggle|note)\s
        (?:\s*(?:[a-z]+-icon|blue|cyan|danger|default|disabled|error|flat|green|info|modern|open|
        orange|pink|primary|purple|red|simple|success|tip|warn|warning|yellow)(?=\s))*\s*
        (?:"(?P<quoted>[^"\n]*)"|(?P<bare>[^\s"'=,|{}%\n][^"'=,|{}%\n]*?))\s*-?%\}""",
    re.VERBOSE | re.IGNORECASE,
)
"""The tag of a box, which ends with the title of the box: `{% note info Title %}`."""
_NO_BARE = dict.fromkeys(map(ord, '"=,|{}%`\\'), " ") | {ord("'"): "\u2019"}
"""Characters that a title without quotes cannot contain."""
_WORD = re.compile(
    r"\{\{[<%]\s*(?!/)(?![^\n]*\bsrc\s*=)(?!\S*(?:figure|image|img))[\w.-]+(?=[\s%>])[^\n]*\}\}"
    r"|\{%-?\s*(?:data|octicon|ref|link|post_url|t|trans|translate)\s[^\n]*%\}"
)
_NAMED = re.compile(r"\{(?:\{[<%]|%-?)\s*(/\s*|(?<=[%\s-])end)?([\w.-]+)")
PRINTED = "#printed"
"""Name of the markup of a tag around the text that it prints."""
_QUOTES = {"double": '"', "single": "'", "alone": '"', "bare": ""}
_NO_CODE = {ord("{"): "(", ord("}"): ")", ord("`"): "\u2018"}
"""Characters that no argument can contain."""
_UNESCAPED = re.compile(r"\\(.)")


def tag_values(
    text: str, start: int, end: int, printed: Range | None = None
) -> Iterator[PassageNode]:
    """The readable values of the tag `text[start:end]`, except the printed one."""
    if _PROGRAM.match(text, start, end):
        return
    if (titled := _TITLED.fullmatch(text, start, end)) and is_prose(titled[titled.lastgroup or 0]):
        kind = titled.lastgroup or ""
        write = _bare_title if kind == "bare" else partial(escape_argument, quote='"')
        yield value_node(titled[kind], *titled.span(kind), write)
        return
    found = list(_ARGUMENT.finditer(text, start, end))
    beside = {match["name"].lower() for match in found if match["name"]}
    hugo = text.startswith(("{{<", "{{%"), start)
    for match in found:
        kind = match.lastgroup or ""
        span, value = match.span(kind), match[kind]
        read = is_read(match["name"], value, beside) if match["name"] else hugo and is_prose(value)
        if read and span != printed and (kind != "bare" or is_prose(value)):
            said = _UNESCAPED.sub(r"\1", value) if kind != "bare" else value
            yield value_node(said, *span, partial(escape_argument, quote=_QUOTES[kind]))


def escape_argument(text: str, quote: str) -> str:
    """A text as the argument of a tag between these quotes; without, they are added if needed."""
    text = text.translate(_NO_CODE).replace("\\", "\\\\")
    if quote:
        return text.replace(quote, "\\" + quote)
    return text if re.fullmatch(r"[\w.-]+", text) else '"' + text.replace('"', '\\"') + '"'


def _bare_title(text: str) -> str:
    """A text as a title that ends its tag."""
    return " ".join(text.translate(_NO_BARE).split())


def printed_range(text: str, start: int, end: int) -> Range | None:
    """The range of the text that the tag `text[start:end]` prints."""
    match = _PRINTED.fullmatch(text, start, end)
    return match.span(match.lastgroup or 0) if match else None


def is_word(text: str, start: int, end: int) -> bool:
    """Whether a tag is replaced by words of its sentence."""
    return bool(_WORD.fullmatch(text, start, end))


def paired_name(text: str, start: int, end: int) -> str | None:
    """A name for a tag that is ended by another one, `/` before the name for the tag that ends it.

    `{% if x %}` and `{% endif %}`, `{{< kbd >}}` and `{{< /kbd >}}`.
    """
    match = _NAMED.match(text, start, end)
    if not match or match[2] not in _ended(text):
        return None
    return f"{'/' if match[1] else ''}%{match[2]}"


@lru_cache(maxsize=2)
def _ended(text: str) -> frozenset[str]:
    """The names of tags that are ended in a text."""
    return frozenset(match[2] for match in _NAMED.finditer(text) if match[1])
