"""The cost of a file format: a formatted file against the same text as plain lines.

Both files have the same sentences in the same order, so the model has the same work. The difference
is parsing and writing the file, projecting its markup, restoring placeholders and writing previews.
There are two measures, since a shared machine is noisy: the CPU seconds of both files, measured in
turns; and the CPU seconds of the formatted job inside the functions of formats, over all others.
The search for missing placeholders counts as far as it takes longer than in plain text, which has
placeholders, too.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
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
)
"""The functions in which a format spends its time; none calls another."""

PLACEHOLDERS: tuple[tuple[Any, str], ...] = ((TermConstrainedSearch, "constrain"),)
"""The search for placeholders that a translation lacks."""


class Watched(NamedTuple):
    """A job and the CPU seconds that it took."""

    counts: Counts
    seconds: float
    own: float
    """In the functions of formats."""
    placeholders: float

    def format_seconds(self, plain: Watched) -> float:
        """What the format took, given the same text as plain lines."""
        return self.own + self.placeholders - plain.placeholders


def measure(page: Path, sentences: int, beam: int, rounds: int, threads: int | None) -> Report:
    """Translate a page that is repeated until it has this many sentences."""
    translator = load(threads=threads)
    with tempfile.TemporaryDirectory() as folder:
        plain, formatted = _write(page, sentences, translator, Path(folder))
        rows = [_round(plain, formatted, translator, beam) for _ in range(rounds)]
        counts = translate_watched(formatted, translator, beam).counts
    settings = {"page": page.name, "sentences": counts.sentences, "beam": beam, "threads": threads}
    for name in ("in turns", "in its own places"):
        settings[f"{name}, median"] = median(row[name] for row in rows)
    return report("formats", "What a format adds to the time", settings, rows, "cpu")


def _round(plain: Path, formatted: Path, translator: Translator, beam: int) -> dict[str, Any]:
    """The share of time that the format adds, by both measures."""
    text = translate_watched(plain, translator, beam)
    found = translate_watched(formatted, translator, beam)
    whole, own = found.seconds, found.format_seconds(text)
    return {
        "plain text": round(text.seconds, 2),
        formatted.suffix: round(whole, 2),
        "of which the format": round(own, 2),
        "in turns": round(whole / text.seconds - 1, 3),
        "in its own places": round(own / (whole - own), 3),
    }


def _write(page: Path, sentences: int, translator: Translator, folder: Path) -> list[Path]:
    """Write the repeated page, and its text as plain lines."""
    language = translator.source_language
    data = repeat_page(page, sentences, language)
    plain, formatted = folder / "page.txt", folder / f"page{page.suffix}"
    formatted.write_bytes(data)
    lines = write_lines(plain, formatted, language)
    translator.translate("".join(lines[:5]))  # what a system does only once
    return [plain, formatted]


def write_lines(plain: Path, formatted: Path, language: str) -> list[str]:
    """Write the texts of a formatted file as the lines of a plain one; returns the lines."""
    texts = page_texts(formatted, formatted.read_bytes(), language)
    lines = [text + "\n" for text in texts]
    plain.write_text("".join(lines), encoding="utf-8")
    return lines


def translate_watched(file: Path, translator: Translator, beam: int) -> Watched:
    """Translate a file and count the CPU seconds."""
    counts = Counts()
    languages = Languages(translator.source_language, translator.target_language)
    with _watched(PLACES) as own, _watched(PLACEHOLDERS) as placeholders:
        began = time.process_time()
        files = plan_files([file], None, languages, force=True)
        options = Options(beam=beam, report=counts)
        job.Job(translator.model, translator.runtime, options).run(files)
        seconds = time.process_time() - began
    return Watched(counts, seconds, sum(own), sum(placeholders))


@contextmanager
def _watched(places: Sequence[tuple[Any, str]]) -> Iterator[list[float]]:
    """Record the CPU seconds of every call to some functions."""
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
        for owner, name in places:
            stack.enter_context(patch.object(owner, name, timed(getattr(owner, name))))
        yield taken
