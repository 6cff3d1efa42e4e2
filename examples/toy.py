"""Train a tiny model that must use context, and show what it learned.

    python examples/toy.py
    python examples/toy.py --set model.preset=transformer --save runs/toy-transformer

In the task's made-up language (`longways.corpus.readers.toy`) the pronoun 'ze' stands for whoever
was named two sentences earlier. A window of four sentences contains that name. A single sentence
does not, so the same model trained on single sentences can only guess. Both trainings together
take about a minute on a CPU. The script needs torch: `pip install 'longways[train]'`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from rich.console import Console
from rich.table import Table

from longways.cli.progress import progress_bar
from longways.config import build
from longways.corpus.batching.curriculum import Curriculum
from longways.corpus.prepared_data import Split
from longways.corpus.readers.toy import (
    NAMES,
    PRONOUN,
    SOURCE_WORDS,
    TARGET_WORDS,
    ToyDocument,
    make_documents,
)
from longways.corpus.recipe import CorpusConfig
from longways.corpus.window import Offsets
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import LengthConfig, TranslateConfig
from longways.decoding.torch import TorchRuntime
from longways.errors import LongwaysError
from longways.model.checkpoint import save_model
from longways.model.translation import TranslationModel
from longways.recipes import RECIPES
from longways.results import Report, report, table, write
from longways.text.tokenizers.special_tokens import SEP
from longways.training.config import RunConfig, build_run, read_tables
from longways.training.device.device_data import DeviceSplit
from longways.training.device.distributed import Distributed
from longways.training.update import Updater
from longways.translation.documents import gather, translate_documents

RECIPE = RECIPES / "toy"

LENGTH_LIMIT = LengthConfig(ratio=1.0, extra=5)
"""No sentence of the task is longer than its source."""

Sentences = list[list[int]]
"""Sentences as token ids."""

Progress = Callable[[int, float], None]
"""Called after every update with its number and loss."""


@dataclass(frozen=True)
class ToyConfig:
    """The recipe: the made-up corpus, and the run that learns it."""

    corpus: CorpusConfig
    run: RunConfig

    @property
    def L(self) -> int:
        """Sentences in a window."""
        return self.run.batches.L

    def with_window(self, L: int) -> ToyConfig:
        """The same recipe with another L."""
        return replace(self, run=replace(self.run, batches=replace(self.run.batches, L=L)))


def read_toy_recipe(path: Path, overrides: Iterable[str] = ()) -> ToyConfig:
    """The recipe in a file or folder. The vocabularies are the words of the task."""
    values = read_tables(path, overrides)
    corpus = build(CorpusConfig, values.get("corpus", {}), str(path), "corpus.")
    return ToyConfig(corpus, build_run(values, (len(SOURCE_WORDS), len(TARGET_WORDS)), str(path)))


class ToyCorpus:
    """Documents as token ids, one id per word, and the sentences that open with a pronoun."""

    def __init__(self, documents: list[ToyDocument]) -> None:
        self.source = [SOURCE_WORDS.ids(s) for document in documents for s in document.source]
        self.target = [TARGET_WORDS.ids(s) for document in documents for s in document.target]
        sizes = [len(document.source) for document in documents]
        self.documents: Offsets = np.concatenate([[0], np.cumsum(sizes)])
        self.pronouns = [
            int(offset) + i
            for offset, document in zip(self.documents[:-1], documents, strict=True)
            for i in document.pronouns
        ]

    def split(self) -> Split:
        """The corpus in the arrays of prepared data, from which windows and batches are cut."""
        (source, source_offsets), (target, target_offsets) = (
            _array(sentences) for sentences in (self.source, self.target)
        )
        return Split(source, target, source_offsets, target_offsets, self.documents)


def _array(sentences: Sentences) -> tuple[Offsets, Offsets]:
    """All ids with a separator after each sentence, and the offset of each sentence."""
    ids = np.array([token for sentence in sentences for token in (*sentence, SEP)])
    offsets = np.cumsum([0, *(len(sentence) + 1 for sentence in sentences)])
    return ids, offsets


def corpora(config: ToyConfig) -> tuple[ToyCorpus, ToyCorpus]:
    """The training documents and the test documents."""
    train_split, test_split = (
        ToyCorpus(make_documents(files.documents, files.seed))
        for files in (config.corpus.train, config.corpus.test)
    )
    return train_split, test_split


def train(
    config: ToyConfig, corpus: ToyCorpus, progress: Progress | None = None
) -> TranslationModel:
    """A model trained on windows of L sentences. The same config gives the same weights."""
    settings, one_process = config.run.training, Distributed(0, 1, torch.device("cpu"))
    torch.manual_seed(settings.seed)
    model = TranslationModel(config.run.model).train()
    updater = Updater(model, settings, one_process)
    split = DeviceSplit(corpus.split(), one_process.device)
    plan = Curriculum(split.split, config.run.batches).plan()
    batches = ((number, split.batch(windows, shape)) for number, shape, windows in plan)
    for number in range(1, settings.updates + 1):
        updater.update(number, islice(batches, settings.accumulate))
        (update,) = updater.read()
        if progress:
            progress(number, update.loss)
    return model.eval()


def translate(model: TranslationModel, corpus: ToyCorpus, L: int) -> Sentences:
    """Greedy translations of all sentences, each after the model's translations before it."""
    spans = list(pairwise(corpus.documents.tolist()))
    documents = [corpus.source[start:end] for start, end in spans]
    config = TranslateConfig(L=L, search=SearchConfig(beams=1), length=LENGTH_LIMIT)
    found = translate_documents(TorchRuntime(model), documents, config)
    by_document = gather(found, [end - start for start, end in spans])
    return [sentence for document in by_document for sentence in document]


