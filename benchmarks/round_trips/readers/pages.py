"""Pages, notebooks and messages."""

from __future__ import annotations

import email
import email.policy
import json
import re
from collections.abc import Iterator
from typing import Any

from benchmarks.round_trips.readers.seen import Seen, decoded, outline

_INLINE = frozenset(
    ["b", "strong", "em", "i", "code", "a", "span", "img", "br", "wbr", "sup", "sub", "u"]
)
_CODE = frozenset(["script", "style", "code", "pre"])
_FRONT = re.compile(r"---\n(?:title: \"?(.*?)\"?\n)?(?:.*\n)*?---\n")


def text(data: bytes) -> Seen:
    """Lines, and which of them are blank."""
    lines = decoded(data).splitlines()
    return Seen([bool(line) for line in lines], lines)


def html(data: bytes) -> Seen:
    """The elements and texts of a page, as html5lib finds them."""
    import html5lib

    tree = html5lib.parse(decoded(data), namespaceHTMLElements=False)
    return Seen(outline(_tags(tree)), list(_said(tree)))


def _tags(tree: Any) -> Iterator[tuple[str, bool]]:
    for element in tree.iter():
        if isinstance(element.tag, str) and (element.tag != "a" or element.get("href")):
            own = [element.get(name, "") for name in ("href", "src", "class")]
            address = "" if own[0].startswith("#") or element.get("id") else own[0]
            yield f"{element.tag} {address} {own[1]}", element.tag in _INLINE


def _said(element: Any, in_code: bool = False) -> Iterator[str]:
    """The texts of an element in their order, without code."""
    in_code = in_code or element.tag in _CODE or not isinstance(element.tag, str)
    in_code = in_code or element.get("class") == "tag"  # of a headline of Org
    if not in_code:
        yield from (
            element.get(name) for name in ("alt", "title", "placeholder") if element.get(name)
        )
        if (element.text or "").strip():
            yield element.text
    for child in element:
        yield from _said(child, in_code)
        if not in_code and (child.tail or "").strip():
            yield child.tail


def markdown(data: bytes) -> Seen:
    """The tokens of a page, as markdown-it finds them."""
    from markdown_it import MarkdownIt

    whole = decoded(data)
    front = _FRONT.match(whole)
    body = whole[front.end() :] if front else whole
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    inside = (
        [(t.type, False), *((c.type, True) for c in t.children or () if "_" in c.type)]
        for t in tokens
    )
    texts = [t.content for t in tokens if t.type == "inline"]
    code = [t.content for t in tokens if t.type in ("fence", "code_block")]
    title = [front[1]] if front and front[1] else []
    return Seen((outline(one for each in inside for one in each), code), [*texts, *title])


def notebook(data: bytes) -> Seen:
    """The cells of a notebook, as nbformat finds them."""
    import nbformat

    if b"nbformat_minor" not in data:  # of the generated notebooks
        cells = json.loads(data)["cells"]
    else:
        book = nbformat.reads(data.decode(), as_version=4)
        nbformat.validate(book)
        cells = book.cells
    joined = ("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    read = [markdown(text.encode()) for text in joined]
    code = [
        (c["cell_type"], c.get("id"), c["cell_type"] != "markdown" and c["source"]) for c in cells
    ]
    return Seen([*code, *(one.structure for one in read)], [t for one in read for t in one.texts])


def message(data: bytes) -> Seen:
    """The parts of a message, as Python's email package finds them."""
    whole = email.message_from_bytes(data, policy=email.policy.default)
    structure: list[Any] = [[(k, v) for k, v in whole.items() if k not in _CHANGED]]
    texts = [str(whole["Subject"])]
    for part in whole.walk():
        name = part.get_filename()
        structure.append((part.get_content_type(), name, part.get_content_disposition()))
        if part.is_multipart():
            continue
        if name or part.get_content_maintype() != "text":
            structure.append(part.get_payload(decode=True))
        elif part.get_content_type() == "text/html":
            page = html(part.get_content().encode())
            structure.append(page.structure)
            texts += page.texts
        else:
            lines = part.get_content().splitlines()
            structure.append([_QUOTED.match(line)[0] for line in lines if line.strip()])  # type: ignore[index]
            texts += lines
    return Seen(structure, texts)


_QUOTED = re.compile(r"[>\s]*(?:--?|\*)?")
_CHANGED = frozenset(["Subject", "Content-Transfer-Encoding", "Content-Type"])
