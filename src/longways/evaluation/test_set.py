"""Test sets: a prepared split, or raw documents that each model tokenizes with its own vocabulary.

On a prepared split all models share one vocabulary, so their losses can be compared as well. Raw
documents are translated from text to text and scored against their references unchanged.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias, get_args

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
from longways.decoding.beam_search import AtLimit, SearchConfig
from longways.decoding.config import TranslateConfig, WindowMode
from longways.decoding.open import open_runtime
from longways.decoding.runtime import AnyRuntime
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
from longways.translation.model_folder import ModelFolder, parse_context
from longways.translation.translator import Translator, load


@dataclass(frozen=True)
class DecodingOptions:
    """How a test set is translated."""

    beams: int = 4
    L: int | None = None
    """Sentences in a window. None: the L that a model was trained on for a prepared split, and its
    best L for raw documents."""
    device: str = "cpu"
    length_penalty: float = 1.0
    """Exponent of the length penalty."""
    windows: WindowMode = "sliding"
    """How the windows of a window model are translated."""
    context: str | None = None
    """Sentences that a stream model looks back, or `all`; None: all, and not asked for."""
    at_limit: AtLimit = "cut"
    """What becomes of a hypothesis at the length limit."""
    shortlist: bool | None = None
    """Whether search chooses among the tokens of the model's shortlist; None: as the model says."""

    @property
    def label(self) -> str:
        """The options in the names of saved files, without L: `beam4`, `beam4-whole`."""
        windows = "" if self.windows == "sliding" else f"-{self.windows}"
        penalty = "" if self.length_penalty == 1 else f"-penalty{self.length_penalty:g}"
        context = f"-context{self.context}" if self.context else ""
        limit = "" if self.at_limit == "cut" else "-eos"
        lists = {None: "", True: "-shortlist", False: "-no-shortlist"}[self.shortlist]
        return f"beam{self.beams}{penalty}{windows}{context}{limit}{lists}"

    @property
    def search(self) -> SearchConfig:
        """The settings of beam search."""
        return SearchConfig(beams=self.beams, alpha=self.length_penalty, at_limit=self.at_limit)

    def __post_init__(self) -> None:
        if self.beams < 1:
            raise ConfigError(f"The beam is {self.beams}, but it must be at least 1 hypothesis.")
        if self.windows not in get_args(WindowMode):
            raise ConfigError(
                f"The windows are {self.windows!r}, but they must be sliding, whole or regenerated."
            )
        if self.shortlist and self.at_limit == "end":
            raise ConfigError(
                "--at-limit end scores <eos> among all tokens, and --shortlist the others among "
                "some. Leave one of them out."
            )

    @property
    def searched(self) -> bool | None:
        """Whether to search with the shortlist; never where `<eos>` is scored among all tokens."""
        return False if self.at_limit == "end" else self.shortlist


@dataclass(frozen=True)
class PreparedTestSet:
    """A split of prepared data, for models with its vocabulary."""

    data: PreparedData
    split_name: str

    @property
    def name(self) -> str:
        """The name of the data folder."""
        return self.data.folder.name

    @property
    def target_language(self) -> str:
        """The target language."""
        return str(self.data.config["target_language"])

    @property
    def split(self) -> Split:
        """The split's token ids."""
        return self.data.split(self.split_name)

    @cached_property
    def references(self) -> TextDocuments:
        """The references, decoded from token ids, so without what the vocabulary cannot encode."""
        return split_references(self.split, self.data.text())

    @property
    def names(self) -> list[str]:
        """The names of the documents."""
        return document_names(self.data.folder, self.split_name, len(self.references))

    @cached_property
    def sources(self) -> TextDocuments:
        """The source documents, decoded from token ids like the references."""
        split = self.split
        ids = split_documents(split.source, split.source_offsets, split.documents)
        return detokenise(ids, self.data.text().source)

    def window(self, folder: Path, options: DecodingOptions) -> int:
        """The L that a model translates with, checked; by default the L it was trained on."""
        trained = trained_window(folder)
        if not same_pipeline(folder / TEXT_FOLDER, self.data.folder / TEXT_FOLDER):
            raise CorpusError(
                f"{folder} was trained with another vocabulary than that of {self.data.folder}. "
                "Evaluate it on data prepared with its own, or on a recipe or a TSV file, which "
                "any model can translate."
            )
        return checked_window(folder, options, trained)

    def translate(self, folder: Path, options: DecodingOptions, advance: Advance) -> SystemOutput:
        """A model's translations and losses."""
        L, split = self.window(folder, options), self.split
        runtime, pairs = _open(folder, options), split_pairs(split)
        losses = last_sentence_losses(runtime, pairs, true_contexts(pairs, split, L))
        config = TranslateConfig(
            L=L,
            context=checked_context(folder, options),
            search=options.search,
            length=ModelFolder.read(folder).length,
            windows=512,
            tokens=65_536,
            documents=512,
        )
        began, windows = time.perf_counter(), options.windows
        output = translate_split(runtime, split, self.data.text(), config, None, windows, advance)
        seconds = time.perf_counter() - began
        return model_output(folder, options, L, output, seconds, by_document(losses, split))


