"""The training loop: updates, looks at the development part, checkpoints, until it is over."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import FrameType

import torch

from longways.atomic_folder import recover_folder
from longways.corpus.batching.curriculum import Curriculum
from longways.corpus.prepared_data import PreparedData
from longways.errors import ConfigError, LongwaysError
from longways.model.translation import TranslationModel
from longways.text.manifest import TEXT_FOLDER, same_pipeline
from longways.training.checkpoints import Progress, load_checkpoint, save_checkpoint
from longways.training.config import RunConfig
from longways.training.device.device_data import DeviceSplit, TensorBatch
from longways.training.device.distributed import Distributed
from longways.training.metric import is_better
from longways.training.model_selection import ModelSelection
from longways.training.runs.log import RunLog
from longways.training.runs.run import LAST_FOLDER, LOG_FILE
from longways.training.runs.tensorboard import BOARD_FOLDER, TensorBoardLog
from longways.training.teacher import load_teacher
from longways.training.update import Update, Updater
from longways.training.validation import Validator
from longways.training.warm_start.feature_map_fit import Fit, FitBatches, fit_maps, load_softmax
from longways.training.warm_start.weights import WarmStart, inherit

READ_EVERY = {"cpu": 1, "cuda": 25}
"""Updates between two readings of what they came to; a GPU works ahead meanwhile."""

MOST_SKIPPED = 10
"""Updates in a row with a gradient that is not finite, before a run gives up."""


@dataclass(frozen=True)
class TrainingEvent:
    """What a run tells about after an update."""

    progress: Progress
    update: Update
    tokens_per_second: float


class Trainer:
    """A run: its model and optimizer, its data, and how far it has come."""

    def __init__(
        self, config: RunConfig, data: PreparedData, folder: Path, ranks: Distributed
    ) -> None:
        if config.training.accumulate % ranks.count:
            raise ConfigError(
                f"training.accumulate is {config.training.accumulate}, but {ranks.count} ranks "
                "must share those batches evenly: set it to a multiple of the ranks."
            )
        self.config, self.folder, self.ranks = config, folder, ranks
        torch.manual_seed(config.training.seed)
        self.model = TranslationModel(config.model).train()
        self.kept = ModelSelection(folder, config, data)
        recover_folder((folder / LAST_FOLDER).absolute())
        begun = (folder / LAST_FOLDER).exists()
        self.softmax = None if begun else load_softmax(config, data, ranks.device)
        self.fitted: Fit | None = None
        self.inheritance = None if begun else self._inherit(data)
        teacher = load_teacher(config, data, ranks.device)
        self.updater = Updater(self.model.to(ranks.device), config.training, ranks, teacher)
        self.sampler = Curriculum(data.split("train"), config.batches, ranks.rank, ranks.count)
        self.train_split = DeviceSplit(self.sampler.split, ranks.device)
        self.judge = Validator(config, data, ranks.device)
        self.progress = Progress()
        if begun:
            self.kept.check_text(folder / LAST_FOLDER)
            self.progress = load_checkpoint(folder / LAST_FOLDER, self.updater)

    def _inherit(self, data: PreparedData) -> WarmStart | None:
        """Take the weights of the model that this run starts from, if it names one."""
        source = self.config.training.init_from
        if not source:
            return None
        same = same_pipeline(Path(source) / TEXT_FOLDER, data.folder / TEXT_FOLDER)
        return inherit(self.model, Path(source), same)

    def fit(self, tell: Callable[[], None] = lambda: None) -> Fit | None:
        """Fit the feature maps, if the run begins with that; `run` does if nobody has."""
        if self.softmax is not None:
            updates = self.config.training.fit_maps
            batches = FitBatches(self.sampler.stages[-1], self.train_split)
            precision = self.updater.precision
            self.fitted = fit_maps(self.model, self.softmax, updates, batches, precision, tell)
            self.softmax = None  # its memory is free again
        return self.fitted

    def run(self, tell: Callable[[TrainingEvent], None] | None = None) -> Progress:
        """Train until the updates, the patience, or a signal ends it."""
        self.fit()  # a signal ends this at once: there is nothing to save yet
        settings, batches = self.config.training, self._batches()
        with self._log() as log, _signals() as stop:
            if log and self.fitted and not self.progress.update:
                log.write(update=0, fit_updates=self.fitted.updates, fit_first=self.fitted.first,
                          fit_last=self.fitted.last, fit_seconds=self.fitted.seconds)  # fmt: skip
            while self.progress.update < settings.updates and not self.progress.stopped:
                self._train_until(self._next_reading(), batches, log, tell)
                if self.progress.update % settings.evaluate_every == 0:
                    self._look(log)
                stopping = self.ranks.any(stop.asked)
                if self.progress.update % settings.save_every == 0 or stopping:
                    self.save()
                if stopping:
                    return self.progress
        self.save()
        if self.ranks.first:
            self.kept.write_average(self.progress.update)
        return self.progress

    def _next_reading(self) -> int:
        """The update after which the host waits: to tell, to look, to save, or to end."""
        settings, done = self.config.training, self.progress.update
        every = READ_EVERY.get(self.ranks.device.type, 1), settings.evaluate_every
        return min(settings.updates, *(done - done % n + n for n in (*every, settings.save_every)))

    def _train_until(
        self,
        last: int,
        batches: Iterator[tuple[int, TensorBatch]],
        log: RunLog | None,
        tell: Callable[[TrainingEvent], None] | None,
    ) -> None:
        """Do all updates up to `last`, then say what they came to."""
        began, first = time.perf_counter(), self.progress.update + 1
        for number in range(first, last + 1):
            share = islice(batches, self.config.training.accumulate // self.ranks.count)
            self.updater.update(number, share)
        updates = self.updater.read()
        seconds = (time.perf_counter() - began) / len(updates)
        for update in updates:
            self._advance(update)
            if log:
                log.write(update=self.progress.update, loss=update.loss, tokens=update.tokens,
                          norm=update.norm, done=update.done, seconds=seconds)  # fmt: skip
            if tell:
                tell(TrainingEvent(self.progress, update, update.tokens / seconds))

    def save(self) -> None:
        """Write the last checkpoint."""
        if self.ranks.first:
            save_checkpoint(self.folder / LAST_FOLDER, self.updater, self.progress, self.kept)
        self.ranks.wait()

    def _batches(self) -> Iterator[tuple[int, TensorBatch]]:
        for number, shape, windows in self.sampler.plan(self.progress.batches):
            yield number, self.train_split.batch(windows, shape)

    def _advance(self, update: Update) -> None:
        """Count the update; ten skipped ones in a row end the run."""
        row = 0 if update.done else self.progress.skipped_in_a_row + 1
        self.progress = replace(
            self.progress,
            update=self.progress.update + 1,
            batches=self.progress.batches + self.config.training.accumulate,
            skipped=self.progress.skipped + (not update.done),
            skipped_in_a_row=row,
        )
        if row >= MOST_SKIPPED:
            raise LongwaysError(
                f"The gradient of {row} updates in a row was not finite, up to update "
                f"{self.progress.update}. Try a lower training.learning_rate, a longer "
                "training.warmup, or training.clip=1.0."
            )

    def _look(self, log: RunLog | None) -> None:
        """Look at the development part; keep the model if it was never better."""
        metric, patience = self.config.training.metric, self.config.training.patience
        scores = self.judge.scores(self.model)
        score = self.ranks.from_first(scores[metric])
        better = is_better(metric, score, self.progress.best)
        looks = 0 if better else self.progress.looks_since_best + 1
        self.progress = replace(
            self.progress, looks_since_best=looks, stopped=bool(patience) and looks >= patience
        )
        if better:
            self.progress = replace(self.progress, best=score, best_update=self.progress.update)
        if log:
            told = {f"dev_{name}": value for name, value in scores.items()}
            log.write(update=self.progress.update, **told, best=self.progress.best)
        if self.ranks.first:
            self.kept.keep_recent(self.model, self.progress.update)
        if better and self.ranks.first:
            self.kept.keep_best(self.model, update=self.progress.update, dev=scores)

    @contextmanager
    def _log(self) -> Iterator[RunLog | None]:
        """The log, on the first rank."""
        if not self.ranks.first:
            yield None
            return
        done, board = self.progress.update, None
        if self.config.training.tensorboard:
            board = TensorBoardLog(self.folder / BOARD_FOLDER, done)
        with RunLog(self.folder / LOG_FILE, done, board) as log:
            yield log


class _Stop:
    """Whether somebody asked the run to stop."""

    asked = False


@contextmanager
def _signals() -> Iterator[_Stop]:
    """Ctrl-C and SIGTERM let the update finish; a second Ctrl-C does not wait."""
    stop = _Stop()

    def ask(number: int, _: FrameType | None) -> None:
        if stop.asked and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.asked = True

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
