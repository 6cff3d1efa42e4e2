"""Bilingual paragraphs: the translation, with a copy of the original below.

The copy has the text and look of the original, but no bookmark, comment, note, drawing, list number
or page break. The end of a section moves from
the translation to the copy, which is the last paragraph of the section now.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from longways.formats.office.runs import BREAKS, Edge, Group, Leaf, Token, closing

_IDENTITY = re.compile(rb"""\s[\w.-]+:(?:paraId|textId)\s*=\s*(?:"[^"]*"|'[^']*')""")
_TRACKED = re.compile(rb"<[\w.-]+:(?:ins|del|moveFrom|moveTo)[\s/>]")
_FIRST = ("w:pStyle", "w:keepNext", "w:keepLines")
_SECOND = ("w:framePr", "w:widowControl")
_DROPPED = ("w:pageBreakBefore", "w:numPr", "w:pPrChange", "w:sectPr")
_COPIED = frozenset([*BREAKS, "w:sym", "m:oMath", "m:oMathPara"])
_ENCLOSING = frozenset(["w:hyperlink", "w:dir", "w:bdo", "w:ruby"])
_NEW_PAGE = ("page", "column")

Properties = Sequence[tuple[str, bytes]]


def pair(
    tag: bytes,
    properties: Properties,
    body: bytes,
    tokens: Sequence[Token],
    data: bytes,
    kind: str,
) -> bytes:
    """Both paragraphs, from the tag and the properties of the original and the new content.

    A comment is known by its last paragraph, so there it is the copy that keeps the identity.
    """
    nameless = _IDENTITY.sub(b"", tag)
    first, second = (nameless, tag) if kind == "comments" else (tag, nameless)
    own = [raw for name, raw in properties if name != "w:sectPr"]
    translation = first + _properties(own, tag) + body + closing(tag)
    old = b"".join(_copied(tokens, data))
    return translation + second + _properties(_of_copy(properties, tag), tag) + old + closing(tag)


def _properties(inner: Sequence[bytes], tag: bytes) -> bytes:
    name = _prefix(tag) + b"pPr"
    return b"<%b>%b</%b>" % (name, b"".join(inner), name) if inner else b""


def _of_copy(properties: Properties, tag: bytes) -> list[bytes]:
    """The properties of the copy, in the order that the format asks for."""
    w, names = _prefix(tag), {name for name, _ in properties}
    styled = bool(names & {"w:pStyle", "w:numPr"})
    seen = [(n, raw) for n, raw in properties if n != "w:rPr" or not _TRACKED.search(raw)]
    special = (*_FIRST, *_SECOND, *_DROPPED)
    unpaged = b'<%bpageBreakBefore %bval="0"/>' % (w, w)
    unnumbered = b'<%bnumPr><%bnumId %bval="0"/></%bnumPr>' % (w, w, w, w)
    return [
        *(raw for name, raw in seen if name in _FIRST),
        *([unpaged] if styled else []),
        *(raw for name, raw in seen if name in _SECOND),
        *([unnumbered] if styled else []),
        *(raw for name, raw in seen if name not in special),
        *(raw for name, raw in seen if name == "w:sectPr"),
    ]


def _copied(tokens: Sequence[Token], data: bytes) -> Iterator[bytes]:
    """The readable content of a paragraph, unchanged."""
    for token in tokens:
        if isinstance(token, Group):
            yield from _result(token, data)
        elif isinstance(token, Edge):
            if token.name in _ENCLOSING:
                yield token.bytes_
        elif token.name == "w:fldSimple":
            yield _inside(data[token.start : token.end])
        elif token.text is not None or _is_copied(token):
            yield token.written(lambda start, end: data[start:end])


def _is_copied(leaf: Leaf) -> bool:
    hidden = leaf.run is not None and leaf.run.look.hidden
    return leaf.name in _COPIED and leaf.detail not in _NEW_PAGE and not hidden


def _result(field: Group, data: bytes) -> Iterator[bytes]:
    """The text of a field's result, without the field."""
    depth, shown = 0, False
    for token in field.tokens:
        if isinstance(token, Leaf) and token.name == "w:fldChar":
            depth += {"begin": 1, "end": -1}.get(token.detail, 0)
            shown = shown or (token.detail == "separate" and depth == 1)
        elif isinstance(token, Leaf) and shown and token.text:
            yield token.written(lambda start, end: data[start:end])


def _inside(element: bytes) -> bytes:
    """The content between the tags of an element."""
    start = re.match(rb"<[^>\"']*(?:(?:\"[^\"]*\"|'[^']*')[^>\"']*)*>", element)
    assert start  # it begins with its tag
    return element[start.end() : max(element.rindex(b"<"), start.end())]


def _prefix(tag: bytes) -> bytes:
    return b"".join(closing(tag)[2:-1].rpartition(b":")[:2])
