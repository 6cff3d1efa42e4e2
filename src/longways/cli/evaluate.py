"""`longways evaluate`: models side by side on a part of prepared data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longways.cli.progress import progress_bar
from longways.errors import ConfigError

if TYPE_CHECKING:
    from longways.evaluation.material import Material


def evaluate(
    models: Annotated[
        list[Path],
        typer.Argument(help="Model folders, or files from --keep; the first is the baseline."),
    ],
    data: Annotated[
        Path,
        typer.Argument(help="Prepared data; or a recipe or a TSV file, for models of any kind."),
    ],
    part: Annotated[str, typer.Option(help="train, dev or test.")] = "test",
    beam: Annotated[int, typer.Option(help="Hypotheses of the beam search; 1 is greedy.")] = 4,
    window: Annotated[
        int | None, typer.Option(help="Sentences in a window; by default what each was trained on.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    root: Annotated[
        Path,
        typer.Option(
            "--data", help="The folder that a recipe's files are in.", envvar="LONGWAYS_DATA"
        ),
    ] = Path(),
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
    of the sentences before it. BLEU is that of whole documents, mixed case, detokenised. Models are
    folders with weights or exported graphs.

    On prepared data, for models of its vocabulary, there is also the loss of the last sentence of
    each window, over the same tokens for every L; a recipe or a TSV file is translated from text to
    text and scored against its references untouched.

    Differences from the first model come with the 95% interval and p of a paired bootstrap over
    documents. Translations kept with --keep can be compared later in place of their models.

    With --context, every sentence is scored after its true context, after that of another document
    and after none, references forced as the prefix.
    """
    from longways.benchmark.report import publish, report
    from longways.evaluation.material import Way, open_material
    from longways.evaluation.models import judge_models, rows, signatures

    material = open_material(data, part, root)
    if context:
        _context(models, material, window, device, out)
        return
    judged = judge_models(models, material, Way(beam, window, device), keep, _progress)
    settings = {
        "data": material.name,
        "part": material.part,
        "beam": beam,
        "signatures": signatures(judged, material),
    }
    claim = f"Models on {' '.join(filter(None, (material.name, material.part)))}"
    publish(report("evaluate", claim, settings, rows(judged, material), device), out)


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    with progress_bar(what, total) as advance:
        yield lambda: advance(1, "")


def _context(
    models: list[Path], material: Material, window: int | None, device: str, out: Path | None
) -> None:
    """Every model with its true context, with another document's, and with none."""
    from longways.benchmark.report import publish, report
    from longways.evaluation.context import context_use
    from longways.evaluation.material import PreparedPart, model_name, trained_window
    from longways.translate.engine import open_runtime

    if not isinstance(material, PreparedPart):
        raise ConfigError("--context needs prepared data. Make it with longways prepare.")
    rows = [
        {"model": model_name(model), **row}
        for model in models
        for row in context_use(
            open_runtime(model, device),
            material.data.text(),
            material.split,
            window or trained_window(model),
        )
    ]
    settings = {"data": material.name, "part": material.part}
    publish(report("context", "How much models use their context", settings, rows, device), out)
