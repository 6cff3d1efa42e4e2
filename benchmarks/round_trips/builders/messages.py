"""Texts of programs: one message for each block or cell, in nested and odd shapes."""

from __future__ import annotations

import json as library
import plistlib
import re
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

from benchmarks.round_trips.builders.lists import dressed
from benchmarks.round_trips.texts import Block

_ARGUMENT = re.compile(r"\{+[^{}]*\}+")
HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
_BLANK_CDATA = "<![CDATA[<p>{}</p>]]>"


def messages(blocks: Sequence[Block]) -> dict[str, str]:
    """Texts by key, also empty ones; a text that occurs twice has two keys."""
    read = [block for block in blocks if block.is_read or block.kind == "empty"]
    texts = [text for b in read for text in (b.cells if b.kind == "row" else [b.text])]
    return {f"key.{n}": text for n, text in enumerate(texts)}


def json(blocks: Sequence[Block], number: int) -> bytes:
    """Objects in objects and lists, with escapes in every second file."""
    whole: dict[str, Any] = {"version": 3, "empty": "", "none": None, "list": []}
    for n, (key, text) in enumerate(messages(blocks).items()):
        match n % 5:
            case 2:
                whole["list"].append({"text": text, "on": True, "size": [1, 2.5e3]})
            case 3:
                whole.setdefault("deep", {}).setdefault("er", {})[key] = [[text], {"a b": text}]
            case 4:
                whole[f"{key}_other"] = f"{text}\n{text}\t{{{{count}}}}"
            case _:
                whole.setdefault(f"group{n // 7}", {})[key] = text
    indent = (None, 2, "\t", 4)[number % 4]
    return dressed(library.dumps(whole, ensure_ascii=number % 2 == 1, indent=indent), number % 4)


def arb(blocks: Sequence[Block], number: int) -> bytes:
    """Messages with metadata, plurals and selects."""
    whole: dict[str, Any] = {"@@locale": "zh", "@@x-note": "注"}
    for n, (key, text) in enumerate(messages(blocks).items()):
        said, key = _ARGUMENT.sub("{argument}", text), key.replace(".", "")
        shapes = (said, f"{{n, plural, =0{{{said}。}} other{{{said} {{n}}}}}}")
        is_plain = "'" in said or "{" in said or n % 4 != 3
        whole[key] = said if is_plain else shapes[1]
        whole["@" + key] = {"description": "a text", "placeholders": {"argument": {}}}
    whole["items"] = "{count, plural, =0{没有文件。} other{共有 {count} 个文件}}"
    return library.dumps(whole, ensure_ascii=number % 2 == 1, indent=2).encode()


def properties(blocks: Sequence[Block], number: int) -> bytes:
    """Keys with comments, other separators and continued lines; in every second file as ASCII."""
    lines = list[str]()
    for n, (key, text) in enumerate(messages(blocks).items()):
        value = text.replace("\\", "\\\\")
        half = len(value) // 2
        shapes = (f"{key} = {value}", f"{key}:{value}", f"{key}\\ x={value}",
                  f"{key} {value[:half].rstrip(chr(92))}\\\n    {value[half:]}")  # fmt: skip
        is_plain = n % 4 != 3 or "\\" in value or not value[half:].strip() or value[half] == " "
        lines += [f"{'#!'[n % 2]} {n} 注", shapes[0 if is_plain and n % 4 == 3 else n % 4]]
    text = "\n".join(lines) + "\n"
    return text.encode() if number % 2 else _ascii(text)


def _ascii(text: str) -> bytes:
    units = text.encode("utf-16-be")
    found = (units[n : n + 2].hex() for n in range(0, len(units), 2))
    return "".join(f"\\u{u}" if int(u, 16) > 126 else chr(int(u, 16)) for u in found).encode()


def strings(blocks: Sequence[Block], number: int) -> bytes:
    """Keys with comments of both kinds, in UTF-8 and UTF-16 in turns."""
    lines = list[str]()
    for n, (key, text) in enumerate(messages(blocks).items()):
        comment = f"/* {key}\n   注 */" if n % 2 else f"// {key} 注"
        lines.append(f"{comment}\n{quoted(key)} = {quoted(text)};\n")
    return "".join(lines).encode("utf-16" if number % 2 else "utf-8")


