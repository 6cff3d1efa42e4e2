"""What models are judged on: a prepared part, or raw documents that each model cuts its own way.

On a prepared part all models share one vocabulary, so their losses can be compared as well. Raw
documents go the whole way from text to text, and are scored against their references untouched.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from longways.config import build, read_toml
from longways.corpus.document import Document
from longways.corpus.prepared_data import (
    CONFIG_FILE,
    PreparedData,
    Split,
    document_names,
    open_data,
)
from longways.corpus.readers.tsv import read_tsv
from longways.corpus.recipe import SPLITS, CorpusConfig, read_split
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.open import open_runtime
from longways.errors import ConfigError, CorpusError
from longways.evaluation.losses import (
    Advance,
    by_document,
    last_sentence_losses,
    split_pairs,
    true_contexts,
)
from longways.evaluation.metrics.score import TextDocuments
from longways.evaluation.provenance import model_hash, runtime_name
from longways.evaluation.system_output import SystemOutput
from longways.evaluation.text_files import Strict
from longways.text.manifest import TEXT_FOLDER, same_pipeline
from longways.translation.dataset import (
    detokenise,
    split_documents,
    split_references,
    translate_split,
)
from longways.translation.model_folder import ModelFolder
from longways.translation.translator import load


@dataclass(frozen=True)
class DecodingOptions:
    """How to translate."""

    beams: int = 4
    L: int | None = None
    """Sentences in a window; None: as many as a model was trained on, or, of raw documents, what it
    does best with."""
    device: str = "cpu"

    def __post_init__(self) -> None:
        if self.beams < 1:
            raise ConfigError(f"The beam is {self.beams}, but it must be at least 1 hypothesis.")


@dataclass(frozen=True)
class PreparedTestSet:
    """A part of prepared data, for models with its vocabulary."""

    data: PreparedData
    part: str

    @property
    def name(self) -> str:
        """Of the data."""
        return self.data.folder.name

    @property
    def target_language(self) -> str:
        """The language that is judged."""
        return str(self.data.config["target_language"])

    @property
    def split(self) -> Split:
        """The part itself."""
        return self.data.split(self.part)

    @cached_property
    def references(self) -> TextDocuments:
        """As text again: what the vocabulary does not tell apart is lost in it too."""
        return split_references(self.split, self.data.text())

    @property
    def names(self) -> list[str]:
        """Of the documents."""
        return document_names(self.data.folder, self.part, len(self.references))

    @cached_property
    def sources(self) -> TextDocuments:
        """As text again, as the references are."""
        split = self.split
        ids = split_documents(split.source, split.source_offsets, split.documents)
        return detokenise(ids, self.data.text().source)

    def window(self, folder: Path, way: DecodingOptions) -> int:
        """The L that a model translates with, checked: by default the one it was trained on."""
        trained = trained_window(folder)
        if not same_pipeline(folder / TEXT_FOLDER, self.data.folder / TEXT_FOLDER):
            raise CorpusError(
                f"{folder} was trained with another vocabulary than that of {self.data.folder}. "
                "Evaluate it on data prepared with its own, or on a recipe or a TSV file, which "
                "any model can translate."
            )
        return window_of(folder, trained if way.L is None else way.L)

    def judge(self, folder: Path, way: DecodingOptions, advance: Advance) -> SystemOutput:
        """A model's translations and losses."""
        L, split = self.window(folder, way), self.split
        runtime, pairs = open_runtime(folder, way.device), split_pairs(split)
        losses = last_sentence_losses(runtime, pairs, true_contexts(pairs, split, L))
        how = TranslateConfig(
            L=L, search=SearchConfig(beams=way.beams), windows=512, tokens=65_536, documents=512
        )
        began = time.perf_counter()
        output = translate_split(runtime, split, self.data.text(), how, advance=advance)
        seconds = time.perf_counter() - began
        return judged_by(folder, way, L, output, seconds, by_document(losses, split))


