"""Commands run side by side, each with a log of its own; stopped together, they stop in order."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from longways.errors import LongwaysError

PAUSE = 0.2
"""Seconds between two looks at what is running."""


@dataclass(frozen=True)
class Job:
    """A command of Longways, what it must wait for, and where it writes what it says."""

    name: str
    arguments: tuple[str, ...]
    log: Path
    after: tuple[str, ...] = ()
    """The jobs that must have ended well before it starts."""
    makes_sense: Callable[[], bool] = lambda: True
    """Request when it could start: what was stopped before it may have left it nothing to do."""
    behind: tuple[str, ...] = ()
    """Those that must have ended somehow."""


def run_jobs(jobs: Sequence[Job], parallel: int, tell: Callable[[str], None]) -> bool:
    """Run all, at most so many at once; False if not all could be done.

    Those that come first here start first, if nothing that they wait for is left. A signal is
    passed on, and everything running may finish what it must; what does not end well after it was
    stopped, not failed. A job that fails takes along only those that wait for it: the others go
    on, and the error comes at the end.
    """
    waiting, running, done = list(jobs), dict[str, subprocess.Popen[bytes]](), 0
    failed: dict[str, str] = {}
    with _signals() as stop:
        while (waiting and not stop) or running:
            _leave_out(waiting, failed, tell)
            pending = {job.name for job in waiting} | running.keys()
            ready = [job for job in waiting if pending.isdisjoint((*job.after, *job.behind))]
            for job in ready[: parallel - len(running)] if not stop else []:
                waiting.remove(job)
                if not job.makes_sense():
                    tell(f"{job.name}: left out")
                    continue
                running[job.name] = _start(job)
                tell(f"{job.name}: started")
            time.sleep(PAUSE)
            for process in running.values() if stop else ():
                process.send_signal(signal.SIGTERM)
                process.wait()
            done += _collect(jobs, running, failed, bool(stop), tell)
    _raise_for(failed)
    return done == len(jobs)


def _leave_out(waiting: list[Job], failed: dict[str, str], tell: Callable[[str], None]) -> None:
    """Give up the jobs that wait for one that failed, and those that wait for them."""
    while lost := [job for job in waiting if not failed.keys().isdisjoint(job.after)]:
        for job in lost:
            waiting.remove(job)
            failed[job.name] = ""
            tell(f"{job.name}: left out, since what it waits for has failed")


def _raise_for(failed: dict[str, str]) -> None:
    said = [words for words in failed.values() if words]
    if said:
        raise LongwaysError(" ".join(said))


def _start(job: Job) -> subprocess.Popen[bytes]:
    job.log.parent.mkdir(parents=True, exist_ok=True)
    with job.log.open("ab") as log:
        command = [sys.executable, "-m", "longways", *job.arguments]
        return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)


def _collect(
    jobs: Sequence[Job],
    running: dict[str, subprocess.Popen[bytes]],
    failed: dict[str, str],
    stopped: bool,
    tell: Callable[[str], None],
) -> int:
    """Take note of what has ended and of what has failed, and count what ended well."""
    done = 0
    for name in [name for name, process in running.items() if process.poll() is not None]:
        code = running.pop(name).returncode
        done += not code
        ended = "stopped" if stopped else f"ended with code {code}"
        tell(f"{name}: {ended if code else 'done'}")
        if code and not stopped:
            log = next(job.log for job in jobs if job.name == name)
            last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            failed[name] = f"{name} failed: {' '.join(last)} (all of it: {log})"
    return done


@contextmanager
def _signals() -> Iterator[list[int]]:
    """A list that Ctrl-C and SIGTERM write their number into."""
    asked: list[int] = []

    def ask(number: int, _: FrameType | None) -> None:
        asked.append(number)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
