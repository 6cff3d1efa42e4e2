"""The systems of the speed benchmark, by name. All transformers have the same weights.

`concat`       transformer with the paper's KV cache, which is concatenated and re-indexed at every
               step; on a CPU each thread decodes its own windows, and in `concat-shared` all
               threads share every operation, which is slower
`prealloc`     transformer with a preallocated KV cache and fused attention; CUDA graphs on a GPU
`ctranslate2`  transformer in CTranslate2 on a CPU, where each thread decodes its own windows; in
               `ctranslate2-shared` all threads share every operation, which is slower
`64+32`        RFA with 64 projections in cross and 32 in causal attention, 2 features for each
`spiky-64+32`  the same with 1 feature for each projection; also `learned-64+32`, `positive-64+32`
`hybrid+32`    softmax cross attention, and causal RFA with 32 projections; `hybrid2+32` has 2
               heads of cross keys and values, `hybrid2x128+32` also averages them to 128 means;
               also `spiky-hybrid2+32`

On a CPU the torch systems have float32 weights and the others int8; on a GPU all have bfloat16.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from longways.attention.softmax import KVMemory
from longways.benchmark.speed.baselines import ConcatenatingDecoder
from longways.benchmark.speed.check import TOLERANCE, check_ctranslate, difference
from longways.benchmark.speed.ctranslate import CTranslate, convert, load_ctranslate
from longways.benchmark.speed.models import speed_model
from longways.benchmark.speed.sharing import Decode, distribute_windows
from longways.decoding.batching import decode
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.gpu.device_decoder import DeviceDecoder
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.onnx.runtime import OnnxRuntime
from longways.decoding.runtime import AnyRuntime
from longways.decoding.windows import Window
from longways.errors import ConfigError
from longways.export.exporter import write_graphs
from longways.export.quantise import Int8
from longways.model.translation import TranslationModel

DEFAULTS = {
    "cpu": ("ctranslate2", "concat", "64+32", "256+32"),
    "cuda": ("concat", "prealloc", "256+32", "64+32", "hybrid+32"),
}
"""The systems that are measured by default."""


class Capacity(NamedTuple):
    """The largest batch and windows of a decoder."""

    slots: int
    """Windows that are decoded together."""
    source: int
    """Tokens of a source."""
    target: int
    """Tokens of a target."""


@dataclass(frozen=True)
class System:
    """A model with a decoder."""

    name: str
    weights: str
    """float32, bfloat16 or int8."""
    model: TranslationModel
    """The model with the weights in use; for int8, before quantisation."""
    open: Callable[[Capacity], Decode]
    check: Callable[[], float]
    """Returns the largest difference in log-probability per token from our model in float32."""
    beams: int = 1
    """Hypotheses per window."""
    copies: int = 1
    """Copies of the source memory per window."""
    captures: bool = False
    """Whether the first decoding includes one-time work, such as capturing CUDA graphs."""
    checked: str = ""
    """The weights in `check`, if they are not the weights in use."""
    text: NDArray[np.integer[Any]] | None = None
    """Source tokens for the windows; None for random tokens."""

    @property
    def tolerance(self) -> float:
        """The allowed result of `check`."""
        return TOLERANCE[self.checked or self.weights]

    def needs(self, batch: int, tokens: int) -> int:
        """The least memory in bytes for a batch of windows of `tokens` tokens, without weights."""
        sequences = self.beams * self.state_bytes(tokens)
        return batch * (sequences + self.memory_bytes(tokens))

    def state_bytes(self, tokens: int) -> int:
        """Bytes of the decoder state of one hypothesis with `tokens` tokens."""
        with torch.inference_mode():
            return self.model.decoder.start(self.model.encode(self._end()), tokens).size_bytes()

    def memory_bytes(self, tokens: int) -> int:
        """Bytes of the source memory of one window with `tokens` tokens."""
        with torch.inference_mode():
            layers = self.model.encode(self._end()).layers  # for one token
        sizes = ((one.size_bytes(), isinstance(one, KVMemory) and one.grows) for one in layers)
        return self.copies * sum(size * tokens if grows else size for size, grows in sizes)

    def _end(self) -> torch.Tensor:
        device = self.model.decoder.embedding.tokens.weight.device
        return torch.tensor([[self.model.config.eos]], device=device)


@dataclass(frozen=True)
class Setting:
    """The settings that all systems of one device share."""

    device: str
    beams: int
    threads: int
    sizes: dict[str, int]
    folder: Path
    """The folder for converted models."""
    trained: Mapping[str, Path] = field(default_factory=dict)
    """Model folders by the names of systems, or `transformer`; others have random weights."""
    text: NDArray[np.integer[Any]] | None = None
    """Source tokens for the windows; None for random tokens."""

    def model(self, name: str) -> TranslationModel:
        """The model of a system, in float32."""
        return speed_model(name, self.sizes, self.trained, self.device)


def build(name: str, setting: Setting, transformer: TranslationModel) -> System:
    """Build the system with this name."""
    return replace(_build(name, setting, transformer), text=setting.text)


def _build(name: str, setting: Setting, transformer: TranslationModel) -> System:
    if name.startswith("concat"):
        return _concat(name, transformer, setting)
    if name.startswith("ctranslate2"):
        return _ctranslate(name, transformer, setting)
    if name == "prealloc" or setting.device == "cuda":
        return on_device(name, setting, transformer)
    return _onnx(name, setting.model(name), setting)


def on_device(name: str, setting: Setting, transformer: TranslationModel) -> System:
    """A system whose decoding and search run on the device, as CUDA graphs on a GPU."""
    if name == "prealloc":
        return _on_device(name, transformer, setting)
    return _on_device(name, setting.model(name), setting)


def _deployed(model: TranslationModel, setting: Setting) -> tuple[TranslationModel, str]:
    """The model with the weights for this device, and their type."""
    if setting.device == "cuda":
        return copy.deepcopy(model).bfloat16(), "bfloat16"
    return model, "float32"


def _concat(name: str, model: TranslationModel, setting: Setting) -> System:
    on_cpu, shared = setting.device == "cpu", name == "concat-shared"
    if shared and not on_cpu:
        raise ConfigError("Threads share operations on a CPU only: use concat on a GPU.")
    used, weights = _deployed(model, setting)
    beams = setting.beams

    def opened(_: Capacity) -> Decode:
        decode = ConcatenatingDecoder(used, beams=beams).decode
        return distribute_windows(decode, setting.threads) if on_cpu and not shared else decode

    check = partial(_check, opened, model, beams, weights)
    return System(name, weights, used, opened, check, beams, copies=beams)


def _on_device(name: str, model: TranslationModel, setting: Setting) -> System:
    used, weights = _deployed(model, setting)
    beams = setting.beams

    def opened(capacity: Capacity) -> Decode:
        return DeviceDecoder(used, beams=beams, **capacity._asdict()).decode

    check = partial(_check, opened, model, beams, weights)
    return System(name, weights, used, opened, check, beams, captures=True)


def _onnx(name: str, model: TranslationModel, setting: Setting) -> System:
    folder = setting.folder / name
    folder.mkdir()
    write_graphs(model, folder, Int8())
    runtime = OnnxRuntime(folder, model.config, setting.threads)
    opened = partial(_searching, runtime, setting.beams)
    check = partial(_check, opened, model, setting.beams, "int8")
    return System(name, "int8", model, opened, check, setting.beams)


def _searching(runtime: AnyRuntime, beams: int, capacity: Capacity) -> Decode:
    config = TranslateConfig(search=SearchConfig(beams=beams), windows=capacity.slots)
    return lambda windows: decode(runtime, windows, config)


def _ctranslate(name: str, model: TranslationModel, setting: Setting) -> System:
    load_ctranslate()
    if setting.device != "cpu":
        raise ConfigError("CTranslate2 is compared on a CPU only: use --device cpu.")
    exact, folder = setting.folder / f"{name}-exact", setting.folder / name
    convert(model, exact, quantization=None)
    convert(model, folder)
    system = CTranslate(folder, setting.threads, shared=name == "ctranslate2-shared")

    def opened(_: Capacity) -> Decode:
        return partial(_translated, system, setting.beams)

    check = partial(check_ctranslate, model, exact, setting.threads)
    return System(name, "int8", model, opened, check, setting.beams, checked="float32")


def _translated(
    system: CTranslate, beams: int, windows: Sequence[Window]
) -> list[list[Hypothesis]]:
    """The tokens of CTranslate2 as hypotheses without scores."""
    tokens = windows[0].max_tokens
    sources = [window.source for window in windows]
    found = system.translate(sources, tokens, beams, least=tokens)
    return [[Hypothesis(row, 0.0, 0.0, None)] for row in found]


def _check(
    opened: Callable[[Capacity], Decode], model: TranslationModel, beams: int, weights: str
) -> float:
    return difference(lambda *sizes: opened(Capacity(*sizes)), model, beams, weights)
