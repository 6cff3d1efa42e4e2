"""GPU tests are skipped without a GPU; `--results FILE` keeps what a run found, and where.

Generated examples are the same in every run; `--hypothesis-profile default` looks for new ones.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings

from longways.results import machine
from tests.interpreter import interpreted

__all__ = ["interpreted"]  # a fixture for all tests

settings.register_profile(  # and no example fails for being slow where the machine is
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--results", type=Path, help="write outcomes and machine to this JSON file")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("first") is None)
    if torch.cuda.is_available():
        return
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason="needs a CUDA device"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    path: Path | None = terminalreporter.config.getoption("--results")
    if path is None:
        return
    kinds = ("passed", "failed", "error", "skipped")
    outcomes = {kind: terminalreporter.stats.get(kind, []) for kind in kinds}
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tests = Counter(report.nodeid.split("[")[0] for report in outcomes["passed"])
    result = {
        "machine": machine(device),
        "date": datetime.now(UTC).date().isoformat(),
        "counts": {kind: len(reports) for kind, reports in outcomes.items()},
        "passed": dict(sorted(tests.items())),
        "failed": [report.nodeid for report in outcomes["failed"] + outcomes["error"]],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=2) + "\n")