def stringsdict(blocks: Sequence[Block], number: int) -> bytes:
    """Plurals of a number and a text, and of two numbers."""
    rule = "NSStringFormatSpecTypeKey", "NSStringPluralRuleType"
    whole = dict[str, Any]()
    for n, (key, text) in enumerate(messages(blocks).items()):
        plural = {rule[0]: rule[1], "NSStringFormatValueTypeKey": "d", "other": f"{text} %d 项"}
        whole[key] = {"NSStringLocalizedFormatKey": "%#@n@", "n": plural}
        if n % 3 == 2:
            whole[key] = {
                "NSStringLocalizedFormatKey": f"{text}, %1$#@n@, 共 %2$#@m@",
                "n": {**plural, "zero": "没有", "one": "%d"},
                "m": plural,
            }
    return plistlib.dumps(whole, sort_keys=number % 2 == 1)


def android(blocks: Sequence[Block], number: int) -> bytes:
    """Strings with tags, kept parts, CDATA, escapes and comments, arrays and a plural."""
    looks = {"b": "<b>{}</b>", "i": "<i>{}</i>", "bi": "<b><i>{}</i></b>",
             "a": '<a href="https://example.org/">{}</a>'}  # fmt: skip
    lines = list[str]()
    for n, block in enumerate(block for block in blocks if block.kind != "code"):
        if block.kind == "comment":
            lines.append(f"<!-- {block.source} -->")
        elif block.kind == "row":
            items = "".join(f"<item>{_android_text(cell)}</item>" for cell in block.cells)
            lines.append(f'<string-array name="a{n}">{items}</string-array>')
        else:
            runs = "".join(looks.get(k, "{}").format(_android_text(t)) for t, k in block.runs)
            runs += '\\n<xliff:g id="n" example="三">%1$d</xliff:g> 项' * (
                n % 6 == 5 and "%" not in runs
            )
            runs = f'"{runs}"' if n % 8 == 7 and '"' not in runs else runs
            runs = _BLANK_CDATA.format(runs) if n % 9 == 8 and "<" not in runs and runs else runs
            lines.append(f'<string name="s{n}">{runs}</string>')
    lines.append('<string name="no" translatable="false">应用</string>')
    lines.append('<plurals name="p"><item quantity="other">共 %d 个文件</item></plurals>')
    root = '<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">'
    indent = "\t" if number % 2 else "    "
    return dressed(
        f"{HEAD}{root}\n{indent}{f'{chr(10)}{indent}'.join(lines)}\n</resources>\n", number
    )


def _android_text(text: str) -> str:
    """A text with the escapes of Android; percent signs that are no formats are doubled."""
    text = re.sub(r"%(?!\d*\$?[sd])", "%%", text.replace("\\", "\\\\"))
    return escape(re.sub(r"^[@?]|['\"]", r"\\\g<0>", text))


def yaml(blocks: Sequence[Block], number: int) -> bytes:
    """Values in quotes, as blocks and in flow collections, in nested mappings and lists."""
    lines = ["# 注释", "---" if number % 2 else "# ---", "zh:"]
    for n, (key, text) in enumerate(messages(blocks).items(), number):
        double, single = quoted(text), "'" + text.replace("'", "''") + "'"
        shapes = (
            f"{double}  # 注",
            f"&a{n} {single}",
            f"|\n      {text or '文'}\n\n        {text or '文'}",
            f"[{double}, 1, {{k: {single}}}]",
            f">-\n      {text or '文'}\n      {text or '文'}",
            f"\n      - {double}\n      - - {single}\n        - 3.5",
            f"!!str {single}",
        )
        lines.append(f"  {key}:\n    value: {shapes[n % 7]}")
    return dressed("\n".join(lines) + "\n", number)


def quoted(text: str) -> str:
    """A text in double quotes, with the escapes of JSON."""
    return library.dumps(text, ensure_ascii=False)


def csv(blocks: Sequence[Block], number: int) -> bytes:
    """A table with a header, numbers, empty cells, line breaks and quotes in cells."""
    sign, lines = ",;"[number % 2], list[str]()
    for n, text in enumerate(messages(blocks).values()):
        said = text.replace('"', '""')
        second = (
            f'"{said}\n{said}"' if n % 6 == 5 else (f'"{said}"' if n % 2 or sign in said else text)
        )
        lines.append(
            sign.join([str(n), second if '"' not in second[1:-1] else f'"{said}"', "", "1.5"])
        )
    return dressed("\n".join([sign.join(["id", "text", "note", "size"]), *lines]) + "\n", number)


def tsv(blocks: Sequence[Block], number: int) -> bytes:
    """A table with tabs, and empty cells."""
    rows = (f"{n}\t{t}\t\t1.5" for n, t in enumerate(messages(blocks).values()) if '"' not in t[:1])
    return dressed("\n".join(["id\ttext\tnote\tsize", *rows]) + "\n", number)
