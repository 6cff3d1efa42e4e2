"""`longways evaluate`: translations scored, of models side by side or from files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from longways.cli.evaluate_checks import check_choices, check_options
from longways.cli.progress import progress_bar
from longways.errors import ConfigError

if TYPE_CHECKING:
    from longways.evaluation.comparison import Comparison
    from longways.evaluation.test_set import TestSet
    from longways.results import Report

About: TypeAlias = dict[str, Any]
"""What was evaluated."""

How: TypeAlias = tuple[list[str], str]
"""The metrics that are asked for, and the target language."""

MODELS, FILES = "For models that translate", "For translations in files"
"""Titles in the help."""


def evaluate(
    ctx: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="MODEL... DATA",
            help="Model folders, or files from --keep; the first is the baseline. Last the data: "
            "prepared; or a recipe or a TSV file, for models of any kind.",
        ),
    ] = None,
    hyp: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel=FILES,
            help="Score these translations instead; repeatable, the first is the baseline.",
        ),
    ] = None,
    ref: Annotated[
        Path | None,
        typer.Option(metavar="FILE", rich_help_panel=FILES, help="The references of --hyp."),
    ] = None,
    src: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel=FILES,
            help="What was translated, to count copied sentences.",
        ),
    ] = None,
    part: Annotated[str, typer.Option(rich_help_panel=MODELS, help="train, dev or test.")] = "test",
    beam: Annotated[
        int,
        typer.Option(rich_help_panel=MODELS, help="Hypotheses of the beam search; 1 is greedy."),
    ] = 4,
    window: Annotated[
        int | None,
        typer.Option(
            rich_help_panel=MODELS,
            help="Sentences in a window; by default what each was trained on, or, from text to "
            "text, does best with.",
        ),
    ] = None,
    device: Annotated[str, typer.Option(rich_help_panel=MODELS, help="cpu or cuda.")] = "cpu",
    root: Annotated[
        Path,
        typer.Option(
            "--data",
            rich_help_panel=MODELS,
            help="The folder that a recipe's files are in.",
            envvar="LONGWAYS_DATA",
        ),
    ] = Path(),
    context: Annotated[
        bool,
        typer.Option(
            "--context",
            rich_help_panel=MODELS,
            help="Instead, show how much each model uses its context.",
        ),
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=MODELS, help="Keep each model's translations as a file in this folder."
        ),
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="bleu or chrf, repeatable; by default both.")
    ] = None,
    language: Annotated[
        str,
        typer.Option(
            help="The target language; by default that of the models, or in the name of --ref, as "
            "in page.zh.txt. BLEU cuts zh into characters."
        ),
    ] = "",
    by_document: Annotated[
        bool, typer.Option("--by-document", help="Also show the scores of each document.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object only.")] = False,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Also write JSON here.")] = None,
) -> None:
    """Score translations: of one model or several, or from files.

    longways evaluate MODEL... DATA translates documents and scores them. Every sentence is
    translated in the window that ends at it, after the model's own translations of the sentences
    before it. Models are folders with weights or exported graphs. On prepared data, for models of
    its vocabulary, there is also the loss of the last sentence of each window, over the same tokens
    for every L; a recipe or a TSV file is translated from text to text and scored against its
    references untouched. Translations kept with --keep can be compared later in place of their
    models.

    longways evaluate --hyp FILE --ref FILE scores translations that are there already, of any
    program. Files are plain text, with a sentence a line and blank lines between documents; TSV,
    document TAB sentence or document TAB source TAB sentence; or, for --hyp, from --keep. Where a
    reference has a sentence, a blank line is an empty translation.

    BLEU and chrF are those of sacreBLEU, mixed case, detokenised: of whole documents as segments,
    and of sentences. Words of the translation are counted for each word of the reference, and
    sentences that are empty, or the same as their source where the reference is not.

    Differences from the first system come with the 95% interval and p of a paired bootstrap over
    documents; over sentences, if there is but one document.

    With --context, every sentence is scored and translated after its true context, after that of
    another document and after none, references forced as the prefix. What --keep has kept of a
    model is not made again.
    """
    from longways.cli.score_tables import publish, show_documents

    check_choices(ctx, paths or [], hyp or [], ref)
    check_options(metric or [], language, keep, out)
    how = metric or [], language
    if hyp and ref:
        comparison, about = _from_files(hyp, ref, src, how)
    else:
        *models, data = paths or []
        material = _open(data, part, root)
        if context:
            made = _context(models, material, (beam, window, device), keep, metric or [])
            publish(*made, as_json, out)
            return
        comparison, about = _from_models(models, material, (beam, window, device), keep, how)
    result = _report(comparison, about, device)
    publish(result, comparison.details(by_document or as_json), as_json, out)
    if by_document and not as_json:
        show_documents(comparison)


def _from_files(hyp: list[Path], ref: Path, src: Path | None, how: How) -> tuple[Comparison, About]:
    from longways.evaluation.comparison import compare
    from longways.evaluation.reference import read_hypothesis, read_reference

    reference = read_reference(ref, src)
    judged = [read_hypothesis(path, reference) for path in hyp]
    return compare(judged, reference, *how), {"data": reference.name}


def _open(data: Path, part: str, root: Path) -> TestSet:
    from longways.evaluation.test_set import open_test_set

    return open_test_set(data, part, root)


def _from_models(
    models: list[Path],
    material: TestSet,
    way: tuple[int, int | None, str],
    keep: Path | None,
    how: How,
) -> tuple[Comparison, About]:
    from longways.evaluation.comparison import compare
    from longways.evaluation.models import evaluate_models
    from longways.evaluation.test_set import DecodingOptions

    judged = evaluate_models(models, material, DecodingOptions(*way), keep, _progress)
    about = {"data": material.name, "part": material.split_name, "beam": way[0]}
    return compare(judged, material, *how), about


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    with progress_bar(what, total) as advance:
        yield lambda: advance(1, "")


def _report(comparison: Comparison, about: About, device: str) -> Report:
    from longways.results import report

    name = " ".join(filter(None, (about["data"], about.get("part"))))
    kind = "Models" if "beam" in about else "Translations"
    settings = {**about, "signatures": comparison.signatures, "bootstrap": comparison.drawn}
    return report("evaluate", f"{kind} on {name}", settings, comparison.rows(), device)


def _context(
    models: list[Path],
    material: TestSet,
    way: tuple[int, int | None, str],
    keep: Path | None,
    metrics: list[str],
) -> tuple[Report, list[dict[str, Any]]]:
    """Every model with its true context, with another document's, and with none."""
    from longways.evaluation.context.models import compare_contexts, context_rows
    from longways.evaluation.test_set import DecodingOptions, PreparedTestSet
    from longways.results import report

    if not isinstance(material, PreparedTestSet):
        raise ConfigError("--context needs prepared data. Make it with longways prepare.")
    found = compare_contexts(models, material, DecodingOptions(*way), keep, _progress, metrics)
    settings = {
        "data": material.name,
        "part": material.split_name,
        "beam": way[0],
        "signatures": found[0].signatures,
        "bootstrap": found[0].drawn,
    }
    claim = "How much models use their context"
    made = report("context", claim, settings, context_rows(found), way[2])
    return made, [detail for one in found for detail in one.details()]
