"""The share of a job's time that each format takes: reading, markup, placeholders and writing.

A generated file of every format is translated by the bundled model. The CPU seconds inside the
functions of formats are counted over all others. The search for missing placeholders counts as far
as it takes longer than in plain text, as in `benchmarks formats`; where plain text has the same
placeholders, it takes as long.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.files.formats import translate_watched, write_lines
from benchmarks.files.generated import WRITERS, sentences
from benchmarks.files.pages import page_format
from longways.formats.placeholders import code_spans, kept_parts
from longways.results import Report, report
from longways.translation.translator import Translator, load

SEED = 1


def measure(count: int, beam: int, only: Sequence[str]) -> Report:
    """Files of this many sentences, of some formats or of all."""
    translator, said = load(threads=1), sentences(count, SEED)
    translator.translate(said[0])  # what a system does only once
    names = only or [name for name in WRITERS if name != "text"]
    with tempfile.TemporaryDirectory() as folder:
        rows = [_row(name, said, Path(folder), translator, beam) for name in names]
    settings = {"sentences": count, "beam": beam, "threads": 1, "seed": SEED}
    return report("overhead", "The time that formats take", settings, rows, "cpu")


def _row(
    name: str, said: Sequence[str], folder: Path, translator: Translator, beam: int
) -> dict[str, Any]:
    suffix, build = WRITERS[name]
    file = folder / f"{name}{suffix}"
    file.write_bytes(build(said))
    found = translate_watched(file, translator, beam)
    text = found
    if not _has_plain_placeholders(file, translator.source_language):
        plain = folder / f"{name}.plain.txt"
        write_lines(plain, file, translator.source_language)
        text = translate_watched(plain, translator, beam)
    whole, own = found.seconds, found.format_seconds(text)
    return {
        "format": name,
        "sentences": found.counts.sentences,
        "CPU s": round(whole, 2),
        "of which the format": round(own, 2),
        "share": round(own / (whole - own), 3),
    }


def _has_plain_placeholders(file: Path, language: str) -> bool:
    """Whether the placeholders of a file are those that its text has as plain lines, too."""
    passages = page_format(file).read(file.read_bytes(), language).passages
    return all(one.keep == kept_parts(one.text, code_spans(one.text)) for one in passages)
