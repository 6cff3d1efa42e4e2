"""What a document is: sentences of one text, in order, each with its translation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Document:
    """Parallel sentences that belong together; `source[i]` is translated as `target[i]`."""

    name: str
    source: list[str]
    target: list[str]

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True)
class ConsistencyItem:
    """A source of several sentences, and candidate targets that differ only in the last one."""

    source: list[str]
    candidates: list[list[str]]
    true_index: int
    context_distance: int
