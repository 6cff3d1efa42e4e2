"""Benchmarks of attention compare equal calls, and reports end in a JSON line."""

import json

import pytest
import torch
from benchmarks.attention import gates
from benchmarks.attention.chunked_memory import read_as_stream, read_whole

from longways.attention.rfa import rfa_parallel
from longways.benchmark.timing import compare
from longways.results import publish, report


def test_calls_are_timed_in_turns_after_a_warm_up():
    order: list[str] = []
    timings = compare(
        {"a": lambda: order.append("a"), "b": lambda: order.append("b")}, "cpu", rounds=3
    )
    assert "".join(order) == "ababababab"
    assert timings["a"].low <= timings["a"].median <= timings["a"].high


def test_plain_attention_equals_the_ungated_form():
    torch.manual_seed(0)
    phi_q, phi_k, v = torch.rand(2, 2, 9, 4), torch.rand(2, 2, 9, 4), torch.randn(2, 2, 9, 3)
    one = torch.ones(2, 2, 9)
    wanted = rfa_parallel(phi_q, phi_k, v, one, one)
    assert torch.allclose(gates.plain_attention(phi_q, phi_k, v), wanted, atol=1e-6)


def test_a_streamed_text_leaves_a_state_of_the_same_size():
    assert read_whole(3000)[0].size_bytes() == read_as_stream(3000)[0].size_bytes()


def test_a_report_is_a_table_a_json_line_and_a_file(tmp_path, capsys):
    rows = [{"K": 1000, "error": 0.5}]
    result = report("demo", "It works", {"seed": 1}, rows, "cpu")
    publish(result, tmp_path / "new" / "demo.json")
    printed = capsys.readouterr().out
    assert "It works" in printed
    line = json.loads(printed.splitlines()[-1])
    assert line == json.loads((tmp_path / "new" / "demo.json").read_text())
    assert line["rows"] == rows
    assert {"device", "threads", "torch"} <= line["machine"].keys()


@pytest.mark.parametrize("calls", [gates.attention_calls, gates.layer_calls])
def test_every_gate_is_measured_against_none(calls):
    made = calls(1, "cpu")
    timings = compare(made, "cpu", rounds=2)
    assert all(timing.median > 0 for timing in timings.values())
    for gate in gates.GATES:
        assert any(name.endswith(f", {gate}") for name in made)
