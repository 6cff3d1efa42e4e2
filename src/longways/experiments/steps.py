"""Run the steps of an experiment one after the other, each as a Longways command.

WORK/logs/STEP.log       the output of a step's command
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TypeAlias

from longways.errors import LongwaysError

LOG_FOLDER = "logs"

Arguments: TypeAlias = list[str | Path]


@dataclass(frozen=True)
class Step:
    """A Longways command with the steps it needs and a check of its result."""

    name: str
    arguments: Arguments
    is_done: Callable[[], object]
    """Whether the result exists; a step that is done is not run."""
    needs: tuple[str, ...] = ()
    """Steps that must be done first; they come earlier in the list."""


def run_steps(steps: Sequence[Step], work: Path, log: Callable[[str], None]) -> bool:
    """Run the steps that are not done; False if they were stopped by a signal.

    SIGINT and SIGTERM are passed on to the running step, so that it can save its work. If a step
    fails, the steps that need it are left out, the others run, and the error is raised at the end.
    """
    done, errors = set[str](), list[str]()
    with _signals() as (stop, processes):
        for step in steps:
            if step.is_done():
                done.add(step.name)
                continue
            if stop:
                break
            if missing := [name for name in step.needs if name not in done]:
                log(f"{step.name}: left out, because {missing[0]} is not done")
                continue
            log(f"{step.name}: started")
            log_file = work / LOG_FOLDER / f"{step.name.replace(' ', '-')}.log"
            code = _run(step, log_file, processes, stop)
            if code and not stop:
                errors.append(f"{step.name} failed: {_last_line(log_file)} (see {log_file})")
                log(f"{step.name}: failed with exit code {code}")
            elif step.is_done():
                done.add(step.name)
                log(f"{step.name}: done")
            else:
                log(f"{step.name}: stopped")
    if errors:
        raise LongwaysError(" ".join(errors))
    return len(done) == len(steps)


def _run(
    step: Step, log_file: Path, processes: list[subprocess.Popen[bytes]], stop: list[int]
) -> int:
    """The exit code of a step's command."""
    log_file.parent.mkdir(parents=True, exist_ok=True)
    with log_file.open("ab") as file:
        command = [sys.executable, "-m", "longways", *step.arguments]
        processes[:] = [subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)]
    if stop:  # the signal arrived before the process
        processes[0].terminate()
    return processes[0].wait()


def _last_line(log_file: Path) -> str:
    lines = log_file.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "it printed nothing"


@contextmanager
def _signals() -> Iterator[tuple[list[int], list[subprocess.Popen[bytes]]]]:
    """Pass SIGINT and SIGTERM on to the processes in a list, and collect them in another."""
    stop, processes = list[int](), list[subprocess.Popen[bytes]]()

    def handle(number: int, _: FrameType | None) -> None:
        stop.append(number)
        for process in processes:
            process.terminate()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop, processes
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
