"""The facts about a model in a study's report: its training, its attention, its state size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longways.attention.config import AttentionConfig, CrossConfig
from longways.corpus.prepared_data import Split
from longways.experiments.config import StudyModel
from longways.model.config import ModelConfig
from longways.model.manifest import read_manifest
from longways.model.state_size import state_bytes, window_tokens
from longways.training.runs.run import BEST_FOLDER
from longways.training.runs.summary import summarise

FLAT_SHARE = 0.01
"""A loss curve is flat once it stays within this share of its best value."""

Row = dict[str, Any]


def model_facts(work: Path, model: StudyModel, split: Split) -> Row:
    """The columns about a model's training and its decoder state."""
    found = summarise(work / model.name)
    config = read_manifest(work / model.name / BEST_FOLDER).model
    best = {k.removeprefix("best "): v for k, v in found.items() if k.startswith("best dev")}
    tokens = window_tokens(split, 1 if config.is_stream else found["config"]["batches"]["L"])
    return {
        **{name: round(value, 4) for name, value in best.items() if value is not None},
        "updates": found["update"],
        "best update": found["best update"],
        "flat from": flat_from(found["curve"]),
        "training seconds": found["seconds"],
        "trained on": found["machine"].get("device"),
        "seed": found["config"]["training"]["seed"],
        "started from": model.init_from or "nothing",
        "taught by": model.teacher or "nobody",
        "attention": describe_attention(config),
        "state bytes": state_bytes(config, *tokens),
    }


def flat_from(curve: list[dict[str, float]]) -> int | None:
    """The first update after which the dev loss stays within 1% of its best value."""
    points = [(int(point["update"]), point["dev_loss"]) for point in curve]
    best = min((loss for _, loss in points), default=0.0)
    last_far = max((n for n, loss in points if loss > best * (1 + FLAT_SHARE)), default=-1)
    return next((update for update, _ in points if update > last_far), None)


def describe_attention(config: ModelConfig) -> str:
    """Both attentions of a decoder in a few words: kind, projection, feature map, gate."""
    if config.is_stream:
        one = config.stream
        heads = f"{one.heads} document heads of {config.heads}"
        gate = f", gate {one.gate}" if one.gate != "none" else ""
        return f"{heads}, {one.feature_map} {one.projection}{gate}"
    sides = [f"cross {_side(config.cross)}", f"causal {_side(config.causal)}"]
    gate = config.causal.gate
    return ", ".join([*sides, *([f"gate {gate}"] if gate != "none" else [])])


def _side(side: AttentionConfig) -> str:
    if side.kind == "softmax":
        return "softmax" + (_smaller(side) if isinstance(side, CrossConfig) else "")
    features = "" if side.feature_map == "random" else f" {side.feature_map}"
    return f"rfa {side.projection}{features}"


def _smaller(side: CrossConfig) -> str:
    """The options that shrink the keys and values of cross attention."""
    heads = f", {side.key_heads} key heads" if side.key_heads else ""
    return heads + (f", {side.means} means" if side.means else "")
