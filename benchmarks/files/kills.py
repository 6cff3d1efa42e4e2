"""Folder jobs that are killed, or whose disk is full, and are resumed by the same command."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.files.generated import WRITERS, sentences
from benchmarks.files.kept_journals import count_sentences
from longways.errors import LongwaysError
from longways.results import Report, report
from longways.translation.files.record import RECORD_FILE

FORMATS = ("text", "markdown", "html", "docx", "srt", "po")
DISK_KB = 800
"""The size of the disk that is filled."""
EARLY = 0.15
"""The share of interruptions before the work begins."""
POLL_SECONDS = 0.005
"""How often the journals are read to see whether the work has begun."""


class Places(NamedTuple):
    """The paths of one job."""

    source: Path
    out: Path
    kept: Path
    """Second names of all journals."""

    @classmethod
    def below(cls, source: Path, folder: Path) -> Places:
        """An empty place for the translations and the journals."""
        (folder / "kept").mkdir(parents=True)
        return cls(source, folder / "out", folder / "kept")


def measure(
    files: int,
    kills: int,
    length: int,
    beam: int,
    seed: int,
    formats: Sequence[str] = FORMATS,
) -> Report:
    """Run a job in peace, killed, and with a full disk; raise if an output differs."""
    with tempfile.TemporaryDirectory() as name:
        source, folder = Path(name) / "source", Path(name)
        write_sources(source, files, length, seed, formats)
        start = _seconds(_one(folder), Places.below(folder / "one", folder / "start"), beam)
        peace = Places.below(source, folder / "peace")
        seconds = _seconds(source, peace, beam)
        step = max(0.0, seconds - start) / (kills + 1)
        rows = [_row("undisturbed", peace, peace, 0, 0)]
        war = Places.below(source, folder / "war")
        found = _killed(war, beam, kills, (start, step), random.Random(seed))
        rows.append(_row("killed", war, peace, *found))
        note = "measured"
        with _small_disk(folder / "disk") as disk:
            if disk:
                full = Places.below(source, folder / "disk")
                found = _filled(full, beam, kills, (start, step), random.Random(seed + 1))
                rows.append(_row("disk full", full, peace, *found))
            else:
                note = "not measured: this user may not mount a tmpfs"
    settings = {"files": files, "formats": list(formats), "interruptions": kills, "beam": beam}
    settings |= {"seed": seed, "disk KB": DISK_KB, "full disk": note}
    settings |= {"seconds undisturbed": round(seconds, 1)}
    return report("kills", "A folder job interrupted at random moments", settings, rows, "cpu")


def write_sources(
    folder: Path, files: int, length: int, seed: int, formats: Sequence[str] = FORMATS
) -> None:
    """Files of all formats, in two folders."""
    for number in range(files):
        suffix, write = WRITERS[formats[number % len(formats)]]
        path = folder / f"part{number % 2}" / f"page{number:02}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(write(sentences(length, seed * 1000 + number)))


def _one(folder: Path) -> Path:
    (folder / "one").mkdir()
    (folder / "one" / "a.txt").write_text("打开终端。\n", encoding="utf-8")
    return folder / "one"


def _command(places: Places, beam: int) -> list[str]:
    words = [sys.executable, "-m", "benchmarks.files.kept_journals", str(places.kept), "translate"]
    return [*words, str(places.source), "-o", str(places.out), "--beam", str(beam)]


def _seconds(source: Path, places: Places, beam: int) -> float:
    began = time.perf_counter()
    _finish(places._replace(source=source), beam)
    return time.perf_counter() - began


def _finish(places: Places, beam: int) -> None:
    done = subprocess.run(_command(places, beam), capture_output=True, check=False)
    if done.returncode:
        raise LongwaysError(f"The job did not finish: {done.stderr.decode()}")


def _killed(
    places: Places, beam: int, kills: int, times: tuple[float, float], draw: random.Random
) -> tuple[int, int]:
    """Kill the job many times, then let it finish; how many kills hit it in its work."""
    hits = 0
    for _ in range(kills):
        before = _lines(places)
        with subprocess.Popen(_command(places, beam), stderr=subprocess.DEVNULL) as process:
            _wait(process, places, before, (times[0], 1.6 * times[1]), draw)
            process.kill()
        if process.returncode != -signal.SIGKILL:
            raise LongwaysError("The job ended before all kills. Use more sentences with --length.")
        hits += _lines(places) > before
    _finish(places, beam)
    return kills, hits


def _filled(
    places: Places, beam: int, times_full: int, times: tuple[float, float], draw: random.Random
) -> tuple[int, int]:
    """Fill the disk at random moments and free it again; how often the job said so and ended."""
    hits = 0
    filler = places.kept.parent / "filler"
    for _ in range(times_full):
        before = _lines(places)
        with subprocess.Popen(_command(places, beam), stderr=subprocess.PIPE) as process:
            _wait(process, places, before, (times[0], times[1] / 4), draw)
            _fill(filler, draw.randrange(6))
            said = process.communicate(timeout=600)[1].decode()
        filler.unlink()
        if process.returncode not in (0, 2) or "Traceback" in said:
            raise LongwaysError(f"A full disk was not one sentence: {said}")
        if process.returncode == 2 and "space" not in said:
            raise LongwaysError(f"A full disk was not named: {said}")
        hits += process.returncode == 2
    _finish(places, beam)
    return times_full, hits


def _wait(
    process: subprocess.Popen[bytes],
    places: Places,
    before: int,
    times: tuple[float, float],
    draw: random.Random,
) -> None:
    """Wait for a random moment: in the start now and then, else in the first work after it.

    `times` are the seconds of the start and of that work.
    """
    start, work = times
    if draw.random() < EARLY:
        wait = draw.uniform(0, start)
    else:
        while process.poll() is None and _lines(places) == before:
            time.sleep(POLL_SECONDS)
        wait = draw.uniform(0, work)
    with suppress(subprocess.TimeoutExpired):
        process.wait(wait)


def _fill(path: Path, left_kb: int) -> None:
    """Fill the disk, except for some KB."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1024))
    with path.open("rb+") as file:
        file.truncate(max(0, path.stat().st_size - 1024 * left_kb))


