"""`run.json`: what a run is, and whether a recipe may go on with it. Loads without torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from longways.config import flatten
from longways.errors import ConfigError, DamagedCheckpoint
from longways.manifest import read_versioned, write_versioned
from longways.training.config import RunConfig, build_run

FORMAT = 1
"""The format we write. Raised whenever an older Longways could no longer read a run."""

RUN_FILE, LOG_FILE, LAST_FOLDER, BEST_FOLDER = "run.json", "log.jsonl", "last", "best"


@dataclass(frozen=True)
class Run:
    """A run folder's own account of itself."""

    config: RunConfig
    data: Path
    """The prepared data it is trained on."""
    command: str = ""
    """What it was last started with."""
    machine: dict[str, Any] = field(default_factory=dict)
    """What it was last started on."""


def write_run(folder: Path, run: Run) -> None:
    """Write `run.json`, replacing the one that is there."""
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
    """The run in a folder."""
    content = read_versioned(folder / RUN_FILE, FORMAT, "run", DamagedCheckpoint)
    model = content["config"]["model"]
    sizes = model["source_vocabulary"], model["target_vocabulary"]
    config = build_run(content["config"], sizes, str(folder / RUN_FILE))
    facts = {key: content[key] for key in ("command", "machine") if key in content}
    return Run(config, Path(content["data"]), **facts)


def check_same(old: RunConfig, new: RunConfig, folder: Path) -> None:
    """Raise if a recipe is not the one that this run was started with."""
    before, after = flatten(asdict(old)), flatten(asdict(new))
    changed = [key for key in before if before[key] != after.get(key)]
    if changed:
        shown = "; ".join(f"{key}: {before[key]} -> {after.get(key)}" for key in changed[:5])
        raise ConfigError(
            f"{folder} was started with other settings ({shown}). Use another folder, or go on "
            "with the new ones with --allow-changes."
        )
