"""The speed benchmark, on tiny models."""

import copy
import json
import re
import sys

import numpy as np
import pytest
import torch

from longways.benchmark.speed import measure as measure_module
from longways.benchmark.speed.check import TOLERANCE, difference
from longways.benchmark.speed.config import SpeedConfig
from longways.benchmark.speed.largest import largest_batch
from longways.benchmark.speed.measure import comparison_rows, measure, run_rounds
from longways.benchmark.speed.models import new_model, rfa_config
from longways.benchmark.speed.plot import last_rows, plot_speed, read_rows, speed_table
from longways.benchmark.speed.systems import Setting, System, build
from longways.benchmark.speed.trial import TimeLimits, Trial, too_large
from longways.benchmark.speed.windows import Shape, larger, shapes, windows_of
from longways.decoding.batching import decode
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.torch import TorchRuntime
from longways.decoding.windows import Window
from longways.errors import ConfigError
from longways.model.config import preset
from longways.results import report

SIZES = {
    "source_vocabulary": 60, "target_vocabulary": 50, "dim": 32, "heads": 4, "feed_forward": 48,
    "encoder_layers": 1, "decoder_layers": 1, "positions": 64,
}  # fmt: skip


def tiny(**settings) -> SpeedConfig:
    given = {"lengths": [1, 2], "batches": ["1", "3"], "systems": ["concat", "8+4"], "rounds": 1}
    return SpeedConfig(**{**given, "threads": 1, "sizes": SIZES, **settings})


def silent(line: str) -> None:
    assert line


def test_every_system_is_measured_for_every_length_and_batch():
    found = measure(tiny(), silent)
    wanted = [(L, batch) for L in (1, 2) for batch in (1, 3) for _ in range(2)]
    assert [(row["L"], row["batch"]) for row in found.rows] == wanted
    assert all(row["tokens/s"] > 0 and row["rounds"] == 1 for row in found.rows)
    for concat, rfa in zip(found.rows[::2], found.rows[1::2], strict=True):
        assert (concat["system"], rfa["system"]) == ("concat", "8+4")
        assert rfa["over concat"] == pytest.approx(
            rfa["tokens/s"] / concat["tokens/s"], rel=0.02, abs=0.01
        )
        assert rfa["over ctranslate2"] is None
    assert [row["weights"] for row in found.rows[:2]] == ["float32", "int8"]
    assert float(found.settings["concat differs by"]) < TOLERANCE["float32"]
    assert found.settings["systems"] == ["concat", "8+4"]


def test_there_are_positions_for_the_longest_window():
    found = measure(tiny(lengths=[4], batches=["1"], systems=["8+4"]), silent)
    assert found.settings["positions"] == 81
    assert found.rows[0]["tokens/s"] > 0


def test_the_state_of_rfa_is_constant_and_the_state_of_a_transformer_grows():
    rows = measure(tiny(batches=["1"], beams=2), silent).rows
    concat, rfa = rows[0::2], rows[1::2]
    head = 32 // 4
    assert [row["state bytes"] for row in rfa] == [4 * 4 * (8 * (head + 1) + 2)] * 2
    token = 2 * 32 * 4  # a key and a value
    assert [row["state bytes"] for row in concat] == [20 * token + 8, 40 * token + 8]
    assert rfa[0]["source bytes"] == rfa[1]["source bytes"]
    assert concat[1]["source bytes"] == 2 * concat[0]["source bytes"] == 2 * 2 * 20 * (token + 1)


@pytest.mark.parametrize("beams", [1, 2])
def test_systems_of_all_kinds_are_checked_before_they_are_measured(beams):
    names = ["prealloc", "concat", "concat-shared", "8+4", "hybrid+4"]
    found = measure(tiny(lengths=[1], batches=["2"], systems=names, beams=beams), silent)
    assert [row["system"] for row in found.rows] == names
    assert {f"{name} differs by" for name in names} <= found.settings.keys()
    assert float(found.settings["prealloc differs by"]) < TOLERANCE["float32"]


