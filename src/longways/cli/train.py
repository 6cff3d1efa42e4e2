"""`longways train`: a model from a recipe."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from longways.cli.stages import Clock, reporter_for
from longways.recipes import find_recipe

if TYPE_CHECKING:
    from longways.corpus.prepared_data import PreparedData
    from longways.training.checkpoints import Progress
    from longways.training.config import RunConfig
    from longways.training.device.distributed import Distributed
    from longways.training.loop import Trainer, TrainingEvent


def train(
    recipe: Annotated[Path, typer.Argument(help="A recipe file, or a folder with recipe.toml.")],
    run: Annotated[
        Path | None, typer.Argument(help="The folder of the run; runs/NAME by default.")
    ] = None,
    prepared: Annotated[
        Path | None,
        typer.Option(help="Prepared data; by default the recipe's corpus, prepared into the run."),
    ] = None,
    data: Annotated[
        Path,
        typer.Option(help="The folder that the recipe's files are in.", envvar="LONGWAYS_DATA"),
    ] = Path(),
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a setting, as in training.learning_rate=5e-4."),
    ] = None,
    init_from: Annotated[
        Path | None,
        typer.Option(help="Start from this model: every weight of it that fits is taken."),
    ] = None,
    teacher: Annotated[
        Path | None,
        typer.Option(help="Also learn from this model of the same vocabulary what it would say."),
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="cpu or cuda; by default what is there.")
    ] = None,
    allow_changes: Annotated[
        bool, typer.Option(help="Go on with a run although its settings have changed.")
    ] = False,
) -> None:
    """Train a model, or go on with a run that was stopped.

    A run is a folder: its settings, its log, the last checkpoint and the best model. Ctrl-C or
    SIGTERM finish the update, save, and exit; the same command goes on from there, to the same
    numbers as if it had never stopped. On several GPUs or CPUs:

        torchrun --nproc-per-node 4 -m longways train RECIPE RUN --set training.accumulate=4

    A trained transformer becomes an RFA model with --init-from: its attention is swapped, and
    training goes on; with --teacher it is also told what the transformer would have said.
    """
    from longways.results import machine
    from longways.training.device.distributed import join_processes
    from longways.training.loop import Trainer
    from longways.training.runs.run import Run, write_run

    folder, recipe = run or Path("runs") / recipe.stem, find_recipe(recipe)
    settings = [*(setting or ())]
    if init_from:
        settings.append(f"training.init_from={str(init_from.absolute())!r}")
    if teacher:
        settings.append(f"training.teacher={str(teacher.absolute())!r}")
    with join_processes(device or _best_device()) as ranks:
        source = _data(recipe, prepared or folder / "data", data, settings, ranks, prepared is None)
        config = _config(recipe, source, folder, settings, allow_changes)
        ranks.wait()  # none writes before all have looked
        trainer = Trainer(config, source, folder, ranks)
        if ranks.first:  # not before: what a trainer refuses is no run, and may be corrected
            write_run(folder, Run(config, source.folder, _command(), machine(ranks.device.type)))
        if ranks.first and trainer.inheritance:
            _say(f"From {init_from}: {trainer.inheritance.describe()}")
        if ranks.first and trainer.softmax is not None:
            _fit(trainer, config.training.fit_maps)
        with _display(config, ranks) as tell:
            progress = trainer.run(tell)
    if ranks.first:
        _say(f"{folder}: {_outcome(progress, config)}")


def _command() -> str:
    """How this run was started, for whoever wants to go on with it."""
    ranks = os.environ.get("WORLD_SIZE", "1")
    start = f"torchrun --nproc-per-node {ranks} -m longways" if ranks != "1" else "longways"
    return shlex.join([*start.split(), *sys.argv[1:]])


def _say(sentence: str) -> None:
    Console(stderr=True).print(sentence, soft_wrap=True)


def _outcome(progress: Progress, config: RunConfig) -> str:
    """Where the run stands when the command ends."""
    told = f"update {progress.update:,}"
    if progress.best is not None:
        metric = config.training.metric
        told += f", best development {metric} {progress.best:.4f}"
        told += f" at update {progress.best_update:,}"
    over = progress.update >= config.training.updates or progress.stopped
    return told + ("." if over else ". Stopped early; run the same command to go on.")


def _best_device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _data(
    recipe: Path, folder: Path, root: Path, settings: list[str], ranks: Distributed, make: bool
) -> PreparedData:
    """The prepared data; the first rank makes it if it is not there."""
    from longways.config import apply_overrides, build, read_toml
    from longways.corpus.prepare import prepare
    from longways.corpus.prepared_data import open_data
    from longways.corpus.recipe import CorpusConfig

    if make and ranks.first and not folder.exists():
        values = apply_overrides(read_toml(recipe), settings)
        corpus = build(CorpusConfig, values.get("corpus", {}), str(recipe), "corpus.")
        with reporter_for(Clock()) as reporter:
            prepare(corpus, root, folder, reporter)
    ranks.wait()
    return open_data(folder)


def _config(
    recipe: Path,
    source: PreparedData,
    folder: Path,
    settings: list[str],
    allow_changes: bool,
) -> RunConfig:
    """The recipe's run, checked against the one in the folder if there is one."""
    from longways.training.config import read_run_recipe
    from longways.training.runs.run import RUN_FILE, check_same, read_run

    config = read_run_recipe(recipe, source.vocabularies, settings)
    if (folder / RUN_FILE).exists() and not allow_changes:
        check_same(read_run(folder).config, config, folder)
    return config


def _fit(trainer: Trainer, updates: int) -> None:
    """Fit the feature maps before training, with a bar, and say what that came to."""
    from longways.cli.progress import progress_bar

    with progress_bar("fitting feature maps", updates) as advance:
        fitted = trainer.fit(lambda: advance(1, ""))
    if fitted:
        _say(fitted.describe())


@contextmanager
def _display(
    config: RunConfig, ranks: Distributed
) -> Iterator[Callable[[TrainingEvent], None] | None]:
    """A bar with loss, speed, time left and the best so far, on a terminal."""
    from longways.cli.progress import progress_bar

    if not ranks.first:
        yield None
        return
    with progress_bar("training", config.training.updates) as advance:
        shown = 0

        def tell(news: TrainingEvent) -> None:
            nonlocal shown
            best = f", best {news.progress.best:.3f}" if news.progress.best is not None else ""
            rate = f"{news.tokens_per_second:,.0f} tokens/s"
            done = news.progress.update
            advance(done - shown, f"loss {news.update.loss:.3f}, {rate}{best}")
            shown = done

        yield tell
