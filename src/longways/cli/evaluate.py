"""`longways evaluate`: models side by side on a part of prepared data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from longways.corpus.store import PreparedData


def evaluate(
    models: Annotated[
        list[Path],
        typer.Argument(help="Model folders, or files from --keep; the first is the baseline."),
    ],
    data: Annotated[Path, typer.Argument(help="A folder written by longways prepare.")],
    part: Annotated[str, typer.Option(help="train, dev or test.")] = "test",
    beam: Annotated[int, typer.Option(help="Hypotheses of the beam search; 1 is greedy.")] = 4,
    window: Annotated[
        int | None, typer.Option(help="Sentences in a window; by default what each was trained on.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    context: Annotated[
        bool, typer.Option("--context", help="Instead, show how much each model uses its context.")
    ] = False,
    keep: Annotated[
        Path | None, typer.Option(help="Keep each model's translations as a file in this folder.")
    ] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Also write JSON here.")] = None,
) -> None:
    """Translate documents with one model or several, and score them.

    Every sentence is translated in the window that ends at it, after the model's own translations
    of the sentences before it. BLEU is that of whole documents, mixed case, detokenised; the loss
    is that of the last sentence of each window, so it is over the same tokens for every L.
    Differences from the first model come with the 95% interval and p of a paired bootstrap over
    documents. Translations kept with --keep can be compared later in place of their models.

    With --context, every sentence is scored after its true context, after that of another document
    and after none, references forced as the prefix.
    """
    from longways.benchmark.report import publish, report
    from longways.corpus.store import open_data
    from longways.evaluation.models import judge_models, rows, signatures

    source, console = open_data(data), Console(stderr=True)
    if context:
        _context(models, source, part, window, device, out)
        return
    judged = judge_models(models, source, part, beam, window, device, keep, console.print)
    settings = {
        "data": source.folder.name,
        "part": part,
        "beam": beam,
        "signatures": signatures(judged, source, part),
    }
    claim = f"Models on the {part} part of {source.folder.name}"
    publish(report("evaluate", claim, settings, rows(judged, source, part), device), out)


def _context(
    models: list[Path],
    data: PreparedData,
    part: str,
    window: int | None,
    device: str,
    out: Path | None,
) -> None:
    """Every model with its true context, with another document's, and with none."""
    from longways.benchmark.report import publish, report
    from longways.evaluation.context import context_use
    from longways.evaluation.models import model_name, trained_window
    from longways.runtime.torch import TorchRuntime

    rows = [
        {"model": model_name(model), **row}
        for model in models
        for row in context_use(
            TorchRuntime.load(model, device),
            data.text(),
            data.split(part),
            window or trained_window(model),
        )
    ]
    settings = {"data": data.folder.name, "part": part}
    publish(report("context", "How much models use their context", settings, rows, device), out)
