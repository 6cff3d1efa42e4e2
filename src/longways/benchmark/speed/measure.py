"""How fast windows are decoded, by their length: RFA against transformers, weak and strong.

Weights are random, or those of trained models, and encoding the source counts. Each system is first
found to be right; then all take turns in one process.
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
from longways.benchmark.speed.progress import Keep, SoFar, Tell
from longways.benchmark.speed.systems import Setting, System, build
from longways.benchmark.speed.trial import Patience, Trial
from longways.benchmark.speed.windows import Shape, shapes
from longways.corpus.prepared_data import open_data
from longways.errors import ConfigError, LongwaysError
from longways.results import Report, Row


def measure(config: SpeedConfig, tell: Tell = print, keep: Keep = lambda _: None) -> Report:
    """Tokens a second of every system for each L and batch, after all were found to be right.

    What there is so far is given to `keep` whenever it has become more: a benchmark can take hours.
    """
    devices = ("cpu", "cuda") if config.device == "both" else (config.device,)
    so_far = SoFar(config, tell, keep)
    for device in devices:
        if device == "cuda" and not torch.cuda.is_available():
            so_far.leave_out("cuda", "torch finds no GPU here")
        else:
            _measure_on(device, so_far)
    if not so_far.rows:
        raise ConfigError(f"There is nothing to measure: {_said(so_far.notes)}.")
    return so_far.report()


def _said(notes: dict[str, str]) -> str:
    return "; ".join(f"{name}, {note.removesuffix('.')}" for name, note in notes.items())


def _measure_on(device: str, so_far: SoFar) -> None:
    threads, config = torch.get_num_threads(), so_far.config
    wanted = shapes(list(config.lengths), config.batches_on(device), config.talks)
    try:
        if device == "cpu":
            torch.set_num_threads(config.threads)
        with tempfile.TemporaryDirectory() as folder:
            setting = _setting(device, config, Path(folder))
            if systems := _right_ones(config.named(device), setting, so_far):
                _measure_all(systems, wanted, device, so_far)
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


def _right_ones(names: Sequence[str], setting: Setting, so_far: SoFar) -> list[System]:
    """The systems that can be had here and say the same as our own model."""
    for name in names:  # what is misspelt is an error before anything is built
        if name not in BASELINES:
            rfa_config(name, setting.sizes)
    transformer = setting.model(TRANSFORMER)
    systems = []
    for name in names:
        try:
            system = build(name, setting, transformer)
            off = system.check()
        except LongwaysError as error:
            so_far.leave_out(name, str(error))
            continue
        if off <= system.close:
            systems.append(system)
            so_far.notes[f"{name} differs by"] = f"{off:.1e}"
        else:
            so_far.leave_out(name, f"it differs from our own model by {off:.2g}")
    return systems


def _measure_all(systems: list[System], wanted: list[Shape], device: str, so_far: SoFar) -> None:
    pace, config = dict[tuple[str, int], float](), so_far.config
    patience = Patience(slow=config.once, limit=config.limit)
    for shape in wanted:
        trials = [
            Trial(system, shape, device, patience, pace.get((system.name, shape.batch), 0.0))
            for system in systems
        ]
        take_turns(trials, config.rounds)
        pace |= {(trial.system.name, shape.batch): trial.speed for trial in trials if trial.speed}
        so_far.add(compared(trials))
    if "largest" in config.batches_on(device):
        for L in config.lengths:
            _measure_largest(systems, L, device, patience, so_far)


def take_turns(trials: Sequence[Trial], rounds: int) -> None:
    """Open all, time one decoding of each in every round, and close them."""
    for trial in trials:
        trial.prepare()
    for _ in range(rounds):
        for trial in trials:
            trial.take_turn()
    for trial in trials:
        trial.close()


def _measure_largest(
    systems: list[System], L: int, device: str, patience: Patience, so_far: SoFar
) -> None:
    """Each system at its own best batch, opened anew for every turn: they need all memory."""
    trials = list[Trial]()
    for system in systems:
        trials.append(largest_batch(system, L, device, patience, so_far.tell))
        so_far.glimpse(compared(trials))
    for _ in range(so_far.config.rounds - 1):
        for trial in trials:
            again = replace(trial, seconds=[], first=[])
            if trial.seconds and trial.seconds[-1] <= patience.slow:
                take_turns([again], 1)
            trial.seconds += again.seconds
            trial.first += again.first
        so_far.glimpse(compared(trials))
    so_far.add(compared(trials))


def compared(trials: Sequence[Trial]) -> list[Row]:
    """The rows of trials that belong together, with their ratios to every baseline."""
    rows = [trial.row() for trial in trials]
    for name in BASELINES:
        speeds = [trial.speed for trial in trials if trial.system.name == name]
        for row, trial in zip(rows, trials, strict=True):
            row[f"over {name}"] = _ratio(trial.speed, speeds[0] if speeds else 0.0)
    return rows


def _ratio(speed: float, other: float) -> float | None:
    return round(speed / other, 2) if speed and other else None
