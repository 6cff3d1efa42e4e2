"""Texts of programs from texts: one message for each block or cell, in nested and odd shapes."""

from __future__ import annotations

import json as library
import plistlib
import re
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

from benchmarks.round_trips.texts import Block

_ARGUMENT = re.compile(r"\{+[^{}]*\}+")
_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'


def messages(blocks: Sequence[Block]) -> dict[str, str]:
    """Texts by key; a text that occurs twice has two keys."""
    texts = [text for b in blocks for text in (b.cells if b.kind == "row" else [b.text])]
    return {f"key.{n}": text for n, text in enumerate(texts)}


def json(blocks: Sequence[Block], number: int) -> bytes:
    """Objects in objects and lists, with escapes in every second file."""
    whole: dict[str, Any] = {"version": 3, "empty": "", "list": []}
    for n, (key, text) in enumerate(messages(blocks).items()):
        if n % 3 == 2:
            whole["list"].append({"text": text, "on": True})
        else:
            whole.setdefault(f"group{n // 7}", {})[key] = text
    return library.dumps(whole, ensure_ascii=bool(number % 2), indent=number % 4 or None).encode()


def arb(blocks: Sequence[Block], _: int) -> bytes:
    """Messages with metadata and a plural."""
    whole: dict[str, Any] = {"@@locale": "zh"}
    for key, text in messages(blocks).items():
        whole[key.replace(".", "")] = _ARGUMENT.sub("{argument}", text)
        whole["@" + key.replace(".", "")] = {"description": "a text"}
    whole["items"] = "{count, plural, =0{没有文件。} other{共有 {count} 个文件}}"
    return library.dumps(whole, ensure_ascii=False, indent=2).encode()


def properties(blocks: Sequence[Block], number: int) -> bytes:
    """Keys with comments; in every second file as ASCII."""
    lines = (f"# {n}\n{k} = {v}\n" for n, (k, v) in enumerate(messages(blocks).items()))
    text = "".join(lines)
    return text.encode() if number % 2 else _ascii(text)


def _ascii(text: str) -> bytes:
    units = (text.encode("utf-16-be")[n : n + 2].hex() for n in range(0, 2 * _units(text), 2))
    return "".join(f"\\u{u}" if int(u, 16) > 126 else chr(int(u, 16)) for u in units).encode()


def _units(text: str) -> int:
    return len(text.encode("utf-16-be")) // 2


def strings(blocks: Sequence[Block], number: int) -> bytes:
    """Keys with comments, in UTF-8 and UTF-16 in turns."""
    lines = (f'/* {k} */\n"{k}" = {_quoted(v)};\n' for k, v in messages(blocks).items())
    return "".join(lines).encode("utf-16" if number % 2 else "utf-8")


def stringsdict(blocks: Sequence[Block], number: int) -> bytes:
    """Plurals of a number and a text."""
    rule = "NSStringFormatSpecTypeKey", "NSStringPluralRuleType"
    whole = {
        key: {
            "NSStringLocalizedFormatKey": "%#@n@",
            "n": {rule[0]: rule[1], "NSStringFormatValueTypeKey": "d", "other": f"{text} %d 项"},
        }
        for key, text in messages(blocks).items()
    }
    return plistlib.dumps(whole, sort_keys=bool(number % 2))


def android(blocks: Sequence[Block], _: int) -> bytes:
    """Strings with tags, an array and a plural."""
    looks = {"": "{}", "b": "<b>{}</b>", "i": "<i>{}</i>"}
    lines = list[str]()
    for n, block in enumerate(blocks):
        if block.kind == "row":
            items = "".join(f"<item>{escape(cell)}</item>" for cell in block.cells)
            lines.append(f'<string-array name="a{n}">{items}</string-array>')
        else:
            runs = "".join(looks[k].format(escape(t)) for t, k in block.runs)
            lines.append(f'<string name="s{n}">{runs}</string>')
    lines.append('<plurals name="p"><item quantity="other">共 %d 个文件</item></plurals>')
    return f"{_HEAD}<resources>\n    {(chr(10) + '    ').join(lines)}\n</resources>\n".encode()


