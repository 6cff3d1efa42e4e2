"""Weights of a Marian model under our names, in our order of coordinates and of vocabulary rows.

V vocabulary rows, d model size.

Both programs add sinusoids to the embeddings: Hugging Face all sines before all cosines, we each
sine before its cosine. The residual stream is therefore permuted: in columns of embeddings and
inputs of its readers, in outputs of its writers, and in all norms. The logits do not change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from longways.errors import CheckpointError, DamagedCheckpoint
from longways.importing.settings import MarianSettings
from longways.model.translation import CLOSED_BIAS
from longways.text.tokenizers.special_tokens import BOS

Rows = Sequence[int | None]
"""The row of the foreign vocabulary for each of our ids, None for a token it does not have."""

_SUBLAYERS = {
    "encoder": {
        "self_attn": "attention",
        "self_attn_layer_norm": "residual.norm",
        "final_layer_norm": "feed_forward.residual.norm",
    },
    "decoder": {
        "self_attn": "causal",
        "self_attn_layer_norm": "causal_residual.norm",
        "encoder_attn": "cross",
        "encoder_attn_layer_norm": "cross_residual.norm",
        "final_layer_norm": "feed_forward.residual.norm",
    },
}
_FEED_FORWARD = {"fc1": "feed_forward.wide", "fc2": "feed_forward.narrow"}
_PROJECTIONS = {"q_proj": "q", "k_proj": "k", "v_proj": "v", "out_proj": "o"}
_LAYER = re.compile(r"model\.(encoder|decoder)\.layers\.(\d+)\.([\w.]+)\.(weight|bias)")
_POSITIONS = re.compile(r"model\.(encoder|decoder)\.embed_positions\.weight")

SHARED, BIAS, HEAD = "model.shared.weight", "final_logits_bias", "lm_head.weight"
EMBEDDINGS = "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"
MAX_POSITION_ERROR = 1e-3
"""The largest difference of stored positions from sinusoids, which is 2e-4 in float16."""


def our_weights(
    tensors: dict[str, Tensor], settings: MarianSettings, rows: tuple[Rows, Rows], where: str
) -> dict[str, Tensor]:
    """The weights of our model by their names; `rows` has the rows of each language."""
    left, order = dict(tensors), residual_order(settings.dim)
    tables = _embeddings(left, settings, where)
    bias = left.pop(BIAS, torch.zeros(len(tables[1]))).flatten()
    _drop_known(left, settings, tables[1], where)
    try:
        found = {_our_name(name): _reordered(name, left[name], order) for name in left}
    except KeyError as error:
        raise CheckpointError(
            f"{where} has the tensor {error.args[0]}, which no Marian model has. Longways imports "
            "Marian models only."
        ) from error
    sides = [_chosen(table, own, where)[:, order] for table, own in zip(tables, rows, strict=True)]
    found["decoder.embedding.tokens.weight"] = sides[1]
    if not settings.shared:
        found["encoder.embedding.tokens.weight"] = sides[0]
    found["output_bias"] = _output_bias(bias, rows[1], where)
    return found


def residual_order(dim: int) -> Tensor:
    """The coordinate of the foreign residual stream for each of ours: sine, cosine, sine, ..."""
    return torch.arange(dim).view(2, dim // 2).T.flatten()


def _embeddings(
    left: dict[str, Tensor], settings: MarianSettings, where: str
) -> tuple[Tensor, Tensor]:
    """The embeddings of source and target; several names of one tensor must agree."""
    shared = left.pop(SHARED, None)
    both = [left.pop(name, shared) for name in EMBEDDINGS]
    source, target = (shared if one is None else one for one in both)
    if source is None or target is None:
        raise DamagedCheckpoint(f"{where} lacks {SHARED}, the embedding. Copy it again.")
    if settings.shared and not torch.equal(source, target):
        raise CheckpointError(
            f"{where} has different embeddings for source and target, but its config says that "
            "they are shared. Copy both files from the same model."
        )
    return source, target


def _drop_known(
    left: dict[str, Tensor], settings: MarianSettings, target: Tensor, where: str
) -> None:
    """Drop the tensors that repeat others: the output layer, and sinusoids."""
    head = left.pop(HEAD, None)
    if head is not None and not torch.equal(head, target):
        raise CheckpointError(
            f"{where} has an output layer of its own ({HEAD}), but only models whose output layer "
            "is the target embedding can be imported."
        )
    for name in [name for name in left if _POSITIONS.fullmatch(name)]:
        table = left.pop(name)
        if not _are_sinusoids(table, settings.dim):
            raise CheckpointError(
                f"{where}: {name} is not a table of sinusoids, so the model has learned positions, "
                "which Longways does not have."
            )


def _are_sinusoids(table: Tensor, dim: int) -> bool:
    rates = 10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    angles = torch.arange(len(table))[:, None] * rates
    wanted = torch.cat([angles.sin(), angles.cos()], 1)
    if table.shape != wanted.shape:
        return False
    return bool((table - wanted).abs().max() < MAX_POSITION_ERROR)


def _our_name(name: str) -> str:
    """Our name of a weight; raises KeyError with the name if it is unknown."""
    match = _LAYER.fullmatch(name)
    if not match:
        raise KeyError(name)
    side, layer, part, kind = match.groups()
    sublayer, _, projection = part.partition(".")
    try:
        if projection:
            own = f"{_SUBLAYERS[side][sublayer]}.{_PROJECTIONS[projection]}"
        else:
            own = _FEED_FORWARD.get(sublayer) or _SUBLAYERS[side][sublayer]
    except KeyError:
        raise KeyError(name) from None
    return f"{side}.layers.{layer}.{own}.{kind}"


def _reordered(name: str, tensor: Tensor, order: Tensor) -> Tensor:
    """A weight whose coordinates of the residual stream have our order."""
    writes = re.search(r"\.(out_proj|fc2)\.", name)
    if writes or "layer_norm" in name:
        return _index(name, tensor, order, lambda x: x[order])
    if name.endswith(".weight"):
        return _index(name, tensor, order, lambda x: x[:, order])
    return tensor


def _index(name: str, tensor: Tensor, order: Tensor, index: Callable[[Tensor], Tensor]) -> Tensor:
    try:
        return index(tensor)
    except IndexError as error:
        raise DamagedCheckpoint(
            f"{name} has the shape {tuple(tensor.shape)}, which does not fit d_model = "
            f"{len(order)}. The files are of different models."
        ) from error


def _chosen(table: Tensor, rows: Rows, where: str) -> Tensor:
    """The rows (V, ...) of a table in our order; zeros for a token that it does not have."""
    largest = max(row for row in rows if row is not None)
    if largest >= len(table):
        raise DamagedCheckpoint(
            f"{where}: the embedding has {len(table)} rows, but the vocabulary has ids up to "
            f"{largest}. The files are of different models."
        )
    found = table[torch.tensor([0 if row is None else row for row in rows])]
    found[[place for place, row in enumerate(rows) if row is None]] = 0
    return found


def _output_bias(bias: Tensor, rows: Rows, where: str) -> Tensor:
    """The bias (V,) in our order; what the foreign model cannot predict is closed."""
    found = _chosen(bias, rows, where)
    found[[place for place, row in enumerate(rows) if row is None]] = CLOSED_BIAS
    found[BOS] = CLOSED_BIAS  # a copy of the row that starts decoding, which is counted once
    return found
