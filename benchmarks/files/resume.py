"""Output and repeated work of a job that is killed many times."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.files.pages import count_sentences, page_format, repeat_page
from longways.errors import LongwaysError
from longways.results import Report, report
from longways.translation.files.output import journal_path, partial_path
from longways.translation.files.plan import Languages, translated_name
from longways.translation.model_folder import ModelFolder, default_model


def measure(page: Path, sentences: int, kills: int, beam: int, seed: int) -> Report:
    """Translate a repeated page without interruption, and again with kills at random moments."""
    text = ModelFolder.read(default_model()).text
    name = translated_name(page.name, Languages(text.source_language, text.target_language))
    with tempfile.TemporaryDirectory() as folder:
        peace, war = Path(folder) / "peace", Path(folder) / "war"
        data = repeat_page(page, sentences, text.source_language)
        for place in (peace, war):
            place.mkdir()
            (place / page.name).write_bytes(data)
        began = time.perf_counter()
        subprocess.run(_command(peace / page.name, beam), check=True)
        seconds = time.perf_counter() - began
        places = _Places(war / page.name, war / name, Path(folder) / "kept", text.source_language)
        rows = _killed(places, beam, _moments(kills, seconds, seed))
        same = (peace / name).read_bytes() == (war / name).read_bytes()
        left = sorted(path.name for path in war.iterdir() if path.name not in (page.name, name))
    if not same or left:
        raise LongwaysError(f"The files differ, or something was left behind: {left}.")
    settings = {"page": page.name, "beam": beam, "kills": kills, "seed": seed, "same file": same}
    settings["sentences"] = count_sentences(page, data, text.source_language)
    settings["seconds in peace"] = round(seconds, 1)
    return report("resume", "A job killed at random moments", settings, rows, "cpu")


def _command(file: Path, beam: int) -> list[str]:
    return [sys.executable, "-m", "longways", "translate", str(file), "--beam", str(beam)]


def _moments(kills: int, seconds: float, seed: int) -> list[float]:
    """The random lifetime of each process; the sum is about the duration of the job."""
    choose = random.Random(seed)
    return [choose.uniform(0.2, 2 * seconds / (kills + 1)) for _ in range(kills)]


class _Places(NamedTuple):
    """The paths of one measurement."""

    source: Path
    target: Path
    kept: Path
    """A hard link to the journal, which stays when the finished job removes its own."""
    language: str


def _killed(places: _Places, beam: int, moments: list[float]) -> list[dict[str, Any]]:
    """The translated sentences after each kill, and at the end."""
    rows = []
    for moment in moments:
        with subprocess.Popen(_command(places.source, beam)) as process:
            time.sleep(moment)
            process.kill()
        _keep_journal(places)
        rows.append({"killed after": round(moment, 2), **_look(places)})
        if places.target.exists():
            return rows
    done = subprocess.run(_command(places.source, beam), check=True, capture_output=True)
    assert not done.stderr, "nothing was wrong"
    return [*rows, {"killed after": "not", **_look(places)}]


def _keep_journal(places: _Places) -> None:
    """Hard-link the journal, so that later lines are in the link too."""
    journal = journal_path(places.target)
    if journal.exists() and not places.kept.exists():
        places.kept.hardlink_to(journal)


def _look(places: _Places) -> dict[str, Any]:
    """Sentences that are ready, sentences that are there twice, and the state of the preview."""
    lines = places.kept.read_bytes().split(b"\n")[1:-1] if places.kept.exists() else []
    found = [tuple(json.loads(line.partition(b"\t")[0])[:2]) for line in lines]
    state = {"ready": len(found), "twice": len(found) - len(set(found))}
    return {**state, "partial file": _partial(places)}


def _partial(places: _Places) -> str:
    partial, form = partial_path(places.target), page_format(places.source)
    if not partial.exists():
        return "none"
    ours, theirs = (
        form.read(path.read_bytes(), places.language).passages for path in (partial, places.source)
    )
    return "whole" if len(ours) == len(theirs) else "broken"
