"""Catalogues, which have sources and translations: empty, finished, old and in several forms."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from benchmarks.round_trips.builders.lists import dressed
from benchmarks.round_trips.builders.messages import HEAD, messages, quoted
from benchmarks.round_trips.texts import PLACEHOLDER, Block, Run

_UNFINISHED = '        <translation type="unfinished"></translation>'


def po(blocks: Sequence[Block], number: int) -> bytes:
    """Entries with references, contexts, flags, several lines, old ones and finished ones."""
    header = (
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Language: en\\n"\n'
        '"Plural-Forms: nplurals=2; plural=n != 1;\\n"\n'
    )
    entries = list[str]()
    for n, text in enumerate(dict.fromkeys(filter(None, messages(blocks).values()))):
        lead = f"# 注\n#. note\n#: a.c:{n} b.c:2\n" if n % 3 else f"#: a.c:{n}\n"
        lead += 'msgctxt "菜单"\n' if n % 5 == 4 else ""
        half = len(text) // 2
        lines = f'""\n{quoted(text[:half])}\n{quoted(text[half:])}' if n % 4 == 3 else quoted(text)
        entries.append(f'{lead}msgid {lines}\nmsgstr ""\n')
    end = 'msgid "一个文件"\nmsgid_plural "多个文件"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    done = 'msgid "关闭"\nmsgstr "Close"\n\n#, fuzzy\n#~ msgid "旧的"\n#~ msgstr "old"\n'
    return dressed("\n".join([header, *entries, end, done]), number % 2)


def ts(blocks: Sequence[Block], number: int) -> bytes:
    """Messages with places, comments and plurals, in one context or two, and finished ones."""
    lines = list[str]()
    for n, text in enumerate(dict.fromkeys(filter(None, messages(blocks).values()))):
        lines += "    <message>", f'        <location filename="a.cpp" line="{n}"/>'
        lines.append(f"        <source>{escape(text)}{' %1' * (n % 5 == 4)}</source>")
        lines += ["        <extracomment>注</extracomment>"] * (n % 3 == 2)
        lines += [_UNFINISHED, "    </message>"]
    lines += [
        '    <message numerus="yes">\n        <source>%n 个文件</source>\n        <translation '
        'type="unfinished"><numerusform></numerusform><numerusform></numerusform></translation>',
        "    </message>\n    <message>\n        <source>关闭(&amp;C)</source>",
        "        <translation>&amp;Close</translation>\n    </message>",
    ]
    inner = "\n".join(lines)
    context = "<context>\n    <name>{}</name>\n{}\n</context>\n"
    whole = "".join(context.format(name, inner) for name in ("Main", "Dialog")[: 1 + number % 2])
    root = '<TS version="2.1" language="en" sourcelanguage="zh_CN">'
    return dressed(f"{HEAD}<!DOCTYPE TS>\n{root}\n{whole}</TS>\n", number)


def xliff(blocks: Sequence[Block], number: int) -> bytes:
    """Units with inline codes, groups, notes and finished targets, of 1.2 and 2.0 in turns."""
    read = [block for block in blocks if block.is_read]
    runs = [[(" ".join(b.cells), "")] if b.kind == "row" else b.runs for b in read]
    units = [(_new_unit if number % 2 else _old_unit)(n, parts) for n, parts in enumerate(runs)]
    inner = "\n".join(units)
    if number % 2:
        space = 'xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0"'
        file = (
            f'<file id="f"><notes><note>注</note></notes><group id="g">\n{inner}\n</group></file>'
        )
        return dressed(f'{HEAD}<xliff {space} srcLang="zh" trgLang="en">{file}</xliff>\n', number)
    space = 'xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"'
    languages = 'source-language="zh" target-language="en"'
    body = f'<body><group id="g" restype="x-part">\n{inner}\n</group></body>'
    file = f'<file original="a" {languages} datatype="plaintext">{body}</file>'
    return dressed(f"{HEAD}<xliff {space}>{file}</xliff>\n", number)


def _old_unit(n: int, parts: Sequence[Run]) -> str:
    """A unit of XLIFF 1.2: empty, with segments, with a note, or finished."""
    inner = "".join(
        f'<g id="{m}">{escape(t)}</g>' if k else escape(t) for m, (t, k) in enumerate(parts, 1)
    )
    match n % 5:
        case 1:
            inner += f'<x id="{len(parts) + 1}" ctype="lb"/>'
        case 2:
            number = len(parts) + 1
            inner += f'<bpt id="{number}">&lt;u></bpt>更多<ept id="{number}">&lt;/u></ept>'
    source = f"<source>{inner}</source>"
    match n % 7:
        case 3:
            segment = f'<mrk mtype="seg" mid="0">{inner}</mrk>'
            source += f"<seg-source>{segment}</seg-source>"
        case 4:
            source += f'<target state="translated">{_done(parts)}</target>'
        case 5:
            source += "<note>注</note><alt-trans><target>Old</target></alt-trans>"
        case 6:
            source += '<target state="needs-translation"></target>'
    return f'<trans-unit id="u{n}" xml:space="preserve">{source}</trans-unit>'


def _new_unit(n: int, parts: Sequence[Run]) -> str:
    """A unit of XLIFF 2.0: with one segment or two, a kept part, or finished."""
    inner = "".join(
        f'<pc id="{m}">{escape(t)}</pc>' if k else escape(t) for m, (t, k) in enumerate(parts, 1)
    )
    segment = f"<segment><source>{inner}</source></segment>"
    match n % 6:
        case 1:
            segment += "<ignorable><source> </source></ignorable>"
            segment += '<segment state="initial"><source>第二句。<ph id="p"/></source></segment>'
        case 2:
            target = f"<target>{_done(parts)}</target>"
            segment = f'<segment state="final"><source>{inner}</source>{target}</segment>'
        case 3:
            segment = f'<notes><note category="a">注</note></notes>{segment}'
    return f'<unit id="u{n}">{segment}</unit>'


def _done(parts: Sequence[Run]) -> str:
    """A translation by a person, with the placeholders of its source."""
    kept = PLACEHOLDER.findall("".join(text for text, _ in parts))
    return escape(" ".join(["Done", *kept]))
