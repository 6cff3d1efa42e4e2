"""What a format costs: a formatted file translated, and beside it its text as plain lines.

Both have the same sentences in the same order, so the model has the same work; what is left is
reading and writing the file, placing its markup, keeping what must be kept, and the file as far as
it is ready, which is written meanwhile. Two measures, since a shared machine is noisy: the two
translated in turns, by seconds of the CPU; and the seconds of the CPU that the formatted job spends
in those places alone, over all others.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from benchmarks.files.pages import page_texts, repeat_page
from longways.results import Report, report
from longways.translation.files import job
from longways.translation.files.formatted_file import FormattedFile
from longways.translation.files.plan import Languages, plan_files
from longways.translation.options import Options
from longways.translation.report import Report as Counts
from longways.translation.terminology.constrained import TermConstrainedSearch
from longways.translation.translator import Translator, load

PLACES: tuple[tuple[Any, str], ...] = (
    (job, "read_formatted"),
    (FormattedFile, "add"),
    (FormattedFile, "preview"),
    (FormattedFile, "finish"),
    (TermConstrainedSearch, "constrain"),
)
"""Where a format spends its time; none of them is inside of another."""


def measure(page: Path, sentences: int, beam: int, rounds: int, threads: int | None) -> Report:
    """A page over and over, until it has so many sentences."""
    translator = load(threads=threads)
    with tempfile.TemporaryDirectory() as folder:
        plain, formatted = _write(page, sentences, translator, Path(folder))
        rows = [_round(plain, formatted, translator, beam) for _ in range(rounds)]
        counts, _, _ = _translate(formatted, translator, beam)
    settings = {"page": page.name, "sentences": counts.sentences, "beam": beam, "threads": threads}
    for name in ("in turns", "in its own places"):
        settings[f"{name}, median"] = median(row[name] for row in rows)
    return report("formats", "What a format adds to the time", settings, rows, "cpu")


def _round(plain: Path, formatted: Path, translator: Translator, beam: int) -> dict[str, Any]:
    """Shares that the format adds, by both measures."""
    _, alone, _ = _translate(plain, translator, beam)
    _, whole, own = _translate(formatted, translator, beam)
    return {
        "plain text": round(alone, 2),
        formatted.suffix: round(whole, 2),
        "of which the format": round(own, 2),
        "in turns": round(whole / alone - 1, 3),
        "in its own places": round(own / (whole - own), 3),
    }


def _write(page: Path, sentences: int, translator: Translator, folder: Path) -> list[Path]:
    """The text of the page as plain lines, and the page itself, both long enough."""
    language = translator.source_language
    data = repeat_page(page, sentences, language)
    plain, formatted = folder / "page.txt", folder / f"page{page.suffix}"
    formatted.write_bytes(data)
    lines = [text + "\n" for text in page_texts(page, data, language)]
    plain.write_text("".join(lines), encoding="utf-8")
    translator.translate("".join(lines[:5]))  # what a system does only once
    return [plain, formatted]


def _translate(file: Path, translator: Translator, beam: int) -> tuple[Counts, float, float]:
    """What happened, the seconds of the CPU, and those in the places of formats."""
    counts = Counts()
    languages = Languages(translator.source_language, translator.target_language)
    with _watched() as taken:
        began = time.process_time()
        files = plan_files([file], None, languages, force=True)
        options = Options(beam=beam, report=counts)
        job.Job(translator.model, translator.runtime, options).run(files)
        seconds = time.process_time() - began
    return counts, seconds, sum(taken)


@contextmanager
def _watched() -> Iterator[list[float]]:
    """The seconds of the CPU of every call to the places of formats."""
    taken: list[float] = []

    def timed(function: Any) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            began = time.process_time()
            try:
                return function(*given, **named)
            finally:
                taken.append(time.process_time() - began)

        return call

    with ExitStack() as stack:
        for owner, name in PLACES:
            stack.enter_context(patch.object(owner, name, timed(getattr(owner, name))))
        yield taken
