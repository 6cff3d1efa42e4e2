"""What a format costs: a formatted file translated, and beside it its text as plain lines.

Both have the same sentences in the same order, so the model has the same work; what is left is
reading and writing the file, placing its markup, keeping what must be kept, and the file as far as
it is ready, which is written meanwhile. The two are translated in turns, and compared by seconds of
the CPU, which other work on the machine disturbs less.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from longways.benchmark.report import Report, report
from longways.errors import FormatError
from longways.translate.files import Languages, plan_files
from longways.translate.flow import flowing
from longways.translate.formats.known import format_of
from longways.translate.job import Job
from longways.translate.report import Report as Counts
from longways.translate.translator import Translator, load


def measure(page: Path, sentences: int, beam: int, rounds: int, threads: int | None) -> Report:
    """A page over and over, until it has so many sentences."""
    translator = load(threads=threads)
    with tempfile.TemporaryDirectory() as folder:
        files = _write(page, sentences, translator, Path(folder))
        seconds: dict[str, list[float]] = {file.suffix: [] for file in files}
        counts = Counts()
        for _ in range(rounds):
            for file in files:
                counts, taken = _translate(file, translator, beam)
                seconds[file.suffix].append(taken)
    totals = [sum(taken) for taken in seconds.values()]
    rows = [
        {
            "file": suffix,
            "CPU seconds": ", ".join(f"{one:.2f}" for one in taken),
            "ratio": round(sum(taken) / totals[0], 3),
        }
        for suffix, taken in seconds.items()
    ]
    settings = {"page": page.name, "sentences": counts.sentences, "beam": beam, "threads": threads}
    return report("formats", "A format against plain text", settings, rows, "cpu")


def _write(page: Path, sentences: int, translator: Translator, folder: Path) -> list[Path]:
    """The text of the page as plain lines, and the page itself, both long enough."""
    form, data = format_of(page), page.read_bytes()
    if form is None:
        raise FormatError(f"{page} is plain text. Name a file with a format, such as page.md.")
    language = translator.source_language
    once = form.read(data, language).passages
    text = "".join(flowing(passage, language).text + "\n" for passage in once)
    counts = Counts()
    translator.translate(text, beam=1, report=counts)  # and what an engine does only once
    times = -(-sentences // counts.sentences)
    plain, formatted = folder / "page.txt", folder / f"page{page.suffix}"
    formatted.write_bytes(data * times)
    passages = form.read(data * times, language).passages
    lines = (flowing(passage, language).text + "\n" for passage in passages)
    plain.write_text("".join(lines), encoding="utf-8")
    return [plain, formatted]


def _translate(file: Path, translator: Translator, beam: int) -> tuple[Counts, float]:
    counts = Counts()
    languages = Languages(translator.source_language, translator.target_language)
    began = time.process_time()
    files = plan_files([file], None, languages, force=True)
    Job(translator, {"beam": beam, "report": counts}).run(files)
    return counts, time.process_time() - began