@dataclass(frozen=True)
class RawTestSet:
    """Documents as text, for models with any vocabulary."""

    name: str
    split_name: str
    """The split of a recipe; empty for a file."""
    documents: Sequence[Document]
    target_language: str = ""

    @property
    def references(self) -> TextDocuments:
        """The reference translations, unchanged."""
        return [document.target for document in self.documents]

    @property
    def names(self) -> list[str]:
        """The names of the documents."""
        return [document.name for document in self.documents]

    @property
    def sources(self) -> TextDocuments:
        """The source documents, unchanged."""
        return [document.source for document in self.documents]

    def window(self, folder: Path, options: DecodingOptions) -> int:
        """The L that a model translates with, checked; by default the model's best L."""
        return checked_window(folder, options)

    def translate(self, folder: Path, options: DecodingOptions, advance: Advance) -> SystemOutput:
        """A model's translations, without losses, because vocabularies may differ."""
        special = {"windows": (options.windows, "sliding"), "at-limit": (options.at_limit, "cut")}
        for name, (value, plain) in special.items():
            if value != plain:
                raise ConfigError(
                    f"--{name} {value} needs prepared data. Make it with longways prepare."
                )
        L, translator = self.window(folder, options), _load(folder, options)
        order = sorted(range(len(self.documents)), key=lambda i: -len(self.documents[i]))
        sources = (_advancing(self.documents[i].source, advance) for i in order)
        began = time.perf_counter()
        found = translator.translate_documents(
            sources,
            window=None if translator.model.is_stream else L,
            context=checked_context(folder, options),
            beam=options.beams,
            length_penalty=options.length_penalty,
        )
        seconds = time.perf_counter() - began
        return model_output(folder, options, L, [found[i] for i in np.argsort(order)], seconds)


def _open(folder: Path, options: DecodingOptions) -> AnyRuntime:
    return open_runtime(folder, options.device, shortlist=options.searched)


def _load(folder: Path, options: DecodingOptions) -> Translator:
    return load(folder, device=options.device, shortlist=options.searched)


TestSet: TypeAlias = PreparedTestSet | RawTestSet


def _advancing(sentences: Iterable[str], advance: Advance) -> Iterator[str]:
    """Yield sentences, and call `advance` when the next sentence is requested."""
    for sentence in sentences:
        yield sentence
        advance()


def open_test_set(path: Path, split: str, root: Path = Path()) -> TestSet:
    """Open a prepared folder, a recipe with files below `root`, or a TSV file of documents."""
    if (path / CONFIG_FILE).exists():
        return PreparedTestSet(open_data(path), split)
    if (path / "recipe.toml").exists() or path.suffix == ".toml":
        return _from_recipe(path, split, root)
    if path.is_file():
        return _from_tsv(path)
    if not path.exists():
        raise CorpusError(f"There is no data at {path}. Check the path.")
    raise CorpusError(
        f"{path} is neither prepared data, nor a recipe, nor a file of documents. Name a folder "
        "that `longways prepare` has written, a folder with recipe.toml, or a TSV file."
    )


def _from_tsv(path: Path) -> RawTestSet:
    documents = list(read_tsv(path, Strict()))
    if not documents:
        raise CorpusError(f"{path} is empty, so there is nothing to translate. Check the path.")
    return RawTestSet(path.name.partition(".tsv")[0], "", documents)


def _from_recipe(path: Path, split: str, root: Path) -> RawTestSet:
    config = build(CorpusConfig, read_toml(path).get("corpus", {}), str(path), "corpus.")
    if split not in SPLITS or not config.files(split):
        known = ", ".join(name for name in SPLITS if config.files(name))
        raise CorpusError(f"{path} has no {split} split; it has: {known}.")
    documents = list(read_split(config, split, root, Strict()))
    return RawTestSet(path.absolute().name, split, documents, config.target_language)


def model_output(
    folder: Path,
    options: DecodingOptions,
    L: int,
    output: list[list[str]],
    seconds: float,
    losses: NDArray[np.float64] | None = None,
) -> SystemOutput:
    """A model's translations with the provenance of the model."""
    return SystemOutput(
        model_name(folder),
        L,
        output,
        losses,
        seconds,
        beam=options.beams,
        runtime=runtime_name(folder, options.device),
        model_hash=model_hash(folder, options.device),
        language=ModelFolder.read(folder).text.target_language,
        length_penalty=None if options.length_penalty == 1 else options.length_penalty,
        windows=None if options.windows == "sliding" else options.windows,
        context=options.context,
        at_limit=None if options.at_limit == "cut" else options.at_limit,
        shortlist=options.shortlist,
    )


def trained_window(folder: Path) -> int:
    """The L that a model was trained on."""
    return ModelFolder.read(folder).L


def checked_window(folder: Path, options: DecodingOptions, default: int | None = None) -> int:
    """The L to use a model with, or an error that names the model.

    A stream model has no windows; its L is that of its training.
    """
    model = ModelFolder.read(folder)
    checked_context(folder, options)
    if model.is_stream and options.windows != "sliding":
        raise ConfigError(f"{folder} is a stream model, which has no windows. Omit --windows.")
    if model.is_stream and options.at_limit != "cut":
        raise ConfigError(
            f"{folder} is a stream model, but --at-limit end is for window models. Leave it out."
        )
    if model.is_stream and options.L is None:
        return model.L
    try:
        return model.window(default if options.L is None else options.L)
    except ConfigError as error:
        raise ConfigError(f"{folder}: {error}") from error


def checked_context(folder: Path, options: DecodingOptions) -> int | None:
    """The sentences that a stream model carries, None for all; an error for other models."""
    wanted = parse_context(options.context)
    return ModelFolder.read(folder).context(wanted, given=options.context is not None)


def model_name(folder: Path) -> str:
    """The run's name for a model inside a run, else the folder's name."""
    is_in_run = folder.name in ("best", "last", "average")
    return folder.absolute().parent.name if is_in_run else folder.absolute().name