def _lines(places: Places) -> int:
    return count_sentences(places.kept).total()


def _row(name: str, places: Places, peace: Places, interruptions: int, hits: int) -> dict[str, Any]:
    """The comparison of a job with the undisturbed one; raises if they differ."""
    found, expected = count_sentences(places.kept), count_sentences(peace.kept)
    twice = found.total() - len(found)
    ours, theirs = _files(places.out), _files(peace.out)
    same = sum(ours.get(path) == data for path, data in theirs.items())
    left = sorted(ours.keys() - theirs.keys())
    if twice or left or same < len(theirs) or found.keys() != expected.keys():
        raise LongwaysError(
            f"{name}: {twice} sentences were translated twice, {same} of {len(theirs)} files are "
            f"identical, {len(found)} of {len(expected)} sentences were translated, and these "
            f"files are too many: {left}."
        )
    return {
        "job": name,
        "interruptions": interruptions,
        "in its work": hits,
        "files": len(theirs),
        "identical": same,
        "sentences": len(found),
        "translated twice": twice,
    }


def _files(folder: Path) -> dict[str, bytes]:
    """All files but the record: translations, their pairs, and what a job has left."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != RECORD_FILE)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@contextmanager
def _small_disk(folder: Path) -> Iterator[bool]:
    """A tmpfs at this folder; False where mounting is not allowed."""
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={DISK_KB}k", "tmpfs", str(folder)]
    mount = shutil.which("mount")
    done = mount and subprocess.run(words, capture_output=True, check=False).returncode == 0
    try:
        yield bool(done)
    finally:
        if done:
            subprocess.run(["umount", str(folder)], check=True)
