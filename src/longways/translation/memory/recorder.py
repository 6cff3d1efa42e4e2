"""The pairs of a job: stored in its translation memory, and exported as TMX."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from longways.text.sentences.joiner import SentenceJoiner
from longways.translation.memory.lookup import TranslationMemory
from longways.translation.memory.tmx_writer import TmxWriter, now
from longways.translation.memory.units import Unit
from longways.translation.segments import TranslatedSegment


class SentencePairs:
    """Collects the translated sentences of one document."""

    def __init__(self, language: str) -> None:
        self.joiner, self.segments = SentenceJoiner(language), list[TranslatedSegment]()
        self.before = ""
        self.units, self.new = list[Unit](), list[Unit]()
        """All pairs, and those that come from search and have no problem."""

    def add(self, ready: TranslatedSegment) -> None:
        """Add a segment, with its placeholders."""
        whole = self.joiner.add(ready.segment, ready.translation)
        self.segments.append(ready)
        if whole is None:
            return
        segments, self.segments = self.segments, []
        source = "".join(one.segment.text + one.segment.after for one in segments).strip()
        if source and whole.strip() and any(one.is_translated for one in segments):
            self._add(source, whole.strip(), segments)
        self.before = source or self.before

    def _add(self, source: str, target: str, segments: Sequence[TranslatedSegment]) -> None:
        is_machine = any(one.match is None or one.match.is_machine for one in _taken(segments))
        is_new = any(one.score is not None for one in segments)
        problems = tuple(dict.fromkeys(name for one in segments for name in one.problems))
        unit = Unit(source, target, self.before, now(), is_new or is_machine, problems)
        self.units.append(unit)
        if is_new and not problems:
            self.new.append(unit)


def _taken(segments: Sequence[TranslatedSegment]) -> list[TranslatedSegment]:
    return [one for one in segments if one.segment.given is not None]


class PairRecorder:
    """Receives the segments of all documents of a job as they are written."""

    def __init__(
        self, memory: TranslationMemory | None, export: TmxWriter | None, language: str
    ) -> None:
        self.memory, self.export, self.language = memory, export, language
        self.open = dict[int, SentencePairs]()
        self.job = ""

    def begin(self, targets: Sequence[Path | None], *, resumed: bool) -> None:
        """A job with these targets begins, or resumes."""
        names = sorted(str(target.absolute()) for target in targets if target)
        self.job = hashlib.sha256(json.dumps(names).encode("utf-8", "replace")).hexdigest()
        if self.memory:
            self.memory.begin(self.job, resumed=resumed)
        if self.export:
            self.export.begin()

    def add(self, document: int, ready: TranslatedSegment) -> None:
        """A segment of a document was written."""
        if self.export or (self.memory and self.memory.written):
            self.open.setdefault(document, SentencePairs(self.language)).add(ready)

    def end(self, document: int, name: str) -> None:
        """A document is whole: its pairs are stored."""
        pairs = self.open.pop(document, None)
        if pairs and self.memory:
            self.memory.add(pairs.new)
        if pairs and self.export:
            self.export.add(pairs.units, name)

    def finish(self) -> None:
        """All documents are whole."""
        if self.export:
            self.export.finish()
        if self.memory:
            self.memory.end(self.job)

    def discard(self) -> None:
        """The job was interrupted: what was stored stays, the export does not."""
        if self.export:
            self.export.discard()
