"""The systems whose speed is compared, by name: the same weights for all transformers.

`concat`       transformer, the paper's kind of cache: concatenated and re-indexed at every step;
               on a CPU windows are shared out among the threads, and `concat-shared` is with all
               threads in every operation, which is slower
`prealloc`     transformer, cache in place, fused attention; on a GPU CUDA graphs by length
`ctranslate2`  transformer in CTranslate2, on a CPU, windows shared out among the threads;
               `ctranslate2-shared` with all threads in every operation, which is slower
`64+32`        RFA with so many projections in cross and causal attention, 2 features each
`spiky-64+32`  the same with 1 feature for each projection; also `learned-64+32`, `positive-64+32`
`hybrid+32`    softmax cross attention, RFA with so many projections in causal attention;
               `hybrid2+32` with 2 heads of cross keys and values, `hybrid2x128+32` with 128 means
               for them, `spiky-hybrid2+32`

On a CPU those of torch have float32 weights, the others int8; on a GPU all have bfloat16.
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
from longways.benchmark.speed.check import CLOSE, check_ctranslate, difference
from longways.benchmark.speed.ctranslate import CTranslate, convert, load_ctranslate
from longways.benchmark.speed.models import speed_model
from longways.benchmark.speed.sharing import Decode, share_out
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
"""The systems that are measured if none are named."""


class Room(NamedTuple):
    """What a decoder must have room for."""

    slots: int
    """Windows decoded side by side."""
    source: int
    """Tokens of a source."""
    target: int
    """Tokens written for it."""


@dataclass(frozen=True)
class System:
    """A way to decode."""

    name: str
    weights: str
    """float32, bfloat16 or int8."""
    model: TranslationModel
    """With the weights as they are used, or, of int8, as they were before."""
    open: Callable[[Room], Decode]
    check: Callable[[], float]
    """By how much its log-probabilities of a token differ from our own in float32, at most."""
    beams: int = 1
    """Sequences of a window."""
    copies: int = 1
    """How often the memory of a source is kept."""
    captures: bool = False
    """Whether it does in its first decoding what it need not do again."""
    checked: str = ""
    """The weights that `check` compares, if they are not those that are used."""
    text: NDArray[np.integer[Any]] | None = None
    """Source tokens that its windows are cut from; random ones if there are none."""

    @property
    def close(self) -> float:
        """The difference that is allowed."""
        return CLOSE[self.checked or self.weights]

    def needs(self, batch: int, tokens: int) -> int:
        """Bytes at the least for so many windows at their end, the weights not counted."""
        sequences = self.beams * self.state_bytes(tokens)
        return batch * (sequences + self.memory_bytes(tokens))

    def state_bytes(self, tokens: int) -> int:
        """Bytes carried from token to token for one sequence of so many."""
        with torch.inference_mode():
            return self.model.decoder.start(self.model.encode(self._end()), tokens).size_bytes()

    def memory_bytes(self, tokens: int) -> int:
        """Bytes kept of the source of one window of so many tokens."""
        with torch.inference_mode():
            layers = self.model.encode(self._end()).layers  # of one token
        sizes = ((one.size_bytes(), isinstance(one, KVMemory) and one.grows) for one in layers)
        return self.copies * sum(size * tokens if grows else size for size, grows in sizes)

    def _end(self) -> torch.Tensor:
        device = self.model.decoder.embedding.tokens.weight.device
        return torch.tensor([[self.model.config.eos]], device=device)


@dataclass(frozen=True)
class Setting:
    """What all systems of one device have in common."""

    device: str
    beams: int
    threads: int
    sizes: dict[str, int]
    folder: Path
    """For the models that are converted."""
    trained: Mapping[str, Path] = field(default_factory=dict)
    """Model folders, by the names of systems, or `transformer`; the others' weights are random."""
    text: NDArray[np.integer[Any]] | None = None
    """Source tokens that windows are cut from; random ones if there are none."""

    def model(self, name: str) -> TranslationModel:
        """The model of a system, in float32."""
        return speed_model(name, self.sizes, self.trained, self.device)


def build(name: str, setting: Setting, transformer: TranslationModel) -> System:
    """The system of this name."""
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
    """The system whose steps, search included, stay on the device: graphs, if it is a GPU."""
    if name == "prealloc":
        return _on_device(name, transformer, setting)
    return _on_device(name, setting.model(name), setting)


def _deployed(model: TranslationModel, setting: Setting) -> tuple[TranslationModel, str]:
    """The model with the weights that are used on this device."""
    if setting.device == "cuda":
        return copy.deepcopy(model).bfloat16(), "bfloat16"
    return model, "float32"


def _concat(name: str, model: TranslationModel, setting: Setting) -> System:
    on_cpu, shared = setting.device == "cpu", name == "concat-shared"
    if shared and not on_cpu:
        raise ConfigError("Threads share operations on a CPU only: on a GPU name concat.")
    used, weights = _deployed(model, setting)
    beams = setting.beams

    def opened(_: Room) -> Decode:
        decode = ConcatenatingDecoder(used, beams=beams).decode
        return share_out(decode, setting.threads) if on_cpu and not shared else decode

    check = partial(_check, opened, model, beams, weights)
    return System(name, weights, used, opened, check, beams, copies=beams)


def _on_device(name: str, model: TranslationModel, setting: Setting) -> System:
    used, weights = _deployed(model, setting)
    beams = setting.beams

    def opened(room: Room) -> Decode:
        return DeviceDecoder(used, beams=beams, **room._asdict()).decode

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


def _searching(runtime: AnyRuntime, beams: int, room: Room) -> Decode:
    how = TranslateConfig(search=SearchConfig(beams=beams), windows=room.slots)
    return lambda windows: decode(runtime, windows, how)


def _ctranslate(name: str, model: TranslationModel, setting: Setting) -> System:
    load_ctranslate()
    if setting.device != "cpu":
        raise ConfigError("CTranslate2 is compared on a CPU only: use --device cpu.")
    exact, folder = setting.folder / f"{name}-exact", setting.folder / name
    convert(model, exact, quantization=None)
    convert(model, folder)
    system = CTranslate(folder, setting.threads, shared=name == "ctranslate2-shared")

    def opened(_: Room) -> Decode:
        return partial(_translated, system, setting.beams)

    check = partial(check_ctranslate, model, exact, setting.threads)
    return System(name, "int8", model, opened, check, setting.beams, checked="float32")


def _translated(
    system: CTranslate, beams: int, windows: Sequence[Window]
) -> list[list[Hypothesis]]:
    """Its tokens; what it thinks of them is not asked."""
    tokens = windows[0].max_tokens
    sources = [window.source for window in windows]
    found = system.translate(sources, tokens, beams, least=tokens)
    return [[Hypothesis(row, 0.0, 0.0, None)] for row in found]


def _check(
    opened: Callable[[Room], Decode], model: TranslationModel, beams: int, weights: str
) -> float:
    return difference(lambda *sizes: opened(Room(*sizes)), model, beams, weights)
