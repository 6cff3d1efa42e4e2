"""The settings of a Marian model in a Hugging Face folder, checked for what Longways can compute.

`config.json` of older folders has settings that newer ones leave out. A setting with a value that
Longways does not have is an error, as is any other kind of model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longways.errors import CheckpointError, DamagedCheckpoint
from longways.model.config import Activation

CONFIG_FILE = "config.json"

ACTIVATIONS: dict[str, Activation] = {
    "swish": "swish",
    "silu": "swish",
    "relu": "relu",
    "gelu": "gelu",
}
"""Our activations by the names of Hugging Face."""

OTHER_KINDS = {
    "m2m_100": "M2M100 or NLLB",
    "nllb-moe": "NLLB",
    "t5": "T5",
    "mt5": "mT5",
    "umt5": "UMT5",
    "bart": "BART",
    "mbart": "mBART",
    "pegasus": "PEGASUS",
    "fsmt": "FSMT",
}
"""Translation models that are not imported, by their type in `config.json`."""

_REQUIRED = {
    "scale_embedding": (True, False),
    "static_position_embeddings": (True, True),
    "normalize_before": (False, False),
    "normalize_embedding": (False, False),
    "add_final_layer_norm": (False, False),
    "tie_word_embeddings": (True, True),
    "is_encoder_decoder": (True, True),
}
"""Settings with the only value that is imported, and the value where the file does not name it.

Others are read by no version of the model: `extra_pos_embeddings` is one more than the padding id
in all of OPUS-MT, and `add_bias_logits` is false although there is a bias.
"""


@dataclass(frozen=True, kw_only=True)
class MarianSettings:
    """What the weights of a Marian model do not say about it."""

    dim: int
    heads: int
    feed_forward: int
    encoder_layers: int
    decoder_layers: int
    activation: Activation
    positions: int
    shared: bool
    """Whether both languages have one embedding."""
    eos: int
    start: int | None
    """The token that is read before the first target token; None if its embedding is zero."""
    pad: int | None
    """None if no row is for padding."""
    dropout: float = 0.1


def read_settings(folder: Path) -> MarianSettings:
    """The settings in the `config.json` of a folder."""
    path = folder / CONFIG_FILE
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise DamagedCheckpoint(f"{path} is not JSON ({error}). Copy it again.") from error
    if not isinstance(content, dict):
        raise DamagedCheckpoint(f"{path} is not a table of settings. Copy it again.")
    _check_kind(path, content)
    _check_fixed(path, content)
    return _settings(path, content)


def _check_kind(path: Path, content: Mapping[str, Any]) -> None:
    kind = content.get("model_type")
    if kind == "marian":
        return
    if kind is None and "longways" in content:
        raise CheckpointError(f"{path.parent} is a model of Longways already. Use it as it is.")
    name = OTHER_KINDS.get(str(kind), f"of the type {kind!r}" if kind else "of an unknown type")
    raise CheckpointError(
        f"{path.parent} is a model {'' if name.startswith('of ') else 'of the kind '}{name}. "
        "Longways imports Marian models only, such as OPUS-MT (Helsinki-NLP/opus-mt-...)."
    )


def _check_fixed(path: Path, content: Mapping[str, Any]) -> None:
    for name, (wanted, default) in _REQUIRED.items():
        found = content.get(name, default)
        if found != wanted:
            raise CheckpointError(
                f"{path}: {name} is {found!r}, but only models with {wanted!r} can be imported, "
                "as all of OPUS-MT are."
            )
    if content.get("quantization_config"):
        raise CheckpointError(f"{path}: the model is quantised. Import the original in float32.")
    for name in ("attention_heads", "ffn_dim"):
        both = [content.get(f"{side}_{name}") for side in ("encoder", "decoder")]
        if both[0] != both[1]:
            raise CheckpointError(
                f"{path}: encoder_{name} is {both[0]!r} and decoder_{name} {both[1]!r}, but only "
                "models in which the two are equal can be imported."
            )


def _settings(path: Path, content: Mapping[str, Any]) -> MarianSettings:
    def number(name: str, least: int = 1) -> int:
        value = content.get(name)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if type(value) is not int or value < least:
            raise DamagedCheckpoint(
                f"{path}: {name} is {value!r}, but it must be a whole number from {least}. Copy "
                "the file again."
            )
        return value

    rate = content.get("dropout", 0.1)
    return MarianSettings(
        dim=number("d_model"),
        heads=number("encoder_attention_heads"),
        feed_forward=number("encoder_ffn_dim"),
        encoder_layers=number("encoder_layers"),
        decoder_layers=number("decoder_layers"),
        activation=activation(str(content.get("activation_function", "gelu")), path),
        positions=number("max_position_embeddings"),
        shared=bool(content.get("share_encoder_decoder_embeddings", True)),
        eos=number("eos_token_id", 0),
        start=number("decoder_start_token_id", 0),
        pad=number("pad_token_id", 0),
        dropout=float(rate) if isinstance(rate, int | float) and 0 <= rate < 1 else 0.1,
    )


def activation(name: str, where: object) -> Activation:
    """Our activation of this name, or an error."""
    if name not in ACTIVATIONS:
        raise CheckpointError(
            f"{where}: the activation is {name!r}, but only models with "
            f"{', '.join(ACTIVATIONS)} can be imported."
        )
    return ACTIVATIONS[name]
