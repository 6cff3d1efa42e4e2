"""Prepared data: a folder of memory-mapped arrays, of which windows are slices.

    config.json            languages, settings of the text pipeline, files, counts
    text/                  the text pipeline, which is copied into trained models
    train/, dev/, test/    source.npy, target.npy     token ids, a <sep> after each sentence
                           source-offsets.npy, ...    the start of each sentence, then the end
                           documents.npy              the first sentence of each document, then
                                                      the number of sentences
                           names.txt                  the name of each document

A separator follows every sentence, so a window of any L is a slice of the ids whose last separator
is replaced by `<eos>`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.corpus.arrays import GrowingArray
from longways.corpus.document import Document
from longways.corpus.window import Offsets
from longways.errors import CorpusError
from longways.manifest import read_versioned, write_versioned
from longways.text.manifest import TEXT_FOLDER
from longways.text.pipeline import TextPipeline
from longways.text.tokenizers.base import Tokenizer
from longways.text.tokenizers.special_tokens import SEP

FORMAT = 1
"""The format version. It is raised whenever an older Longways cannot read the new format."""

CONFIG_FILE = "config.json"
KIND = "prepared data"
ENCODING_BATCH_SENTENCES = 100_000
"""Sentences that are encoded together, which limits the memory."""


@dataclass(frozen=True)
class SplitCounts:
    """The counts of one split of a corpus; tokens do not include separators."""

    documents: int = 0
    sentences: int = 0
    source_tokens: int = 0
    target_tokens: int = 0
    source_unknown: int = 0
    target_unknown: int = 0


@dataclass(frozen=True)
class Split:
    """The memory-mapped arrays of one split of a corpus."""

    source: NDArray[np.integer[Any]]
    target: NDArray[np.integer[Any]]
    source_offsets: Offsets  # (sentences + 1,)
    target_offsets: Offsets  # (sentences + 1,)
    documents: Offsets  # (documents + 1,)

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return len(self.source_offsets) - 1


@dataclass(frozen=True)
class PreparedData:
    """A folder of prepared data."""

    folder: Path
    config: dict[str, Any]
    """The corpus settings: languages, text settings and files."""
    counts: dict[str, SplitCounts]
    dropped: dict[str, dict[str, int]]
    """The number of dropped bad inputs, by split and kind."""
    vocabularies: tuple[int, int]
    """The sizes of the source and the target vocabulary."""

    def split(self, name: str) -> Split:
        """The arrays of one split."""
        if name not in self.counts:
            known = ", ".join(self.counts)
            raise CorpusError(f"{self.folder} has no split {name!r}; it has: {known}.")
        return _open_split(self.folder / name, self.counts[name])

    def text(self) -> TextPipeline:
        """The text pipeline that encoded the data."""
        return TextPipeline.load(self.folder / TEXT_FOLDER)


def write_split(
    folder: Path,
    documents: Iterable[Document],
    text: TextPipeline,
    progress: Callable[[int], None] | None = None,
) -> SplitCounts:
    """Encode documents into the arrays of a new folder; `progress` receives sentence counts."""
    folder.mkdir(parents=True)
    counts: dict[str, int] = asdict(SplitCounts())
    with ExitStack() as stack:
        sides = [
            _SideWriter(folder, name, tokenizer, normalise, stack)
            for name, tokenizer, normalise in (
                ("source", text.source, text.read),
                ("target", text.target, str),
            )
        ]
        starts = stack.enter_context(GrowingArray(folder / "documents.npy", np.int64))
        names = stack.enter_context((folder / "names.txt").open("w", encoding="utf-8"))
        starts.append([0])
        for batch in _batches(documents):
            for side, sentences in zip(sides, _columns(batch), strict=True):
                side.write(sentences)
            ends = counts["sentences"] + np.cumsum([len(document) for document in batch])
            starts.append(ends)
            names.writelines(document.name.replace("\n", " ") + "\n" for document in batch)
            counts["documents"] += len(batch)
            counts["sentences"] = int(ends[-1])
            if progress:
                progress(sum(len(document) for document in batch))
    for name, side in zip(("source", "target"), sides, strict=True):
        counts[f"{name}_tokens"], counts[f"{name}_unknown"] = side.tokens, side.unknown
    return SplitCounts(**counts)


class _SideWriter:
    """Writes the ids and offsets of the source or of the target."""

    def __init__(
        self,
        folder: Path,
        name: str,
        tokenizer: Tokenizer,
        normalise: Callable[[str], str],
        stack: ExitStack,
    ) -> None:
        self.normalise = normalise
        dtype = np.uint16 if tokenizer.size <= 2**16 else np.int32
        self.tokenizer, self.tokens, self.unknown = tokenizer, 0, 0
        self.ids = stack.enter_context(GrowingArray(folder / f"{name}.npy", dtype))
        self.offsets = stack.enter_context(GrowingArray(folder / f"{name}-offsets.npy", np.int64))
        self.offsets.append([0])

    def write(self, sentences: list[str]) -> None:
        encoded = self.tokenizer.encode([self.normalise(s) for s in sentences])
        self.offsets.append(self.ids.length + np.cumsum([len(ids) + 1 for ids in encoded]))
        self.ids.append([token for ids in encoded for token in (*ids, SEP)])
        self.tokens += sum(len(ids) for ids in encoded)
        self.unknown += sum(self.tokenizer.unknown(ids) for ids in encoded)


def _batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    sentences = 0
    for document in documents:
        batch.append(document)
        sentences += len(document)
        if sentences >= ENCODING_BATCH_SENTENCES:
            yield batch
            batch, sentences = [], 0
    if batch:
        yield batch


def _columns(batch: list[Document]) -> tuple[list[str], list[str]]:
    source = [sentence for document in batch for sentence in document.source]
    return source, [sentence for document in batch for sentence in document.target]


def write_config(
    folder: Path,
    config: dict[str, Any],
    text: TextPipeline,
    counts: dict[str, SplitCounts],
    dropped: dict[str, dict[str, int]],
) -> None:
    """Write `config.json`, the last file of prepared data."""
    content = {
        "kind": KIND,
        "config": config,
        "vocabularies": [text.source.size, text.target.size],
        "counts": {name: asdict(count) for name, count in counts.items()},
        "dropped": dropped,
    }
    write_versioned(folder / CONFIG_FILE, FORMAT, content)


def open_data(folder: Path) -> PreparedData:
    """Open a folder of prepared data. `split` checks the sizes of the arrays."""
    path = folder / CONFIG_FILE
    content = read_versioned(path, FORMAT, "folder of prepared data", CorpusError)
    if content.get("kind") != KIND:
        raise CorpusError(f"{path} does not describe prepared data. Check the path.")
    counts = {name: SplitCounts(**count) for name, count in content["counts"].items()}
    first, second = content["vocabularies"]
    return PreparedData(folder, content["config"], counts, content["dropped"], (first, second))


def _open_split(folder: Path, counts: SplitCounts) -> Split:
    names = ("source", "target", "source-offsets", "target-offsets", "documents")
    lengths = (
        counts.source_tokens + counts.sentences,
        counts.target_tokens + counts.sentences,
        counts.sentences + 1,
        counts.sentences + 1,
        counts.documents + 1,
    )
    files = zip(names, lengths, strict=True)
    return Split(*(_open_array(folder / f"{name}.npy", length) for name, length in files))


def _open_array(path: Path, length: int) -> Any:
    try:
        array = np.load(path, mmap_mode="r" if length else None)
    except (OSError, ValueError) as error:
        raise CorpusError(f"{path} is missing or damaged ({error}). Prepare it again.") from error
    if array.shape != (length,):
        raise CorpusError(
            f"{path} holds {array.shape[0]} numbers, but config.json counts {length}. The folder "
            "was changed after it was made: prepare it again."
        )
    return array


def document_names(folder: Path, split: str, count: int) -> list[str]:
    """The names of the first `count` documents of one split."""
    with (folder / split / "names.txt").open(encoding="utf-8") as file:
        return [line.rstrip("\n") for line in islice(file, count)]
