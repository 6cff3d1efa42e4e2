"""A folder that is translated and updated by a model that writes English words for tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.registry import format_of
from longways.text.pipeline import TextPipeline
from longways.translation.files.folders.selection import Selection
from longways.translation.files.job import Job, Listener
from longways.translation.files.plan import Languages, plan_job
from longways.translation.files.record import FinishedFiles
from longways.translation.files.updates.lines import TEXT_LINES
from longways.translation.files.updates.report import UpdateReport
from longways.translation.files.updates.update import Updates
from longways.translation.segments import TranslatedSegment
from tests.translation.echo import EchoRuntime, EchoState, echo_translator

SAID = [
    f"{who}{what}, 然后是{which}。"
    for who in ("船长", "水手", "渔夫", "灯塔", "老人")
    for what in ("看见了", "离开了", "找到了")
    for which in ("港口", "海岸", "小船", "大海")
]
"""Sentences without numbers, all different."""

ADDED = " at once"
"""What is added to a translation by hand."""


class WordRuntime(EchoRuntime):
    """Gives an English word for each token of the last sentence of a window."""

    def __init__(self, text: TextPipeline) -> None:
        super().__init__()
        pieces = enumerate(text.target.decode([[token] for token in range(text.target.size)]))
        self.words = [token for token, piece in pieces if piece.isascii() and piece.isalpha()]

    def encode(self, windows):
        said = super().encode(windows).left
        return EchoState(
            [[self.words[t % len(self.words)] for t in row[:-1]] + row[-1:] for row in said]
        )

    def score(self, source, target):
        return np.full(target.shape, -0.5)


class Heard(Listener):
    """Remembers warnings, and may do something after some segments."""

    def __init__(self, after: int = 0, then: Callable[[], None] | None = None) -> None:
        self.told, self.left, self.then = list[str](), after, then

    def warn(self, message: str) -> None:
        self.told.append(message)

    def advance(self, ready: TranslatedSegment) -> None:
        self.left -= 1
        if not self.left and self.then:
            self.then()


class Folder:
    """The sources in `in` and their translations in `out`."""

    def __init__(self, path: Path, sources: dict[str, str | bytes]) -> None:
        self.path, self.sources, self.out = path, path / "in", path / "out"
        self.told: list[str] = []
        self.failed = ""
        for name, text in sources.items():
            self.write(name, text)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def target(self, name: str) -> Path:
        """A translation by the name of its source."""
        stem, _, suffix = name.rpartition(".")
        return self.out / f"{stem}.en.{'md' if suffix == 'pdf' else suffix}"

    def text(self, name: str) -> str:
        return self.target(name).read_text(encoding="utf-8")

    def translate(self, **options) -> int:
        """Translate the folder; the number of sentences that were searched."""
        return self._run(False, **options)[0]

    def update(self, **options) -> tuple[int, UpdateReport]:
        """Update the folder; the number of sentences that were searched, and the report."""
        searched, updates = self._run(True, **options)
        assert updates
        return searched, updates.report

    def _run(self, update: bool, listener: Heard | None = None, beam: int = 1, **options):
        model = echo_translator(L=3).model
        runtime = WordRuntime(model.text)
        record, listener = FinishedFiles(), listener or Heard()
        suffixes = {f"*{path.suffix}" for path in self.sources.rglob("*.*")}
        plan = plan_job(
            [self.sources], self.out, Languages("zh", "en"), record=record, update=update,
            selection=Selection(tuple(suffixes), ()), **options,
        )  # fmt: skip
        updates = Updates("zh", "en", record, listener.warn, [self.out]) if update else None
        job = Job(model, runtime, {"beam": beam}, listener=listener, record=record, updates=updates)
        self.told = listener.told
        try:
            job.run(plan.files, plan.copies)
        except FormatError as error:
            self.failed = str(error)
        return runtime.windows, updates

    def correct(self, name: str, numbers: list[int]) -> list[str]:
        """Add a word to these passages of a translation, of the long ones; returns their texts."""
        target = self.target(name)
        form = format_of(target) or TEXT_LINES
        document = form.read(target.read_bytes(), "en")
        passages = list(document.passages)
        long = [n for n, passage in enumerate(passages) if len(passage.text) > 12]
        for number in numbers:
            passages[long[number]] = with_word(passages[long[number]])
        target.write_bytes(document.write(passages, "en"))
        return [" ".join(passages[long[number]].text.split()) for number in numbers]


def with_word(passage: Passage) -> Passage:
    """A passage with a word near its end, behind its marks and placeholders."""
    ends = [*(mark.end for mark in passage.marks), *(end for _, end in passage.keep)]
    place = max(len(passage.text) - 1, *ends, 0)
    text = passage.text[:place] + ADDED + passage.text[place:]
    marks = tuple(Mark(mark.start, mark.end, mark.tag) for mark in passage.marks)
    return replace(passage, text=text, marks=marks, keep=())
