"""The time of hostile files at n, 2n and 4n: it grows with the size, and not faster."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from benchmarks.files.archives import OFFICE, PACKAGE, zipped
from benchmarks.files.generated import W
from benchmarks.files.generated_office import OFFICE_WRITERS
from longways.errors import LongwaysError
from longways.formats.base import Passage
from longways.formats.registry import format_named
from longways.text.sentences.splitter import split_text

STEEPEST = 2.7
"""The largest ratio of the times at 2n and n that still counts as linear; a square has 4."""
LEAST_SECONDS = 0.02
"""n doubles until a file takes this long; what is refused at once never does."""
TRIES = 4
"""Another program may slow one measurement down."""

LANGUAGE = "zh"

_ROWS = "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"

PATTERNS: dict[str, tuple[str, Callable[[int], str]]] = {
    "spaces in forms (A6)": ("text", lambda n: "日   期\uff1a   {{date}}      年   月   日" * n),
    "a line without an end": ("text", lambda n: "没有句号的一行" * n),
    "full stops of full width (A1)": ("text", lambda n: "合并操作\uff0e查询复杂度" * n),
    "quotes that never end": ("text", lambda n: "“\uff08《他说\uff1a" * n),
    "odd dollars (C3)": ("markdown", lambda n: "复杂度 $O(n 文 " * n),
    "template braces (B1, C2)": ("markdown", lambda n: "文{{< ref {% {{?x ${ <%= #{" * n),
    "lines of a cell": (
        "ipynb",
        lambda n: (
            '{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": ["文\\n"'
            + ', "\\u6587 **\\n"' * n
            + "]}]}"
        ),
    ),
    "HTML with templates (B1)": ("markdown", lambda n: '<p v-if="a">{{ v }}<b ={x}>文\n' * n),
    "containers (B2)": ("markdown", lambda n: ":::tip 备注\n文\n" * n),
    "links that never end": ("markdown", lambda n: "[文](a ![图](<b [x][y " * n),
    "quotes in quotes": ("markdown", lambda n: ">" * n + " 文"),
    "spaced quotes in quotes": ("markdown", lambda n: "> " * n + "{文"),
    "front matter that never ends": ("markdown", lambda n: "---\n" + "title: 文\n" * n),
    "groups and formulas that never end": (
        "latex",
        lambda n: "文{\\bf 文 $x [\\textbf{文 \\foo[" * n,
    ),
    "notes, words and comments": (
        "latex",
        lambda n: "文\\ref{a}$x$ \\footnote{文}\\texttt{a} % 文\n" * n,
    ),
    "roles and references that never end": (
        "rst",
        lambda n: "文 *文 **文 `文 <a ``b |c [#文 :ref:`甲\n" * n,
    ),
    "items, terms and directives": (
        "rst",
        lambda n: "- 文\n\n  甲\n    乙\n\n.. note:: 文\n\n" * n,
    ),
    "lists in lists": ("rst", lambda n: "- " * n + "文"),
    "grid tables": ("rst", lambda n: "+----+----+\n" + "| 文 | 甲 |\n+----+----+\n" * n),
    "a wide grid table": (
        "rst",
        lambda n: "+----" * n + "+\n| 文 " + "|    " * (n - 1) + "|\n" + "+----" * n + "+\n",
    ),
    "simple tables": ("rst", lambda n: "=== ===\n" + "文  甲\n" * n + "=== ===\n"),
    "quotes and macros that never end": (
        "asciidoc",
        lambda n: "文 *文 _甲 `b {c <<文, footnote:[文 link:a[文 \n" * n,
    ),
    "items, cells and blocks": (
        "asciidoc",
        lambda n: "* 文:: 甲\n+\n|===\n|文 |甲\n|===\n\n[NOTE]\n====\n文\n====\n" * n,
    ),
    "blocks that never end": ("asciidoc", lambda n: "----\n文\n|===\n====\n" * n),
    "collections in collections": ("yaml", lambda n: "a: " + "[" * min(n, 90) + "文, " * n),
    "anchors, tags and quotes": ("yaml", lambda n: "- &a !!str '文''\n  \"甲\\\n" * n),
    "escapes and plurals": (
        "json",
        lambda n: '{"a": "' + "{n, plural, other {文 \\u6587 " * n + '"}',
    ),
    "inline codes": (
        "xliff",
        lambda n: (
            '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file '
            'source-language="zh"><body><trans-unit id="a"><source>'
            + "文<g id='1'>甲</g><x id='2'/>" * n
            + "</source></trans-unit></body></file></xliff>"
        ),
    ),
    "tags of a string": (
        "android",
        lambda n: (
            "<resources><string name='a'>" + "文<b>甲</b>%1$s\\'" * n + "</string></resources>"
        ),
    ),
    "emphasis and links that never end": (
        "org",
        lambda n: "文 *文 /a =b [[c][文 [fn:: $x {{{m(" * n,
    ),
    "items, cells and drawers": ("org", lambda n: "- 文 :: *文*\n| 文 | =a= |\n:a:\n" * n),
    "unended comments (E16)": ("html", lambda n: "<p>文<!-- 字 --" * n),
    "unended tags": ("html", lambda n: "<p>文<b class='x " * n),
    "a huge attribute": ("html", lambda n: '<p>文<img alt="' + "图&amp;<" * n + '">'),
    "elements in elements": ("html", lambda n: "<div><b>文" * n),
    "references": ("html", lambda n: "<p>&amp;&#x4e2d;&nosuch;&" * n),
    "chains of styles (E10)": ("docx", lambda n: _styles(n)),
    "tables in tables": (
        "docx",
        lambda n: (_ROWS[0] * 20 + "<w:p><w:r><w:t>文</w:t></w:r></w:p>" + _ROWS[1] * 20) * n,
    ),
    "fields that never end": (
        "docx",
        lambda n: '<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:t>文</w:t></w:r></w:p>' * n,
    ),
    "runs of one letter": ("docx", lambda n: "<w:p>" + "<w:r><w:t>文</w:t></w:r>" * n + "</w:p>"),
    "line breaks of a slide": (
        "pptx",
        lambda n: "</a:t></a:r>" + "<a:br/><a:fld><a:t>1</a:t></a:fld>" * n + "<a:r><a:t>",
    ),
    "lines and escapes of a cell": ("xlsx", lambda n: "文_x000D_\n_x0041_" * n),
    "runs of a cell": ("xlsx", lambda n: "文</t></r><r><rPr><i/></rPr><t>" * n),
    "cells and formulas": (
        "ods",
        lambda n: (
            "</text:p></table:table-cell><table:table-cell table:formula='&quot;'><text:p>" * n
        ),
    ),
    "spaces and marks of a paragraph": (
        "odt",
        lambda n: "文 <text:s/><text:bookmark-start/><text:span>文</text:span>" * n,
    ),
    "slides without end": ("odp", lambda n: "<text:span>文" * n),
    "quotes in cells": ("csv", lambda n: '甲,"文"字,""\n' * n),
    "cells without an end": ("tsv", lambda n: '"文\t' * n),
    "tags that never end": ("ass", lambda n: f"[Events]\nDialogue: 0,0,0,,,,,,,文{'{' * n}"),
    "frames of a sign": (
        "ass",
        lambda n: "[Events]\n" + "Dialogue: 0,0:00:01.00,0:00:02.00,,,,,,,{\\k1}文{\\p1}\n" * n,
    ),
    "boundaries in boundaries": (
        "eml",
        lambda n: "From: a\nContent-Type: multipart/mixed; boundary=b\n" + "\n--b\n\n> 文\n" * n,
    ),
    "cues without times": ("srt", lambda n: "1\n文\n\n-->\n" * n),
    "a sentence over all cues": (
        "srt",
        lambda n: "".join(f"{k}\n00:00:00,000 --> 00:00:01,000\n文字\uff0c\n\n" for k in range(n)),
    ),
    "tags in tags": ("vtt", lambda n: "WEBVTT\n\n00:00.000 --> 00:01.000\n" + "<i><b>文" * n),
    "notes without an end": ("vtt", lambda n: "WEBVTT\n\n" + "NOTE\n文 -->\n" * n),
    "continued strings": ("po", lambda n: 'msgid ""\n' + '"文\\n"\n' * n + 'msgstr ""\n'),
    "escapes": ("po", lambda n: 'msgid "' + '\\\\\\"%s文' * n + '"\nmsgstr ""\n'),
    "obsolete entries": (
        "po",
        lambda n: '#~ msgid "文"\n#, fuzzy\n' * n + 'msgid "a"\nmsgstr ""\n',
    ),
}
"""For each pattern its format and the text of n repetitions; letters are entries of FOUND."""


def slopes(only: Sequence[str] = ()) -> tuple[list[dict[str, object]], list[str]]:
    """For each pattern the ratios of its times, and a sentence for each that is too steep."""
    rows, steep = list[dict[str, object]](), list[str]()
    for name, (form, build) in PATTERNS.items():
        if only and form not in only:
            continue
        best = _times(form, build)
        for _ in range(TRIES):
            if max(best) > STEEPEST:  # another program may have slowed it down
                best = min(best, _times(form, build), key=max)
        rows.append({"pattern": name, "format": form, "2n": best[0], "4n": best[1]})
        if max(best) > STEEPEST:
            steep.append(f"{name} ({form}): the times at 2n and 4n are {best[0]} and {best[1]}.")
    return rows, steep


def _times(form: str, build: Callable[[int], str]) -> tuple[float, float]:
    """The time at 2n as a multiple of that at n, and of 4n as one of that at 2n."""
    size = 100
    while _seconds(form, build(size)) < LEAST_SECONDS and size < 200_000:
        size *= 2
    once, twice, four = (
        max(LEAST_SECONDS / 2, min(_seconds(form, build(size * times)) for _ in range(3)))
        for times in (1, 2, 4)
    )
    return round(twice / once, 2), round(four / twice, 2)


def _seconds(name: str, text: str) -> float:
    data = _file(name, text)
    form = format_named(name)
    gc.collect()
    gc.disable()
    began = time.process_time()
    try:
        if form is None:
            split_text(text, LANGUAGE)
        else:
            with suppress(LongwaysError):  # a refusal must be fast too
                document = form.read(data, LANGUAGE)
                document.write([Passage("x" + p.text, p.marks) for p in document.passages], "en")
        return time.process_time() - began
    finally:
        gc.enable()


def _file(name: str, text: str) -> bytes:
    """A file around a text; in an Office file, the text is XML within a sentence."""
    if name == "docx":
        return _docx(text)
    return OFFICE_WRITERS[name][1]([f"{text}文文文文"]) if name in OFFICE_WRITERS else text.encode()


def _styles(count: int) -> str:
    """Styles, each based on the next one; the last line of `_docx` moves them to their part."""
    links = (
        f'<w:style w:styleId="s{n}"><w:name w:val="n{n}"/><w:basedOn w:val="s{n + 1}"/></w:style>'
        for n in range(count)
    )
    return "".join(links)


def _docx(text: str) -> bytes:
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    styled = text.startswith("<w:style")
    body = '<w:p><w:pPr><w:pStyle w:val="s0"/></w:pPr><w:r><w:t>文</w:t></w:r></w:p>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Override PartName='
        f'"/word/document.xml" ContentType="{word}.document.main+xml"/><Override PartName='
        f'"/word/styles.xml" ContentType="{word}.styles+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{W}"><w:body>{body if styled else text}'
        "</w:body></w:document>",
        "word/styles.xml": f'<w:styles xmlns:w="{W}">{text if styled else ""}</w:styles>',
    }
    return zipped({name: part.encode() for name, part in parts.items()})
