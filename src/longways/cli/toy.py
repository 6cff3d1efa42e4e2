"""`longways toy`: train a tiny model that must use context, and show what it learned."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from longways.cli.progress import progress_bar

if TYPE_CHECKING:
    from longways.toy.batch import ToyCorpus
    from longways.toy.config import ToyConfig

SETTINGS_HELP = "Change a setting of the recipe, as in --set model.preset=transformer. Repeatable."


def toy(
    recipe: Annotated[Path, typer.Argument(help="A recipe file, or a folder with recipe.toml.")],
    setting: Annotated[list[str], typer.Option("--set", help=SETTINGS_HELP)] = [],  # noqa: B006  # typer copies it
    save: Annotated[Path | None, typer.Option(help="Write the trained model to a folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object only.")] = False,
) -> None:
    """Train a tiny model that must look at earlier sentences, and show what it learned.

    In the task's made-up language the pronoun 'ze' stands for whoever was named two sentences
    earlier. A window of L sentences holds that name; a single sentence does not, and the same
    model trained on single sentences can only guess. Runs on a CPU in about a minute.
    """
    from longways.model.checkpoint import save_model
    from longways.toy.config import read_toy_recipe
    from longways.toy.train import corpora

    config = read_toy_recipe(recipe, setting)
    train_corpus, test_corpus = corpora(config)
    results, translations = [], []
    for L in dict.fromkeys((config.L, 1)):
        model, result, output = _learn(replace(config, L=L), train_corpus, test_corpus)
        results.append(result)
        translations.append(output)
        if save and L == config.L:
            save_model(model, save, task="toy", L=L, scores=result)
    if as_json:
        typer.echo(json.dumps(results))
    else:
        _show(results, translations, test_corpus)


def _learn(
    config: ToyConfig, train_corpus: ToyCorpus, test_corpus: ToyCorpus
) -> tuple[Any, dict[str, Any], list[list[int]]]:
    """Train with this L; the model, its scores, and its translation of the test documents."""
    from longways.toy.train import train
    from longways.toy.translate import other_accuracy, pronoun_accuracy, translate

    updates, began = config.training.updates, time.perf_counter()
    with progress_bar(f"training with L={config.L}", updates) as advance:
        model = train(config, train_corpus, lambda _, loss: advance(1, f"loss {loss:.3f}"))
    seconds = time.perf_counter() - began
    output = translate(model, test_corpus, config.L)
    result = {
        "L": config.L,
        "pronouns_right": round(pronoun_accuracy(output, test_corpus), 4),
        "other_sentences_right": round(other_accuracy(output, test_corpus), 4),
        "seconds": round(seconds, 1),
    }
    return model, result, output


def _show(
    results: list[dict[str, Any]], translations: list[list[list[int]]], corpus: ToyCorpus
) -> None:
    from longways.toy.task import NAMES

    console = Console()
    scores = Table(
        "L", "pronouns right", "other sentences right", "seconds", title="Test documents"
    )
    for result in results:
        scores.add_row(*(f"{value}" for value in result.values()))
    console.print(_document(results, translations, corpus), scores)
    console.print(f"Guessing a name would be right {1 / len(NAMES):.3f} of the time.")


def _document(
    results: list[dict[str, Any]], translations: list[list[list[int]]], corpus: ToyCorpus
) -> Table:
    """The first test document: its source, its translations, wrong ones in red."""
    from longways.toy.task import TARGET_WORDS

    columns = [f"translated with L={result['L']}" for result in results]
    table = Table("source", *columns, title="A document the model has never seen")
    for i in range(int(corpus.documents[1])):
        cells = []
        for output in translations:
            right, text = output[i] == corpus.target[i], TARGET_WORDS.text(output[i])
            mark = " (ze)" if i in corpus.pronouns else ""
            cells.append(f"{text}[dim]{mark}[/]" if right else f"[red]{text}[/] [dim]wrong[/]")
        table.add_row(_source_text(corpus, i), *cells)
    return table


def _source_text(corpus: ToyCorpus, sentence: int) -> str:
    from longways.toy.task import PRONOUN, SOURCE_WORDS

    text = SOURCE_WORDS.text(corpus.source[sentence])
    return text.replace(f"{PRONOUN} ", f"[bold yellow]{PRONOUN}[/] ")
