"""Alignment heads: the attention heads whose weights say which source tokens a token translates.

In most models one or two heads of cross attention do this, and the mean over all heads is worse.
`facts.alignment` in a model's `config.json` names them. Some heads look at the source of the token
that was read last, not of the token that comes next: their weights count one token later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from longways.errors import DamagedCheckpoint
from longways.model.config import ModelConfig

ALIGNMENT_FACT = "alignment"
"""The key among the facts in a model's `config.json`: a list of [layer, head, delay]."""


class AlignmentHead(NamedTuple):
    """A head of cross attention that aligns tokens."""

    layer: int
    """The decoder layer, from 0."""
    head: int
    """The head in the layer, from 0."""
    delay: int
    """1 if the weights for a token come from the step after it, 0 otherwise."""


def alignment_heads(
    facts: Mapping[str, Any], config: ModelConfig, where: str
) -> tuple[AlignmentHead, ...]:
    """The heads that the facts of a model name; none means the mean of all heads."""
    given = facts.get(ALIGNMENT_FACT, [])
    sentence_heads = config.heads - config.stream.heads  # document heads have no weights
    limits = config.decoder_layers, sentence_heads, 2
    if not isinstance(given, list) or not all(_is_head(one, limits) for one in given):
        raise DamagedCheckpoint(
            f"{where}: facts.{ALIGNMENT_FACT} is {given!r}, but it must be a list of heads "
            f"[layer, head, delay], each below {list(limits)}. Restore the folder from a copy."
        )
    return tuple(AlignmentHead(*one) for one in given)


def _is_head(given: object, limits: tuple[int, int, int]) -> bool:
    return (
        isinstance(given, list)
        and len(given) == len(limits)
        and all(type(n) is int and 0 <= n < most for n, most in zip(given, limits, strict=True))
    )