def test_threads_share_operations_on_a_cpu_only():
    model = new_model(preset("transformer", **SIZES), "cpu")
    setting = Setting("cuda", 1, 2, SIZES, None)
    with pytest.raises(ConfigError, match="on a CPU only: use concat on a GPU"):
        build("concat-shared", setting, model)


def test_ctranslate2_is_measured():
    pytest.importorskip("ctranslate2")
    names = ["ctranslate2", "ctranslate2-shared", "8+4"]
    found = measure(tiny(lengths=[1], batches=["1"], systems=names), silent)
    assert [row["system"] for row in found.rows] == names
    assert found.rows[2]["over ctranslate2"] > 0
    assert found.rows[2]["over ctranslate2-shared"] > 0


def test_without_ctranslate2_the_other_systems_are_measured(monkeypatch):
    said = []
    monkeypatch.setitem(sys.modules, "ctranslate2", None)  # as if it were not installed
    systems = ["ctranslate2", "8+4"]
    found = measure(tiny(lengths=[1], batches=["1"], systems=systems), said.append)
    why = found.settings["left out ctranslate2"]
    assert re.fullmatch(
        r"The package ctranslate2 cannot be loaded \(.*\): `pip install ctranslate2`\.", why
    )
    assert said[0] == f"ctranslate2 is left out: {why}"
    assert [row["system"] for row in found.rows] == ["8+4"]


@pytest.mark.parametrize("batches", ["1", "largest"])
def test_a_benchmark_without_any_system_is_refused(monkeypatch, batches):
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    plan = tiny(batches=[batches], systems=["ctranslate2"], rounds=2)
    with pytest.raises(ConfigError, match=r"nothing to measure: left out ctranslate2, .*`\.$"):
        measure(plan, silent)


