"""`longways evaluate`: scores of models that translate, or of translations in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import typer

from longways.cli.evaluate.checks import check_choices, check_options, check_terms
from longways.cli.progress import progress_bar
from longways.errors import ConfigError
from longways.recipes import bundled

if TYPE_CHECKING:
    from longways.decoding.beam_search import AtLimit
    from longways.decoding.config import WindowMode
    from longways.evaluation.comparison import Comparison
    from longways.evaluation.test_set import TestSet
    from longways.results import Report

About: TypeAlias = dict[str, Any]
"""Settings of the report: the data, its split, the beam."""

Decoding: TypeAlias = (
    "tuple[int, int | None, str, float, WindowMode, str | None, AtLimit, bool | None]"
)
"""Beam, window, device, length penalty, kind of windows, context, limit and shortlist."""

Scoring: TypeAlias = tuple[list[str], str]
"""Names of metrics, and the target language."""

MODELS, FILES = "For models that translate", "For translations in files"
"""Titles of two groups of options in the help."""


def evaluate(
    ctx: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="MODEL... DATA",
            help="Model folders, or files written by --save; the first is the baseline. The last "
            "path is the data: prepared data, a recipe (a path or the name of a bundled one), or "
            "a TSV file.",
        ),
    ] = None,
    hyp: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            rich_help_panel=FILES,
            help="Score the translations in this file; repeatable, the first is the baseline.",
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
            help="The source text; with it, sentences copied from the source are counted.",
        ),
    ] = None,
    split: Annotated[
        str, typer.Option(rich_help_panel=MODELS, help="Split of the data: train, dev or test.")
    ] = "test",
    beam: Annotated[
        int,
        typer.Option(rich_help_panel=MODELS, help="Hypotheses in beam search; 1 is greedy."),
    ] = 4,
    window: Annotated[
        int | None,
        typer.Option(
            rich_help_panel=MODELS,
            help="Sentences in a window (L). By default the L that the model was trained with; "
            "for a recipe or a TSV file, the model's best L.",
        ),
    ] = None,
    length_penalty: Annotated[
        float,
        typer.Option(
            rich_help_panel=MODELS,
            help="Exponent of the length penalty; larger prefers longer translations.",
        ),
    ] = 1.0,
    windows: Annotated[
        str,
        typer.Option(
            rich_help_panel=MODELS,
            metavar="sliding|whole|regenerated",
            help="sliding: each sentence after a forced prefix. whole: windows of L sentences at "
            "once, without overlap. regenerated: every window generated whole, its last sentence "
            "kept, as in the paper. The last two need prepared data.",
        ),
    ] = "sliding",
    at_limit: Annotated[
        str,
        typer.Option(
            rich_help_panel=MODELS,
            metavar="cut|end",
            help="end: force and score <eos> at the length limit, as in the paper. cut: rank "
            "translations that were cut off behind all others.",
        ),
    ] = "cut",
    device: Annotated[str, typer.Option(rich_help_panel=MODELS, help="cpu or cuda.")] = "cpu",
    root: Annotated[
        Path,
        typer.Option(
            "--data",
            rich_help_panel=MODELS,
            help="The folder that contains the recipe's files.",
            envvar="LONGWAYS_DATA",
        ),
    ] = Path(),
    context: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=MODELS,
            help="Sentences that a stream model looks back, or all (the default).",
        ),
    ] = None,
    shortlist: Annotated[
        bool | None,
        typer.Option(
            "--shortlist/--no-shortlist",
            rich_help_panel=MODELS,
            help="Choose among the tokens of the models' shortlists; by default as they say.",
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare-contexts",
            rich_help_panel=MODELS,
            help="Measure how much each model uses its context instead.",
        ),
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            rich_help_panel=MODELS,
            help="Save each model's translations as a file in this folder.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="bleu or chrf, repeatable; by default both.")
    ] = None,
    language: Annotated[
        str,
        typer.Option(
            help="The target language, as in zh. By default it is read from the models, or from "
            "the name of --ref (page.zh.txt). BLEU splits zh into characters."
        ),
    ] = "",
    terms: Annotated[
        str,
        typer.Option(
            metavar="LANGUAGE",
            help="Also measure how consistently the recurring words of each document are "
            "translated; LANGUAGE is that of the source, as in zh.",
        ),
    ] = "",
    by_document: Annotated[
        bool, typer.Option("--by-document", help="Also show the scores of each document.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object only.")] = False,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Also write the result to this JSON file.")
    ] = None,
) -> None:
    """Score translations with BLEU and chrF: from models, or from files.

    Models translate the test split and are compared with the first one:

        longways evaluate runs/one/best runs/two/best prepared/mine

    Each sentence is translated in the window that ends at it, after the model's own translations
    of the sentences before it. A model is a folder with weights or exported graphs. Prepared data
    needs models of its vocabulary, and also gives the loss of the last sentence of each window. A
    recipe or a TSV file works with any model of its languages: text is translated and compared
    with the untouched references. A file written by --save can replace its model later.

    Translations in files, from any program, need no model:

        longways evaluate --hyp one.txt --hyp two.txt --ref reference.en.txt

    A file is plain text with one sentence per line and a blank line between documents, or TSV
    (document, sentence, or document, source, sentence), or for --hyp a file written by --save. A
    blank line in the place of a sentence is an empty translation.

    Scores are sacreBLEU's, mixed case, detokenised, with whole documents as segments and with
    sentences as segments. The table also has the length ratio and the numbers of empty and copied
    sentences. Each difference from the first system has a 95% interval and a p-value from a paired
    bootstrap over documents, or over sentences if there is only one document.

    With --terms, words that recur in a document are looked up in each translation: the columns
    are the number of such terms, the share that has one translation, and the share of pairs of
    occurrences that agree. The row `references` has the same figures of the references.

    With --compare-contexts, each sentence is scored and translated three times: after its true
    context, after the context of another document, and without context. References are the forced
    prefix. Translations that --save finds in its folder are not computed again.
    """
    from longways.cli.evaluate.tables import publish, show_documents

    check_choices(ctx, paths or [], hyp or [], ref)
    check_options(metric or [], language, save, out)
    check_terms(terms, hyp or [], src, compare)
    mode = cast("WindowMode", windows)  # DecodingOptions checks it
    limit = cast("AtLimit", at_limit)
    decoding = (beam, window, device, length_penalty, mode, context, limit, shortlist)
    scoring = metric or [], language
    if hyp and ref:
        comparison, about = _from_files(hyp, ref, src, scoring)
    else:
        *models, data = paths or []
        material = _open(data, split, root)
        if compare:
            if windows != "sliding":
                message = f"--compare-contexts forces a prefix, so it excludes --windows {windows}."
                raise ConfigError(message)
            publish(*_context(models, material, decoding, save, metric or []), as_json, out)
            return
        comparison, about = _from_models(models, material, decoding, save, scoring)
    result = _report(comparison, about, device)
    if terms:
        result = _with_terms(result, comparison, terms)
    publish(result, comparison.details(by_document or as_json), as_json, out)
    if by_document and not as_json:
        show_documents(comparison)


def _from_files(
    hyp: list[Path], ref: Path, src: Path | None, scoring: Scoring
) -> tuple[Comparison, About]:
    from longways.evaluation.comparison import compare
    from longways.evaluation.reference import read_hypothesis, read_reference

    reference = read_reference(ref, src)
    systems = [read_hypothesis(path, reference) for path in hyp]
    return compare(systems, reference, *scoring), {"data": reference.name}


def _open(data: Path, split: str, root: Path) -> TestSet:
    from longways.evaluation.test_set import open_test_set

    recipe = None if data.exists() else bundled(data)
    return open_test_set(recipe or data, split, root)


def _from_models(
    models: list[Path], material: TestSet, decoding: Decoding, save: Path | None, scoring: Scoring
) -> tuple[Comparison, About]:
    from longways.evaluation.comparison import compare
    from longways.evaluation.models import evaluate_models
    from longways.evaluation.test_set import DecodingOptions

    systems = evaluate_models(models, material, DecodingOptions(*decoding), save, _progress)
    about = {"data": material.name, "part": material.split_name, "beam": decoding[0]}
    about |= {"length penalty": decoding[3]} if decoding[3] != 1 else {}
    about |= {"windows": decoding[4]} if decoding[4] != "sliding" else {}
    about |= {"context": decoding[5]} if decoding[5] else {}
    about |= {"at limit": decoding[6]} if decoding[6] != "cut" else {}
    about |= {"shortlist": decoding[7]} if decoding[7] is not None else {}
    return compare(systems, material, *scoring), about


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


def _with_terms(result: Report, comparison: Comparison, source: str) -> Report:
    """The report with the columns of term consistency, and a row of the references' own."""
    from longways.evaluation.terms.report import add_terms

    rows = add_terms(result.rows, comparison, source)
    return replace(result, settings={**result.settings, "terms": source}, rows=rows)


def _context(
    models: list[Path],
    material: TestSet,
    decoding: Decoding,
    save: Path | None,
    metrics: list[str],
) -> tuple[Report, list[dict[str, Any]]]:
    """Scores of every model with its true context, with another document's, and with none."""
    from longways.evaluation.context.models import compare_contexts, context_rows
    from longways.evaluation.test_set import DecodingOptions, PreparedTestSet
    from longways.results import report

    if not isinstance(material, PreparedTestSet):
        raise ConfigError("--compare-contexts needs prepared data. Make it with longways prepare.")
    options = DecodingOptions(*decoding)
    found = compare_contexts(models, material, options, save, _progress, metrics)
    settings = {
        "data": material.name,
        "part": material.split_name,
        "beam": decoding[0],
        "signatures": found[0].signatures,
        "bootstrap": found[0].drawn,
    }
    claim = "How much models use their context"
    made = report("context", claim, settings, context_rows(found), decoding[2])
    return made, [detail for one in found for detail in one.details()]
