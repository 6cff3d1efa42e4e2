"""Texts of programs, catalogues and tables."""

from __future__ import annotations

import io
import json as library
import plistlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.round_trips.readers.seen import Seen, decoded

_ALSO_IN_SEGMENTS = ("mrk", "source", "target", "seg-source")


def po(data: bytes) -> Seen:
    """Entries with their contexts, places and comments."""
    import polib

    entries = polib.pofile(decoded(data))
    pairs = [(e.msgid, e.msgstr) for e in entries if not e.msgid_plural and not e.obsolete]
    pairs += [(e.msgid_plural, t) for e in entries for t in e.msgstr_plural.values()]
    keys = [(e.msgctxt, e.msgid, e.msgid_plural, e.occurrences, e.comment) for e in entries]
    return Seen(keys, [text for _, text in pairs], tuple(source for source, _ in pairs))


def json(data: bytes) -> Seen:
    """Objects with their keys, lists and values."""
    return _values(library.loads(data))


def yaml(data: bytes) -> Seen:
    """Mappings with their keys, sequences and values."""
    import yaml as library

    return _values(library.safe_load(data.decode("utf-8-sig")))


def _values(value: Any) -> Seen:
    """The keys and types of nested values, and the strings among them."""
    texts = list[str]()

    def shape(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                k: (k == "@@locale" or v) if k.startswith("@") else shape(v)
                for k, v in value.items()
            }
        if isinstance(value, list):
            return [shape(one) for one in value]
        if isinstance(value, str):
            texts.append(value)
            return "text"
        return value

    return Seen(shape(value), texts)


def properties(data: bytes) -> Seen:
    """Keys and values."""
    import javaproperties

    pairs = javaproperties.loads(data.decode("utf-8"), object_pairs_hook=list)
    return Seen([key for key, _ in pairs], [value for _, value in pairs])


def strings(data: bytes) -> Seen:
    """Keys and values, by a pattern, as we found no library that reads them."""
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
    bare = re.sub(r"/\*.*?\*/|^//[^\n]*", "", text, flags=re.DOTALL | re.MULTILINE)
    pairs = re.findall(r'"((?:[^"\\]|\\.)*)"\s*=\s*"((?:[^"\\]|\\.)*)"\s*;', bare)
    return Seen([key for key, _ in pairs], [value for _, value in pairs])


def plist(data: bytes) -> Seen:
    """Dictionaries with their keys and values."""
    return _values(plistlib.loads(data))


def android(data: bytes) -> Seen:
    """Resources with their names, and the inline elements of each."""
    root = _xml(data)
    structure, texts = list[object](), list[str]()
    for resource in root:
        structure.append((resource.tag, dict(getattr(resource, "attrib", {}))))
        if not isinstance(resource.tag, str):
            structure[-1] = resource.text
            continue
        for item in resource.iter("item", resource.tag):
            inner = (e.tag for e in item.iter() if isinstance(e.tag, str))
            structure.append((item.get("quantity"), Counter(inner)))
        if resource.get("translatable") != "false":
            texts += ["".join(item.itertext()) for item in resource.iter("item", resource.tag)]
    return Seen(structure, texts)


def ts(data: bytes) -> Seen:
    """Messages with their contexts, and the translations as they are read."""
    root = _xml(data)
    pairs = [(_said(m.find("source")), _said(m.find("translation"))) for m in root.iter("message")]
    names = [_said(name) for name in root.iter("name")]
    return _catalogue(pairs, names)


def xliff(data: bytes) -> Seen:
    """Units with the inline codes of their targets, and of sources without one."""
    units = [u for u in _xml(data).iter("{*}*") if u.tag.endswith(("}trans-unit", "}segment"))]
    ends = [(unit.find("{*}source"), unit.find("{*}target")) for unit in units]
    pairs = [(_said(source), _said(target)) for source, target in ends]
    codes = [_codes(target if _said(target) else source) for source, target in ends]
    return _catalogue(pairs, codes)


def _codes(element: Any) -> Counter[tuple[str, str]]:
    found = ((str(e.tag).rpartition("}")[2], e.get("id")) for e in element.iter("{*}*"))
    return Counter(code for code in found if code[0] not in _ALSO_IN_SEGMENTS)


def _said(element: Any) -> str:
    return "" if element is None else "".join(element.itertext())


def _catalogue(pairs: list[tuple[str, str]], names: Sequence[object]) -> Seen:
    """Sources, which stay, and their translations."""
    sources = tuple(source for source, _ in pairs)
    return Seen((sources, names), [text for _, text in pairs], sources)


def _xml(data: bytes) -> Any:
    from lxml import etree

    return etree.fromstring(data)


def table(delimiter: str) -> Callable[[bytes], Seen]:
    """The reader of tables with this sign between cells."""

    def read(data: bytes) -> Seen:
        import csv

        text = data.decode("utf-8-sig")
        sign = ";" if ";" in text.partition("\n")[0] else delimiter
        header, *rows = csv.reader(io.StringIO(text), delimiter=sign)
        return Seen([len(header), *map(len, rows)], [cell for row in rows for cell in row])

    return read
