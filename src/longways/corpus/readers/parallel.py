"""Reader of two parallel files: line n of one is the translation of line n of the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.lines import read_lines

LinePair = tuple[str, str]


def read_pairs(
    source: Path, target: Path, inspector: BadInputPolicy
) -> Iterator[tuple[int, LinePair | None]]:
    """The number and texts of each pair of lines; None if a bad line was dropped."""
    lines = zip_longest(read_lines(source, inspector), read_lines(target, inspector))
    number = 0
    for left, right in lines:
        if left is None or right is None:
            _different_lengths(source, target, number, left is None, inspector)
            return
        (number, source_text), (_, target_text) = left, right
        bad = source_text is None or target_text is None
        yield number, None if bad else (source_text or "", target_text or "")


def _different_lengths(
    source: Path, target: Path, number: int, source_ended: bool, inspector: BadInputPolicy
) -> None:
    short, long = (source, target) if source_ended else (target, source)
    inspector.bad(
        "different line counts",
        f"{short} ends after line {number}, but {long} has more lines: they are not translations "
        "of each other line by line.",
    )
