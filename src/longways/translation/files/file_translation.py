"""A file in flight: its segments go to the decoder, their translations to its output."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longways.decoding.searcher import Found
from longways.text.sentences.splitter import Segment
from longways.translation.files.content import Content
from longways.translation.files.job_lock import Lock
from longways.translation.files.journal import Journal
from longways.translation.files.output import Output
from longways.translation.files.plan import File
from longways.translation.sanity.confidence import (
    EARLY_SENTENCES,
    Calibration,
    Familiarity,
)
from longways.translation.segments import TranslatedSegment

PREVIEW_TIME_SHARE = 0.01
"""The share of the time that is spent on writing previews."""

PREVIEW_MIN_SECONDS, PREVIEW_INTERVAL_SECONDS = 1.0, 30.0
"""The earliest time of the first preview, and the shortest time between two previews."""

PREVIEW_PARSING_TIMES = 10
"""The first preview is written no earlier than this many times the file's parsing time."""


@dataclass(frozen=True)
class Destination:
    """An output with its journal; standard output and a text that is read only once have none."""

    output: Output
    journal: Journal | None
    job: str = ""
    """The hash of the job's fingerprint; empty without a journal."""
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    """On what its translations depend."""
    source: Path | None = None
    """The only source of the output; None for several."""
    lock: Lock | None = None
    """Keeps other processes away from a file without a journal."""

    def finish(self) -> None:
        """Make the output appear and delete the journal."""
        self.output.finish()
        if self.journal:
            self.journal.remove()
        if self.lock:
            self.lock.remove()

    def keep_partial(self) -> Path | None:
        """Keep the partial output and return its path if the job can be resumed; else delete it."""
        if not self.journal:
            self.output.discard()
            if self.lock:
                self.lock.remove()
            return None
        self.journal.close()
        return self.output.keep_partial()


class FileTranslation:
    """One file from its first segment to its last; also the resume cache of its sentences."""

    def __init__(
        self,
        file: File,
        content: Content,
        destination: Destination,
        place: int,
        parsing_seconds: float,
        confidence: Calibration | None = None,
    ) -> None:
        """`place` is the number of the file in the journal of its destination."""
        self.file, self.content = file, content
        self.name, self.target = file.name, file.target
        self.destination, self.place = destination, place
        self.sentences = 0
        """Sentences that are translated."""
        self.familiarity = Familiarity(confidence)
        self.warned = False
        """Whether the user knows that the file is unlike the text that the model knows."""
        wait = max(PREVIEW_MIN_SECONDS, parsing_seconds * PREVIEW_PARSING_TIMES)
        self.next_preview = time.monotonic() + wait

    def segments(self) -> Iterator[Segment]:
        """The segments to translate."""
        return self.content.segments()

    def add(self, ready: TranslatedSegment) -> TranslatedSegment:
        """Write the next translated segment, and a preview when it is due; returns it as placed."""
        self.sentences += bool(ready.segment.text) and ready.segment.ends
        if not ready.terms:
            self.familiarity.add(ready.confidence)
        placed = self.content.add(ready, self.destination.output)
        if time.monotonic() >= self.next_preview:
            self.show_preview()
        return placed

    def warning(self, *, at_end: bool) -> str | None:
        """A warning, once, if the file is unlike the text that the model knows."""
        if self.warned or not (at_end or self.familiarity.sentences == EARLY_SENTENCES):
            return None
        warning = self.familiarity.warning(self.name)
        self.warned = warning is not None
        return warning

    def show_preview(self) -> None:
        """Write the file as far as it is translated, where a user can open it."""
        began = time.monotonic()
        if self.destination.output.has_preview:
            self.content.preview(self.destination.output)
        now = time.monotonic()
        wait = max(PREVIEW_INTERVAL_SECONDS, (now - began) / PREVIEW_TIME_SHARE)
        self.next_preview = now + wait

    def finish(self) -> None:
        """Write the rest of the file."""
        self.content.finish(self.destination.output)

    def recall(self, sentence: int) -> Found | None:
        """The hypotheses of a sentence in the journal."""
        journal = self.destination.journal
        return journal.recall(self.place, sentence) if journal else None

    def record(self, sentence: int, found: Found) -> None:
        """Store the hypotheses of a sentence in the journal."""
        if self.destination.journal:
            self.destination.journal.record(self.place, sentence, found)
