"""What each GPU kernel of decoding gains: a decoding step with it, and with plain torch instead.

Every row holds the time of a captured step with all kernels and without one of them, measured in
turns. A kernel that gains less than 5% at the batch sizes people run is a candidate for removal;
rows of removed kernels stay in the results file. On a machine with a GPU:
`python -m benchmarks.decoding.kernel_gains --out results/speed/kernel-gains.json`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

from benchmarks.decoding.reorder_device import decoder_after
from longways.attention.kernels import dependent_launch
from longways.attention.rfa.decode import decode_causal, decode_cross
from longways.attention.softmax import KVMemory, shared_attention
from longways.benchmark.speed.config import SIZES
from longways.benchmark.speed.models import new_model
from longways.benchmark.speed.systems import Setting, on_device
from longways.benchmark.speed.windows import Shape
from longways.benchmark.timing import compare
from longways.decoding.gpu import (
    decoder_layer,
    layer_operations,
    next_token,
    source_encoder,
)
from longways.decoding.gpu.captured_decoder import STEPS_PER_GRAPH, CapturedDecoder
from longways.decoding.gpu.decoder_layer import FusedDecoderLayer
from longways.model.config import preset
from longways.results import publish, report, write

SYSTEMS = ("prealloc", "spiky-64+32", "256+32", "hybrid2+32", "hybrid2x64+32")
BATCHES = ((4, 16, 1), (4, 64, 1), (4, 256, 1), (4, 16, 4), (15, 96, 1))
"""L, windows and beams: a few documents, many documents, a corpus, beam search, long windows."""

RFA = ("spiky-64+32", "256+32")
SYSTEMS_OF_KERNEL = {
    "decode_causal": (*RFA, "hybrid2+32"),
    "norm_cross": RFA,
    "decode_cross": RFA,
    "cross_summary": RFA,
    "decode_means": ("hybrid2x64+32",),
    "cache_append": ("prealloc",),
}
"""The systems in which a kernel is measured; for kernels that are not listed, the first two."""

Patch = tuple[Any, str, Any]


def _plain_causal(
    layer: FusedDecoderLayer, q: Tensor, k: Tensor, v: Tensor, past: Any, parents: Any, gate: Any
) -> Any:
    out, state = decode_causal(q, k, v, layer.causal_map.plain, None, past, parents, gate)
    return out.to(v.dtype), state


def _plain_cross(layer: FusedDecoderLayer, q: Tensor, memory: Any) -> Tensor:
    if isinstance(memory, KVMemory):
        return decoder_layer._softmax_cross(q, memory)
    return decode_cross(q, layer.cross_map.plain, None, memory).to(q.dtype)


def _plain_softmax_cross(q: Tensor, memory: KVMemory) -> Tensor:
    mask = memory.mask if memory.mask.is_floating_point() else memory.mask[:, None, None]
    return shared_attention(q, memory.keys, memory.values, mask if memory.grows else None)


def _plain_append(keys: Tensor, values: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> None:
    rows = torch.arange(len(k), device=k.device)
    keys[rows, :, positions] = k.to(keys.dtype)
    values[rows, :, positions] = v.to(values.dtype)


def _no(*_: Any) -> bool:
    return False


SEPARATE_NORM: Patch = (FusedDecoderLayer, "norm_and_cross", lambda *_: None)
KERNELS: dict[str, tuple[list[Patch], list[Patch]]] = {
    "decode_causal": ([], [(FusedDecoderLayer, "_causal_rfa", _plain_causal)]),
    "norm_cross": ([], [SEPARATE_NORM]),
    "decode_cross": (
        [SEPARATE_NORM],
        [SEPARATE_NORM, (FusedDecoderLayer, "_attend_to_source", _plain_cross)],
    ),
    "decode_means": ([], [(decoder_layer, "_softmax_cross", _plain_softmax_cross)]),
    "linear": (
        [SEPARATE_NORM],
        [
            SEPARATE_NORM,
            (layer_operations, "fused_linear_serves", _no),
            (decoder_layer, "fused_linear_serves", _no),
        ],
    ),
    "cache_append": ([], [(decoder_layer, "append", _plain_append)]),
    "next_token and beam_step": ([], [(next_token, "triton_serves", _no)]),
    "dependent_launch": ([], [(dependent_launch, "_supports_pdl", _no)]),
    "cross_summary": ([], [(source_encoder, "kernels_serve", _no)]),
}
"""For each kernel the patches of the measurement with it, and of the measurement without it."""


@contextmanager
def _patched(patches: Sequence[Patch]) -> Iterator[None]:
    with ExitStack() as stack:
        for target, name, value in patches:
            stack.enter_context(patch.object(target, name, value))
        yield


def _steps(system: Any, shape: Shape, beams: int, patches: Sequence[Patch]) -> Callable[[], Any]:
    """STEPS_PER_GRAPH decoding steps, captured and replayed."""
    with _patched(patches):
        decoder = decoder_after(CapturedDecoder, system.model, shape, beams, shape.tokens // 2)

    def advance() -> Any:
        with _patched(patches):  # a cache that grows captures again
            return decoder.advance()

    advance()
    torch.cuda.synchronize()
    return advance


def _encoding(system: Any, shape: Shape, patches: Sequence[Patch]) -> Callable[[], Any]:
    """The encoding of a batch of sources."""
    encoder = source_encoder.SourceEncoder(system.model)
    source = torch.randint(4, 1000, (shape.batch, shape.tokens), device="cuda")

    def encode() -> Any:
        with _patched(patches), torch.inference_mode():
            return encoder.encode(source, padded=False)

    return encode


def measure(rounds: int) -> Iterator[dict[str, Any]]:
    """A row for every kernel, system and batch."""
    for (L, batch, beams), name in product(BATCHES, SYSTEMS):
        setting = Setting("cuda", beams, 1, SIZES, Path())
        transformer = new_model(preset("transformer", norm="pre", **SIZES), "cuda")
        system, shape = on_device(name, setting, transformer), Shape(L, batch, "gains")
        for kernel, (both, without) in KERNELS.items():
            if name not in SYSTEMS_OF_KERNEL.get(kernel, SYSTEMS[:2]):
                continue
            if kernel == "cross_summary":
                calls = {"with": _encoding(system, shape, both)}
                calls["without"] = _encoding(system, shape, without)
            else:
                calls = {"with": _steps(system, shape, beams, both)}
                calls["without"] = _steps(system, shape, beams, without)
            try:
                times = compare(calls, "cuda", rounds)
            except torch.OutOfMemoryError:
                continue
            steps = 1 if kernel == "cross_summary" else STEPS_PER_GRAPH
            us = {key: 1e6 * time.median / steps for key, time in times.items()}
            gain = 100 * (us["without"] / us["with"] - 1)
            yield (
                {
                    "kernel": kernel,
                    "system": name,
                    "L": L,
                    "windows": batch,
                    "beams": beams,
                    "with us": round(us["with"], 1),
                    "without us": round(us["without"], 1),
                    "gain %": round(gain, 1),
                }
            )
            del calls
            torch.cuda.empty_cache()


def main() -> None:
    """Print every row as it is measured, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    settings = {
        "rounds": options.rounds,
        "weights": "random",
        "steps captured together": STEPS_PER_GRAPH,
    }
    result = report("kernel-gains", "What each GPU kernel gains", settings, rows, "cuda")
    for row in measure(options.rounds):
        print(json.dumps(row), flush=True)
        rows.append(row)
        if options.out:
            write(result, options.out)
    publish(result, options.out)


if __name__ == "__main__":
    main()
