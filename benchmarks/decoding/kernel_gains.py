"""What each GPU kernel of decoding gains: a decoding step with it, and with plain torch instead.

Every row holds the time of a captured step with all kernels and without one of them, measured in
turns. A kernel that gains less than 5% at the batch sizes people run is a candidate for removal.
On a machine with a GPU:
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
from longways.decoding.gpu.captured_decoder import STEPS, CapturedDecoder
from longways.decoding.gpu.decoder_layer import StepLayer
from longways.model.config import preset
from longways.results import publish, report, write

SYSTEMS = ("prealloc", "spiky-64+32", "256+32", "hybrid2+32", "hybrid2x64+32")
BATCHES = ((4, 16, 1), (4, 64, 1), (4, 256, 1), (4, 16, 4), (15, 96, 1))
"""L, windows and beams: a few documents, a folder of them, a corpus, beams, long windows."""

RFA = ("spiky-64+32", "256+32")
TAKES_PART = {
    "decode_causal": (*RFA, "hybrid2+32"),
    "norm_cross": RFA,
    "decode_cross": RFA,
    "cross_summary": RFA,
    "decode_means": ("hybrid2x64+32",),
    "cache_append": ("prealloc",),
}
"""The systems in which a kernel is used; a kernel that is not named here is used in all of them."""

Patch = tuple[Any, str, Any]


def _plain_remember(
    layer: StepLayer, q: Tensor, k: Tensor, v: Tensor, past: Any, parents: Any, gate: Any
) -> Any:
    out, state = decode_causal(q, k, v, layer.causal_map.plain, None, past, parents, gate)
    return out.to(v.dtype), state


def _plain_read(layer: StepLayer, q: Tensor, memory: Any) -> Tensor:
    if isinstance(memory, KVMemory):
        return decoder_layer._attend(q, memory)
    return decode_cross(q, layer.cross_map.plain, None, memory).to(q.dtype)


def _plain_attend(q: Tensor, memory: KVMemory) -> Tensor:
    mask = memory.mask if memory.mask.is_floating_point() else memory.mask[:, None, None]
    return shared_attention(q, memory.keys, memory.values, mask if memory.grows else None)


def _plain_append(keys: Tensor, values: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> None:
    rows = torch.arange(len(k), device=k.device)
    keys[rows, :, positions] = k.to(keys.dtype)
    values[rows, :, positions] = v.to(values.dtype)


def _no(*_: Any) -> bool:
    return False


APART: Patch = (StepLayer, "cross_at_once", lambda *_: None)
KERNELS: dict[str, tuple[list[Patch], list[Patch]]] = {
    "decode_causal": ([], [(StepLayer, "_remember", _plain_remember)]),
    "norm_cross": ([], [APART]),
    "decode_cross": ([APART], [APART, (StepLayer, "_read", _plain_read)]),
    "decode_means": ([], [(decoder_layer, "_attend", _plain_attend)]),
    "linear": ([APART], [APART, (layer_operations, "few", _no), (decoder_layer, "few", _no)]),
    "cache_append": ([], [(decoder_layer, "append", _plain_append)]),
    "next_token and beam_step": ([], [(next_token, "serves", _no)]),
    "dependent_launch": ([], [(dependent_launch, "_can", _no)]),
    "cross_summary": ([], [(source_encoder, "kernels_serve", _no)]),
}
"""For each kernel what is patched in both measurements, and what is patched without it."""


@contextmanager
def _patched(patches: Sequence[Patch]) -> Iterator[None]:
    with ExitStack() as stack:
        for target, name, value in patches:
            stack.enter_context(patch.object(target, name, value))
        yield


def _steps(system: Any, shape: Shape, beams: int, patches: Sequence[Patch]) -> Callable[[], Any]:
    """A captured step; or, where the kernel reads sources, the reading of a whole batch."""
    with _patched(patches):
        decoder = decoder_after(CapturedDecoder, system.model, shape, beams, shape.tokens // 2)

    def advance() -> Any:
        with _patched(patches):  # a cache that grows is captured again
            return decoder.advance()

    advance()
    torch.cuda.synchronize()
    return advance


def _reading(system: Any, shape: Shape, patches: Sequence[Patch]) -> Callable[[], Any]:
    encoder = source_encoder.SourceEncoder(system.model)
    source = torch.randint(4, 1000, (shape.batch, shape.tokens), device="cuda")

    def read() -> Any:
        with _patched(patches), torch.inference_mode():
            return encoder.read(source, padded=False)

    return read


def measure(rounds: int) -> Iterator[dict[str, Any]]:
    """A row for every kernel, system and batch that it takes part in."""
    sizes = SIZES
    for (L, batch, beams), name in product(BATCHES, SYSTEMS):
        setting = Setting("cuda", beams, 1, sizes, Path())
        transformer = new_model(preset("transformer", norm="pre", **sizes), "cuda")
        system, shape = on_device(name, setting, transformer), Shape(L, batch, "gains")
        for kernel, (both, without) in KERNELS.items():
            if name not in TAKES_PART.get(kernel, SYSTEMS[:2]):
                continue
            if kernel == "cross_summary":
                calls = {"with": _reading(system, shape, both)}
                calls["without"] = _reading(system, shape, without)
            else:
                calls = {"with": _steps(system, shape, beams, both)}
                calls["without"] = _steps(system, shape, beams, without)
            try:
                times = compare(calls, "cuda", rounds)
            except torch.OutOfMemoryError:
                continue
            each = 1 if kernel == "cross_summary" else STEPS
            us = {key: 1e6 * time.median / each for key, time in times.items()}
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
    """Measure, show and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    settings = {"rounds": options.rounds, "weights": "random", "steps captured together": STEPS}
    result = report("kernel-gains", "What each GPU kernel gains", settings, rows, "cuda")
    for row in measure(options.rounds):
        print(json.dumps(row), flush=True)
        rows.append(row)
        if options.out:
            write(result, options.out)
    publish(result, options.out)


if __name__ == "__main__":
    main()
