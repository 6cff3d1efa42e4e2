"""A file as other software reads it, and how a tree of elements becomes one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple


class Seen(NamedTuple):
    """A file as other software reads it."""

    structure: Any
    texts: list[str]
    sources: tuple[str, ...] = ()
    """In a catalogue, the source of each text."""


def outline(elements: Iterable[tuple[str, bool]]) -> list[tuple[str, Counter[str]]]:
    """The blocks in order, each with its inline markup, whose order a translation may change.

    An element is its name, and whether it is inline.
    """
    found: list[tuple[str, Counter[str]]] = [("", Counter())]
    for name, is_inline in elements:
        if is_inline:
            found[-1][1][name] += 1
        else:
            found.append((name, Counter()))
    return found


def decoded(data: bytes) -> str:
    """A text in UTF-8 without its byte order mark, with LF as line ends."""
    return data.decode("utf-8-sig").replace("\r\n", "\n")
