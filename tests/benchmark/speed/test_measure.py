"""The benchmark of window lengths, on tiny models."""

import copy
import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from longways.benchmark import speed, speed_engines
from longways.benchmark.speed.check import CLOSE, difference
from longways.benchmark.speed.config import SpeedConfig
from longways.benchmark.speed.largest import largest_batch
from longways.benchmark.speed.measure import compared, measure
from longways.benchmark.speed.models import new_model, rfa_config
from longways.benchmark.speed.plot import last_rows, plot_speed, read_rows, speed_table
from longways.benchmark.speed.systems import Setting, System, build
from longways.benchmark.speed.trial import Patience, Trial, too_large
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


def test_every_engine_is_measured_for_every_length_and_batch():
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
    assert float(found.settings["concat differs by"]) < CLOSE["float32"]
    assert found.settings["systems"] == ["concat", "8+4"]


def test_there_are_positions_for_the_longest_window():
    found = measure(tiny(lengths=[4], batches=["1"], systems=["8+4"]), silent)
    assert found.settings["positions"] == 81
    assert found.rows[0]["tokens/s"] > 0


def test_the_state_of_rfa_is_the_same_at_every_length_and_that_of_a_transformer_grows():
    rows = measure(tiny(batches=["1"], beams=2), silent).rows
    concat, rfa = rows[0::2], rows[1::2]
    head = 32 // 4
    assert [row["state bytes"] for row in rfa] == [4 * 4 * (8 * (head + 1) + 2)] * 2
    token = 2 * 32 * 4  # a key and a value
    assert [row["state bytes"] for row in concat] == [20 * token + 8, 40 * token + 8]
    assert rfa[0]["source bytes"] == rfa[1]["source bytes"]
    assert concat[1]["source bytes"] == 2 * concat[0]["source bytes"] == 2 * 2 * 20 * (token + 1)


@pytest.mark.parametrize("beams", [1, 2])
def test_engines_of_all_kinds_are_right_before_they_are_measured(beams):
    names = ["prealloc", "concat", "concat-shared", "8+4", "hybrid+4"]
    found = measure(tiny(lengths=[1], batches=["2"], systems=names, beams=beams), silent)
    assert [row["system"] for row in found.rows] == names
    assert {f"{name} differs by" for name in names} <= found.settings.keys()
    assert float(found.settings["prealloc differs by"]) < CLOSE["float32"]


def test_threads_of_a_cpu_share_out_windows_or_operations(monkeypatch):
    shared = []
    monkeypatch.setattr(
        speed_engines, "share_out", lambda decode, threads: shared.append(threads) or decode
    )
    names = ["concat", "concat-shared", "8+4"]
    plan = tiny(lengths=[1], batches=["1"], systems=names, threads=2)
    found = measure(plan, silent)
    assert set(shared) == {2}
    assert [row["system"] for row in found.rows] == names
    assert found.rows[2]["over concat-shared"] > 0
    shared.clear()
    measure(replace(plan, systems=["concat-shared"]), silent)
    assert not shared


def test_on_a_gpu_there_is_nothing_to_share_out():
    model = new_model(preset("transformer", **SIZES), "cpu")
    setting = Setting("cuda", 1, 2, SIZES, None)
    with pytest.raises(ConfigError, match="on a CPU only: on a GPU name concat"):
        build("concat-shared", setting, model)


def test_ctranslate2_is_one_of_them():
    pytest.importorskip("ctranslate2")
    names = ["ctranslate2", "ctranslate2-shared", "8+4"]
    found = measure(tiny(lengths=[1], batches=["1"], systems=names), silent)
    assert [row["system"] for row in found.rows] == names
    assert found.rows[2]["over ctranslate2"] > 0
    assert found.rows[2]["over ctranslate2-shared"] > 0


def test_without_ctranslate2_the_rest_goes_on(monkeypatch):
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
def test_where_no_engine_is_left_there_is_nothing_to_measure(monkeypatch, batches):
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    plan = tiny(batches=[batches], systems=["ctranslate2"], rounds=2)
    with pytest.raises(ConfigError, match=r"nothing to measure: left out ctranslate2, .*`\.$"):
        measure(plan, silent)


