"""Contrastive sets: files of items whose true candidate can only be found from the context.

A set is a JSON list of `src`, `dst`, `true_ind` and `ctx_dist`, sentences joined by ` _eos `, as
published by Voita et al. 2019; the file may be compressed as .xz or .gz.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from longways.corpus.document import ConsistencyItem
from longways.corpus.readers.opensubtitles import read_consistency
from longways.errors import CorpusError
from longways.evaluation.consistency.accuracy import guessing

SUFFIXES = (".json", ".json.xz", ".json.gz")


@dataclass(frozen=True)
class ContrastiveSet:
    """The items of one file, which test one phenomenon."""

    name: str
    path: Path
    items: list[ConsistencyItem]

    @property
    def guessing(self) -> float:
        """The expected accuracy of choosing candidates at random."""
        return guessing(self.items)

    @property
    def candidates(self) -> int:
        """The number of candidates of all items."""
        return sum(len(item.candidates) for item in self.items)

    @property
    def sentences(self) -> int:
        """The number of sentences of the longest item, which is the largest useful L."""
        return max(len(item.source) for item in self.items)


def read_set(path: Path) -> ContrastiveSet:
    """Read a set and check all of its items."""
    items = list(read_consistency(path))
    if not items:
        raise CorpusError(f"{path} has no items, so there is nothing to choose from.")
    for number, item in enumerate(items, start=1):
        _check(item, f"{path}, item {number}")
    return ContrastiveSet(set_name(path), path, items)


def _check(item: ConsistencyItem, place: str) -> None:
    if len(item.candidates) < 2:
        raise CorpusError(
            f"{place}: dst has a single candidate, so there is nothing to choose from. Add "
            "another, or leave the item out."
        )
    first = item.candidates[0]
    for number, candidate in enumerate(item.candidates[1:], start=2):
        for sentence, (one, other) in enumerate(zip(first[:-1], candidate[:-1], strict=True), 1):
            if one != other:
                raise CorpusError(
                    f"{place}: candidate {number} has another sentence {sentence} of {len(first)} "
                    "than the first one, but candidates may differ in the last sentence only."
                )


def set_name(path: Path) -> str:
    """The file's name without its suffixes."""
    return path.name.partition(".")[0]


def find_sets(path: Path, root: Path = Path()) -> list[Path]:
    """The set at a path, or all sets in a folder; relative paths are also tried below `root`."""
    found_at = next((p for p in (path, root / path) if p.exists()), None)
    if found_at is None:
        also = "" if root in (Path(), path) else f", nor below {root}"
        raise CorpusError(f"There is no file or folder {path}{also}. Check the path.")
    if not found_at.is_dir():
        return [found_at]
    found = sorted(file for file in found_at.iterdir() if file.name.endswith(SUFFIXES))
    if not found:
        raise CorpusError(
            f"{found_at} is neither a model folder (it has no config.json) nor a folder of "
            "contrastive sets (no file ends in .json, .json.xz or .json.gz)."
        )
    return found


def read_sets(paths: Iterable[Path]) -> list[ContrastiveSet]:
    """Read several sets, whose names must differ."""
    sets = [read_set(path) for path in paths]
    for number, one in enumerate(sets):
        if twin := next((other for other in sets[:number] if other.name == one.name), None):
            raise CorpusError(
                f"{twin.path} and {one.path} are both called {one.name}, but the rows of a "
                "table need different names. Rename one of the files."
            )
    return sets
