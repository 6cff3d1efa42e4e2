"""Speed and memory of an imported Marian model and of CTranslate2's conversion of its folder.

The folder has random weights of the size of OPUS-MT's base models: 75 million, with 58,101 rows of
one embedding. Both programs decode the same random sources with int8 weights and a fixed number of
tokens. CTranslate2 runs its threads on windows of their own, or together; the faster way counts.
Tokens per second
of processor time do not depend on what else runs. The log-probabilities of both are first compared
with our model in float32.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.decoding.imported_runs import Ours, Task, Theirs, peak_megabytes
from longways.decoding.runtime import pad_rows
from longways.decoding.torch import TorchRuntime
from longways.export.exporter import export_model
from longways.importing.importer import ForeignModel, build
from longways.importing.marian_npz import DECODER_FILE, SETTINGS, read_npz_model
from longways.model.checkpoint import save_model
from longways.results import Report, Row, report
from longways.text.tokenizers.special_tokens import EOS

SIZES = {"dim-emb": 512, "transformer-dim-ffn": 2048, "transformer-heads": 8, "enc-depth": 6,
         "dec-depth": 6}  # fmt: skip
WORDS = 58_101
BATCHES = (1, 16, 64)
MAX_ERROR = 0.2
"""The largest difference of int8 from float32 in the mean log-probability of a token."""
_OTHER_SETTINGS = {"type": "transformer", "transformer-ffn-activation": "swish",
                   "transformer-preprocess": '""', "transformer-postprocess": "dan",
                   "transformer-postprocess-emb": "d", "transformer-postprocess-top": '""',
                   "transformer-decoder-autoreg": "self-attention",
                   "transformer-no-projection": "false",
                   "transformer-guided-alignment-layer": "last"}  # fmt: skip


def measure(
    threads: int = 1,
    beams: int = 4,
    rounds: int = 5,
    batches: Sequence[int] = BATCHES,
    words: int = WORDS,
    sizes: dict[str, int] = SIZES,
    tokens: int = 25,
) -> Report:
    """Tokens a second of both programs, by the number of sentences, and their memory."""
    with tempfile.TemporaryDirectory() as folder:
        rows = list(_rows(Path(folder), threads, beams, rounds, batches, words, sizes, tokens))
    settings = {"threads": threads, "beams": beams, "rounds": rounds, "weights": "int8",
                "vocabulary": words, "tokens": tokens, **sizes}  # fmt: skip
    claim = "An imported Marian model of random weights, against CTranslate2 with the same folder"
    return report("imported", claim, settings, rows, "cpu")


def _rows(
    folder: Path, threads: int, beams: int, rounds: int, batches: Sequence[int], words: int,
    sizes: dict[str, int], tokens: int,
) -> Iterator[Row]:  # fmt: skip
    write_marian(folder / "marian", words, sizes)
    exact = convert(folder)
    errors = _errors(folder, exact, words, tokens)
    for name, error in errors.items():
        assert error < MAX_ERROR, f"{name} is {error:.2f} from float32"
    ours = Ours(folder / "ours", threads)
    ways = {shared: Theirs(folder / "theirs", threads, shared) for shared in (False, True)}
    for batch in batches:
        task = Task(random_sources(batch, words, tokens), tokens, beams)
        calls: dict[str, Callable[[], object]] = {"ours": partial(ours.translate, task)}
        for shared, theirs in ways.items():
            calls["together" if shared else "apart"] = partial(theirs.translate, task)
        times = _times(calls, rounds)
        best = min(times["together"], times["apart"])
        memory = [peak_megabytes(folder / name, threads, task) for name in ("ours", "theirs")]
        yield {
            "sentences": batch,
            "tokens / CPU s": round(batch * tokens / times["ours"].cpu),
            "CTranslate2 tokens / CPU s": round(batch * tokens / best.cpu),
            "ratio": round(best.cpu / times["ours"].cpu, 2),
            "ratio of tokens/s": round(best.wall / times["ours"].wall, 2),
            "MB": memory[0],
            "CTranslate2 MB": memory[1],
            "error": round(errors["ours"], 3),
            "CTranslate2 error": round(errors["theirs"], 3),
        }


class Seconds(NamedTuple):
    """Median seconds of a call: of the processors, which other programs do not change, and wall."""

    cpu: float
    wall: float


def _times(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, Seconds]:
    """Time every call once per round, in turns, after one round that warms up."""
    found: dict[str, list[Seconds]] = {name: [] for name in calls}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            cpu, wall = time.process_time(), time.perf_counter()
            call()
            taken = Seconds(time.process_time() - cpu, time.perf_counter() - wall)
            found[name].append(taken)
    return {
        name: Seconds(*(statistics.median(side) for side in zip(*taken[1:], strict=True)))
        for name, taken in found.items()
    }


def convert(folder: Path) -> TorchRuntime:
    """Convert the folder by both programs; returns our model in float32."""
    import ctranslate2

    foreign = ForeignModel(*read_npz_model(folder / "marian"))
    ordered = foreign.subwords.ordered(foreign.settings, "marian")
    model = build(foreign, ordered, "marian")
    save_model(model, folder / "model")
    export_model(folder / "model", folder / "ours", int8=True)
    converter = ctranslate2.converters.OpusMTConverter(str(folder / "marian"))
    converter.convert(str(folder / "theirs"), quantization="int8")
    return TorchRuntime(model)


def _errors(folder: Path, exact: TorchRuntime, words: int, tokens: int) -> dict[str, float]:
    """The largest difference of mean log-probabilities from our model in float32."""
    sources, targets = (random_sources(4, words, tokens, seed) for seed in (1, 2))
    windows = [pad_rows([[*(i + 3 for i in row), EOS] for row in side])
               for side in (sources, targets)]  # fmt: skip
    wanted = exact.score(*windows).mean(1)
    found = {
        "ours": Ours(folder / "ours", 1).score(*windows),
        "theirs": Theirs(folder / "theirs", 1, shared=True).score(sources, targets),
    }
    return {name: float(np.abs(scores - wanted).max()) for name, scores in found.items()}


def random_sources(count: int, words: int, tokens: int, seed: int = 0) -> list[list[int]]:
    """Random sentences of Marian's ids, none of which is special."""
    rows: list[list[int]] = np.random.default_rng(seed).integers(2, words, (count, tokens)).tolist()
    return rows


