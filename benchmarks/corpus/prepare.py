"""Time and memory of `longways prepare`; each corpus in a fresh process, for its peak memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from longways.errors import CorpusError
from longways.results import Report, report


def measure(recipes: list[Path], data: Path) -> Report:
    """Prepare each recipe in a temporary folder; returns time and memory."""
    rows = [_row(recipe, data) for recipe in recipes]
    claim = "Preparing whole corpora: time, speed and memory"
    return report("prepare", claim, {"recipes": [recipe.name for recipe in recipes]}, rows, "cpu")


def _row(recipe: Path, data: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = [sys.executable, "-m", "longways", "prepare", str(recipe), str(out), "--json"]
        done = subprocess.run(
            [*command, "--data", str(data)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise CorpusError(done.stderr.strip().removeprefix("longways: "))
        text = json.loads((out / "config.json").read_text())["config"]["text"]["kind"]
    result = json.loads(done.stdout)
    learning, *encoding = result["stages"]
    pairs = sum(stage["pairs"] for stage in encoding)
    counts = result["counts"]
    return {
        "corpus": recipe.name,
        "documents": " / ".join(f"{count['documents']:,}" for count in counts.values()),
        "pairs": " / ".join(f"{count['sentences']:,}" for count in counts.values()),
        "text": text,
        "seconds to learn": round(learning["seconds"], 1),
        "pairs a second": round(pairs / sum(stage["seconds"] for stage in encoding)),
        "peak MB": result["peak_megabytes"],
    }
