"""Whether the two languages of a file of a corpus are swapped, by its first sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from longways.corpus.document import Document
from longways.errors import CorpusError
from longways.text.languages.codes import main_language
from longways.text.languages.identify import identified

CHECKED_CHARACTERS = 4_000
"""Characters of each side that are read for the check."""
MIN_LETTERS = 40
"""A side with fewer letters is not checked."""


def with_checked_languages(
    documents: Iterable[Document], languages: tuple[str, str], where: str
) -> Iterator[Document]:
    """The same documents; raises if both sides are clearly in the language of the other."""
    if main_language(languages[0]) == main_language(languages[1]):
        yield from documents
        return
    rest, first, size = iter(documents), list[Document](), 0
    for document in rest:
        first.append(document)
        size += sum(map(len, document.source))
        if size >= CHECKED_CHARACTERS:
            break
    if are_swapped(first, languages):
        source, target = languages
        raise CorpusError(
            f"{where}: the languages are swapped. The sources are in {target} and the targets in "
            f"{source}. Swap the two sides, or name the languages as they are: {target}-{source}."
        )
    yield from chain(first, rest)


def are_swapped(documents: Iterable[Document], languages: tuple[str, str]) -> bool:
    """Whether the sources are in the target language, and the targets in the source language."""
    sides = [" ".join(_beginning(texts)) for texts in _columns(documents)]
    if any(sum(map(str.isalpha, side)) < MIN_LETTERS for side in sides):
        return False
    found = [identified(side, languages) for side in sides]
    return tuple(one.language for one in found) == languages[::-1] and all(
        one.is_certain for one in found
    )


def _columns(documents: Iterable[Document]) -> tuple[list[str], list[str]]:
    kept = list(documents)
    return [s for d in kept for s in d.source], [s for d in kept for s in d.target]


def _beginning(sentences: list[str]) -> Iterator[str]:
    size = 0
    for sentence in sentences:
        yield sentence
        size += len(sentence)
        if size >= CHECKED_CHARACTERS:
            return
