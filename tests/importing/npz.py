"""Folders in Marian's own format, from the tensors of Hugging Face."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from tests.importing.folders import marian_config, random_tensors
from tests.text.marian import spm, vocabulary

SETTINGS = {
    "type": "transformer",
    "enc-depth": 2,
    "dec-depth": 2,
    "dim-emb": 32,
    "transformer-heads": 4,
    "transformer-dim-ffn": 48,
    "transformer-ffn-activation": "swish",
    "transformer-preprocess": '""',
    "transformer-postprocess": "dan",
    "transformer-postprocess-emb": "d",
    "transformer-decoder-autoreg": "self-attention",
    "transformer-no-projection": "false",
    "transformer-guided-alignment-layer": "last",
}
WEIGHTS, VOCABULARY = "opus.npz.best-perplexity.npz", "opus.spm32k-spm32k.vocab.yml"


def write_npz(parent: Path, name: str = "opus-zh-en", **changes: Any) -> Path:
    """Write a model with these changes of its settings."""
    folder = parent / name
    folder.mkdir(parents=True)
    for side, file in enumerate(("source.spm", "target.spm")):
        (folder / file).write_bytes(spm(side))
    ids = {one: i for i, one in enumerate(i for i in vocabulary([0, 1]) if i != "<pad>")}
    lines = [f"{json.dumps(one, ensure_ascii=False)}: {i}\n" for one, i in ids.items()]
    (folder / VOCABULARY).write_text("".join(lines))
    files = {"models": [WEIGHTS], "vocabs": [VOCABULARY, VOCABULARY]}
    listed = (f"{key}:\n" + "".join(f"  - {one}\n" for one in own) for key, own in files.items())
    (folder / "decoder.yml").write_text("relative-paths: true\nbeam-size: 6\n" + "".join(listed))
    settings = {key.replace("_", "-"): value for key, value in changes.items()}
    write_arrays(folder, marian_arrays(npz_tensors(len(ids))), SETTINGS | settings)
    return folder


def npz_tensors(size: int) -> dict[str, Tensor]:
    """Random tensors under the names of Hugging Face, without a row for padding."""
    tensors = random_tensors(marian_config(size + 1, size + 1), std=0.2)
    tensors["model.shared.weight"] = tensors["model.shared.weight"][:-1].contiguous()
    tensors["final_logits_bias"] = tensors["final_logits_bias"][:, :-1].contiguous()
    return tensors


def write_arrays(folder: Path, arrays: dict[str, Any], settings: dict[str, Any]) -> None:
    """Write the weights with the settings inside."""
    content = "".join(f"{key}: {value}\n" for key, value in settings.items())
    about = np.frombuffer(content.encode() + b"\0", dtype=np.int8)
    np.savez(folder / WEIGHTS, **arrays, **{"special:model.yml": about})


def marian_arrays(tensors: dict[str, Tensor]) -> dict[str, Any]:
    """The arrays of Marian: matrices are transposed, vectors have one row."""
    found = {}
    for name, tensor in tensors.items():
        own = _marian_name(name)
        turned = tensor.T if re.search(r"_W[qkvo12]$", own) else tensor
        found[own] = np.ascontiguousarray(turned.numpy()).reshape(turned.shape[-2:])
        if tensor.ndim == 1:
            found[own] = found[own].reshape(1, -1)
    return found


def _marian_name(name: str) -> str:
    whole = {"model.shared.weight": "Wemb", "final_logits_bias": "decoder_ff_logit_out_b"}
    if name in whole:
        return whole[name]
    _, side, _, layer, *part, kind = name.split(".")
    start, kinds = f"{side}_l{int(layer) + 1}", {"self_attn": "self", "encoder_attn": "context"}
    if part[0].endswith("layer_norm"):
        suffix = "scale" if kind == "weight" else "bias"
        sublayer = part[0].removesuffix("_layer_norm")
        own = f"{kinds[sublayer]}_Wo" if sublayer in kinds else "ffn_ffn"
        return f"{start}_{own}_ln_{suffix}"
    letter = "W" if kind == "weight" else "b"
    if part[0].startswith("fc"):
        return f"{start}_ffn_{letter}{part[0][2]}"
    return f"{start}_{kinds[part[0]]}_{letter}{part[1][0]}"
