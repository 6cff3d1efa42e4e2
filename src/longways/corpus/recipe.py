"""Corpus recipes: the files of each split, their formats, and the text settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from longways.corpus.document import Document
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.iwslt import read_iwslt
from longways.corpus.readers.opensubtitles import read_groups
from longways.corpus.readers.plain_text import read_folder, read_plain
from longways.corpus.readers.toy import make_documents
from longways.corpus.readers.tsv import read_tsv
from longways.errors import ConfigError, CorpusError
from longways.text.config import TextConfig

Format = Literal["tsv", "plain", "folder", "iwslt", "groups", "toy"]
SPLITS = ("train", "dev", "test")


@dataclass(frozen=True, kw_only=True)
class FilesConfig:
    """The files of one split of a corpus, read one after the other."""

    format: Format = "tsv"
    """`tsv`, `plain`, `folder`, `iwslt`, `groups` (sentences joined by ` _eos `), or `toy`."""
    files: tuple[str, ...] = ()
    """For `tsv` the files, for `folder` the folders."""
    source: tuple[str, ...] = ()
    """For the other formats: the source files."""
    target: tuple[str, ...] = ()
    """For the other formats: the target files, in the same order."""
    starts: tuple[str, ...] = ()
    """For `plain`, if documents are not separated by blank lines: the document-starts files."""
    documents: int = 0
    """For `toy`: the number of generated documents."""
    seed: int = 1
    """For `toy`: the seed of the generator."""
    longest: int = 0
    """Documents with more sentences are cut into parts of this many; 0: no document is cut."""

    def __post_init__(self) -> None:
        paired = self.format not in ("tsv", "folder", "toy")
        if paired and self.files:
            raise ConfigError(f"Format {self.format!r} has source and target files, not `files`.")
        if not paired and (self.source or self.target):
            raise ConfigError(f"Format {self.format!r} has `files`, not source and target files.")
        if len(self.source) != len(self.target):
            raise ConfigError(
                f"There are {len(self.source)} source files, but {len(self.target)} target files."
            )
        if self.longest < 0:
            raise ConfigError(f"longest is {self.longest}, but it must be at least 0.")
        if self.starts and (self.format != "plain" or len(self.starts) != len(self.source)):
            raise ConfigError("starts needs format 'plain' and as many files as source.")

    def __bool__(self) -> bool:
        return bool(self.files or self.source or self.documents)


@dataclass(frozen=True, kw_only=True)
class CorpusConfig:
    """A corpus with its text settings."""

    source_language: str
    """Code of the source language, for example zh."""
    target_language: str
    """Code of the target language, for example en."""
    where: str = ""
    """The place from which a user can download the files, shown when a file is missing."""
    train: FilesConfig = field(default_factory=FilesConfig)
    """The train split."""
    dev: FilesConfig = field(default_factory=FilesConfig)
    """The dev split, for validation during training."""
    test: FilesConfig = field(default_factory=FilesConfig)
    """The test split, for evaluation."""
    text: TextConfig = field(default_factory=TextConfig)
    """Settings of the text pipeline, which converts text to tokens."""

    def files(self, split: str) -> FilesConfig:
        """The files of one split."""
        files: FilesConfig = getattr(self, split)
        return files


def read_split(
    config: CorpusConfig, split: str, root: Path, inspector: BadInputPolicy
) -> Iterator[Document]:
    """The documents of one split; the paths of files are relative to `root`."""
    files = config.files(split)
    _check_files_exist(config, files, root)
    for document in _read_files(config, files, root, inspector):
        yield from cut_document(document, files.longest)


def cut_document(document: Document, longest: int) -> Iterator[Document]:
    """The parts of a document with at most `longest` sentences each; 0: the document itself."""
    if not longest or len(document) <= longest:
        yield document
        return
    for start in range(0, len(document), longest):
        at = slice(start, start + longest)
        name = f"{document.name}/{start // longest + 1}"
        yield Document(name, document.source[at], document.target[at])


def _read_files(
    config: CorpusConfig, files: FilesConfig, root: Path, inspector: BadInputPolicy
) -> Iterator[Document]:
    if files.format == "toy":
        yield from make_documents(files.documents, files.seed)
    elif files.format == "tsv":
        for name in files.files:
            yield from read_tsv(root / name, inspector)
    elif files.format == "folder":
        languages = config.source_language, config.target_language
        for name in files.files:
            yield from read_folder(root / name, *languages, inspector)
    else:
        yield from _read_paired(files, root, inspector)


def _read_paired(files: FilesConfig, root: Path, inspector: BadInputPolicy) -> Iterator[Document]:
    pairs = zip(files.source, files.target, strict=True)
    for number, (source, target) in enumerate(pairs):
        if files.format == "plain":
            starts = root / files.starts[number] if files.starts else None
            yield from read_plain(root / source, root / target, inspector, starts)
        else:
            read = read_iwslt if files.format == "iwslt" else read_groups
            yield from read(root / source, root / target, inspector)


def _check_files_exist(config: CorpusConfig, files: FilesConfig, root: Path) -> None:
    for name in (*files.files, *files.source, *files.target, *files.starts):
        if not (root / name).exists():
            where = f" The recipe says where to get it: {config.where}" if config.where else ""
            raise CorpusError(
                f"There is no {root / name}. Name the folder that has it with --data.{where}"
            )
