"""Contrastive sets: files of items, each with candidates of which the context tells the true one.

A set is a JSON list of `src`, `dst`, `true_ind` and `ctx_dist`, sentences joined by ` _eos `, as
Voita et al. 2019 published theirs; the file may be packed as .xz or .gz.
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
    """The items of one file, which show one phenomenon."""

    name: str
    path: Path
    items: list[ConsistencyItem]

    @property
    def guessing(self) -> float:
        """How often one is right who picks any candidate."""
        return guessing(self.items)

    @property
    def candidates(self) -> int:
        """Of all items together."""
        return sum(len(item.candidates) for item in self.items)

    @property
    def sentences(self) -> int:
        """Of the longest item: more cannot stand in a window."""
        return max(len(item.source) for item in self.items)


def read_set(path: Path) -> ContrastiveSet:
    """A set whose items were all checked."""
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
    """The file's name without its endings."""
    return path.name.partition(".")[0]


def find_sets(path: Path, root: Path = Path()) -> list[Path]:
    """The set at a path, or all sets in a folder; a path that is not there is sought below root."""
    place = next((p for p in (path, root / path) if p.exists()), None)
    if place is None:
        also = "" if root in (Path(), path) else f", nor below {root}"
        raise CorpusError(f"There is no file or folder {path}{also}. Check the path.")
    if not place.is_dir():
        return [place]
    found = sorted(file for file in place.iterdir() if file.name.endswith(SUFFIXES))
    if not found:
        raise CorpusError(
            f"{place} is neither a model folder, for it has no config.json, nor a folder of "
            "contrastive sets, for none of its files ends in .json, .json.xz or .json.gz."
        )
    return found


def read_sets(paths: Iterable[Path]) -> list[ContrastiveSet]:
    """Several sets, each with a name of its own."""
    sets = [read_set(path) for path in paths]
    for number, one in enumerate(sets):
        if twin := next((other for other in sets[:number] if other.name == one.name), None):
            raise CorpusError(
                f"{twin.path} and {one.path} are both called {one.name}, so a table cannot tell "
                "them apart. Rename one of the files."
            )
    return sets