def yaml(blocks: Sequence[Block], number: int) -> bytes:
    """Values in quotes, as blocks and in flow collections, in nested mappings."""
    lines = ["zh:"]
    for n, (key, text) in enumerate(messages(blocks).items(), number):
        quoted, single = _quoted(text), "'" + text.replace("'", "''") + "'"
        shapes = (
            f"{quoted}  # 注",
            f"&a{n} {single}",
            f"|\n      {text}",
            f"[{quoted}, 1]",
            f">\n      {text}\n      {text}",
        )
        lines.append(f"  {key}:\n    value: {shapes[n % 5]}")
    return ("\n".join(lines) + "\n").encode()


def _quoted(text: str) -> str:
    """A text in double quotes, with the escapes of JSON."""
    return library.dumps(text, ensure_ascii=False)


def po(blocks: Sequence[Block], _: int) -> bytes:
    """Entries with references and comments."""
    header = (
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Language: en\\n"\n'
    )
    texts = dict.fromkeys(messages(blocks).values())
    entries = (f'#: a.c:{n}\nmsgid {_quoted(t)}\nmsgstr ""\n' for n, t in enumerate(texts))
    plural = '"Plural-Forms: nplurals=2; plural=n != 1;\\n"\n'
    end = 'msgid "一个文件"\nmsgid_plural "多个文件"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    return "\n".join([header + plural, *entries, end]).encode()


def ts(blocks: Sequence[Block], number: int) -> bytes:
    """Messages with places, in one context or two."""
    lines = list[str]()
    for n, text in enumerate(dict.fromkeys(messages(blocks).values())):
        lines += "    <message>", f'        <location filename="a.cpp" line="{n}"/>'
        lines += f"        <source>{escape(text)}</source>", _UNFINISHED, "    </message>"
    inner = "\n".join(lines)
    context = "<context>\n    <name>{}</name>\n{}\n</context>\n"
    whole = "".join(context.format(name, inner) for name in ("Main", "Dialog")[: 1 + number % 2])
    root = '<TS version="2.1" language="en" sourcelanguage="zh_CN">'
    return f"{_HEAD}<!DOCTYPE TS>\n{root}\n{whole}</TS>\n".encode()


_UNFINISHED = '        <translation type="unfinished"></translation>'


def xliff(blocks: Sequence[Block], number: int) -> bytes:
    """Units with inline codes, of versions 1.2 and 2.0 in turns."""
    units = list[str]()
    for n, block in enumerate(blocks):
        parts = (
            [(t, k) for t, k in block.runs]
            if block.kind != "row"
            else [(" ".join(block.cells), "")]
        )
        if number % 2:
            runs = "".join(
                f'<pc id="{m}">{escape(t)}</pc>' if k else escape(t)
                for m, (t, k) in enumerate(parts)
            )
            units.append(f'<unit id="u{n}"><segment><source>{runs}</source></segment></unit>')
        else:
            runs = "".join(
                f'<g id="{m}">{escape(t)}</g>' if k else escape(t) for m, (t, k) in enumerate(parts)
            )
            units.append(f'<trans-unit id="u{n}"><source>{runs}</source></trans-unit>')
    inner = "\n".join(units)
    if number % 2:
        space = 'xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0"'
        file = f'<file id="f">\n{inner}\n</file>'
        return f'{_HEAD}<xliff {space} srcLang="zh" trgLang="en">{file}</xliff>\n'.encode()
    space = 'xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"'
    languages = 'source-language="zh" target-language="en"'
    file = f'<file original="a" {languages} datatype="plaintext"><body>\n{inner}\n</body></file>'
    return f"{_HEAD}<xliff {space}>{file}</xliff>\n".encode()


def csv(blocks: Sequence[Block], number: int) -> bytes:
    """A table with a header, numbers and texts."""
    rows = (f"{n},{_quoted(t)}\n" for n, t in enumerate(messages(blocks).values()))
    return ("id,text\n" + "".join(rows)).encode("utf-8-sig" if number % 2 else "utf-8")


def tsv(blocks: Sequence[Block], _: int) -> bytes:
    """A table with tabs."""
    rows = (f"{n}\t{t}\n" for n, t in enumerate(messages(blocks).values()))
    return ("id\ttext\n" + "".join(rows)).encode()
