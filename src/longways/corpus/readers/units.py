"""Units of translators' files as documents: which sentences stand together.

Units that name their document, and stand together in the file, are a document; so is a unit with
the next one, if that one names it as the text before it. Other units are strangers to each other:
each is a document of its own, unless the recipe says that the units of a file are in the order of
a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from longways.corpus.alignment.sentences import sentence_pairs
from longways.corpus.document import Document

Units = Literal["apart", "together"]
_PAGE = re.compile(
    r"(?!.*\bstrings\.xml$).*\.(?:rst|mdx?|markdown|txt|a(?:scii)?doc|[sx]?html?|xml|docbook|dita|page"
    r"|tex|ltx|texi|org|pod|docx?|docm|odt|rtf|pptx?|odp|epub|pdf|idml|indd|[1-9])",
    re.IGNORECASE,
)
"""Names of files that hold a text in order; the digits are of manual pages."""
MAX_SENTENCES = 10_000
"""Sentences of a file that are one document at most, which limits the memory."""


class Unit(NamedTuple):
    """A text of one or several sentences and its translation."""

    source: str
    target: str
    document: str = ""
    """The document that it comes from; empty if it is not known."""
    before: str = ""
    """The source text before it; empty if it is not known."""


def page(name: str) -> str:
    """The name if it is the one of a page; empty for other files, whose texts have no order."""
    return name if _PAGE.fullmatch(name) else ""


def documents_of(
    units: Iterable[Unit], name: str, languages: tuple[str, str], order: Units
) -> Iterator[Document]:
    """The documents of the units of a file with this name, in order."""
    number, last, document = 0, Unit("", ""), Document(name, [], [])
    for unit in units:
        is_next = _is_next(unit, last, order) and len(document) < MAX_SENTENCES
        if not is_next:
            if document.source:
                yield document
            number += 1
            document = Document(_name(name, unit, number), [], [])
        for source, target in sentence_pairs(unit.source, unit.target, languages):
            document.source.append(source)
            document.target.append(target)
        last = unit
    if document.source:
        yield document


def _is_next(unit: Unit, last: Unit, order: Units) -> bool:
    """Whether a unit continues the document of the last one."""
    if unit.document or last.document:
        return unit.document == last.document
    return order == "together" or bool(unit.before and unit.before == last.source)


def _name(name: str, unit: Unit, number: int) -> str:
    return " ".join(f"{name}/{unit.document or number}".split())
