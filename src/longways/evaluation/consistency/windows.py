"""The windows of contrastive items as token ids, one for each candidate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from longways.corpus.document import ConsistencyItem
from longways.decoding.windows import source_window
from longways.errors import WindowError
from longways.text.pipeline import TextPipeline
from longways.text.tokenizers.base import Tokenizer
from longways.text.tokenizers.special_tokens import EOS, SEP

Ids: TypeAlias = tuple[int, ...]


class Candidate(NamedTuple):
    """A source window and one of its candidate translations.

    Candidates of an item share the source and the context, and differ in the last sentence.
    """

    source: Ids
    """s1 <sep> s2 <eos>."""
    context: Ids
    """t1 <sep>: everything before the last sentence; empty if L is 1."""
    last: Ids
    """t2 <eos>."""

    @property
    def target(self) -> Ids:
        """t1 <sep> t2 <eos>."""
        return self.context + self.last


def candidate_windows(
    items: Sequence[ConsistencyItem], text: TextPipeline, L: int, positions: int
) -> list[list[Candidate]]:
    """The windows of the last L sentences, for every item and candidate."""
    sources = _encode(text.source, chain.from_iterable(item.source[-L:] for item in items))
    targets = _encode(
        text.target, chain.from_iterable(c[-L:] for item in items for c in item.candidates)
    )
    windows = [_windows(item, L, sources, targets) for item in items]
    for number, candidates in enumerate(windows, start=1):
        _check(candidates, number, L, positions)
    return windows


def _encode(side: Tokenizer, sentences: Iterable[str]) -> dict[str, Ids]:
    """The token ids of each distinct sentence."""
    distinct = list(dict.fromkeys(sentences))
    return {s: tuple(ids) for s, ids in zip(distinct, side.encode(distinct), strict=True)}


def _windows(
    item: ConsistencyItem, L: int, sources: dict[str, Ids], targets: dict[str, Ids]
) -> list[Candidate]:
    source = tuple(source_window([sources[sentence] for sentence in item.source[-L:]]))
    windows = []
    for candidate in item.candidates:
        *context, last = (targets[sentence] for sentence in candidate[-L:])
        before = tuple(token for sentence in context for token in (*sentence, SEP))
        windows.append(Candidate(source, before, (*last, EOS)))
    return windows


def _check(candidates: list[Candidate], number: int, L: int, positions: int) -> None:
    longest = max(max(len(c.source), len(c.target)) for c in candidates)
    if longest > positions:
        raise WindowError(
            f"item {number}: a window of L={L} has {longest} tokens, but the model has "
            f"{positions} positions. Use a smaller L, or remove the item."
        )