def test_without_a_gpu_the_rest_goes_on(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    said = []
    found = measure(tiny(device="both", lengths=[1], batches=["1"]), said.append)
    assert "cuda is left out: torch finds no GPU here" in said
    assert {row["device"] for row in found.rows} == {"cpu"}
    with pytest.raises(
        ConfigError, match=r"nothing to measure: left out cuda, torch finds no GPU here\.$"
    ):
        measure(tiny(device="cuda"), silent)


def test_an_engine_that_is_wrong_is_not_measured(monkeypatch):
    monkeypatch.setattr(speed, "build", lambda *given: _lying(build(*given)))
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


def test_a_decoder_that_finds_worse_than_our_own_is_found_out():
    model = new_model(preset("transformer", **SIZES), "cpu")
    runtime = TorchRuntime(model)

    def opened(*_):
        return lambda windows: [[_worst(runtime, one.source)] for one in windows]

    assert difference(opened, model, 1) > CLOSE["float32"]


def test_an_engine_is_the_model_that_its_name_says():
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
def test_a_decoder_that_mixes_up_sources_or_beams_is_found_out(name, mistake):
    sizes = {**SIZES, "dim": 64, "decoder_layers": 2}
    rfa = name != "transformer"
    model = new_model(rfa_config(name, sizes) if rfa else preset(name, **sizes), "cpu")
    runtime = TorchRuntime(model)

    def opened(*_):
        return lambda windows: _mixed_up(runtime, mistake, windows)

    assert difference(opened, model, 4) > CLOSE["bfloat16"]


def _mixed_up(runtime: TorchRuntime, mistake: str, windows: list[Window]):
    how = TranslateConfig(search=SearchConfig(beams=4))
    if mistake == "sources":
        sources = [window.source for window in windows]
        mixed = zip(windows, [*sources[1:], sources[0]], strict=True)
        return decode(runtime, [one._replace(source=source) for one, source in mixed], how)
    wrong = copy.copy(runtime)
    wrong.step = lambda tokens, parents, state: runtime.step(
        tokens, np.tile(np.arange(4), (len(parents), 1)), state
    )
    return decode(wrong, windows, how)


def _worst(runtime: TorchRuntime, source: list[int]) -> Hypothesis:
    """What is unlikely, with the score that it has."""
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


def test_too_little_memory_is_said_in_the_row():
    trial = Trial(Broken(1).system(), Shape(1, 2, "2"), "cpu")
    trial.prepare()
    trial.take_turn()
    row = trial.row()
    assert (row["note"], row["tokens/s"], row["rounds"]) == ("out of memory", None, 0)
    assert compared([trial])[0]["over concat"] is None


def test_a_window_that_needs_more_than_there_is_is_not_begun(monkeypatch):
    broken = Broken(10)
    monkeypatch.setattr("longways.benchmark.speed.trial.free_memory", lambda: 1000)
    trial = Trial(broken.system(), Shape(1, 2, "2"), "cpu")
    trial.prepare()
    assert trial.note == "out of memory"
    assert broken.batches == []


def test_other_errors_are_not_taken_for_too_little_memory():
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


def test_what_is_slow_is_measured_once_and_what_is_too_slow_not_at_all():
    model = new_model(preset("transformer", **SIZES), "cpu")
    system = build("concat", Setting("cpu", 1, 1, SIZES, None), model)
    slow = Trial(system, Shape(1, 1, "1"), "cpu", Patience(slow=0.0))
    speed.take_turns([slow], 3)
    assert (slow.row()["rounds"], slow.row()["note"]) == (1, "slow: measured once")
    late = Trial(system, Shape(1, 1, "1"), "cpu", Patience(limit=10.0), pace=1.0)
    speed.take_turns([late], 3)
    assert (late.row()["rounds"], late.row()["note"]) == (
        0, "left out: a decoding would take 20 s",
    )  # fmt: skip


def test_one_may_ask_for_what_is_measured_once():
    plan = {"lengths": [1], "batches": ["1"], "systems": ["8+4"], "sizes": SIZES, "rounds": 2}
    often, once = (speed.measure(SpeedConfig(**plan, once=s)).rows[0] for s in (20.0, 0.0))
    assert (often["rounds"], once["rounds"]) == (2, 1)


def test_how_long_it_will_take_is_not_judged_by_a_cold_start(monkeypatch):
    """Of four short decodings before the first that counts, the third is slow."""
    times = iter([0.1, 9.0, 0.2, *[0.1] * 9])
    monkeypatch.setattr(Trial, "_time", lambda *_: next(times))
    trial = Trial(Broken(10).system(), Shape(15, 2, "2"), "cpu", Patience(limit=10.0))
    trial.prepare()
    assert (trial.note, trial.decode is None) == ("", False)


def with_speeds(monkeypatch, speeds: dict[int, float]) -> None:
    def found(trial):
        return 0.0 if trial.note else speeds[trial.shape.batch]

    monkeypatch.setattr(Trial, "speed", property(found))


def test_the_largest_batch_ends_where_memory_does(monkeypatch):
    broken = Broken(7)
    with_speeds(monkeypatch, {2: 10.0, 4: 20.0, 6: 21.0})
    best = largest_batch(broken.system(), 1, "cpu", Patience(), start=2)
    assert broken.batches == [2, 4, 8, 6]
    assert (best.shape.batch, best.note) == (6, "out of memory at 8")


def test_the_largest_batch_ends_where_nothing_is_gained(monkeypatch):
    broken = Broken(100)
    with_speeds(monkeypatch, {3: 10.0, 6: 20.0, 12: 20.1, 8: 19.0})
    best = largest_batch(broken.system(), 1, "cpu", Patience(), start=3)
    assert broken.batches == [3, 6, 12, 8]
    assert (best.shape.batch, best.note) == (6, "no faster at 12")


def test_a_first_batch_that_does_not_fit_is_halved(monkeypatch):
    broken = Broken(2)
    with_speeds(monkeypatch, {2: 10.0, 3: 9.0})
    best = largest_batch(broken.system(), 1, "cpu", Patience())
    assert broken.batches == [8, 4, 2, 4, 3]
    assert (best.shape.batch, best.note) == (2, "out of memory at 4")
    assert largest_batch(Broken(0).system(), 1, "cpu", Patience()).note == "out of memory"


def test_each_engine_is_compared_at_its_own_largest_batch(monkeypatch):
    def few(*given):
        return largest_batch(*given, start=1, cap=2)

    monkeypatch.setattr(speed, "largest_batch", few)
    told, kept = list[str](), []
    found = measure(tiny(lengths=[1], batches=["largest"], rounds=2), told.append, kept.append)
    assert [row["batches"] for row in found.rows] == ["largest", "largest"]
    assert all(row["rounds"] == 2 and row["batch"] in (1, 2) for row in found.rows)
    assert found.rows[1]["over concat"] > 0
    assert [line for line in told if "system concat: batch 1, " in line and "tokens/s" in line]
    # After each system, after the second round, and at the end.
    assert [[row["rounds"] for row in one.rows] for one in kept] == [[1], [1, 1], [2, 2], [2, 2]]
    assert (kept[-1].rows, kept[-1].settings) == (found.rows, found.settings)


def test_a_benchmark_that_is_stopped_has_kept_what_it_had(monkeypatch):
    kept, whole = [], speed.take_turns

    def stopped(trials, rounds):
        if trials[0].shape.L == 2:
            raise KeyboardInterrupt
        whole(trials, rounds)

    monkeypatch.setattr(speed, "take_turns", stopped)
    with pytest.raises(KeyboardInterrupt):
        measure(tiny(batches=["3"]), silent, kept.append)
    assert [(row["system"], row["L"]) for row in kept[-1].rows] == [("concat", 1), ("8+4", 1)]
    assert kept[-1].settings["systems"] == ["concat", "8+4"]


def test_batches_are_the_papers_or_ones_own():
    assert shapes([1, 4, 15, 60], ["paper"]) == [
        Shape(1, 1024, "paper"), Shape(4, 256, "paper"), Shape(15, 96, "paper"),
        Shape(60, 96, "paper"),
    ]  # fmt: skip
    assert shapes([7], ["2", "paper", "largest"], talks=3) == [
        Shape(7, 2, "2"), Shape(7, 256, "paper"), Shape(120, 3, "talks"),
    ]  # fmt: skip
    assert [larger(n) for n in (1, 2, 3, 4, 6, 8, 12, 96)] == [2, 3, 4, 6, 8, 12, 16, 128]


def test_windows_are_the_same_every_time_and_end_where_they_must():
    windows = windows_of(Shape(2, 3, "3"), 60)
    assert windows == windows_of(Shape(2, 3, "3"), 60)
    assert [len(window.source) for window in windows] == [40, 40, 40]
    assert all(window.source[-1] == 2 and min(window.source[:-1]) > 3 for window in windows)
    assert all((window.min_tokens, window.max_tokens) == (40, 40) for window in windows)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"systems": ["64"]}, "'64' is no system"),
        ({"systems": ["a+b"]}, "'a\\+b' is no system"),
        ({"systems": ["concatt"]}, "Known are concat, concat-shared, prealloc, ctranslate2"),
        ({"batches": ["many"]}, "'many' is no batch"),
        ({"batches": ["0"]}, "'0' is no batch"),
        ({"device": "tpu"}, "must be cpu, cuda or both"),
        ({"rounds": 0}, "rounds is 0"),
        ({"lengths": [0]}, "L must be at least 1"),
    ],
)
def test_bad_input_is_one_sentence(settings, words):
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


