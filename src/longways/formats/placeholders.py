r"""Placeholders and other machine-readable text that must not be translated.

- addresses: https://..., www...., name@example.org; Chinese characters after a slash or in a
  query only where more of the address or a space follows; templates in them: https://x.org/{{id}}
- braces of templates, nested ones included: {name}, {0}, {{+name}}, {{{x}}}, ${x}, #{x}, {% if %},
  {{< figure >}}, {n, plural, one {# file} other {# files}}
- other templates: <%= x %>, <?php x ?>, <#if x>, [% x %], [[page]], [gallery ids="1"], [b]..[/b],
  $t(key), @:key, :role:`x`
- directives: #set(...), #end, @if(...), @Model.Name
- formats: %s, %1$s, %(name)d, %{name}, %@, %lld, %NAME%, $HOME, $(HOME), __NAME__, :name: of emoji
- paths: C:\Users\x, /usr/lib/x; escapes: \n
- formulas: $x^2$, $$x$$, \(x\), \[x\]
- tags that stand in the text as text: <b>, </b>, <br/>
- entities: &nbsp; &#160;
- options and names in programs: --force, snake_case, call()
- lists of numbers and versions: 80/443/8080/8443, 3.9/3.10/3.11

Time is linear in the length of a text: a part without braces has a largest length, and braces are
paired in one pass.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

Range = tuple[int, int]
"""Start and end offset of some characters."""

_MATHS = (
    r"\t -#%-~\u00b0-\u00b3\u00b7\u00b9\u00d7\u00f7\u0391-\u03c9\u200b\u2010-\u2015"
    r"\u2020-\u2022\u2026\u2032-\u2037\u2070-\u209f\u2100-\u22ff\u27e8\u27e9"
)
"""Characters of formulas in the Latin script, without the dollar."""
_TEX = r"(?=[^$]{0,500}?(?:\\[A-Za-z{}]|(?<![A-Za-z0-9])[A-Za-z)}\]]?[\^_]))"
"""A sign of TeX is ahead, which is no name such as `file_name`."""

DOLLARS = (
    r"(?:\$\$(?!\$)[^$\n]{1,2000}\$\$"
    rf"|\$(?![\s$])[{_MATHS}]{{0,500}}(?<![\s\\])\$(?!\d)"
    r"|\$(?![\s$])(?=[^$\n]{0,500}[\\^_])[^$\n\u3002]{1,500}(?<![\s\\])\$(?!\d)"
    rf"|\$(?!\$){_TEX}[{_MATHS}]{{1,500}}(?<!\\)\$(?!\d)"
    rf"|\$(?![\s$]){_TEX}[{_MATHS}]{{1,250}}\n(?!\n)[{_MATHS}]{{1,250}}(?<![\s\\])\$(?!\w)"
    rf"|\$[ ](?=[^$A-Za-z]{{0,40}}[A-Za-z])"
    rf"(?:(?![A-Za-z])[{_MATHS}]|(?<![A-Za-z])[A-Za-z](?![A-Za-z])){{1,40}}(?<=[ \u200b])\$(?!\d))"
)
r"""A formula between dollars; with other scripts than Latin it has a sign of TeX: `\`, `^`, `_`.

With spaces inside of its dollars, or on two lines, it has a sign of TeX or no word.
"""

_HAN_IN_ADDRESS = r"[\u3400-\u9fff]{1,12} (?= [\w/.?=&%\#-] (?<! [\u3400-\u9fff] ) | \s | $ )"

_HAN_FOLDER = r"(?! [下中里内和或与及等] ) [\u3400-\u9fff] [\u3400-\u9fff0-9]{0,15}"
"""The name of a folder in a path; what follows a path in a sentence is none."""

_PATH_AHEAD = (
    r"(?<= [\u3400-\u9fff] )"
    r"(?= (?: ~ | \.{1,2} )? / [a-z] [\w.-]{1,63} /"
    r" (?: [\w.-]{1,64} / | [\w./\u3400-\u9fff-]{1,80} \. [a-z]{1,5} \b ) )"
)
"""After a Chinese word, a path has two folders in Latin letters or ends with a suffix."""

_CALL = r"\( (?: [^()\n] | \( [^()\n]{0,200} \) ){0,300} \)"
"""Arguments of a directive, which may have words of any script."""

_KEPT = re.compile(
    rf"""
      (?P<address> https?:// | ftp:// | www\. ) [!-~]*
      (?: (?<=[/=?&]) {_HAN_IN_ADDRESS} [!-~]* )* (?<=[A-Za-z0-9/_=&\#\u3400-\u9fff-])
    | (?<![\w.+-]) [\w.+-]{{1,64}} @ [\w-]+ (?: \.[\w-]+ )+
    | (?P<brace> (?: \$! | [$\#%@&] )? \{{ )
    | {DOLLARS}
    | \\\( (?: [^\\\n\u0080-\uffff] | \\ [^()\n] ){{1,500}} \\\)
    | \\\[ (?: [^\\\n\u0080-\uffff] | \\ [^\[\]\n] ){{1,500}} \\\]
    | \$ (?: [A-Za-z]\w{{0,40}} )?
      \( (?: [^()\n\u3000-\uffff] | \( [^()\n]{{0,200}} \) ){{1,300}} \)
    | \$ (?: [A-Za-z_]\w* | \[ \w+ \] )
    | % (?: \([^()\s%]{{1,60}}\) | \d+\$ | < \w+ > )? [-+\#0,]* (?: \d+ | \* )?
      (?: \.(?: \d+ | \* ) )? (?: hh? | ll? | [zjtLq] )? [diouxXeEfFgGcrsa@] (?! [A-Za-z] )
    | %%
    | (?<![\w%]) % (?: [A-Za-z_] [\w.]{{0,60}} | [\u3400-\u9fff] [\w.\u3400-\u9fff]{{0,60}} ) %
    | <% (?: (?! %> ) [^\n] ){{0,500}} %>
    | \[% (?: (?! %\] ) [^\n] ){{0,500}} %\]
    | <\? (?: (?! \?> ) [^\n] ){{1,500}} \?>
    | </? [A-Za-z] [\w:-]*
      (?: \s+ [\w:-]+ (?: = (?: "[^"\n]{{0,500}}" | '[^'\n]{{0,500}}' | [\w./:-]+ ) )? )*
      \s* /?>
    | </? [\#@] [A-Za-z] [^<>\n]{{0,300}} >
    | & (?: [A-Za-z]\w* | \#\d+ | \#x[0-9A-Fa-f]+ ) ;
    | !? \[\[ [^\[\]\n]{{1,300}} \]\]
    | \[ [a-z][\w-]{{0,40}}
      (?: \s+ [\w-]{{1,40}} = (?: "[^"\n]{{0,200}}" | '[^'\n]{{0,200}}' ) ){{1,20}} \s* /? \]
    | \[ / [a-z][\w-]{{0,40}} \]
    | \[ (?P<code> [a-z][\w-]{{0,20}} ) (?: = [^\[\]\n]{{1,200}} )? \]
      (?= [^\n]{{0,300}}? \[/ (?P=code) \] )
    | (?<![\w:]) : [A-Za-z][\w:+-]{{0,60}} : ` [^`\n]{{1,300}} `
    | (?<![\w:]) : [a-z0-9_+-]+ : (?![\w:])
    | (?<!\w) @ (?: \.\w+ )? : (?: [A-Za-z_]\w* (?: \.\w+ )* | \( [\w.]+ \) )
    | (?<![\w-]) --? [A-Za-z][\w-]* (?: = [!-~]+ )? (?![\w-])
    | (?<!\w) [A-Za-z]:\\
      (?: [^\s\\/:*?"<>|\u3001\u3002\uff0c\uff1b]{{1,64}} \\ ){{1,20}} [\w.-]{{0,64}}
    | (?<!\w) __ (?: \w{{1,80}}? | [\w\u3400-\u9fff]{{1,12}}? ) __ (?!\w)
    | (?: (?<![\w/.\u3400-\u9fff]) | (?<= [在到从于为将把入是至向按用] ) | {_PATH_AHEAD} )
      (?: ~ | \.{{1,2}} )? / [\w.-]{{2,64}} /
      (?: (?: [\w.-]{{1,64}} | {_HAN_FOLDER} ) / ){{1,20}} [\w.-]{{0,64}}
    | (?<![\w/.]) (?: ~ | \.{{1,2}} )? / [\w.-]{{2,64}} /
      (?: [\w.-]{{1,64}} / ){{0,20}} [\w.-]{{0,64}}
    | \\ (?: [nrt] (?![A-Za-z]) | u [0-9A-Fa-f]{{4}} )
    | \# (?: set | if | elseif | foreach | macro | parse | include ) \s? {_CALL}
    | \# (?: end | else ) \b
    | (?<![\w.]) @ (?: if | for | foreach | while | switch | using | lock ) \s {_CALL}
    | (?<![\w.]) @ [A-Za-z_] \w{{0,60}} (?: \. \w{{1,60}} ){{0,8}}
      (?: {_CALL} | \s (?= [^)\u0080-\uffff]{{0,300}} \) ) {_CALL} )
    | (?<![\w.]) @ [A-Za-z_] \w{{0,60}} (?: \. [A-Za-z_] \w{{0,60}} ){{1,8}}
    | (?<![A-Za-z0-9_]) [A-Za-z0-9]+ (?: _[A-Za-z0-9]+ )+ (?: \( \) )?
    | (?<![\w./]) (?: \d+ (?: / \d+ ){{3,30}} | \d+\.\d+ (?: / \d+\.\d+ ){{2,30}} )
      (?! [\w/] | \.\d )
    | (?<![A-Za-z0-9_.]) [A-Za-z_][A-Za-z0-9_.]* \( \)
    """,
    re.VERBOSE | re.ASCII,
)

_ADDRESS = re.compile(r"(?:https?://|ftp://|www\.)[!-~]+")

_ADDRESS_GOES_ON = re.compile(r"[!-~]* (?<=[A-Za-z0-9/_=&\#}-])", re.VERBOSE)
"""What follows a template in an address."""

_CODE = re.compile(r"(?<![\w`])(`{1,2})(?![\s`])[^`'\n]{0,300}(?<!\s)\1(?![\w`])", re.ASCII)
_NO_SIGNS = dict.fromkeys(map(ord, "{}[]()<>$%\\`"), "w")
"""A letter that no format such as `%d` ends with, in place of signs in code."""
_ICU = re.compile(r"\{\s*\w+\s*,\s*(?:plural|selectordinal|select|number|date|time|choice)\b")
_NAME = re.compile(r"\{\s?(?:[\w.:,!|@#*+?&^$/-]|\[\w*\]){0,60}\s?\}")
_BRACES = re.compile(r"[{}]")

MAX_BRACES_CHARACTERS = 2_000
"""Text in braces that is longer is no placeholder."""


def kept_parts(
    text: str,
    also: Iterable[Range] = (),
    breaks: Iterable[int] = (),
    marks: Iterable[Range] = (),
) -> tuple[Range, ...]:
    """Ranges to keep, disjoint and in order; `also` are ranges of the format, such as code.

    No placeholder begins in one of these and ends in another: `{` and `}` are two spans of code.
    Nor does one begin in code and end in a Chinese word behind it, or extend over a line break.
    An address that is the whole text of a mark, such as a link, ends with it.
    """
    addresses = (place for place in marks if _ADDRESS.fullmatch(text, *place))
    known, ends = sorted([*also, *addresses]), [*sorted(breaks), len(text)]
    if len(ends) > 1:
        return tuple(_in_lines(text, _apart(known), ends))
    placeholders = list(_found(text))
    if any(_links(known, *place) for place in placeholders):
        placeholders = list(_found(_without_signs(text, known)))
    placeholders = [place for place in placeholders if not _leaves(text, known, *place)]
    return tuple(_apart(sorted([*known, *placeholders])))


def _apart(ranges: Iterable[Range]) -> list[Range]:
    """Sorted ranges, joined where they overlap."""
    apart: list[Range] = []
    for start, end in ranges:
        if apart and start < apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        elif start < end:
            apart.append((start, end))
    return apart


def _in_lines(text: str, known: Sequence[Range], ends: Sequence[int]) -> Iterator[Range]:
    """The ranges to keep in each line; `known` ranges are cut at the line breaks."""
    start, first = 0, 0
    for end in ends:
        while first < len(known) and known[first][1] <= start:
            first += 1
        last = bisect_left(known, end, first, key=_start)
        also = [(max(a, start) - start, min(b, end) - start) for a, b in known[first:last]]
        kept = kept_parts(text[start:end], [(a, b) for a, b in also if a < b])
        yield from ((a + start, b + start) for a, b in kept)
        start = end


def _leaves(text: str, ranges: Sequence[Range], start: int, end: int) -> bool:
    """Whether a placeholder begins in a range and ends in another script behind it."""
    at = bisect_right(ranges, start, key=_start) - 1
    return at >= 0 and start < ranges[at][1] < end and not text[ranges[at][1] : end].isascii()


def _start(one: Range) -> int:
    return one[0]


def _links(ranges: Sequence[Range], start: int, end: int) -> bool:
    """Whether a placeholder begins in one range and ends in another one."""
    first, last = (bisect_right(ranges, place, key=_start) - 1 for place in (start, end - 1))
    return 0 <= first < last and start < ranges[first][1] and end <= ranges[last][1]


def _without_signs(text: str, ranges: Iterable[Range]) -> str:
    """A text of the same length without the signs of placeholders in some sorted ranges."""
    parts, place = list[str](), 0
    for start, end in ranges:
        parts += text[place:start], text[max(start, place) : end].translate(_NO_SIGNS)
        place = max(place, end)
    return "".join([*parts, text[place:]]) if parts else text


def code_spans(text: str) -> Iterator[Range]:
    """Ranges of code between backticks in plain text; formats with such code find it themselves."""
    return (match.span() for match in _CODE.finditer(text))


def _found(text: str) -> Iterator[Range]:
    """All placeholders of a text from left to right, none inside another."""
    place, closings = 0, closing_braces(text) if "{" in text else {}
    while match := _KEPT.search(text, place):
        start, place = match.span()
        if match["address"]:
            place = _address_end(text, start, place, closings)
        elif match["brace"]:
            end = _braces_end(text, start, place - 1, closings)
            place = end or place
            if end is None:
                continue
        yield start, place


def closing_braces(text: str) -> dict[int, int]:
    """For each opening brace that is closed, the offset after its closing brace."""
    opened, closings = list[int](), dict[int, int]()
    for match in _BRACES.finditer(text):
        if match[0] == "{":
            opened.append(match.start())
        elif opened:
            closings[opened.pop()] = match.end()
    return closings


def _address_end(text: str, start: int, end: int, closings: dict[int, int]) -> int:
    """Offset after an address, with the templates that open inside it or right behind it."""
    while (brace := text.find("{", start, end + 1)) >= 0:
        closed = _braces_end(text, brace, brace, closings)
        if closed is not None and closed > end:
            goes_on = _ADDRESS_GOES_ON.match(text, closed)
            end = goes_on.end() if goes_on else closed
        start = max(brace + 1, closed or 0)
    return end


def _braces_end(text: str, start: int, brace: int, closings: dict[int, int]) -> int | None:
    """Offset after the placeholder whose first brace is given; None if it is prose in braces.

    Doubled braces, a sign before the brace and a sign of a template inside it mean a placeholder
    whatever is inside; plain braces hold ASCII, a name of any script or an ICU message.
    """
    end = closings.get(brace)
    if end is None or end - brace > MAX_BRACES_CHARACTERS:
        return None
    if start < brace or text[brace + 1] in "{%#<!":
        return end
    inside = text[brace:end]
    return end if inside.isascii() or _NAME.fullmatch(inside) or _ICU.match(inside) else None