def write_marian(folder: Path, words: int, sizes: dict[str, int]) -> None:
    """Write a model in Marian's own format with random weights and made-up subwords."""
    folder.mkdir()
    content = "".join(f"{key}: {value}\n" for key, value in {**_OTHER_SETTINGS, **sizes}.items())
    about = np.frombuffer(content.encode() + b"\0", dtype=np.int8)
    np.savez(folder / "model.npz", **_arrays(words, sizes), **{SETTINGS: about})
    subwords = ["</s>", "<unk>", *(f"w{i}" for i in range(2, words))]
    (folder / "vocab.yml").write_text("".join(f'"{s}": {i}\n' for i, s in enumerate(subwords)))
    listed = "models:\n  - model.npz\nvocabs:\n  - vocab.yml\n  - vocab.yml\n"
    (folder / DECODER_FILE).write_text(listed)
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(b"")  # ids are given, so no text is split


def _arrays(words: int, sizes: dict[str, int]) -> dict[str, NDArray[np.float32]]:
    torch.manual_seed(0)
    dim, wide = sizes["dim-emb"], sizes["transformer-dim-ffn"]
    arrays = {"Wemb": torch.randn(words, dim) * dim**-0.5}
    arrays["decoder_ff_logit_out_b"] = torch.randn(1, words) * 0.1
    for side, depth in (("encoder", sizes["enc-depth"]), ("decoder", sizes["dec-depth"])):
        kinds = ["self"] if side == "encoder" else ["self", "context"]
        for start in (f"{side}_l{number + 1}" for number in range(depth)):
            for kind in kinds:
                for letter in "qkvo":
                    arrays[f"{start}_{kind}_W{letter}"] = torch.randn(dim, dim) * dim**-0.5
                    arrays[f"{start}_{kind}_b{letter}"] = torch.zeros(1, dim)
            for norm in (*(f"{kind}_Wo" for kind in kinds), "ffn_ffn"):
                arrays[f"{start}_{norm}_ln_scale"] = torch.ones(1, dim)
                arrays[f"{start}_{norm}_ln_bias"] = torch.zeros(1, dim)
            for number, shape in (("1", (dim, wide)), ("2", (wide, dim))):
                arrays[f"{start}_ffn_W{number}"] = torch.randn(*shape) * shape[0] ** -0.5
                arrays[f"{start}_ffn_b{number}"] = torch.zeros(1, shape[1])
    return {name: tensor.numpy() for name, tensor in arrays.items()}