def test_without_a_gpu_the_cpu_is_measured(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    said = []
    found = measure(tiny(device="both", lengths=[1], batches=["1"]), said.append)
    assert "cuda is left out: torch finds no GPU here" in said
    assert {row["device"] for row in found.rows} == {"cpu"}
    with pytest.raises(
        ConfigError, match=r"nothing to measure: left out cuda, torch finds no GPU here\.$"
    ):
        measure(tiny(device="cuda"), silent)


def test_a_system_with_wrong_scores_is_not_measured(monkeypatch):
    monkeypatch.setattr(measure_module, "build", lambda *given: _lying(build(*given)))
    with pytest.raises(
        ConfigError, match=r"nothing to measure: left out concat, it differs from our own"
    ):
        measure(tiny(systems=["concat"]), silent)


def _lying(system: System) -> System:
    def opened(*_):
        decode = system.open(None)
        return lambda windows: [
            [one._replace(score=one.score - 1.0) for one in found] for found in decode(windows)
        ]

    return System("concat", "float32", system.model, system.open, lambda: _off(opened, system))


def _off(opened, system: System) -> float:
    return difference(opened, system.model, 1)


def test_a_decoder_with_worse_hypotheses_fails_the_check():
    model = new_model(preset("transformer", **SIZES), "cpu")
    runtime = TorchRuntime(model)

    def opened(*_):
        return lambda windows: [[_worst(runtime, one.source)] for one in windows]

    assert difference(opened, model, 1) > TOLERANCE["float32"]


def test_a_system_has_the_model_that_its_name_says():
    shared = rfa_config("spiky-hybrid2+32", SIZES | {"heads": 4})
    assert (shared.cross.kind, shared.key_heads) == ("softmax", 2)
    assert (shared.causal.feature_map, shared.causal.projection) == ("spiky", 32)
    assert rfa_config("hybrid+32", SIZES).cross.key_heads == 0
    pooled = rfa_config("hybridx56+16", SIZES)
    assert (pooled.cross.kind, pooled.cross.key_heads, pooled.cross.means) == ("softmax", 0, 56)
    own = rfa_config("spiky-112+48", SIZES)
    assert (own.cross.feature_map, own.cross.projection, own.causal.projection) == (
        "spiky",
        112,
        48,
    )


@pytest.mark.parametrize("name", ["transformer", "8+4", "hybrid+4", "hybrid1+4"])
@pytest.mark.parametrize("mistake", ["sources", "parents"])
def test_a_decoder_that_mixes_up_sources_or_beams_fails_the_check(name, mistake):
    sizes = {**SIZES, "dim": 64, "decoder_layers": 2}
    rfa = name != "transformer"
    model = new_model(rfa_config(name, sizes) if rfa else preset(name, **sizes), "cpu")
    runtime = TorchRuntime(model)

    def opened(*_):
        return lambda windows: _mixed_up(runtime, mistake, windows)

    assert difference(opened, model, 4) > TOLERANCE["bfloat16"]


def _mixed_up(runtime: TorchRuntime, mistake: str, windows: list[Window]):
    config = TranslateConfig(search=SearchConfig(beams=4))
    if mistake == "sources":
        sources = [window.source for window in windows]
        mixed = zip(windows, [*sources[1:], sources[0]], strict=True)
        return decode(runtime, [one._replace(source=source) for one, source in mixed], config)
    wrong = copy.copy(runtime)
    wrong.step = lambda tokens, parents, state: runtime.step(
        tokens, np.tile(np.arange(4), (len(parents), 1)), state
    )
    return decode(wrong, windows, config)


def _worst(runtime: TorchRuntime, source: list[int]) -> Hypothesis:
    """An unlikely hypothesis with its true score."""
    rows = torch.tensor([source]).numpy(), torch.full((1, 10), 7).numpy()
    score = float(runtime.score(*rows).sum())
    return Hypothesis([7] * 10, score, score / 10, None)


class Broken:
    """A system that has no memory for large batches."""

    def __init__(self, most: int):
        self.most, self.batches = most, list[int]()

    def system(self) -> System:
        model = new_model(preset("transformer", **SIZES), "cpu")
        return System("concat", "float32", model, self.open, lambda: 0.0)

    def open(self, room):
        self.batches.append(room.slots)
        if room.slots > self.most:
            raise RuntimeError("CUDA error: out of memory")
        return lambda _: []


def test_the_row_notes_that_memory_is_exhausted():
    trial = Trial(Broken(1).system(), Shape(1, 2, "2"), "cpu")
    trial.prepare()
    trial.run()
    row = trial.row()
    assert (row["note"], row["tokens/s"], row["rounds"]) == ("out of memory", None, 0)
    assert comparison_rows([trial])[0]["over concat"] is None


def test_a_batch_that_exceeds_the_free_memory_is_not_started(monkeypatch):
    broken = Broken(10)
    monkeypatch.setattr("longways.benchmark.speed.trial.free_memory", lambda: 1000)
    trial = Trial(broken.system(), Shape(1, 2, "2"), "cpu")
    trial.prepare()
    assert trial.note == "out of memory"
    assert broken.batches == []


def test_other_errors_are_not_mistaken_for_exhausted_memory():
    assert too_large(MemoryError()) == "out of memory"
    assert too_large(RuntimeError("DefaultCPUAllocator: can't allocate memory")) == "out of memory"
    assert "kernels" in too_large(RuntimeError("CUDA error: invalid argument\nSearch for ..."))
    assert not too_large(RuntimeError("shapes do not fit"))

    def open_badly(room):
        raise RuntimeError(f"shapes do not fit: {room}")

    model = new_model(preset("transformer", **SIZES), "cpu")
    trial = Trial(System("x", "float32", model, open_badly, float), Shape(1, 1, "1"), "cpu")
    with pytest.raises(RuntimeError, match="shapes do not fit"):
        trial.prepare()


def test_a_slow_system_is_measured_once_and_a_too_slow_one_is_skipped():
    model = new_model(preset("transformer", **SIZES), "cpu")
    system = build("concat", Setting("cpu", 1, 1, SIZES, None), model)
    slow = Trial(system, Shape(1, 1, "1"), "cpu", TimeLimits(repeat=0.0))
    run_rounds([slow], 3)
    assert (slow.row()["rounds"], slow.row()["note"]) == (1, "slow: measured once")
    late = Trial(system, Shape(1, 1, "1"), "cpu", TimeLimits(skip=10.0), known_speed=1.0)
    run_rounds([late], 3)
    assert (late.row()["rounds"], late.row()["note"]) == (
        0, "left out: a decoding would take 20 s",
    )  # fmt: skip


def test_the_limit_of_repetitions_is_a_setting():
    plan = {"lengths": [1], "batches": ["1"], "systems": ["8+4"], "sizes": SIZES, "rounds": 2}
    often, once = (measure(SpeedConfig(**plan, once=s)).rows[0] for s in (20.0, 0.0))
    assert (often["rounds"], once["rounds"]) == (2, 1)


@pytest.mark.parametrize(
    ("most", "start", "speeds", "tried", "best", "note"),
    [
        (7, 2, {2: 10.0, 4: 20.0, 6: 21.0}, [2, 4, 8, 6], 6, "out of memory at 8"),
        (100, 3, {3: 10.0, 6: 20.0, 12: 20.1, 8: 19.0}, [3, 6, 12, 8], 6, "no faster at 12"),
        (2, None, {2: 10.0, 3: 9.0}, [8, 4, 2, 4, 3], 2, "out of memory at 4"),
        (0, None, {}, [8, 4, 2, 1], 1, "out of memory"),
    ],
)
def test_the_search_for_the_fastest_batch_ends_at_memory_or_speed(
    monkeypatch, most, start, speeds, tried, best, note
):
    monkeypatch.setattr(
        Trial, "speed", property(lambda trial: 0.0 if trial.note else speeds[trial.shape.batch])
    )
    broken = Broken(most)
    found = largest_batch(broken.system(), 1, "cpu", TimeLimits(), start=start)
    assert broken.batches == tried
    assert (found.shape.batch, found.note) == (best, note)


def test_each_system_is_compared_at_its_own_fastest_batch(monkeypatch):
    def small(*given):
        return largest_batch(*given, start=1, cap=2)

    monkeypatch.setattr(measure_module, "largest_batch", small)
    lines, kept = list[str](), []
    found = measure(tiny(lengths=[1], batches=["largest"], rounds=2), lines.append, kept.append)
    assert [row["batches"] for row in found.rows] == ["largest", "largest"]
    assert all(row["rounds"] == 2 and row["batch"] in (1, 2) for row in found.rows)
    assert found.rows[1]["over concat"] > 0
    assert [line for line in lines if "system concat: batch 1, " in line and "tokens/s" in line]
    # After each system, after the second round, and at the end.
    assert [[row["rounds"] for row in one.rows] for one in kept] == [[1], [1, 1], [2, 2], [2, 2]]
    assert (kept[-1].rows, kept[-1].settings) == (found.rows, found.settings)


def test_an_interrupted_benchmark_keeps_its_rows():
    kept = []

    def interrupt(line):
        if "L 2" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(tiny(batches=["3"]), interrupt, kept.append)
    assert [(row["system"], row["L"]) for row in kept[-1].rows] == [("concat", 1), ("8+4", 1)]
    assert kept[-1].settings["systems"] == ["concat", "8+4"]


def test_batches_are_numbers_or_the_papers():
    assert shapes([1, 4, 15, 60], ["paper"]) == [
        Shape(1, 1024, "paper"), Shape(4, 256, "paper"), Shape(15, 96, "paper"),
        Shape(60, 96, "paper"),
    ]  # fmt: skip
    assert shapes([7], ["2", "paper", "largest"], talks=3) == [
        Shape(7, 2, "2"), Shape(7, 256, "paper"), Shape(120, 3, "talks"),
    ]  # fmt: skip
    assert [larger(n) for n in (1, 2, 3, 4, 6, 8, 12, 96)] == [2, 3, 4, 6, 8, 12, 16, 128]


def test_windows_are_always_the_same_and_have_a_fixed_length():
    windows = windows_of(Shape(2, 3, "3"), 60)
    assert windows == windows_of(Shape(2, 3, "3"), 60)
    assert [len(window.source) for window in windows] == [40, 40, 40]
    assert all(window.source[-1] == 2 and min(window.source[:-1]) > 3 for window in windows)
    assert all((window.min_tokens, window.max_tokens) == (40, 40) for window in windows)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"systems": ["64"]}, "'64' is not a system"),
        ({"systems": ["a+b"]}, "'a\\+b' is not a system"),
        ({"systems": ["concatt"]}, "Known are concat, concat-shared, prealloc, ctranslate2"),
        ({"batches": ["many"]}, "'many' is not a batch"),
        ({"batches": ["0"]}, "'0' is not a batch"),
        ({"device": "tpu"}, "must be cpu, cuda or both"),
        ({"rounds": 0}, "rounds is 0"),
        ({"lengths": [0]}, "each must be at least 1"),
    ],
)
def test_bad_settings_are_refused(settings, words):
    with pytest.raises(ConfigError, match=words):
        measure(tiny(**settings), silent)


