"""The toy recipe: the made-up corpus, and the run that learns it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from longways.config import apply_overrides, build, read_toml
from longways.corpus.readers.toy import SOURCE_WORDS, TARGET_WORDS
from longways.corpus.recipe import CorpusConfig
from longways.training.config import RunConfig, build_run


@dataclass(frozen=True)
class ToyConfig:
    """The whole recipe."""

    corpus: CorpusConfig
    run: RunConfig

    @property
    def L(self) -> int:
        """Sentences in a window."""
        return self.run.batches.L

    def with_window(self, L: int) -> ToyConfig:
        """The same with another L."""
        return replace(self, run=replace(self.run, batches=replace(self.run.batches, L=L)))


def read_toy_recipe(path: Path, overrides: Iterable[str] = ()) -> ToyConfig:
    """The recipe in a file or folder; the vocabularies are the words of the task."""
    values = apply_overrides(read_toml(path), overrides)
    corpus = build(CorpusConfig, values.get("corpus", {}), str(path), "corpus.")
    return ToyConfig(corpus, build_run(values, (len(SOURCE_WORDS), len(TARGET_WORDS)), str(path)))
