"""`run.json`: the config and data of a run, checked when it is resumed. Loads without torch."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from longways.config import flatten
from longways.errors import ConfigError, DamagedCheckpoint
from longways.manifest import read_versioned, write_versioned
from longways.training.config import RENAMED_SETTINGS, RunConfig, build_run

FORMAT = 1
"""The version of the file format, raised for changes that older versions cannot read."""

RUN_FILE, LOG_FILE, LAST_FOLDER, BEST_FOLDER = "run.json", "log.jsonl", "last", "best"
PROGRESS_FILE = "progress.json"
"""The counters of a checkpoint, in its folder."""


@dataclass(frozen=True)
class Run:
    """The contents of `run.json`."""

    config: RunConfig
    data: Path
    """The folder of the prepared data."""
    command: str = ""
    """The command that last started the run."""
    machine: dict[str, Any] = field(default_factory=dict)
    """The machine on which the run was last started."""


def write_run(folder: Path, run: Run) -> None:
    """Write `run.json`, which replaces an earlier one."""
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f".{RUN_FILE}.writing"
    content = {
        "kind": "run",
        "config": asdict(run.config),
        "data": str(run.data.absolute()),
        "command": run.command,
        "machine": run.machine,
    }
    write_versioned(draft, FORMAT, content)
    draft.replace(folder / RUN_FILE)


def read_run(folder: Path) -> Run:
    """Read the `run.json` in a folder."""
    content = read_versioned(folder / RUN_FILE, FORMAT, "run", DamagedCheckpoint)
    try:
        model = content["config"]["model"]
        sizes = model["source_vocabulary"], model["target_vocabulary"]
        training = content["config"]["training"]
        content["config"]["training"] = {RENAMED_SETTINGS.get(k, k): v for k, v in training.items()}
        data = Path(content["data"])
        config = build_run(content["config"], sizes, str(folder / RUN_FILE))
    except (KeyError, TypeError, AttributeError) as error:
        raise DamagedCheckpoint(
            f"{folder / RUN_FILE} is damaged: {error} is missing or not a table. Restore it from a "
            "copy, or start the run again in another folder."
        ) from error
    facts = {key: content[key] for key in ("command", "machine") if key in content}
    return Run(config, data, **facts)


def check_same(old: RunConfig, new: RunConfig, folder: Path) -> None:
    """Raise an error if a recipe has other settings than the run."""
    before, after = flatten(asdict(old)), flatten(asdict(new))
    changed = [key for key in before if before[key] != after.get(key)]
    if changed:
        shown = "; ".join(f"{key}: {before[key]} -> {after.get(key)}" for key in changed[:5])
        raise ConfigError(
            f"{folder} was started with other settings ({shown}). Use another folder, or resume "
            "with the new settings by --allow-changes."
        )


def is_stopped_early(folder: Path) -> bool:
    """Whether a run ended because its patience was exhausted."""
    path = folder / LAST_FOLDER / PROGRESS_FILE
    return path.exists() and bool(json.loads(path.read_text(encoding="utf-8"))["stopped"])
