"""Files of every format: the same bytes, structure, placeholders, and nothing left untranslated.

Ten files that are built from texts written by hand are translated by the bundled model. Generated
files get invented translations: other letters, and signs that every format must escape. Before and
after, software that is not longways reads them.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.files.generated import WRITERS, sentences
from benchmarks.round_trips import reading
from benchmarks.round_trips.programs import READ_BY, opened
from benchmarks.round_trips.readers import READERS, read
from benchmarks.round_trips.samples import BUILDERS, CONVERTED, samples
from benchmarks.round_trips.texts import PLACEHOLDER, documents
from longways.errors import LongwaysError
from longways.formats.base import FormattedDocument, Mark, Passage
from longways.formats.pdf.document import read_document
from longways.formats.registry import SUFFIXES, TEXT, WRITTEN, format_named
from longways.results import Report, report
from longways.translation.translator import Translator, load

LANGUAGE, TARGET = "zh", "en"
_HAN = re.compile("[\u4e00-\u9fff]")
_SYLLABLES, _FIRST = 11_172, 0xAC00
SIGNS = " & <\"'>"
"""What is added to every fourth invented translation."""


def measure(generated: int, beam: int, threads: int | None, only: list[str]) -> Report:
    """Measure all formats; raise if a file comes back with other bytes or another structure."""
    names = [name for name in dict.fromkeys([*BUILDERS, *CONVERTED, *WRITERS]) if name != TEXT]
    translator = load(threads=threads)
    rows = [_row(name, generated, translator, beam) for name in names if not only or name in only]
    settings: dict[str, Any] = {"generated": generated, "beam": beam, "threads": threads}
    if pages := {k: untranslated("pdf", d) for k, d in _samples_of("pdf", only).items()}:
        settings["PDF"] = reading.measured(pages, documents())
    title = "Files of every format through translation and other software"
    return report("round-trips", title, settings, rows, "cpu")


def _samples_of(name: str, only: list[str]) -> dict[str, bytes]:
    return samples(name) if not only or name in only else {}


class Counts:
    """What is counted over the files of a format."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.same = self.kept_structure = self.read = self.texts = self.left = 0
        self.placeholders = self.kept = 0

    def untouched(self, key: str, data: bytes) -> None:
        """Read a file and write it again, which must give the same bytes."""
        if self.name not in WRITTEN and untranslated(self.name, data) != data:
            raise LongwaysError(f"{self.name}, {key}: the untouched file has other bytes.")
        self.same += 1

    def translated(self, key: str, data: bytes, written: bytes) -> None:
        """Compare a file with its translation."""
        if self.name not in READERS:
            return
        source = untranslated(self.name, data) if self.name in WRITTEN else data
        before, after = read(self.name, source), read(self.name, written)
        self.read += 1
        if before.structure != after.structure:
            raise LongwaysError(f"{self.name}, {key}: the translation has another structure.")
        self.kept_structure += 1
        sources = filter(_has_words, before.sources)  # what has no words is not translated
        own = _placeholders(sources if before.sources else before.texts)
        new = _placeholders(after.texts)
        self.texts += len(after.texts)
        self.placeholders += own.total()
        self.kept += (own & new).total()
        pairs = zip(after.sources, after.texts, strict=True) if after.sources else ()
        self.left += sum(bool(_has_words(source) and not text) for source, text in pairs)
        self.left += sum(map(_has_words, after.texts))


def untranslated(name: str, data: bytes) -> bytes:
    """A file that is read and written again; for a PDF document its Markdown."""
    document = _document(name, data)
    return document.write(document.passages, LANGUAGE)


def _document(name: str, data: bytes) -> FormattedDocument:
    """A file that is read; a PDF document in this process, as a process for each takes long."""
    form = format_named(name)
    assert form, "it is no plain text"
    with mock.patch("longways.formats.pdf.format.read_isolated", read_document):
        return form.read(data, LANGUAGE)


def _has_words(text: str) -> bool:
    """Whether a text has Chinese signs outside of placeholders."""
    return bool(_HAN.search(PLACEHOLDER.sub("", text)))


def _placeholders(texts: Iterable[str]) -> Counter[str]:
    return Counter(found for text in texts for found in PLACEHOLDER.findall(text))


def _row(name: str, generated: int, translator: Translator, beam: int) -> dict[str, Any]:
    counts, files = Counts(name), samples(name)
    for key, data in files.items():
        counts.untouched(key, data)
    results = _translations(files, translator, beam)
    for key, written in results.items():
        counts.translated(key, files[key], written)
    count = generated if name in WRITERS else 0
    for number in range(count):
        data = WRITERS[name][1](sentences(number % 12 + 1, number))
        counts.untouched(f"generated {number}", data)
        counts.translated(f"generated {number}", data, invented(name, data))
    by = [opened(name, results) if results else "", READ_BY.get(name, "")]
    return {
        "format": name,
        "files": len(files),
        "generated": count,
        "same bytes": None if name in WRITTEN else counts.same,
        "structure kept": counts.kept_structure if counts.read else None,
        "placeholders": counts.placeholders,
        "placeholders kept": counts.kept,
        "texts": counts.texts,
        "left untranslated": counts.left if counts.read else None,
        "opened by": ", ".join(filter(None, by)) or "-",
    }


def _translations(
    files: Mapping[str, bytes], translator: Translator, beam: int
) -> dict[str, bytes]:
    """The files as the model translates them."""
    with tempfile.TemporaryDirectory() as name:
        folder, found = Path(name), dict[str, bytes]()
        for key, data in files.items():
            path = folder / key
            path.write_bytes(data)
            suffix = WRITTEN.get(SUFFIXES[path.suffix], path.suffix)
            out = (folder / "out" / key).with_suffix(suffix)
            found[key] = translator.translate_file(path, out, beam=beam).read_bytes()
        return found


def invented(name: str, data: bytes) -> bytes:
    """A file with invented translations; marks and kept parts are where they were."""
    document = _document(name, data)
    own = enumerate(document.passages)
    return document.write([_invented(passage, number) for number, passage in own], TARGET)


def _invented(passage: Passage, number: int) -> Passage:
    """Each Chinese sign as a Korean syllable, and now and then signs at the end."""
    kept = {place for start, end in passage.keep for place in range(start, end)}
    text = "".join(
        char if place in kept or not _HAN.match(char) else chr(_FIRST + ord(char) % _SYLLABLES)
        for place, char in enumerate(passage.text)
    )
    if number % 4 != 3:
        return Passage(text, passage.marks, passage.keep)
    end, longer = len(text), len(text + SIGNS)
    marks = (
        Mark(mark.start, longer if mark.start < mark.end == end else mark.end, mark.tag)
        for mark in passage.marks
    )
    return Passage(text + SIGNS, tuple(marks), passage.keep)
