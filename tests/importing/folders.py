"""Folders of tiny Marian models with random weights, as transformers writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from tests.text.marian import write_text_files

NAME = "opus-mt-zh-en"
SIZES = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2}


def write_marian(
    parent: Path,
    *,
    tags: Iterable[str] = (),
    separate: bool = False,
    name: str = NAME,
    std: float = 0.6,
    **changes: Any,
) -> Path:
    """Write a model whose config has these changes.

    With linear maps of this `std`, some translations end, others do not; with a smaller one,
    rounding errors are not amplified.
    """
    folder = parent / name
    folder.mkdir(parents=True)
    source = len(write_text_files(folder, tags, separate))
    path = folder / "target_vocab.json"
    target = len(json.loads(path.read_text())) if separate else source
    config = marian_config(source, target) | changes
    (folder / "config.json").write_text(json.dumps(config))
    save_file(random_tensors(config, std), folder / "model.safetensors")
    return folder


def marian_config(source: int, target: int) -> dict[str, Any]:
    """The `config.json` of a tiny model, with the settings that older folders have too."""
    sides = {"attention_heads": 4, "ffn_dim": 48}
    return {
        **SIZES,
        **{f"{side}_{key}": n for side in ("encoder", "decoder") for key, n in sides.items()},
        "activation_function": "swish",
        "architectures": ["MarianMTModel"],
        "decoder_start_token_id": source - 1,
        "decoder_vocab_size": target,
        "add_bias_logits": False,
        "add_final_layer_norm": False,
        "bad_words_ids": [[source - 1]],
        "bos_token_id": 0,
        "eos_token_id": 0,
        "extra_pos_embeddings": source,  # as in all of OPUS-MT, without a meaning
        "forced_eos_token_id": 0,
        "is_encoder_decoder": True,
        "max_position_embeddings": 96,
        "max_length": 96,
        "model_type": "marian",
        "normalize_before": False,
        "normalize_embedding": False,
        "pad_token_id": source - 1,
        "scale_embedding": True,
        "share_encoder_decoder_embeddings": source == target,
        "static_position_embeddings": True,
        "vocab_size": source,
    }


def random_tensors(config: dict[str, Any], std: float = 0.6) -> dict[str, Tensor]:
    """Weights under the names of Hugging Face."""
    generator = torch.Generator().manual_seed(0)
    dim, tensors = config["d_model"], dict[str, Tensor]()

    def add(name: str, *shape: int, std: float, mean: float = 0.0) -> None:
        tensors[name] = mean + std * torch.randn(*shape, generator=generator)

    for side in ("encoder", "decoder"):
        for layer in range(config[f"{side}_layers"]):
            start = f"model.{side}.layers.{layer}."
            kinds = ["self_attn"] if side == "encoder" else ["self_attn", "encoder_attn"]
            for kind in kinds:
                for projection in "qkv":
                    add(f"{start}{kind}.{projection}_proj.weight", dim, dim, std=std)
                    add(f"{start}{kind}.{projection}_proj.bias", dim, std=0.1)
                add(f"{start}{kind}.out_proj.weight", dim, dim, std=std)
                add(f"{start}{kind}.out_proj.bias", dim, std=0.1)
            for norm in (*(f"{kind}_layer_norm" for kind in kinds), "final_layer_norm"):
                add(f"{start}{norm}.weight", dim, std=0.1, mean=1.0)
                add(f"{start}{norm}.bias", dim, std=0.1)
            wide = config[f"{side}_ffn_dim"]
            for name, *shape in (("fc1", wide, dim), ("fc2", dim, wide)):
                add(f"{start}{name}.weight", *shape, std=std)
                add(f"{start}{name}.bias", shape[0], std=0.1)
    _add_embeddings(config, tensors, generator)
    return tensors


def _add_embeddings(
    config: dict[str, Any], tensors: dict[str, Tensor], generator: torch.Generator
) -> None:
    names = {"model.shared.weight": config["vocab_size"]}
    if not config["share_encoder_decoder_embeddings"]:
        sizes = config["vocab_size"], config["decoder_vocab_size"]
        sides = (f"model.{side}.embed_tokens.weight" for side in ("encoder", "decoder"))
        names = dict(zip(sides, sizes, strict=True))
    for name, size in names.items():
        table = 0.3 * torch.randn(size, config["d_model"], generator=generator)
        table[config["pad_token_id"] :] = 0  # as OPUS-MT has it
        tensors[name] = table
    bias = 0.1 * torch.randn(1, config["decoder_vocab_size"], generator=generator)
    bias[0, config["pad_token_id"] :] = 0
    bias[0, config["eos_token_id"]] = 5
    tensors["final_logits_bias"] = bias
