"""`longways toy`: train a tiny model that must use context, and show what it learned."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from longways.cli.progress import progress_bar

if TYPE_CHECKING:
    from longways.model.translation import TranslationModel
    from longways.results import Report
    from longways.toy.config import ToyConfig
    from longways.toy.corpus import ToyCorpus

SETTINGS_HELP = "Change a setting of the recipe, as in --set model.preset=transformer. Repeatable."

Translations = list[list[int]]


def toy(
    recipe: Annotated[Path, typer.Argument(help="A recipe file, or a folder with recipe.toml.")],
    setting: Annotated[list[str] | None, typer.Option("--set", help=SETTINGS_HELP)] = None,
    save: Annotated[Path | None, typer.Option(help="Write the trained model to a folder.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the scores to this JSON file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON line only.")] = False,
) -> None:
    """Train a tiny model that must look at earlier sentences, and show what it learned.

    In the task's made-up language the pronoun 'ze' stands for whoever was named two sentences
    earlier. A window of L sentences holds that name; a single sentence does not, and the same
    model trained on single sentences can only guess. Runs on a CPU in about a minute.
    """
    from longways.model.checkpoint import save_model
    from longways.results import report, write
    from longways.toy.config import read_toy_recipe
    from longways.toy.train import corpora

    config = read_toy_recipe(recipe, setting or ())
    train_corpus, test_corpus = corpora(config)
    rows, translations = [], []
    for L in dict.fromkeys((config.L, 1)):
        model, row, output = _learn(config.with_window(L), train_corpus, test_corpus)
        rows.append(row)
        translations.append(output)
        if save and L == config.L:
            save_model(model, save, task="toy", scores=row)
    result = report("toy", "Test documents", asdict(config), rows, "cpu")
    if out:
        write(result, out)
    if as_json:
        typer.echo(json.dumps(asdict(result)))
    else:
        _show(result, translations, test_corpus)


def _learn(
    config: ToyConfig, train_corpus: ToyCorpus, test_corpus: ToyCorpus
) -> tuple[TranslationModel, dict[str, Any], Translations]:
    """Train with this L; the model, its scores, and its translation of the test documents."""
    from longways.toy.train import train
    from longways.toy.translate import other_accuracy, pronoun_accuracy, translate

    updates, began = config.run.training.updates, time.perf_counter()
    with progress_bar(f"training with L={config.L}", updates) as advance:
        model = train(config, train_corpus, lambda _, loss: advance(1, f"loss {loss:.3f}"))
    seconds = time.perf_counter() - began
    output = translate(model, test_corpus, config.L)
    row = {
        "L": config.L,
        "pronouns right": round(pronoun_accuracy(output, test_corpus), 4),
        "other sentences right": round(other_accuracy(output, test_corpus), 4),
        "seconds": round(seconds, 1),
    }
    return model, row, output


def _show(result: Report, translations: list[Translations], corpus: ToyCorpus) -> None:
    from longways.corpus.readers.toy import NAMES
    from longways.results import table

    console = Console()
    console.print(_document(result, translations, corpus), table(result))
    console.print(f"Guessing a name would be right {1 / len(NAMES):.3f} of the time.")


def _document(result: Report, translations: list[Translations], corpus: ToyCorpus) -> Table:
    """The first test document: its source, its translations, wrong ones in red."""
    columns = [f"translated with L={row['L']}" for row in result.rows]
    shown = Table("source", *columns, title="A document the model has never seen")
    for i in range(int(corpus.documents[1])):
        cells = (_translation(output[i], corpus.target[i]) for output in translations)
        shown.add_row(_source(corpus, i), *cells)
    return shown


def _translation(found: list[int], wanted: list[int]) -> str:
    from longways.corpus.readers.toy import TARGET_WORDS

    text = TARGET_WORDS.text(found)
    return text if found == wanted else f"[red]{text}[/] [dim]wrong[/]"


def _source(corpus: ToyCorpus, sentence: int) -> str:
    from longways.corpus.readers.toy import PRONOUN, SOURCE_WORDS

    text = SOURCE_WORDS.text(corpus.source[sentence])
    return text.replace(f"{PRONOUN} ", f"[bold yellow]{PRONOUN}[/] ")
