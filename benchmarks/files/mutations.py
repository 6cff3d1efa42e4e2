"""Mutations of files: flipped bits, cuts, moved chunks, hostile tokens, damaged archives."""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.files.archives import zipped
from benchmarks.files.generated import WRITERS, sentences

FIXTURES = Path(__file__).parents[2] / "tests" / "formats" / "files"
LARGEST_SEED = 2500
"""Larger files of the tests are cut at blank lines into seeds of at most this many bytes."""
WELL_FORMED = 0.5
"""The share of XML and JSON files that stay well-formed."""
MOST_PARTS = 4
"""The most seeds of one file."""
DEEP, WIDE = 300, 3000
"""Repetitions in a nested token, and the length of a huge attribute."""

TOKENS = (
    b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\xf0\x9f\x8c", "\ufffd".encode(),
    b"\r", b"\r\n", b"\n\r", b"\n\n\n", b"\x0b\x0c\x1c", "\u2028\u3000\u200b\u202e".encode(),
    b"<!--", b"-->", b"<![CDATA[", b"]]>",
    b"<?xml version='1.0' encoding='undefined'?>", b"<!DOCTYPE",
    b"<script>", b"<b class='", b'<a href="', b"</p>", b"<svg>", b"<td title='\xe4\xb8\xad'>",
    b"&#xD800;", b"&#0;", b"&amp", b"&nosuch;", b"&#99999999999;",
    b"```", b"~~~\n", b"$$", b"$", b"{{", b"}}", b"{%", b"{{< x", b"${", b"|",
    b"\n|-|\n", b"[", b"](",
    b"[^1]: ", b"\n---\n", b"\n+++\n", b"\n> ", b"\n- ", b"\n\t", b"**", b"_", b"\\",
    b"`", b"[[", b":::",
    b"msgid \"", b'"\n"', b"msgstr[9] \"", b"#~ ", b"\nmsgctxt ", b"%s%(x)d", b'\\"', b"\\x00",
    b"WEBVTT\n\n", b"99:99:99,999 --> 00:00:00,000\n", b"-->", b"\nNOTE\n", b"<v ",
    b"{\\an8}", b"<00:01.000>",
    b"<w:p>", b"</w:p>", b"<w:t>", b"<w:fldChar w:fldCharType='begin'/>", b"<mc:AlternateContent>",
    "\uff0e".encode(), "｡【】️👩‍👩‍👧".encode(), "日   期\uff1a   {{date}}     年   月".encode(),
    b" " * 200,
    b"\n.. note:: ", b"::\n\n    ", b"`_", b"|a|", b"\n====\n", b"\n+---+\n",
    b"\n.. |a| replace:: ",
    b"\n|===\n", b"\n----\n", b"\n++++\n", b"footnote:[", b"<<a,",
    b"\n[cols=2]\n", b"\nifdef::a[]\n",
    b"\\begin{", b"\\end{document}", b"\\verb|", b"\\[", b"%", b"\\footnote{", b"\\def\\a#1{", b"&",
    b"\n#+begin_src\n", b"\n:END:\n", b"\n* ", b"[fn:: ", b"<<<a>>>", b"#+TITLE: ",
    b"{\\p1}", b"\nDialogue: 0,", b"\\N", b"\n[Events]\nFormat: Text\n",
    b"\n--b\n", b"\n--b--\n", b"=?utf-8?B?", b"=E4=B8", b"=\n", b"\nContent-Type: text/html\n\n",
    b'""', b'"', b"\t", b";", b",", b"%1$s", b"%n", b"{0, plural, other {", b"''", b"\\u4e",
    b"<g id='1'>", b"<x/>", b"<target>", b"</source>", b"<string>", b"</dict>", b"*/",
    b"- &a ", b": |\n",
    b"(\xe6\x96\x87) Tj", b"endobj", b"stream\n", b"BT", b" 0 0 0 0 0 0 cm ", b"9999999 0 R",
)  # fmt: skip
"""Tokens that begin what never ends, or that no decoder likes."""

NESTED = (
    b"<div>",
    b"> ",
    b"- ",
    b"[",
    b"*",
    b"<b>",
    b"((",
    b"<w:p><w:r>",
    b"{{",
    "《".encode(),
    b"\t",
)

MAIN = (
    "word/document.xml",
    "ppt/slides/slide1.xml",
    "xl/sharedStrings.xml",
    "content.xml",
    "a.opf",
)
"""The parts that are mutated most often."""

Mutation = Callable[[bytes, random.Random], bytes]


