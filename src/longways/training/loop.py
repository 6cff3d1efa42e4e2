"""The training loop: updates, validation and checkpoints."""

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
from longways.model.build import build_model
from longways.text.manifest import TEXT_FOLDER, same_pipeline
from longways.training.checkpoints import Progress, load_checkpoint, save_checkpoint
from longways.training.config import RunConfig
from longways.training.device.device_data import DeviceSplit, TensorBatch
from longways.training.device.distributed import Distributed
from longways.training.limits import check_epochs, check_windows_fit
from longways.training.model_selection import ModelSelection
from longways.training.runs.log import RunLog
from longways.training.runs.run import LAST_FOLDER, LOG_FILE
from longways.training.runs.tensorboard import BOARD_FOLDER, TensorBoardLog
from longways.training.teacher import load_teacher
from longways.training.update import Update, Updater
from longways.training.validation import Validator, is_better
from longways.training.warm_start.feature_map_fit import Fit, FitBatches, fit_maps, load_softmax
from longways.training.warm_start.weights import WarmStart, copy_weights

READ_INTERVAL_UPDATES = {"cpu": 1, "cuda": 25}
"""Updates between two readings of losses; in between the host does not wait for a GPU."""

MAX_SKIPPED_UPDATES = 10
"""Consecutive updates with a non-finite gradient after which a run fails."""


@dataclass(frozen=True)
class TrainingEvent:
    """The state of a run after an update, for progress displays."""

    progress: Progress
    update: Update
    tokens_per_second: float


