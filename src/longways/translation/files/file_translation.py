"""A file under way: its translation as far as it is, where that goes, and what is written down."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from longways.decoding.hypothesis import Hypothesis
from longways.translation.files.formatted_file import FormattedFile
from longways.translation.files.journal import Journal
from longways.translation.files.output import Output, WholeFile
from longways.translation.files.output_styles import Form
from longways.translation.segments import Piece

SHARE = 0.01
"""The share of the time that is spent on files that are not whole yet."""

SOON, SELDOM = 1.0, 30.0
"""Seconds until the first of them, and between two of them, at least."""

SLOW = 10
"""Times that reading a file took, until the first of them."""


@dataclass(frozen=True)
class Destination:
    """Where translations go, and the journal of that; standard output has none."""

    output: Output
    journal: Journal | None

    def finish(self) -> None:
        """All of it is there."""
        self.output.finish()
        if self.journal:
            self.journal.remove()

    def leave(self) -> Path | None:
        """Where it is so far, if there is a journal to go on from; else nothing is left."""
        if not self.journal:
            self.output.discard()
            return None
        self.journal.close()
        return self.output.leave()


class FileTranslation:
    """One file."""

    def __init__(
        self,
        form: Form | FormattedFile,
        place: Destination,
        number: int,
        name: str,
        reading: float,
    ) -> None:
        """Reading it took so many seconds, and so will writing it as far as it is."""
        self.form, self.place, self.number, self.name = form, place, number, name
        self.sentences = 0
        self.next_look = time.monotonic() + max(SOON, reading * SLOW)

    def add(self, piece: Piece) -> None:
        """Write what a piece gives."""
        self.sentences += bool(piece.segment.text) and piece.segment.ends
        if text := self.form.add(piece):
            self.place.output.write(text)
        if time.monotonic() >= self.next_look:
            self.show()

    def show(self) -> None:
        """Write a file with a format as far as it is translated."""
        began = time.monotonic()
        if isinstance(self.form, FormattedFile) and isinstance(self.place.output, WholeFile):
            data = self.form.so_far()
            if data is not None:
                self.place.output.rewrite(data)
        now = time.monotonic()
        self.next_look = now + max(SELDOM, (now - began) / SHARE)

    def finish(self) -> None:
        """Write the rest."""
        text = self.form.finish()
        if isinstance(text, bytes) and isinstance(self.place.output, WholeFile):
            self.place.output.rewrite(text)
        else:
            self.place.output.write(text)

    def recall(self, sentence: int) -> Hypothesis | None:
        """A sentence that was translated before."""
        journal = self.place.journal
        return journal.recall(self.number, sentence) if journal else None

    def record(self, sentence: int, best: Hypothesis) -> None:
        """Write a sentence down."""
        if self.place.journal:
            self.place.journal.record(self.number, sentence, best)
