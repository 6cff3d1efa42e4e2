"""A job killed many times: whether it ends as one that was not, and what was translated twice."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from longways.benchmark.report import Report, report
from longways.errors import FormatError, LongwaysError
from longways.text.sentences import split_text
from longways.translate.files import Languages, translated_name
from longways.translate.flow import flowing
from longways.translate.formats.known import format_of
from longways.translate.journal_about import journal_path
from longways.translate.model import ModelFolder, default_model
from longways.translate.writing import partial_path


def measure(page: Path, sentences: int, kills: int, beam: int, seed: int) -> Report:
    """A page over and over, translated once in peace and once killed at random moments."""
    text = ModelFolder.read(default_model()).text
    name = translated_name(page.name, Languages(text.source_language, text.target_language))
    with tempfile.TemporaryDirectory() as folder:
        peace, war = Path(folder) / "peace", Path(folder) / "war"
        data = _repeated(page, sentences, text.source_language)
        for place in (peace, war):
            place.mkdir()
            (place / page.name).write_bytes(data)
        began = time.perf_counter()
        subprocess.run(_command(peace / page.name, beam), check=True)
        seconds = time.perf_counter() - began
        rows = _killed(war / page.name, war / name, beam, _moments(kills, seconds, seed))
        same = (peace / name).read_bytes() == (war / name).read_bytes()
        left = sorted(path.name for path in war.iterdir() if path.name not in (page.name, name))
    if not same or left:
        raise LongwaysError(f"The files differ, or something was left behind: {left}.")
    settings = {"page": page.name, "beam": beam, "kills": kills, "seed": seed, "same file": same}
    settings["sentences"] = _sentences(page, data, text.source_language)
    settings["seconds in peace"] = round(seconds, 1)
    return report("resume", "A job killed at random moments", settings, rows, "cpu")


def _repeated(page: Path, sentences: int, language: str) -> bytes:
    data = page.read_bytes()
    if format_of(page) is None:
        raise FormatError(f"{page} is plain text. Name a file with a format, such as page.md.")
    return data * -(-sentences // max(1, _sentences(page, data, language)))


def _sentences(page: Path, data: bytes, language: str) -> int:
    form = format_of(page)
    passages = form.read(data, language).passages if form else ()
    texts = (flowing(passage, language).text for passage in passages)
    return sum(bool(segment.text) for text in texts for segment in split_text(text, language))


def _command(file: Path, beam: int) -> list[str]:
    return [sys.executable, "-m", "longways", "translate", str(file), "--beam", str(beam)]


def _moments(kills: int, seconds: float, seed: int) -> list[float]:
    """How long each process lives: at random, all together about as long as the job takes."""
    choose = random.Random(seed)
    return [choose.uniform(0.2, 2 * seconds / (kills + 1)) for _ in range(kills)]


def _killed(source: Path, target: Path, beam: int, moments: list[float]) -> list[dict[str, Any]]:
    """What was ready after each kill; every sentence of a journal was translated once."""
    rows = []
    for moment in moments:
        with subprocess.Popen(_command(source, beam)) as process:
            time.sleep(moment)
            process.kill()
        rows.append({"killed after": round(moment, 2), **_look(source, target)})
        if target.exists():
            return rows
    done = subprocess.run(_command(source, beam), check=True, capture_output=True)
    rows.append({"killed after": "not", "ready": "all", "twice": 0, "partial file": "gone"})
    assert not done.stderr, "nothing was wrong"
    return rows


def _look(source: Path, target: Path) -> dict[str, Any]:
    """Sentences that are ready, how many of them twice, and whether the file so far is whole."""
    journal, partial, form = journal_path(target), partial_path(target), format_of(source)
    lines = journal.read_bytes().split(b"\n")[1:-1] if journal.exists() else []
    places = [tuple(json.loads(line)[:2]) for line in lines]
    state = "none"
    if partial.exists() and form:
        ours, theirs = (form.read(p.read_bytes(), "zh").passages for p in (partial, source))
        state = "whole" if len(ours) == len(theirs) else "broken"
    return {"ready": len(places), "twice": len(places) - len(set(places)), "partial file": state}
