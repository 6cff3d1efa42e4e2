"""Subtitles: cues on one line or two, with looks, positions, notes and a sentence over two cues."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.round_trips.builders.lists import dressed
from benchmarks.round_trips.texts import Block

_TAGS = {"b": "<b>{}</b>", "i": "<i>{}</i>", "bi": "<b><i>{}</i></b>"}
_ASS_TAGS = {"b": "{{\\b1}}{}{{\\b0}}", "i": "{{\\i1}}{}{{\\i0}}", "bi": "{{\\b1\\i1}}{}{{\\r}}"}
_COMMA = "\uff0c"


def srt(blocks: Sequence[Block], number: int) -> bytes:
    """A cue for each block, some of them at a position."""
    return dressed("\n".join(_cues(blocks, ",", number)), number)


def vtt(blocks: Sequence[Block], number: int) -> bytes:
    """A cue for each block, after a header, styles and a note."""
    head = "WEBVTT - 标题\n\nSTYLE\n::cue(b) { color: red }\n\nNOTE 注\n\n"
    return dressed(head + "\n".join(_cues(blocks, ".", number)), number)


def _cues(blocks: Sequence[Block], point: str, number: int) -> list[str]:
    cues = list[str]()
    for block in blocks:
        for part in _lines(block, _TAGS, "\n", number) if block.is_read else ():
            n = len(cues)
            times = (f"{t // 3600:02}:{t // 60 % 60:02}:{t % 60:02}{point}000" for t in _times(n))
            place = " align:start" if point == "." and n % 7 == 3 else ""
            said = part.replace("&", "&amp;") if point == "." else part
            cues.append(f"{n + 1}\n{' --> '.join(times)}{place}\n{said}\n")
    return cues


def _lines(block: Block, looks: dict[str, str], line_end: str, number: int) -> list[str]:
    """The cues of a block: one, one of two lines, or two that share a sentence."""
    said = "".join(looks.get(look, "{}").format(text) for text, look in block.runs)
    said = said.replace("<部门>", "部门").replace("|", " ").replace(" < ", "少于").strip()
    if number % 3 == 2 and block.kind == "text" and "<" not in said and "{" not in said:
        first, comma, rest = said.partition(_COMMA)
        return [first + comma, rest] if rest else [said]
    return [said.replace(_COMMA, _COMMA + line_end, 1) if number % 2 else said]


def _times(number: int) -> tuple[int, int]:
    return 4 * number, 4 * number + 3


def ass(blocks: Sequence[Block], number: int) -> bytes:
    """A script with styles, layers of a sign, comments and drawings."""
    head = (
        "[Script Info]\n; 注释\nTitle: 标题\nScriptType: v4.00+\nWrapStyle: 0\n\n[V4+ Styles]\n"
        "Format: Name, Fontname, Fontsize\nStyle: 对话,黑体,40\nStyle: Sign,Arial,30\n\n[Events]\n"
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    )
    events, n = list[str](), 0
    for block in blocks:
        for said in _lines(block, _ASS_TAGS, "\\N", number) if block.is_read else ():
            events += _events(said.replace("{{", "(").replace("}}", ")"), n, number)
            n += 1
    return dressed(head + "\n".join(events) + "\n", number)


def _events(said: str, n: int, number: int) -> list[str]:
    times = ",".join(f"{t // 3600}:{t // 60 % 60:02}:{t % 60:02}.00" for t in _times(n))
    line = f"{times},{'Sign' if n % 5 == 4 else '对话'},张三,0,0,0,,"
    found = [f"Dialogue: 0,{line}{said}"]
    if n % 5 == 4:
        found = [f"Dialogue: {layer},{line}{{\\pos(10,{layer})}}{said}" for layer in (0, 1)]
    if n % 9 == 8:
        found.append(f"Comment: 0,{line}制作组的备注")
        found.append(f"Dialogue: 0,{line}{{\\p1}}m 0 0 l {number} 1{{\\p0}}")
    return found
