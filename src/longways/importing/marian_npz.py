"""A model in Marian's own format: `decoder.yml`, weights in .npz, vocabularies in .yml or .spm.

The weights get the names of Hugging Face, and matrices their orientation. Marian starts to decode
with an embedding of zeros, and has no token for padding.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longways.errors import CheckpointError, DamagedCheckpoint
from longways.importing.marian_yaml import Settings, parse_settings, parse_vocabulary
from longways.importing.settings import MarianSettings, activation
from longways.importing.subwords import (
    SOURCE_MODEL,
    TARGET_MODEL,
    Ids,
    Subwords,
    check_ids,
    read_model,
)
from longways.importing.weights import BIAS, EMBEDDINGS, HEAD, SHARED
from longways.text.tokenizers.sentencepiece import open_processor

DECODER_FILE = "decoder.yml"
SETTINGS = "special:model.yml"
END = "</s>"
POSITIONS = 512
"""Marian computes its sinusoids for any length; OPUS-MT is trained on at most 512 subwords."""

_REQUIRED: dict[str, tuple[set[str], str]] = {
    "type": ({"transformer"}, "transformer"),
    "transformer-decoder-autoreg": ({"self-attention"}, "self-attention"),
    "transformer-preprocess": ({"", "d"}, ""),
    "transformer-postprocess": ({"dan"}, "dan"),
    "transformer-postprocess-emb": ({"", "d"}, "d"),
    "transformer-postprocess-top": ({"", "d"}, ""),
    "transformer-no-projection": ({"false"}, "false"),
    "transformer-train-position-embeddings": ({"false"}, "false"),
    "transformer-ffn-depth": ({"2"}, "2"),
}
"""Settings with the values that are imported, and the value where a model does not name it."""

_LAYER = re.compile(r"(encoder|decoder)_l(\d+)_(self|context|ffn)_(\w+)")
_ATTENTION = {"self": "self_attn", "context": "encoder_attn"}
_NORM = re.compile(r"(?:Wo|ffn)_ln_(scale|bias)")
_LINEAR = re.compile(r"([Wb])([qkvo12])")


def read_npz_model(folder: Path) -> tuple[MarianSettings, dict[str, Tensor], Subwords]:
    """Settings, weights and subwords of the model that `decoder.yml` names."""
    path = folder / DECODER_FILE
    named = parse_settings(read_model(path).decode("utf-8", "replace"))
    weights = [folder / Path(one).name for one in _list(named, "models", path)]
    if len(weights) > 1:
        raise CheckpointError(f"{path} names {len(weights)} models. Leave one of them in 'models'.")
    arrays = _read_arrays(weights[0])
    settings = _settings(_model_settings(arrays, weights[0]), arrays, weights[0])
    subwords = _subwords(folder, [Path(one).name for one in _list(named, "vocabs", path)])
    _check_rows(arrays, subwords, weights[0])
    settings = replace(settings, eos=subwords.ids[1].get(END, settings.eos))
    return settings, _named(arrays, weights[0]), subwords


def _list(named: Settings, key: str, path: Path) -> list[str]:
    found = named.get(key)
    if not isinstance(found, list) or not found:
        raise DamagedCheckpoint(f"{path} does not name its {key}. Copy it again.")
    return found


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    if path.suffix != ".npz":
        raise CheckpointError(
            f"{path} is no .npz file, and Marian's other formats cannot be imported. Use the model "
            "in .npz."
        )
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise DamagedCheckpoint(
            f"{path} cannot be read as .npz: it is missing, cut short or damaged ({error}). Copy "
            "it again."
        ) from error


def _model_settings(arrays: dict[str, NDArray[Any]], path: Path) -> Settings:
    if SETTINGS not in arrays:
        raise CheckpointError(f"{path} has no {SETTINGS}, so Marian did not write it.")
    content = arrays.pop(SETTINGS).tobytes().rstrip(b"\0")
    found = parse_settings(content.decode("utf-8", "replace"))
    for name, (values, default) in _REQUIRED.items():
        value = found.get(name, default)
        if value not in values:
            raise CheckpointError(
                f"{path}: {name} is {value!r}, but only models with "
                f"{' or '.join(map(repr, sorted(values)))} can be imported."
            )
    if found.get("transformer-ffn-activation") == "gelu":
        raise CheckpointError(
            f"{path}: Marian's gelu is an approximation that Longways does not have. Models with "
            "swish or relu can be imported."
        )
    return found


def _settings(found: Settings, arrays: dict[str, NDArray[Any]], path: Path) -> MarianSettings:
    def number(name: str) -> int:
        value = found.get(name)
        if not isinstance(value, str) or not value.isdecimal():
            raise DamagedCheckpoint(f"{path}: {name} is {value!r}, but it must be a whole number.")
        return int(value)

    return MarianSettings(
        dim=number("dim-emb"),
        heads=number("transformer-heads"),
        feed_forward=number("transformer-dim-ffn"),
        encoder_layers=number("enc-depth"),
        decoder_layers=number("dec-depth"),
        activation=activation(str(found.get("transformer-ffn-activation", "swish")), path),
        positions=POSITIONS,
        shared="Wemb" in arrays,
        eos=0,
        start=None,
        pad=None,
    )


def _named(arrays: dict[str, NDArray[Any]], path: Path) -> dict[str, Tensor]:
    """The weights under the names of Hugging Face."""
    found = dict[str, Tensor]()
    for name, array in arrays.items():
        if not name.startswith("special:") and name != "decoder_c_tt":
            own, transposed = _hugging_face_name(name, path)
            tensor = torch.from_numpy(np.array(array, dtype=np.float32))
            is_vector = own.endswith(".bias") or "layer_norm" in own
            found[own] = tensor.flatten() if is_vector else (tensor.T if transposed else tensor)
    return found


def _hugging_face_name(name: str, path: Path) -> tuple[str, bool]:
    """The name of a weight, and whether its matrix is transposed."""
    whole = {
        "Wemb": (SHARED, False),
        "encoder_Wemb": (EMBEDDINGS[0], False),
        "decoder_Wemb": (EMBEDDINGS[1], False),
        "decoder_ff_logit_out_W": (HEAD, True),
        "decoder_ff_logit_out_Wt": (HEAD, False),
        "decoder_ff_logit_out_b": (BIAS, False),
        "Wpos": ("model.encoder.embed_positions.weight", False),
    }
    if name in whole:
        return whole[name]
    layer = _LAYER.fullmatch(name)
    own = _part(layer[3], layer[4]) if layer else None
    if layer is None or own is None:
        raise CheckpointError(
            f"{path} has the tensor {name}, which no transformer of Marian has. Students with "
            "other decoders (SSRU, RNN) cannot be imported."
        )
    start = f"model.{layer[1]}.layers.{int(layer[2]) - 1}"
    return f"{start}.{own}", layer[4].startswith("W") and own.endswith(".weight")


def _part(sublayer: str, part: str) -> str | None:
    norm, linear = _NORM.fullmatch(part), _LINEAR.fullmatch(part)
    kind = _ATTENTION.get(sublayer)
    if norm:
        suffix = "weight" if norm[1] == "scale" else "bias"
        return f"{kind}_layer_norm.{suffix}" if kind else f"final_layer_norm.{suffix}"
    if linear:
        suffix = "weight" if linear[1] == "W" else "bias"
        number = linear[2]
        if kind:
            return f"{kind}.{'out' if number == 'o' else number}_proj.{suffix}"
        return f"fc{number}.{suffix}"
    return None


def _check_rows(arrays: dict[str, NDArray[Any]], subwords: Subwords, path: Path) -> None:
    """Raise if an embedding has another number of rows than its vocabulary has ids."""
    sides = zip(("encoder_Wemb", "decoder_Wemb"), subwords.ids, strict=True)
    for name, ids in sides:
        table = arrays.get(name, arrays.get("Wemb"))
        if table is not None and len(table) != max(ids.values()) + 1:
            raise DamagedCheckpoint(
                f"{path}: a vocabulary has ids up to {max(ids.values())}, but the embedding has "
                f"{len(table)} rows. The files are of different models, or cut short."
            )


def _subwords(folder: Path, vocabularies: list[str]) -> Subwords:
    """The subwords of both languages; a vocabulary in .spm is its own SentencePiece model."""
    names = vocabularies[0], vocabularies[-1]
    if all(name.endswith(".spm") for name in names):
        models = read_model(folder / names[0]), read_model(folder / names[1])
    else:
        models = read_model(folder / SOURCE_MODEL), read_model(folder / TARGET_MODEL)
    return Subwords(models, (_read_ids(folder / names[0]), _read_ids(folder / names[1])))


def _read_ids(path: Path) -> Ids:
    content = read_model(path)
    if path.suffix == ".spm":
        processor = open_processor(content)
        return {processor.id_to_piece(i): i for i in range(processor.vocab_size())}
    found = parse_vocabulary(content.decode("utf-8", "replace"), str(path))
    return check_ids(found, path)
