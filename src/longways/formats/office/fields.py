"""Fields among tokens: begin, instruction, separator, result and end.

A field with a computed result, such as a page number, is one item. The result of a link is text, as
is a reference to a heading, or a field over several paragraphs, such as a table of contents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longways.formats.office.runs import Edge, Group, Leaf, Token, is_link


@dataclass
class _Field:
    begin: int
    within: tuple[int, ...]
    """The edges that are open at its begin."""
    separate: int = -1
    end: int = -1
    instruction: str = ""


def with_fields(tokens: Sequence[Token]) -> list[Token]:
    """The tokens, with each field as one token or as the edges of its result."""
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
    """Whether the result has text; a form field may be blank."""
    shown = tokens[field.separate : field.end]
    return "FORMTEXT" not in field.instruction.upper() or any(
        isinstance(token, Leaf) and (token.text or "").strip() for token in shown
    )


def _fields(tokens: Sequence[Token]) -> Iterator[_Field]:
    """Yield each field that ends in the paragraph and the enclosing element of its begin.

    A field whose result begins here but does not end is yielded without an end.
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
                open_.clear()  # ends in another element: no field is complete
            elif open_ and token.detail == "separate":
                open_[-1].separate = place
            elif open_ and token.detail == "end":
                open_[-1].end = place
                yield open_.pop()
    yield from (field for field in open_ if field.separate >= 0)
