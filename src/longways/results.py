"""Benchmark reports: a table for the terminal and one JSON line for a file."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Column, Table

Row = dict[str, Any]

MAX_COLUMNS = 8
"""A table with more columns than this is transposed to fit on a terminal."""


@dataclass(frozen=True)
class Report:
    """The rows of one benchmark, with its settings and the machine it ran on."""

    name: str
    claim: str
    """One sentence that says what the rows show."""
    settings: dict[str, Any]
    rows: list[Row]
    machine: dict[str, Any]
    date: str


def report(name: str, claim: str, settings: dict[str, Any], rows: list[Row], device: str) -> Report:
    """A report of rows that were measured on this machine today."""
    today = datetime.now(UTC).date().isoformat()
    return Report(name, claim, settings, rows, machine(device), today)


def publish(result: Report, out: Path | None, shown: Table | None = None) -> None:
    """Print a table and the JSON line of a report, and write the report to `out` if it is given."""
    Console().print(shown or table(result))
    if out:
        write(result, out)
    print(json.dumps(asdict(result)))


def write(result: Report, out: Path) -> None:
    """Write the report to a JSON file."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(asdict(result), indent=2) + "\n", encoding="utf-8")


def narrow(result: Report, names: Sequence[str]) -> Report:
    """The report with only the columns of these names; names without a column are ignored."""
    known = [name for name in names if name in result.rows[0]]
    return replace(result, rows=[{name: row[name] for name in known} for row in result.rows])


def table(result: Report) -> Table:
    """The rows as a table with the claim as its title; a wide table is transposed."""
    names = list(result.rows[0])
    lines = [names, *([show(row[name]) for name in names] for row in result.rows)]
    if len(names) > MAX_COLUMNS:
        lines = [list(line) for line in zip(*lines, strict=True)]
    shown = Table(Column(lines[0][0], no_wrap=True), *lines[0][1:], title=result.claim)
    for line in lines[1:]:
        shown.add_row(*line)
    return shown


def show(value: object) -> str:
    """A value as text, with thousands separators in integers."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def machine(device: str) -> dict[str, Any]:
    """The machine: processor or GPU, threads, and versions of Python, torch and ONNX Runtime."""
    torch = sys.modules.get("torch")
    libraries = {name: version for name in ("torch", "onnxruntime") if (version := _version(name))}
    return {
        "device": torch.cuda.get_device_name() if torch and device == "cuda" else _cpu_name(),
        "threads": torch.get_num_threads() if torch else os.cpu_count(),
        "python": platform.python_version(),
        **libraries,
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _cpu_name() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores"
