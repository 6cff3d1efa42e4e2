"""`longways train`: train the model of a recipe, or resume a run."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from longways.cli.stages import Clock, reporter_for
from longways.errors import ConfigError
from longways.recipes import find_recipe

if TYPE_CHECKING:
    from longways.corpus.prepared_data import PreparedData
    from longways.corpus.recipe import CorpusConfig
    from longways.training.checkpoints import Progress
    from longways.training.config import RunConfig
    from longways.training.device.distributed import Distributed
    from longways.training.loop import Trainer, TrainingEvent


def train(
    recipe: Annotated[
        Path,
        typer.Argument(
            help="A recipe file, a folder with recipe.toml, or the name of a bundled recipe."
        ),
    ],
    run: Annotated[
        Path | None, typer.Argument(help="The folder of the run; by default runs/NAME.")
    ] = None,
    prepared: Annotated[
        Path | None,
        typer.Option(
            help="A folder written by longways prepare; by default the recipe's corpus is prepared "
            "into the run's folder."
        ),
    ] = None,
    data: Annotated[
        Path,
        typer.Option(help="The folder that contains the recipe's files.", envvar="LONGWAYS_DATA"),
    ] = Path(),
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Change a setting, as in training.learning_rate=5e-4; repeatable."
        ),
    ] = None,
    init_from: Annotated[
        Path | None,
        typer.Option(help="Start from this model: all weights whose names and shapes fit."),
    ] = None,
    teacher: Annotated[
        Path | None,
        typer.Option(help="Also learn the output distribution of this model (distillation)."),
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="cpu or cuda; by default cuda if there is a GPU.")
    ] = None,
    allow_changes: Annotated[
        bool, typer.Option(help="Resume a run although its settings have changed.")
    ] = False,
) -> None:
    """Train a model, or resume a run that was stopped.

    A run is a folder with its settings, its log, the last checkpoint and the best model. The first
    of these runs takes about a minute on a CPU:

        longways train toy
        longways train opendocs-zh-en runs/mine --prepared prepared/opendocs

    Ctrl-C or SIGTERM finish the update, save, and exit. The same command resumes the run, with the
    same numbers as an uninterrupted run. On several GPUs or CPUs:

        torchrun --nproc-per-node 4 -m longways train RECIPE RUN --set training.accumulate=4

    With --init-from a trained transformer becomes an RFA model: its attention is replaced, its
    other weights are kept, and training continues. With --teacher the new model also learns the
    transformer's output distribution.
    """
    folder = run or Path("runs") / recipe.stem
    recipe = find_recipe(recipe)  # before torch is imported: a wrong name is answered at once
    from longways.results import machine
    from longways.training.device.distributed import join_processes
    from longways.training.loop import Trainer
    from longways.training.runs.run import Run, write_run

    settings = [*(setting or ())]
    if init_from:
        settings.append(f"training.init_from={str(init_from.absolute())!r}")
    if teacher:
        settings.append(f"training.teacher={str(teacher.absolute())!r}")
    with join_processes(device or _best_device()) as ranks, _lock(folder, ranks):
        source = _data(recipe, prepared or folder / "data", data, settings, ranks, prepared is None)
        config = _config(recipe, source, folder, settings, allow_changes)
        ranks.wait()  # no rank writes before all ranks have checked the folder
        trainer = Trainer(config, source, folder, ranks)
        if ranks.first:  # after the trainer, so that a refused setting leaves no run behind
            write_run(folder, Run(config, source.folder, _command(), machine(ranks.device.type)))
        if ranks.first and trainer.warm_start:
            _print(f"From {init_from}: {trainer.warm_start.describe()}")
        if ranks.first and trainer.softmax is not None:
            _fit(trainer, config.training.fit_maps)
        with _display(config, ranks) as listener:
            progress = trainer.run(listener)
    if ranks.first:
        _print(f"{folder}: {_outcome(progress, config)}")


def _lock(folder: Path, ranks: Distributed) -> AbstractContextManager[None]:
    """The lock of a run, which the first rank holds for all."""
    from longways.folder_lock import locked_folder

    return locked_folder(folder, "trains in") if ranks.first else nullcontext()


def _command() -> str:
    """The command of this run, which also resumes it."""
    ranks = os.environ.get("WORLD_SIZE", "1")
    start = f"torchrun --nproc-per-node {ranks} -m longways" if ranks != "1" else "longways"
    return shlex.join([*start.split(), *sys.argv[1:]])


def _print(sentence: str) -> None:
    Console(stderr=True).print(sentence, soft_wrap=True)


def _outcome(progress: Progress, config: RunConfig) -> str:
    """The last update, the best validation score, and how to resume if the run is not complete."""
    text = f"update {progress.update:,}"
    if progress.best is not None:
        metric = config.training.metric
        text += f", best validation {metric} {progress.best:.4f}"
        text += f" at update {progress.best_update:,}"
    complete = progress.update >= config.training.updates or progress.stopped
    return text + ("." if complete else ". Stopped early. Run the same command to resume.")


def _best_device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _data(
    recipe: Path, folder: Path, root: Path, settings: list[str], ranks: Distributed, make: bool
) -> PreparedData:
    """The prepared data. The first rank prepares it if the folder does not exist."""
    from longways.corpus.prepare import prepare
    from longways.corpus.prepared_data import open_data
    from longways.training.config import read_corpus_recipe

    if make and ranks.first:
        corpus = read_corpus_recipe(recipe, settings)
        if not _is_prepared(folder, corpus):
            with reporter_for(Clock()) as reporter:
                prepare(corpus, root, folder, reporter, force=True)
    ranks.wait()
    return open_data(folder)


def _is_prepared(folder: Path, corpus: CorpusConfig) -> bool:
    """Whether the run's own data is there, made with the same settings.

    Data of a run that has saved nothing is made again; otherwise other settings are an error.
    """
    from longways.config import flatten
    from longways.corpus.prepared_data import open_data

    if not folder.exists():
        return False
    before = flatten(open_data(folder).config)
    after = flatten(json.loads(json.dumps(asdict(corpus))))
    changed = [key for key in before if key in after and before[key] != after[key]]
    if changed and _has_saved(folder.parent):
        raise ConfigError(
            f"The data in {folder} was prepared with another corpus.{changed[0]}: "
            f"{before[changed[0]]}, not {after[changed[0]]}. Use another folder for the run."
        )
    return not changed


def _has_saved(run: Path) -> bool:
    """Whether a run has saved a checkpoint or a model; if not, it can start again."""
    from longways.training.runs.run import BEST_FOLDER, LAST_FOLDER

    return any((run / name).exists() for name in (LAST_FOLDER, BEST_FOLDER))


def _config(
    recipe: Path,
    source: PreparedData,
    folder: Path,
    settings: list[str],
    allow_changes: bool,
) -> RunConfig:
    """The run's settings, checked against the settings of an existing run in the folder."""
    from longways.training.config import read_run_recipe
    from longways.training.runs.run import RUN_FILE, check_same, read_run

    config = read_run_recipe(recipe, source.vocabularies, settings)
    if (folder / RUN_FILE).exists() and _has_saved(folder) and not allow_changes:
        check_same(read_run(folder).config, config, folder)
    return config


def _fit(trainer: Trainer, updates: int) -> None:
    """Fit the feature maps before training, and print the error before and after."""
    from longways.cli.progress import progress_bar

    with progress_bar("fitting feature maps", updates) as advance:
        fitted = trainer.fit(lambda: advance(1, ""))
    if fitted:
        _print(fitted.describe())


@contextmanager
def _display(
    config: RunConfig, ranks: Distributed
) -> Iterator[Callable[[TrainingEvent], None] | None]:
    """A progress bar with loss, speed, remaining time and the best validation score."""
    from longways.cli.progress import progress_bar

    if not ranks.first:
        yield None
        return
    with progress_bar("training", config.training.updates) as advance:
        shown = 0

        def show(event: TrainingEvent) -> None:
            nonlocal shown
            best = f", best {event.progress.best:.3f}" if event.progress.best is not None else ""
            rate = f"{event.tokens_per_second:,.0f} tokens/s"
            done = event.progress.update
            advance(done - shown, f"loss {event.update.loss:.3f}, {rate}{best}")
            shown = done

        yield show
