"""Measure decoding speed by window length: RFA and several implementations of transformers.

Weights are random or trained, and the time includes encoding the source. Each system is first
checked for correctness; then all systems are measured in turns in one process.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from longways.benchmark.speed.config import SpeedConfig
from longways.benchmark.speed.largest import largest_batch
from longways.benchmark.speed.models import BASELINES, TRANSFORMER, rfa_config
from longways.benchmark.speed.progress import Keep, Log, PartialReport
from longways.benchmark.speed.systems import Setting, System, build
from longways.benchmark.speed.trial import TimeLimits, Trial
from longways.benchmark.speed.windows import Shape, shapes
from longways.corpus.prepared_data import open_data
from longways.errors import ConfigError, LongwaysError
from longways.results import Report, Row


def measure(config: SpeedConfig, log: Log = print, keep: Keep = lambda _: None) -> Report:
    """Measure the tokens per second of every system for each L and batch.

    `keep` is called with a partial report after every row, because a benchmark can take hours.
    """
    devices = ("cpu", "cuda") if config.device == "both" else (config.device,)
    partial = PartialReport(config, log, keep)
    for device in devices:
        if device == "cuda" and not torch.cuda.is_available():
            partial.leave_out("cuda", "torch finds no GPU here")
        else:
            _measure_on(device, partial)
    if not partial.rows:
        raise ConfigError(f"There is nothing to measure: {_join_notes(partial.notes)}.")
    return partial.report()


def _join_notes(notes: dict[str, str]) -> str:
    return "; ".join(f"{name}, {note.removesuffix('.')}" for name, note in notes.items())


def _measure_on(device: str, partial: PartialReport) -> None:
    threads, config = torch.get_num_threads(), partial.config
    wanted = shapes(list(config.lengths), config.batches_on(device), config.talks)
    try:
        if device == "cpu":
            torch.set_num_threads(config.threads)
        with tempfile.TemporaryDirectory() as folder:
            setting = _setting(device, config, Path(folder))
            if systems := _checked_systems(config.named(device), setting, partial):
                _measure_all(systems, wanted, device, partial)
    finally:
        torch.set_num_threads(threads)


def _setting(device: str, config: SpeedConfig, folder: Path) -> Setting:
    text, sizes = None, config.model_sizes
    for name in config.trained:
        if name != TRANSFORMER and name not in config.named(device):
            raise ConfigError(
                f"There is a trained model for {name!r}, but no such system is measured. Name "
                f"{TRANSFORMER} for all transformers, or one of --systems."
            )
    if config.prepared:
        data = open_data(config.prepared)
        if data.vocabularies != (sizes["source_vocabulary"], sizes["target_vocabulary"]):
            raise ConfigError(
                f"The models have other vocabularies than {config.prepared}: name the data that "
                "they were trained on."
            )
        text = data.split("test").source  # a separator after each sentence
    return Setting(device, config.beams, config.threads, sizes, folder, config.trained, text)


def _checked_systems(
    names: Sequence[str], setting: Setting, partial: PartialReport
) -> list[System]:
    """The systems that are available here and decode correctly."""
    for name in names:  # raise an error for a misspelt name before building anything
        if name not in BASELINES:
            rfa_config(name, setting.sizes)
    transformer = setting.model(TRANSFORMER)
    systems = []
    for name in names:
        try:
            system = build(name, setting, transformer)
            error_found = system.check()
        except LongwaysError as error:
            partial.leave_out(name, str(error))
            continue
        if error_found <= system.tolerance:
            systems.append(system)
            partial.notes[f"{name} differs by"] = f"{error_found:.1e}"
        else:
            partial.leave_out(name, f"it differs from our own model by {error_found:.2g}")
    return systems


def _measure_all(
    systems: list[System], wanted: list[Shape], device: str, partial: PartialReport
) -> None:
    speeds, config = dict[tuple[str, int], float](), partial.config
    limits = TimeLimits(repeat=config.once, skip=config.limit)
    for shape in wanted:
        trials = [
            Trial(system, shape, device, limits, speeds.get((system.name, shape.batch), 0.0))
            for system in systems
        ]
        run_rounds(trials, config.rounds)
        speeds |= {(trial.system.name, shape.batch): trial.speed for trial in trials if trial.speed}
        partial.add(comparison_rows(trials))
    if "largest" in config.batches_on(device):
        for L in config.lengths:
            _measure_largest(systems, L, device, limits, partial)


def run_rounds(trials: Sequence[Trial], rounds: int) -> None:
    """Open all trials, time one decoding of each in every round, and close them."""
    for trial in trials:
        trial.prepare()
    for _ in range(rounds):
        for trial in trials:
            trial.run()
    for trial in trials:
        trial.close()


def _measure_largest(
    systems: list[System], L: int, device: str, limits: TimeLimits, partial: PartialReport
) -> None:
    """Measure each system at its fastest batch, opened again every round to free memory."""
    trials = list[Trial]()
    for system in systems:
        trials.append(largest_batch(system, L, device, limits, partial.log))
        partial.keep_with(comparison_rows(trials))
    for _ in range(partial.config.rounds - 1):
        for trial in trials:
            again = replace(trial, seconds=[], first=[])
            if trial.seconds and trial.seconds[-1] <= limits.repeat:
                run_rounds([again], 1)
            trial.seconds += again.seconds
            trial.first += again.first
        partial.keep_with(comparison_rows(trials))
    partial.add(comparison_rows(trials))


def comparison_rows(trials: Sequence[Trial]) -> list[Row]:
    """The rows of trials of one shape, with their speed-ups over every baseline."""
    rows = [trial.row() for trial in trials]
    for name in BASELINES:
        speeds = [trial.speed for trial in trials if trial.system.name == name]
        for row, trial in zip(rows, trials, strict=True):
            row[f"over {name}"] = _ratio(trial.speed, speeds[0] if speeds else 0.0)
    return rows


def _ratio(speed: float, other: float) -> float | None:
    return round(speed / other, 2) if speed and other else None