def test_of_what_several_reports_have_measured_the_last_counts():
    again = {**rows()[1], "over concat": 3.0}
    found = last_rows([rows(), [again, {**again, "L": 60}]])
    assert [(row["L"], row["over concat"]) for row in found if row["system"] == "64+32"] == [
        (1, 3.0), (15, 30.0), (60, 3.0),
    ]  # fmt: skip
    assert len(found) == len(rows()) + 1


def test_what_cannot_be_drawn_is_one_sentence(tmp_path):
    with pytest.raises(ConfigError, match=r"must end in \.png or \.svg"):
        plot_speed(rows(), tmp_path / "speed.pdf")
    with pytest.raises(ConfigError, match="nothing to draw"):
        plot_speed(rows()[:1], tmp_path / "speed.png")
    other = tmp_path / "other.json"
    with pytest.raises(ConfigError, match="cannot be read as a report"):
        read_rows(other)
    other.write_text('{"name": "gates", "rows": []}')
    with pytest.raises(ConfigError, match="is no report of"):
        read_rows(other)


def test_the_table_leaves_out_what_is_nowhere_said():
    table = speed_table(report("speed", "Fast", {}, rows(), "cpu"))
    assert [column.header for column in table.columns] == [
        "L", "batch", "system", "tokens/s", "over concat",
    ]  # fmt: skip