def seeds(format_name: str) -> list[bytes]:
    """Generated files of a format, and small ones of its tests."""
    _, write = WRITERS[format_name]
    found = [write(sentences(count, count)) for count in (1, 4, 8)]
    folder = FIXTURES / {"text": "markdown"}.get(format_name, format_name)
    if format_name != "docx" and folder.is_dir():
        found += [part for path in sorted(folder.iterdir()) for part in _parts(path.read_bytes())]
    return [data for data in found if len(data) <= LARGEST_SEED or format_name == "pdf"]


def _parts(data: bytes) -> list[bytes]:
    """A small file as it is; of a large one, its first parts between blank lines."""
    if len(data) <= LARGEST_SEED:
        return [data]
    parts = [b""]
    for chunk in re.split(rb"(?<=\n\n)", data):
        if parts[-1] and len(parts[-1] + chunk) > LARGEST_SEED:
            parts.append(b"")
        parts[-1] += chunk
    return parts[:MOST_PARTS]


def mutated(data: bytes, draw: random.Random) -> bytes:
    """A file after one to three mutations; in an archive, of the archive or of its text.

    Half of the XML and JSON files stay well-formed, since most others are refused.
    """
    if data.startswith(b"PK"):
        return _archive(data, draw)
    if data.startswith(b"<?xml") and b"<html" not in data and draw.random() < WELL_FORMED:
        return _elements(data, draw)
    if data.startswith(b"{") and draw.random() < WELL_FORMED:
        return _strings(data, draw)
    for _ in range(draw.randint(1, 3)):
        data = draw.choice(MUTATIONS)(data, draw)
    return data


def _flip(data: bytes, draw: random.Random) -> bytes:
    """Flip bits, most often of ASCII characters into others: a file must be read to be lost."""
    changed, plain = bytearray(data), draw.random() < 0.8
    places = [n for n, byte in enumerate(data) if byte < 128] if plain else range(len(data))
    for place in draw.choices(places, k=draw.randint(1, 4)) if places else ():
        changed[place] ^= 1 << draw.randrange(7 if plain else 8)
    return bytes(changed)


def _truncate(data: bytes, draw: random.Random) -> bytes:
    place = _place(data, draw)
    return data[:place] if draw.random() < 0.7 else data[place:]


def _duplicate(data: bytes, draw: random.Random) -> bytes:
    start, end = _range(data, draw)
    return data[:end] + data[start:end] * draw.randint(1, 4) + data[end:]


