"""What other software sees in a file: its structure, and the texts that people read.

No reader uses the formats of longways. Structure is anything that may be compared: keys, tags,
times, places of cells. In a catalogue, the texts are the translations.
"""

from __future__ import annotations

import io
import json
import plistlib
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from longways.formats.html.elements import names

BLOCKS = names(
    "p h tbl tr tc sp pic graphicFrame grpSp drawing hyperlink row c f si mergeCell list list-item "
    "table table-row table-cell page frame note annotation comment h1 h2 h3 h4 li td th ul ol nav "
    "navPoint item itemref img a"
)
"""Elements of packages that a translation must not add, drop or move."""
_WORDS = frozenset(
    ["t", "v", "p", "h", "span", "text", "title", "b", "em", "li", "td", "a", "h1", "h2"]
)
_PARTS = re.compile(r"\.(?:xml|xhtml|opf|ncx)$")
_NO_TEXT = re.compile(
    r"docProps/app|theme|slideMaster|slideLayout|notesMaster|settings|styles|rels$|container\.xml"
    r"|manifest|Content_Types|workbook\.xml"
)
"""Parts with names, styles and prompts."""


class Seen(NamedTuple):
    """A file as other software reads it."""

    structure: Any
    texts: list[str]
    sources: tuple[str, ...] = ()
    """In a catalogue, the source of each text."""


def read(name: str, data: bytes) -> Seen:
    """A file of this format."""
    return READERS[name](data)


def _package(data: bytes) -> Seen:
    """The blocks of all parts of a zip file, and the words of the parts that people read."""
    from lxml import etree

    structure, texts = list[Any](), list[str]()
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        for name in file.namelist():
            if not _PARTS.search(name):
                structure.append((name, file.read(name)))
                continue
            root = etree.fromstring(file.read(name))
            found = [etree.QName(e).localname for e in root.iter("{*}*")]
            structure.append((name, [local for local in found if local in BLOCKS]))
            if not _NO_TEXT.search(name):
                texts += _words(root)
    return Seen(structure, texts)


def _words(root: Any) -> Iterator[str]:
    from lxml import etree

    for element in root.iter("{*}*"):
        local = etree.QName(element).localname
        if local in _WORDS and element.text and not element.text.isspace():
            yield element.text
        if element.tail and not element.tail.isspace():
            yield element.tail


def _html(data: bytes) -> Seen:
    import html5lib

    tree = html5lib.parse(data.decode(), namespaceHTMLElements=False)
    tags = [(e.tag, e.get("href"), e.get("src")) for e in tree.iter() if isinstance(e.tag, str)]
    skipped = {"script", "style", "code", "pre"}
    own = (e.text or "" for e in tree.iter() if e.tag not in skipped)
    tails = (e.tail or "" for e in tree.iter())
    return Seen([t for t in tags if t[0] not in ("b", "em")], [*filter(str.strip, [*own, *tails])])


def _markdown(data: bytes) -> Seen:
    from markdown_it import MarkdownIt

    text = data.decode()
    front = re.match(r"---\n(?:title: (.*)\n)?---\n", text)
    tokens = MarkdownIt("commonmark").enable("table").parse(text[front.end() :] if front else text)
    texts = [t.content for t in tokens if t.type == "inline"]
    code = [t.content for t in tokens if t.type == "fence"]
    return Seen(
        ([t.type for t in tokens], code), [*texts, *([front[1]] if front and front[1] else [])]
    )