def pronoun_accuracy(translations: Sentences, corpus: ToyCorpus) -> float:
    """The share of pronouns that become the right name, the first word of their sentence."""
    right = [translations[i][:1] == corpus.target[i][:1] for i in corpus.pronouns]
    return sum(right) / len(right)


def other_accuracy(translations: Sentences, corpus: ToyCorpus) -> float:
    """The share of sentences without a pronoun that are translated word for word."""
    pronouns = set(corpus.pronouns)
    others = [i for i in range(len(corpus.target)) if i not in pronouns]
    return sum(translations[i] == corpus.target[i] for i in others) / len(others)


def main(
    recipe: Annotated[Path, typer.Argument(help="A recipe of the toy task.")] = RECIPE,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a setting, as in model.preset=transformer. Repeatable."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Save the model with context to this folder.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Also write the scores to this JSON file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON line only.")] = False,
) -> None:
    """Train a tiny model that must use context, and show what it learned."""
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
) -> tuple[TranslationModel, dict[str, Any], Sentences]:
    """The trained model, its scores, and its translation of the test documents."""
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


def _show(result: Report, translations: list[Sentences], corpus: ToyCorpus) -> None:
    console = Console()
    console.print(_document(result, translations, corpus), table(result))
    console.print(f"Guessing a name would be right {1 / len(NAMES):.3f} of the time.")


def _document(result: Report, translations: list[Sentences], corpus: ToyCorpus) -> Table:
    """The first test document: its source and its translations, with wrong sentences in red."""
    columns = [f"translated with L={row['L']}" for row in result.rows]
    shown = Table("source", *columns, title="A document the model has never seen")
    for i in range(int(corpus.documents[1])):
        source = SOURCE_WORDS.text(corpus.source[i])
        cells = (_translation(output[i], corpus.target[i]) for output in translations)
        shown.add_row(source.replace(f"{PRONOUN} ", f"[bold yellow]{PRONOUN}[/] "), *cells)
    return shown


def _translation(found: list[int], wanted: list[int]) -> str:
    text = TARGET_WORDS.text(found)
    return text if found == wanted else f"[red]{text}[/] [dim]wrong[/]"


if __name__ == "__main__":
    try:
        typer.run(main)
    except LongwaysError as error:
        sys.exit(f"toy.py: {error}")
