"""Fields in a row of tokens: from begin, over the instruction, to separate, result and end.

What a field computes is one thing with it, as a page number; but the text of a link is text, as is
that of a reference to a heading, and that of a field which goes on in other paragraphs, as a table
of contents does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longways.translate.formats.docx_runs import Edge, Group, Leaf, Token, is_link


@dataclass
class _Field:
    begin: int
    within: tuple[int, ...]
    """The edges that are open where it begins."""
    separate: int = -1
    end: int = -1
    instruction: str = ""


def with_fields(tokens: Sequence[Token]) -> list[Token]:
    """The tokens, those of each field as one, or as the edges of its result."""
    if not any(isinstance(token, Leaf) and token.name == "w:fldChar" for token in tokens):
        return list(tokens)
    fields = {field.begin: field for field in _fields(tokens)}
    return list(_grouped(tokens, fields))


def _grouped(tokens: Sequence[Token], fields: dict[int, _Field]) -> Iterator[Token]:
    ends, place = dict[int, Edge](), 0
    while place < len(tokens):
        field = fields.get(place)
        if place in ends:
            yield ends[place]
        elif field is None:
            yield tokens[place]
        elif field.end < 0:
            yield Group(tuple(tokens[place : field.separate + 1]), "w:fldChar")
            place = field.separate
        elif field.separate >= 0 and is_link(field.instruction) and _is_filled(field, tokens):
            last = Group(tuple(tokens[field.end : field.end + 1]))
            ends[field.end] = Edge("link", False, group=last)
            yield Edge("link", True, group=Group(tuple(tokens[place : field.separate + 1])))
            place = field.separate
        else:
            yield Group(tuple(tokens[place : field.end + 1]))
            place = field.end
        place += 1


def _is_filled(field: _Field, tokens: Sequence[Token]) -> bool:
    """Whether something is written in it; a blank of a form may be empty but for spaces."""
    shown = tokens[field.separate : field.end]
    return "FORMTEXT" not in field.instruction.upper() or any(
        isinstance(token, Leaf) and (token.text or "").strip() for token in shown
    )


def _fields(tokens: Sequence[Token]) -> Iterator[_Field]:
    """Each field that ends in the same paragraph and the same enclosing elements as it begins.

    One that does not end, but whose result begins here, is among them without an end.
    """
    within, open_ = list[int](), list[_Field]()
    for place, token in enumerate(tokens):
        if isinstance(token, Edge):
            if token.opens:
                within.append(place)
            else:
                within.pop()
        elif isinstance(token, Leaf) and token.name == "w:instrText" and open_:
            open_[-1].instruction += token.detail if open_[-1].separate < 0 else ""
        elif isinstance(token, Leaf) and token.name == "w:fldChar":
            if token.detail == "begin":
                open_.append(_Field(place, tuple(within)))
            elif open_ and tuple(within) != open_[-1].within:
                open_.clear()  # it ends in another element than it begins: no field is whole
            elif open_ and token.detail == "separate":
                open_[-1].separate = place
            elif open_ and token.detail == "end":
                open_[-1].end = place
                yield open_.pop()
    yield from (field for field in open_ if field.separate >= 0)
