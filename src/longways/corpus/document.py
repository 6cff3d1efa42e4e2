"""Parallel documents and the items of contrastive test sets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Document:
    """The sentences of one text in order; `target[i]` is the translation of `source[i]`."""

    name: str
    source: list[str]
    target: list[str]

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True)
class ConsistencyItem:
    """A source of several sentences, and candidate targets that differ in the last sentence."""

    source: list[str]
    candidates: list[list[str]]
    true_index: int
    context_distance: int
