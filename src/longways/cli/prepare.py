"""`longways prepare`: parallel documents become arrays of token ids for training."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from longways.cli.corpus_files import FILES_HELP, files_table, language_pair
from longways.cli.stages import Clock, peak_megabytes, reporter_for
from longways.errors import ConfigError
from longways.recipes import find_recipe

if TYPE_CHECKING:
    from longways.corpus.prepared_data import PreparedData
    from longways.corpus.recipe import CorpusConfig
    from longways.text.pipeline import TextPipeline

Files = list[str] | None


def prepare(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="[RECIPE] OUT",
            help="A recipe (a file, a folder with recipe.toml, or the name of a bundled recipe), "
            "then the folder to write.",
        ),
    ],
    train: Annotated[Files, typer.Option(help=FILES_HELP.format("training"))] = None,
    dev: Annotated[Files, typer.Option(help=FILES_HELP.format("dev"))] = None,
    test: Annotated[Files, typer.Option(help=FILES_HELP.format("test"))] = None,
    languages: Annotated[
        str | None, typer.Option(help="Source and target language, as in zh-en.")
    ] = None,
    data: Annotated[
        Path,
        typer.Option(help="The folder that contains the recipe's files.", envvar="LONGWAYS_DATA"),
    ] = Path(),
    text: Annotated[
        Path | None,
        typer.Option(
            help="A model or prepared data whose text pipeline is used instead of learning one."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Change a setting, as in corpus.text.vocabulary=8000; repeatable."
        ),
    ] = None,
    filtered: Annotated[
        bool,
        typer.Option(
            "--filter",
            help="Drop and count training pairs that are duplicates, in another language, copied, "
            "of very different lengths, or with different numbers.",
        ),
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option(help="Drop bad input and count it instead of stopping.")
    ] = False,
    force: Annotated[bool, typer.Option(help="Replace the folder if it exists.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON line at the end.")
    ] = False,
) -> None:
    """Prepare parallel documents for training: learn subwords and encode every split.

    With a recipe, bundled or written by `longways init`:

        longways prepare opendocs-zh-en prepared/opendocs --data corpora

    With your own files:

        longways prepare --languages zh-en --train train.tsv --dev dev.zh,dev.en prepared/mine

    Files may be TSV, TMX, XLIFF, PO or JSONL, or folders of translated pages, which are aligned:

        longways prepare --languages en-de --train docs/en,docs/de --dev memory.tmx prepared/mine

    Subwords are learned from the training split. To encode more files for an existing model, name
    the model with --text. Files that end in .gz or .xz are decompressed while they are read.
    Memory does not grow with the corpus.
    """
    from longways.corpus.prepare import prepare as prepare_corpus

    *recipes, out = paths
    if len(recipes) > 1 or not (recipes or train or dev or test):
        raise ConfigError("Write RECIPE OUT, or name your own files: --train FILES ... OUT.")
    recipe = find_recipe(recipes[0]) if recipes else None
    settings = [*(['corpus.filter.splits=["train"]'] if filtered else []), *(setting or [])]
    config = _config(recipe, {"train": train, "dev": dev, "test": test}, languages, settings)
    clock = Clock()
    with reporter_for(clock) as reporter:
        known = _pipeline(text) if text else None
        prepared = prepare_corpus(config, data, out, reporter, known, skip_bad, force)
    clock.end()
    if as_json:
        typer.echo(json.dumps(_summary(prepared, clock)))
        return
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    for stage in clock.stages:
        rate = f"{stage.pairs / stage.seconds:,.0f} a second"
        console.print(f"{stage.name}: {stage.pairs:,} pairs in {stage.seconds:.1f} s, {rate}")
    peak = peak_megabytes()
    memory = "" if peak is None else f"Peak memory: {peak:,} MB. "
    console.print(f"{memory}Written: {out}")
    for split, kinds in prepared.dropped.items():
        for kind, count in kinds.items():
            console.print(f"Dropped from {split}: {count:,} x {kind}.")
    for split in prepared.config["filter"]["splits"]:
        if split in prepared.counts:
            console.print(f"Kept in {split}: {prepared.counts[split].sentences:,} pairs.")


def _pipeline(folder: Path) -> TextPipeline:
    """The text pipeline of a model or of prepared data."""
    from longways.text.manifest import TEXT_FOLDER
    from longways.text.pipeline import TextPipeline

    if not (folder / TEXT_FOLDER).is_dir():
        raise ConfigError(
            f"{folder} has no folder {TEXT_FOLDER}, so it has no text pipeline. Name a model "
            "folder or prepared data with --text."
        )
    return TextPipeline.load(folder / TEXT_FOLDER)


def _summary(prepared: PreparedData, clock: Clock) -> dict[str, Any]:
    return {
        "folder": str(prepared.folder),
        "counts": {split: asdict(count) for split, count in prepared.counts.items()},
        "vocabularies": prepared.vocabularies,
        "dropped": prepared.dropped,
        "stages": [asdict(stage) for stage in clock.stages],
        "peak_megabytes": peak_megabytes(),
    }


def _config(
    recipe: Path | None,
    files: dict[str, Files],
    languages: str | None,
    settings: list[str] | None,
) -> CorpusConfig:
    """The corpus of the recipe, if one is named, with the options of the command line on top."""
    from longways.config import build
    from longways.corpus.recipe import CorpusConfig
    from longways.training.config import read_tables

    values: dict[str, Any] = read_tables(recipe, settings or ()).get("corpus", {})
    values |= {split: files_table(names) for split, names in files.items() if names}
    if languages:
        values |= language_pair(languages)
    elif "source_language" not in values:
        raise ConfigError("Say which languages these are with --languages, as in zh-en.")
    return build(CorpusConfig, values, str(recipe or "options"), "corpus.")