class Trainer:
    """A training run: its model, optimiser, data and progress."""

    def __init__(
        self, config: RunConfig, data: PreparedData, folder: Path, ranks: Distributed
    ) -> None:
        if config.training.accumulate % ranks.world_size:
            raise ConfigError(
                f"training.accumulate is {config.training.accumulate}, but {ranks.world_size} "
                "processes must share these batches evenly: set it to a multiple of the number of "
                "processes."
            )
        self.config, self.folder, self.ranks = config, folder, ranks
        torch.manual_seed(config.training.seed)
        self.model = build_model(config.model).train()
        self.selection = ModelSelection(folder, config, data)
        recover_folder((folder / LAST_FOLDER).absolute())
        resumed = (folder / LAST_FOLDER).exists()
        self.softmax = None if resumed else load_softmax(config, data, ranks.device)
        self.fitted: Fit | None = None
        self.warm_start = None if resumed else self._warm_start(data)
        teacher = load_teacher(config, data, ranks.device)
        self.updater = Updater(self.model.to(ranks.device), config.training, ranks, teacher)
        self.sampler = Curriculum(data.split("train"), config.batches, ranks.rank, ranks.world_size)
        self.train_split = DeviceSplit(self.sampler.split, ranks.device)
        self.validator = Validator(config, data, ranks.device)
        check_windows_fit(config, self.sampler, self.validator.dev_loss)
        check_epochs(config, self.sampler)
        self.progress = Progress()
        if resumed:
            self.selection.check_text(folder / LAST_FOLDER)
            self.progress = load_checkpoint(folder / LAST_FOLDER, self.updater)

    def _warm_start(self, data: PreparedData) -> WarmStart | None:
        """Copy the weights of the model in training.init_from, if it is set."""
        source = self.config.training.init_from
        if not source:
            return None
        same = same_pipeline(Path(source) / TEXT_FOLDER, data.folder / TEXT_FOLDER)
        return copy_weights(self.model, Path(source), same)

    def fit(self, advance: Callable[[], None] = lambda: None) -> Fit | None:
        """Fit the feature maps, if training.fit_maps is set; `run` calls this as well."""
        if self.softmax is not None:
            updates = self.config.training.fit_maps
            batches = FitBatches(self.sampler.stages[-1], self.train_split)
            precision = self.updater.precision
            self.fitted = fit_maps(self.model, self.softmax, updates, batches, precision, advance)
            self.softmax = None  # free its memory
        return self.fitted

    def run(self, listener: Callable[[TrainingEvent], None] | None = None) -> Progress:
        """Train until all updates are done, the patience is exhausted, or a signal arrives."""
        self.fit()  # a signal stops this at once: there is nothing to save yet
        settings, batches = self.config.training, self._batches()
        with self._log() as log, _signals() as stop:
            if log and self.fitted and not self.progress.update:
                log.write(update=0, fit_updates=self.fitted.updates, fit_first=self.fitted.first,
                          fit_last=self.fitted.last, fit_seconds=self.fitted.seconds)  # fmt: skip
            while self.progress.update < settings.updates and not self.progress.stopped:
                self._train_until(self._next_reading(), batches, log, listener)
                if self.progress.update % settings.evaluate_every == 0:
                    self._validate(log)
                stopping = self.ranks.any(stop.requested)
                if self.progress.update % settings.save_every == 0 or stopping:
                    self.save()
                if stopping:
                    return self.progress
        self.save()
        if self.ranks.first:
            self.selection.write_average(self.progress.update)
        return self.progress

    def _next_reading(self) -> int:
        """The next update after which losses are read, for the log, validation or a checkpoint."""
        settings, done = self.config.training, self.progress.update
        every = READ_INTERVAL_UPDATES.get(self.ranks.device.type, 1), settings.evaluate_every
        return min(settings.updates, *(done - done % n + n for n in (*every, settings.save_every)))

    def _train_until(
        self,
        last: int,
        batches: Iterator[tuple[int, TensorBatch]],
        log: RunLog | None,
        listener: Callable[[TrainingEvent], None] | None,
    ) -> None:
        """Do all updates up to `last`, then log their losses."""
        began, first = time.perf_counter(), self.progress.update + 1
        for number in range(first, last + 1):
            share = islice(batches, self.config.training.accumulate // self.ranks.world_size)
            self.updater.update(number, share)
        updates = self.updater.read()
        seconds = (time.perf_counter() - began) / len(updates)
        for update in updates:
            self._advance(update)
            if log:
                log.write(update=self.progress.update, loss=update.loss, tokens=update.tokens,
                          norm=update.norm, done=update.done, seconds=seconds)  # fmt: skip
            if listener:
                listener(TrainingEvent(self.progress, update, update.tokens / seconds))

    def save(self) -> None:
        """Write the last checkpoint."""
        if self.ranks.first:
            save_checkpoint(self.folder / LAST_FOLDER, self.updater, self.progress, self.selection)
        self.ranks.wait()

    def _batches(self) -> Iterator[tuple[int, TensorBatch]]:
        for number, shape, windows in self.sampler.plan(self.progress.batches):
            yield number, self.train_split.batch(windows, shape)

    def _advance(self, update: Update) -> None:
        """Count the update; too many skipped updates in a row are an error."""
        in_a_row = 0 if update.done else self.progress.skipped_in_a_row + 1
        self.progress = replace(
            self.progress,
            update=self.progress.update + 1,
            batches=self.progress.batches + self.config.training.accumulate,
            skipped=self.progress.skipped + (not update.done),
            skipped_in_a_row=in_a_row,
        )
        if in_a_row >= MAX_SKIPPED_UPDATES:
            raise LongwaysError(
                f"The gradient of {in_a_row} updates in a row was not finite, up to update "
                f"{self.progress.update}. Try a lower training.learning_rate, a longer "
                "training.warmup, or training.clip=1.0."
            )

    def _validate(self, log: RunLog | None) -> None:
        """Compute scores on the dev split, and keep the model if it is the best so far."""
        metric = self.config.training.metric
        scores = self.validator.scores(self.model)
        score = self.ranks.from_first(scores[metric])
        better = is_better(metric, score, self.progress.best)
        if better:
            self.progress = replace(self.progress, best=score, best_update=self.progress.update)
        since_best = 0 if better else self.progress.looks_since_best + 1
        self.progress = replace(self.progress, looks_since_best=since_best)
        self.progress = replace(self.progress, stopped=self._is_patience_exhausted())
        if log:
            entry = {f"dev_{name}": value for name, value in scores.items()}
            log.write(update=self.progress.update, **entry, best=self.progress.best)
            statistics = self.validator.attention(self.model)
            if statistics:
                log.write(update=self.progress.update, attention=statistics)
        if self.ranks.first:
            self.selection.keep_recent(self.model, self.progress.update)
        if better and self.ranks.first:
            self.selection.keep_best(self.model, update=self.progress.update, dev=scores)

    def _is_patience_exhausted(self) -> bool:
        settings, progress = self.config.training, self.progress
        if settings.patience_unit == "validations":
            waited: float = progress.looks_since_best
        else:
            batches = (progress.update - progress.best_update) * settings.accumulate
            waited = batches / self.sampler.stages[-1].batches
        return bool(settings.patience) and waited >= settings.patience

    @contextmanager
    def _log(self) -> Iterator[RunLog | None]:
        """The log in the first process, None in others."""
        if not self.ranks.first:
            yield None
            return
        done, board = self.progress.update, None
        if self.config.training.tensorboard:
            board = TensorBoardLog(self.folder / BOARD_FOLDER, done)
        with RunLog(self.folder / LOG_FILE, done, board) as log:
            yield log


class _Stop:
    """Whether a signal has requested a stop."""

    requested = False


@contextmanager
def _signals() -> Iterator[_Stop]:
    """Ctrl-C and SIGTERM stop a run after its current update; a second Ctrl-C stops it at once."""
    stop = _Stop()

    def handle(number: int, _: FrameType | None) -> None:
        if stop.requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.requested = True

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