@dataclass(frozen=True)
class RawPart:
    """Documents as text."""

    name: str
    part: str
    documents: Sequence[Document]
    target_language: str = ""

    @property
    def references(self) -> TextDocuments:
        """As they were written."""
        return [document.target for document in self.documents]

    @property
    def names(self) -> list[str]:
        """Of the documents."""
        return [document.name for document in self.documents]

    @property
    def sources(self) -> TextDocuments:
        """As they were written."""
        return [document.source for document in self.documents]

    def window(self, folder: Path, way: DecodingOptions) -> int:
        """The L that a model translates with, checked: by default the one it does best with."""
        return window_of(folder, way.L)

    def judge(self, folder: Path, way: DecodingOptions, advance: Advance) -> SystemOutput:
        """A model's translations; vocabularies differ, so there are no losses."""
        L, translator = self.window(folder, way), load(folder, device=way.device)
        order = sorted(range(len(self.documents)), key=lambda i: -len(self.documents[i]))
        sources = (_counted(self.documents[i].source, advance) for i in order)
        began = time.perf_counter()
        found = translator.translate_documents(sources, window=L, beam=way.beams)
        seconds = time.perf_counter() - began
        return judged_by(folder, way, L, [found[i] for i in np.argsort(order)], seconds)


def _counted(sentences: Sequence[str], advance: Advance) -> Iterator[str]:
    """The sentences of a document; `advance` is called when the next one is asked for."""
    for sentence in sentences:
        yield sentence
        advance()


Material: TypeAlias = PreparedTestSet | RawPart


def open_material(path: Path, part: str, root: Path = Path()) -> Material:
    """A prepared folder, a recipe whose files lie below `root`, or a TSV file of documents."""
    if (path / CONFIG_FILE).exists():
        return PreparedTestSet(open_data(path), part)
    if (path / "recipe.toml").exists() or path.suffix == ".toml":
        return _from_recipe(path, part, root)
    if path.is_file():
        return _from_tsv(path)
    if not path.exists():
        raise CorpusError(f"There is no data at {path}. Check the path.")
    raise CorpusError(
        f"{path} is neither prepared data, nor a recipe, nor a file of documents. Name a folder "
        "that `longways prepare` has written, a folder with recipe.toml, or a TSV file."
    )


def _from_tsv(path: Path) -> RawPart:
    documents = list(read_tsv(path, Strict()))
    if not documents:
        raise CorpusError(f"{path} is empty, so there is nothing to translate. Check the path.")
    return RawPart(path.name.partition(".tsv")[0], "", documents)


def _from_recipe(path: Path, part: str, root: Path) -> RawPart:
    config = build(CorpusConfig, read_toml(path).get("corpus", {}), str(path), "corpus.")
    if part not in SPLITS or not config.files(part):
        there = ", ".join(split for split in SPLITS if config.files(split))
        raise CorpusError(f"{path} has no {part} part; it has: {there}.")
    documents = list(read_split(config, part, root, Strict()))
    return RawPart(path.absolute().name, part, documents, config.target_language)


def judged_by(
    folder: Path,
    way: DecodingOptions,
    L: int,
    output: list[list[str]],
    seconds: float,
    losses: NDArray[np.float64] | None = None,
) -> SystemOutput:
    """What a model made of documents, and what the model is."""
    return SystemOutput(
        model_name(folder),
        L,
        output,
        losses,
        seconds,
        beam=way.beams,
        runtime=runtime_name(folder, way.device),
        model_hash=model_hash(folder, way.device),
        language=ModelFolder.read(folder).text.target_language,
    )


def trained_window(folder: Path) -> int:
    """The L that a model was trained on."""
    return ModelFolder.read(folder).L


def window_of(folder: Path, wanted: int | None) -> int:
    """The L to use a model with, or an error that names the model."""
    model = ModelFolder.read(folder)
    try:
        return model.window(wanted)
    except ConfigError as error:
        raise ConfigError(f"{folder}: {error}") from error


def model_name(folder: Path) -> str:
    """The run's name for a model inside a run, else the folder's own."""
    kept = folder.name in ("best", "last", "average")
    return folder.absolute().parent.name if kept else folder.absolute().name