def _notebook(data: bytes) -> Seen:
    import nbformat

    if b"nbformat_minor" not in data:  # of the generated notebooks
        cells = json.loads(data)["cells"]
    else:
        book = nbformat.reads(data.decode(), as_version=4)
        nbformat.validate(book)
        cells = book.cells
    joined = ("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    read = [_markdown(text.encode()) for text in joined]
    code = [
        (c["cell_type"], c.get("id"), c["cell_type"] != "markdown" and c["source"]) for c in cells
    ]
    return Seen([*code, *(one.structure for one in read)], [t for one in read for t in one.texts])


def _srt(data: bytes) -> Seen:
    import srt

    cues = list(srt.parse(data.decode()))
    return Seen([(c.index, c.start, c.end) for c in cues], [c.content for c in cues])


def _vtt(data: bytes) -> Seen:
    import webvtt

    cues = list(webvtt.from_buffer(io.StringIO(data.decode())))
    return Seen([(c.identifier, c.start, c.end) for c in cues], [c.text for c in cues])


def _po(data: bytes) -> Seen:
    import polib

    entries = polib.pofile(data.decode())
    pairs = [(e.msgid, e.msgstr) for e in entries if not e.msgid_plural]
    pairs += [(e.msgid_plural, t) for e in entries for t in e.msgstr_plural.values()]
    keys = [(e.msgid, e.msgid_plural, e.occurrences) for e in entries]
    return Seen(keys, [text for _, text in pairs], tuple(source for source, _ in pairs))


def _json(data: bytes) -> Seen:
    return _values(json.loads(data))


def _yaml(data: bytes) -> Seen:
    import yaml

    return _values(yaml.safe_load(data.decode()))


def _values(value: Any) -> Seen:
    """The keys and types of nested values, and the strings among them."""
    texts = list[str]()

    def shape(value: Any, key: str) -> Any:
        if isinstance(value, dict):
            return {k: shape(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [shape(one, key) for one in value]
        if isinstance(value, str) and not key.startswith("@@"):
            texts.append(value)
            return "text"
        return value if not isinstance(value, str) else "language"

    return Seen(shape(value, ""), texts)


def _properties(data: bytes) -> Seen:
    import javaproperties

    pairs = javaproperties.loads(data.decode("utf-8"), object_pairs_hook=list)
    return Seen([key for key, _ in pairs], [value for _, value in pairs])


def _strings(data: bytes) -> Seen:
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
    bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    pairs = re.findall(r'"((?:[^"\\]|\\.)*)"\s*=\s*"((?:[^"\\]|\\.)*)"\s*;', bare)
    return Seen([key for key, _ in pairs], [value for _, value in pairs])


def _plist(data: bytes) -> Seen:
    return _values(plistlib.loads(data))


def _android(data: bytes) -> Seen:
    root = _xml(data)
    elements = [(e.tag, e.get("name"), e.get("quantity")) for e in root.iter()]
    return Seen([e for e in elements if e[0] not in ("b", "i")], list(root.itertext()))


def _ts(data: bytes) -> Seen:
    root = _xml(data)
    pairs = [(_said(m.find("source")), _said(m.find("translation"))) for m in root.iter("message")]
    names = [_said(name) for name in root.iter("name")]
    return _catalogue(pairs, names)


def _xliff(data: bytes) -> Seen:
    units = [u for u in _xml(data).iter("{*}*") if u.tag.endswith(("}trans-unit", "}segment"))]
    pairs = [(_said(unit.find("{*}source")), _said(unit.find("{*}target"))) for unit in units]
    return _catalogue(pairs, [])


def _said(element: Any) -> str:
    return "" if element is None else "".join(element.itertext())


def _catalogue(pairs: list[tuple[str, str]], names: list[str]) -> Seen:
    """Sources, which stay, and their translations."""
    sources = tuple(source for source, _ in pairs)
    return Seen((sources, names), [text for _, text in pairs], sources)


def _xml(data: bytes) -> Any:
    from lxml import etree

    return etree.fromstring(data)


def _table(delimiter: str) -> Callable[[bytes], Seen]:
    def read(data: bytes) -> Seen:
        import csv

        text = data.decode("utf-8-sig")
        sign = ";" if ";" in text.partition("\n")[0] else delimiter
        header, *rows = csv.reader(io.StringIO(text), delimiter=sign)
        return Seen([len(header), *map(len, rows)], [cell for row in rows for cell in row])

    return read


def _text(data: bytes) -> Seen:
    lines = data.decode().splitlines()
    return Seen([bool(line) for line in lines], lines)


READERS: dict[str, Callable[[bytes], Seen]] = {
    **{"text": _text, "markdown": _markdown, "html": _html, "ipynb": _notebook, "epub": _package},
    **dict.fromkeys(("docx", "pptx", "xlsx", "odt", "odp", "ods"), _package),
    **{"srt": _srt, "vtt": _vtt, "po": _po, "json": _json, "arb": _json, "yaml": _yaml},
    **{"properties": _properties, "strings": _strings, "stringsdict": _plist},
    **{"android": _android, "ts": _ts, "xliff": _xliff, "csv": _table(","), "tsv": _table("\t")},
}
"""The reader of each format. A format of WRITERS that is not here is checked for its bytes only."""
