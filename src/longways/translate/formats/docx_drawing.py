"""Paragraphs of drawings: titles of charts, and the texts of diagrams.

Their elements are named as those of other paragraphs, but are of another namespace. Here they get
the names of those, so that both are read and written in the same way.
"""

from __future__ import annotations

from longways.translate.formats.docx_xml import Node

_UNSEEN = ("lang", "altLang", "dirty", "err", "noProof", "smtClean", "smtId", "kern", "spc")
"""Attributes of a run by which nobody sees that it is another one."""


def as_word(node: Node) -> Node:
    """A paragraph of a drawing as one of the text; its last properties are not in it."""
    last = node.child("a:endParaRPr")
    children = [child for child in node.children if child is not last]
    close = last.start if last else node.close
    return Node("w:p", {}, node.start, node.inner, close, node.end, list(map(_renamed, children)))


def _renamed(node: Node) -> Node:
    """An element under the name of its counterpart. What a field says is not a run's own text."""
    name = f"w:{node.name.removeprefix('a:')}"
    attributes = {key: value for key, value in node.attributes.items() if key not in _UNSEEN}
    if name == "w:t":
        attributes["xml:space"] = "preserve"
    place = node.start, node.inner, node.close, node.end
    return Node(name, attributes, *place, list(map(_renamed, node.children)), node.text)