def _swap(data: bytes, draw: random.Random) -> bytes:
    a, b, c = sorted(_place(data, draw) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def _delete(data: bytes, draw: random.Random) -> bytes:
    start, end = _range(data, draw)
    return data[:start] + data[end:]


def _insert(data: bytes, draw: random.Random) -> bytes:
    place, token = _place(data, draw), draw.choice(TOKENS)
    return data[:place] + token * draw.choice((1, 1, 1, 3, 50)) + data[place:]


def _say(data: bytes, draw: random.Random) -> bytes:
    """Insert a token into Chinese text, where it is most often text of the file."""
    found = [match.end() for match in _HAN.finditer(data)]
    place = draw.choice(found) if found else _place(data, draw)
    return data[:place] + draw.choice(TOKENS).strip(b"\r\n") + data[place:]


def _nest(data: bytes, draw: random.Random) -> bytes:
    place = _place(data, draw)
    return data[:place] + draw.choice(NESTED) * draw.randint(2, DEEP) + data[place:]


def _huge_attribute(data: bytes, draw: random.Random) -> bytes:
    place = _place(data, draw)
    value = draw.choice(("甲", "a ", "&amp;", "<", "{{")).encode() * draw.randint(9, WIDE)
    return data[:place] + b'<i title="' + value + draw.choice((b'">', b'"', b"")) + data[place:]


def _mix_line_ends(data: bytes, draw: random.Random) -> bytes:
    ends = (b"\n", b"\r\n", b"\r", b"\n\r\n")
    lines = data.split(b"\n")
    return b"".join(line + draw.choice(ends) for line in lines[:-1]) + lines[-1]


def _encode(data: bytes, draw: random.Random) -> bytes:
    """The same text in another encoding, sometimes with another mark."""
    codec = draw.choice(
        ("utf-16", "utf-16-be", "gb18030", "big5", "utf-8-sig", "utf-32", "latin-1")
    )
    return data.decode("utf-8", "replace").encode(codec, "replace")


MUTATIONS: Sequence[Mutation] = (
    _flip, _truncate, _duplicate, _swap, _delete, _insert, _insert, _say, _say, _nest,
    _huge_attribute, _mix_line_ends, _encode,
)  # fmt: skip


def _range(data: bytes, draw: random.Random) -> tuple[int, int]:
    start = _place(data, draw)
    return start, _whole_place(data, min(len(data), start + draw.randint(0, 200)))


def _place(data: bytes, draw: random.Random) -> int:
    """A place between two bytes, nearly always between two characters of UTF-8."""
    place = draw.randint(0, len(data))
    return place if draw.random() < 0.05 else _whole_place(data, place)


def _whole_place(data: bytes, place: int) -> int:
    while place < len(data) and data[place] & 0xC0 == 0x80:
        place += 1
    return place


def _archive(data: bytes, draw: random.Random) -> bytes:
    """Damage an archive, leave out a part, mutate the bytes of one, or its elements."""
    kind = draw.random()
    if kind < 0.15:
        return draw.choice((_flip, _truncate, _swap, _delete))(data, draw)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    main = next((name for name in MAIN if name in parts), "content.xml")
    name = draw.choice([*parts, *[main] * 6])
    if kind < 0.2:
        del parts[name]
    elif kind < 0.35:
        parts[name] = mutated(parts[name], draw)
    else:
        parts[main] = _elements(parts[main], draw)
    return zipped(parts)


def _elements(part: bytes, draw: random.Random) -> bytes:
    """Mutate a part so that it stays well-formed: insert, move, repeat and delete elements."""
    for _ in range(draw.randint(1, 5)):
        spans = [match.span() for match in _RUN.finditer(part)] or [(len(part), len(part))]
        (start, end), place = draw.choice(spans), draw.choice(draw.choice(spans))
        match draw.randrange(4):
            case 0:
                part = part[:place] + part[start:end] * draw.randint(1, 3) + part[place:]
            case 1:
                part = part[:start] + part[end:]
            case _ if b"<w:" in part:
                part = part[:place] + _element(draw) + part[place:]
            case _:
                part = (
                    part[:start] + part[start:end].replace(b"</", _text(draw) + b"</") + part[end:]
                )
    return part


def _strings(data: bytes, draw: random.Random) -> bytes:
    """Insert tokens into strings of a JSON file, with its escapes."""
    for _ in range(draw.randint(1, 5)):
        place = draw.choice([match.end() for match in _HAN.finditer(data)] or [0])
        said = json.dumps(draw.choice(TOKENS).decode("utf-8", "ignore"), ensure_ascii=False)
        data = data[:place] + said[1:-1].encode() + data[place:]
    return data


def _text(draw: random.Random) -> bytes:
    """Text of an element that is hard to keep."""
    said = draw.choice(TOKENS).decode("utf-8", "ignore").translate(_NOT_XML)
    text = said.replace("&", "&amp;").replace("<", "&lt;").replace("]]>", "]]&gt;")
    return (text + draw.choice(("", "字", " 字 "))).encode()


def _element(draw: random.Random) -> bytes:
    """An element that may lie beside a run, with text that is hard to keep."""
    run = f'<w:r><w:t xml:space="preserve">{_text(draw).decode()}</w:t></w:r>'
    wrap, depth = draw.choice(WRAPS), draw.choice((0, 1, 1, 2, 30))
    return (wrap[0] * depth + run + wrap[1] * depth).encode()


_HAN = re.compile(rb"[\xe4-\xe9][\x80-\xbf]{2}")
_RUN = re.compile(
    rb"<(w:r|a:r|a:p|si|r|row|text:span|text:p|trans-unit|source|target|g|message|translation"
    rb"|string|item|b)[ >].*?</\1>",
    re.DOTALL,
)
_NOT_XML = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])
WRAPS = (
    ("<w:ins>", "</w:ins>"),
    ("<w:del>", "</w:del>"),
    ("<w:hyperlink>", "</w:hyperlink>"),
    ("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>"),
    ("<w:smartTag>", "</w:smartTag>"),
    ("<w:r><w:tab/></w:r>", "<w:r><w:br/></w:r>"),
    (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>',
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
    ),
    ('<w:r><w:fldChar w:fldCharType="separate"/></w:r>', "<w:r><w:noBreakHyphen/></w:r>"),
    ("<w:bookmarkStart/>", "<w:bookmarkEnd/>"),
    ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>隐</w:t></w:r>", "<w:r><w:sym/></w:r>"),
    ("</w:p><w:p>", ""),
    ("</w:p><w:tbl><w:tr><w:tc><w:p>", "</w:p></w:tc></w:tr></w:tbl><w:p>"),
    ("<w:r><w:footnoteReference/></w:r>", "<w:r><w:drawing/></w:r>"),
)
"""What may enclose a run, or lie before and behind it."""
