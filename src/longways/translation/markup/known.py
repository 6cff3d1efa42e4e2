"""Known translations of passages: what is not translated again, but read as context."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from longways.formats.base import Mark, Passage
from longways.text.sentences.joiner import one_line
from longways.text.sentences.splitter import Segment


@dataclass
class KnownPassage:
    """What is known of the translation of a passage."""

    sources: Sequence[str]
    """Its sentences; those without text are left out."""
    targets: list[str | None] = field(default_factory=list)
    """The translation of each sentence; None if it is to be translated."""
    corrected: list[bool] = field(default_factory=list)
    """Whether a person has corrected it."""
    marks: dict[int, tuple[Mark, ...]] = field(default_factory=dict)
    """The marks of a known sentence by its number, with places in its translation."""
    whole: Passage | None = None
    """The whole translation with its marks, if it is known."""

    def __post_init__(self) -> None:
        self.targets = self.targets or [None] * len(self.sources)
        self.corrected = self.corrected or [False] * len(self.sources)

    @property
    def has_targets(self) -> bool:
        """Whether the translation of any sentence is known."""
        return any(target is not None for target in self.targets)

    def given(self, segments: Iterable[Segment]) -> Iterator[Segment]:
        """The segments of the passage with their known translations."""
        targets = iter(self.targets)
        for segment in segments:
            known = next(targets, None) if segment.text else None
            yield segment if known is None else segment._replace(given=one_line(known))