def rows() -> list[dict]:
    return [
        {
            "device": "cuda", "batches": "paper", "L": L, "batch": 4, "system": system,
            "tokens/s": 100, "over concat": ratio, "over prealloc": None, "note": "",
        }
        for L in (1, 15)
        for system, ratio in (("concat", 1.0), ("64+32", 2.0 * L), ("256+32", None))
    ]  # fmt: skip


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_a_report_is_drawn_the_same_way_again(tmp_path, suffix):
    whole = tmp_path / "speed.json"
    whole.write_text(json.dumps({"name": "speed", "rows": rows()}))
    drawn = []
    for _ in range(2):
        plot_speed(read_rows(whole), tmp_path / f"speed{suffix}")
        drawn.append((tmp_path / f"speed{suffix}").read_bytes())
    assert drawn[0] == drawn[1]
    if suffix == ".svg":
        assert "RFA 64+32 over concat" in drawn[0].decode()
        assert "256+32" not in drawn[0].decode()


def test_of_several_reports_the_last_row_counts():
    again = {**rows()[1], "over concat": 3.0}
    found = last_rows([rows(), [again, {**again, "L": 60}]])
    assert [(row["L"], row["over concat"]) for row in found if row["system"] == "64+32"] == [
        (1, 3.0), (15, 30.0), (60, 3.0),
    ]  # fmt: skip
    assert len(found) == len(rows()) + 1


def test_reports_that_cannot_be_drawn_are_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"must end in \.png or \.svg"):
        plot_speed(rows(), tmp_path / "speed.pdf")
    with pytest.raises(ConfigError, match="nothing to draw"):
        plot_speed(rows()[:1], tmp_path / "speed.png")
    other = tmp_path / "other.json"
    with pytest.raises(ConfigError, match="cannot be read as a report"):
        read_rows(other)
    other.write_text('{"name": "gates", "rows": []}')
    with pytest.raises(ConfigError, match="is not a report of"):
        read_rows(other)


def test_the_table_has_no_empty_columns():
    table = speed_table(report("speed", "Fast", {}, rows(), "cpu"))
    assert [column.header for column in table.columns] == [
        "L", "batch", "system", "tokens/s", "over concat",
    ]  # fmt: skip
