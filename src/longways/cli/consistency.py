"""`longways consistency`: whether a model prefers what fits the sentences before it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console


def consistency(
    model: Annotated[Path, typer.Argument(help="A model folder.")],
    sets: Annotated[list[Path], typer.Argument(help="Contrastive sets: JSON, may be .xz or .gz.")],
    window: Annotated[
        list[int] | None,
        typer.Option(help="Sentences in a window, repeatable; by default 1 to the model's own."),
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Also write JSON here.")] = None,
) -> None:
    """Score contrastive sets: accuracy by window length and by distance of the context.

    Each item has several candidate translations that differ in the last sentence; only earlier
    sentences tell which is right. The model is right if the true candidate has the highest mean
    log-probability, and no other is as good: ties count as wrong, and are shown. Guessing is right
    as often as the column `guessing` says.
    """
    from longways.benchmark.report import publish, report
    from longways.corpus.groups import read_consistency
    from longways.evaluation.consistency import measure_consistency
    from longways.model.manifest import read_manifest
    from longways.runtime.torch import TorchRuntime
    from longways.text.manifest import TEXT_FOLDER
    from longways.text.pipeline import TextPipeline

    runtime, text = TorchRuntime.load(model, device), TextPipeline.load(model / TEXT_FOLDER)
    trained = int(read_manifest(model).facts.get("L", 1))
    rows: list[dict[str, Any]] = []
    for path in sets:
        items = list(read_consistency(path))
        guessing = sum(1 / len(item.candidates) for item in items) / len(items) if items else 0.0
        for L in window or range(1, trained + 1):
            Console(stderr=True).print(f"{path.name}: L={L}")
            found = measure_consistency(runtime, text, items, L)
            near = {f"distance {d}": round(r / n, 4) for d, (r, n) in found.by_distance.items()}
            rows.append(
                {
                    "set": path.name.split(".")[0],
                    "L": L,
                    "accuracy": round(found.accuracy, 4),
                    "guessing": round(guessing, 4),
                    "items": found.items,
                    "ties": found.ties,
                    "by distance": near,
                }
            )
    settings = {"model": model.name, "sets": [path.name for path in sets]}
    publish(report("consistency", "Consistency", settings, rows, device), out)
