"""What a gap in a document does: sentence pairs that are left out between two that stay.

One pair that is missing leaves its neighbours in the same passage of the same text, and context is
worth more than that one sentence. Where more pairs in a row are missing, the sentences on both
sides may be about different things, so a new document begins: no window reaches over such a gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from longways.corpus.document import Document

MAX_GAP = 1
"""Pairs in a row that may be missing inside a document."""

Pair = tuple[str, str]


def between_gaps(name: str, pairs: Iterable[Pair | None]) -> Iterator[Document]:
    """The documents of the pairs of one text; None is a pair that is left out.

    A text without a long gap is one document with this name; else its documents are numbered.
    """
    runs: list[list[Pair]] = [[]]
    missing = 0
    for pair in pairs:
        if pair is None:
            missing += 1
            continue
        if missing > MAX_GAP and runs[-1]:
            runs.append([])
        runs[-1].append(pair)
        missing = 0
    for number, run in enumerate(runs, start=1):
        if run:
            source, target = zip(*run, strict=True)
            yield Document(
                f"{name}/{number}" if len(runs) > 1 else name, list(source), list(target)
            )
