"""Work and corrections of an update, against a job that translates everything again."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.updates.pages import FORMATS, Page, pages
from longways.errors import LongwaysError
from longways.formats.base import Mark, Passage
from longways.formats.registry import format_of
from longways.results import Report, report

_BY_HAND = "really "
"""What a person adds to a translation."""


def measure(
    count: int, corrections: int, beam: int, seed: int, suffixes: Sequence[str] = tuple(FORMATS)
) -> Report:
    """Translate pages of each format, correct and edit them, update them, and translate all again.

    `count` is the number of pages, and `corrections` that of the corrected paragraphs, in all
    formats together.
    """
    shares = [len(range(n, corrections, len(suffixes))) for n in range(len(suffixes))]
    rows = [
        _measured(suffix, list(pages(count // len(suffixes), seed)), share, beam, seed)
        for suffix, share in zip(suffixes, shares, strict=True)
    ]
    rows.append(_total(rows))
    settings = {"beam": beam, "seed": seed}
    return report("update", "Only what has changed is translated", settings, rows, "cpu")


def _measured(
    suffix: str, edited: list[Page], corrections: int, beam: int, seed: int
) -> dict[str, Any]:
    """One format: the counts of the update, and the seconds of both jobs."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in", Path(folder) / "out"
        _write(source, suffix, [page.before for page in edited])
        _translate(source, target, suffix, beam)
        made = _correct(target, suffix, edited, corrections, seed)
        _write(source, suffix, [page.after for page in edited])
        found = Path(folder) / "report.json"
        update = _translate(source, target, suffix, beam, "--update", "--report", str(found))
        full = _translate(source, Path(folder) / "full", suffix, beam)
        counts = json.loads(found.read_text(encoding="utf-8"))["sentences"]
        survived = sum(text in _texts(target / name) for name, text in made)
    return {
        "format": suffix,
        "pages": len(edited),
        "sentences": counts["kept"] + counts["translated"],
        "new or changed": sum(page.new for page in edited),
        "translated": counts["translated"],
        "moved": counts["moved"],
        "corrections": corrections,
        "survived": survived,
        "seconds": round(update, 1),
        "all again": round(full, 1),
    }


def _total(rows: list[dict[str, Any]]) -> dict[str, Any]:
    names = [name for name in rows[0] if name != "format"]
    return {"format": "all", **{name: round(sum(row[name] for row in rows), 1) for name in names}}


def _write(folder: Path, suffix: str, texts: list[list[tuple[str, ...]]]) -> None:
    folder.mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        (folder / f"page{number}{suffix}").write_bytes(FORMATS[suffix](text))


def _translate(source: Path, target: Path, suffix: str, beam: int, *more: str) -> float:
    """The seconds of a job over a folder."""
    words = ["translate", str(source), "-o", str(target), "--include", f"*{suffix}"]
    command = [sys.executable, "-m", "longways", *words, "--beam", str(beam), *more]
    began = time.perf_counter()
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise LongwaysError(f"{source} was not translated: {done.stderr}")
    return time.perf_counter() - began


def _correct(
    target: Path, suffix: str, edited: list[Page], corrections: int, seed: int
) -> list[tuple[str, str]]:
    """Correct paragraphs whose sources do not change; the names of the files with their texts."""
    places = [(n, k) for n, page in enumerate(edited) for k in page.untouched]
    if corrections > len(places):
        raise LongwaysError(f"{len(places)} paragraphs cannot have {corrections} corrections.")
    found = list[tuple[str, str]]()
    for number, paragraph in random.Random(seed).sample(places, corrections):
        path = target / f"page{number}.en{suffix}"
        found.append((path.name, _corrected(path, paragraph)))
    return found


def _corrected(path: Path, place: int) -> str:
    """Add a word to a passage of a translation, as a person would; its text."""
    form = format_of(path)
    assert form, "all formats of this measurement are known"
    document = form.read(path.read_bytes(), "en")
    passages = list(document.passages)
    passages[place] = _with_word(passages[place])
    path.write_bytes(document.write(passages, "en"))
    return passages[place].text


def _with_word(passage: Passage) -> Passage:
    """A passage with a word behind its first one; marks move along."""
    place = passage.text.find(" ") + 1

    def moved(mark: Mark) -> Mark:
        start, end = (at + len(_BY_HAND) * (at >= place) for at in (mark.start, mark.end))
        return replace(mark, start=start, end=end)

    text = passage.text[:place] + _BY_HAND + passage.text[place:]
    return replace(passage, text=text, marks=tuple(map(moved, passage.marks)), keep=())


def _texts(path: Path) -> set[str]:
    form = format_of(path)
    assert form, "all formats of this measurement are known"
    return {passage.text for passage in form.read(path.read_bytes(), "en").passages}
