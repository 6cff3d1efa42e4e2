"""Draw the figure of README.md from results/: speed-up over L, and the BLEU difference beside it.

`--check` only compares the numbers in the figure with results/. They are stored in the metadata of
the SVG file, so that the check does not depend on the version of matplotlib.
"""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FIGURE = ROOT / "results/speed/overview.svg"

CPU = ("results/speed/cpu-lengths.json", "over ctranslate2", 16)
GPU = ("results/speed/cuda.json", "over prealloc", None)
SPEEDS = {"spiky-64+32": "RFA, 64+32 spiky features", "256+32": "RFA, 256+32 random features"}

DOCUMENTATION = "results/training/opendocs/study.json"
FEATURES = "results/features/study.json"
QUALITY = {
    "hybrid, 2 key heads": (FEATURES, "hybrid2-32"),
    "hybrid": (DOCUMENTATION, "hybrid-L4-swapped"),
    "RFA, 256+32 random features": (DOCUMENTATION, "rfa-sgate-L4-swapped-1e-3"),
    "RFA, 64+32 spiky features": (FEATURES, "spiky-64-32-taught"),
}
COLOURS = {
    "RFA, 64+32 spiky features": "#c2410c",
    "RFA, 256+32 random features": "#1d4ed8",
    "hybrid": "#15803d",
    "hybrid, 2 key heads": "#15803d",
}


def rows(path: str) -> list[dict[str, Any]]:
    """The rows of one result file."""
    found: list[dict[str, Any]] = json.loads((ROOT / path).read_text(encoding="utf-8"))["rows"]
    return found


def speed_ups(path: str, column: str, batch: int | None) -> dict[str, list[list[float]]]:
    """Points [L, speed-up] of each RFA system, from the rows with this batch (None: all rows)."""
    chosen = [row for row in rows(path) if batch is None or row["batch"] == batch]
    return {
        label: [[row["L"], row[column]] for row in chosen if row["system"] == system]
        for system, label in SPEEDS.items()
    }


def differences() -> dict[str, list[float]]:
    """The BLEU difference of each system from its transformer, with the ends of its interval."""
    found = {}
    for label, (path, model) in QUALITY.items():
        row = next(row for row in rows(path) if row["model"] == model)
        found[label] = [
            float(number) for number in re.findall(r"[-+][\d.]+", row["BLEU difference"])
        ]
    return found


def numbers() -> dict[str, Any]:
    """All numbers in the figure."""
    return {"cpu": speed_ups(*CPU), "gpu": speed_ups(*GPU), "BLEU difference": differences()}


def draw(out: Path) -> None:
    """Write the figure as SVG, with its numbers in the metadata."""
    sys.path.insert(0, str(ROOT / "src"))
    from longways.plotting import open_pyplot

    pyplot = open_pyplot()
    found = numbers()
    figure, panels = pyplot.subplots(
        1, 3, figsize=(11.5, 3.7), layout="constrained", width_ratios=(1, 1, 1.15)
    )
    _draw_speed(panels[0], found["cpu"], "CPU, 2 cores: times as fast as CTranslate2")
    _draw_speed(panels[1], found["gpu"], "GPU: times as fast as a strong transformer")
    _draw_quality(panels[2], found["BLEU difference"])
    metadata = {"Date": None, "Description": json.dumps(found, sort_keys=True)}
    with pyplot.rc_context({"svg.hashsalt": out.stem}):
        figure.savefig(out, metadata=metadata)
    pyplot.close(figure)


def _draw_speed(panel: Any, lines: dict[str, list[list[float]]], title: str) -> None:
    for label, points in lines.items():
        lengths, ratios = zip(*points, strict=True)
        panel.plot(lengths, ratios, marker="o", markersize=3.5, color=COLOURS[label])
        left, height, align = (1, 5, "left") if "spiky" in label else (120, 0.6, "right")
        panel.text(left, height, label, fontsize=8.5, ha=align, color=COLOURS[label])
    panel.axhline(1, color="#6b7280", linewidth=1)
    panel.set(xscale="log", yscale="log", xlabel="L, sentences in a window")
    panel.set_title(title, fontsize=10, loc="left")
    panel.set_xticks((1, 2, 4, 10, 30, 120), ("1", "2", "4", "10", "30", "120"))
    panel.set_yticks((0.5, 1, 2, 4, 8, 16), ("0.5", "1", "2", "4", "8", "16"))
    panel.minorticks_off()
    panel.set_ylim(0.45, 24)
    _plain(panel)


def _draw_quality(panel: Any, found: dict[str, list[float]]) -> None:
    for place, (label, (difference, low, high)) in enumerate(reversed(found.items())):
        panel.plot((low, high), (place, place), color=COLOURS[label], linewidth=2)
        panel.plot(difference, place, marker="o", color=COLOURS[label])
        panel.annotate(
            f"{label}: {difference:+.2f}".replace("-", "\N{MINUS SIGN}"),
            (-3.45, place),
            (0, 8),
            textcoords="offset points",
            fontsize=8.5,
            color=COLOURS[label],
        )
    panel.axvline(0, color="#6b7280", linewidth=1)
    panel.set(ylim=(-0.6, len(found) - 0.3), xlim=(-3.5, 1), yticks=())
    panel.set_title("Quality at L=4: BLEU difference from a transformer", fontsize=10, loc="left")
    panel.set_xlabel("BLEU difference, 95% interval")
    _plain(panel)


def _plain(panel: Any) -> None:
    panel.grid(alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)


def stored(path: Path) -> Any:
    """The numbers in the metadata of a figure, None without a figure."""
    if not path.exists():
        return None
    found = re.search(
        r"<dc:description>(.*?)</dc:description>", path.read_text(encoding="utf-8"), re.DOTALL
    )
    return json.loads(html.unescape(found[1])) if found else None


def main() -> int:
    """Draw the figure, or with --check say whether it has the numbers of results/."""
    if "--check" not in sys.argv:
        draw(FIGURE)
        return 0
    fresh = stored(FIGURE) == numbers()
    print("the figure is up to date" if fresh else f"run `make readme` for {FIGURE.name}")
    return int(not fresh)


if __name__ == "__main__":
    sys.exit(main())
