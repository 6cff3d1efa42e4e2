"""Corpus recipes: the files of each split, their formats, and the text settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from longways.corpus.document import Document
from longways.corpus.filter.config import FilterConfig
from longways.corpus.filter.screen import Screen
from longways.corpus.language_check import with_checked_languages
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.catalogues import read_po, read_po_pair
from longways.corpus.readers.exchange import read_tmx, read_xliff
from longways.corpus.readers.iwslt import read_iwslt
from longways.corpus.readers.jsonl import read_jsonl
from longways.corpus.readers.opensubtitles import read_groups
from longways.corpus.readers.pages import read_pages, read_pages_folder
from longways.corpus.readers.plain_text import read_folder, read_plain
from longways.corpus.readers.toy import make_documents
from longways.corpus.readers.tsv import read_tsv
from longways.corpus.readers.units import Unit, Units, documents_of
from longways.errors import ConfigError, CorpusError
from longways.text.config import TextConfig

Format = Literal[
    "tsv", "plain", "folder", "iwslt", "groups", "toy", "tmx", "xliff", "po", "jsonl", "pages"
]
_EITHER = "po", "pages"
"""Formats with both languages in `files`, or with one in each of source and target."""
_PAIRED = "plain", "iwslt", "groups"
SPLITS = ("train", "dev", "test")


@dataclass(frozen=True, kw_only=True)
class FilesConfig:
    """The files of one split of a corpus, read one after the other."""

    format: Format = "tsv"
    """`tsv`, `plain`, `folder`, `iwslt`, `groups` (sentences joined by ` _eos `), `tmx`, `xliff`,
    `po`, `jsonl`, `pages` (folders of translated pages), or `toy`."""
    files: tuple[str, ...] = ()
    """Files with both languages: `tsv`, `tmx`, `xliff`, `po`, `jsonl`; for `folder` and `pages`
    folders."""
    source: tuple[str, ...] = ()
    """For the other formats, and for `po` and `pages` in pairs: the source files."""
    target: tuple[str, ...] = ()
    """The target files of these, in the same order."""
    units: Units = "apart"
    """For `tmx`, `xliff`, `po` and `jsonl`: `together` if all units of a file that name no
    document are in the order of one text; `apart` makes each of them a document."""
    machine: bool = False
    """For `tmx` and `xliff`: also take translations that a machine made and nobody has seen."""
    starts: tuple[str, ...] = ()
    """For `plain`, if documents are not separated by blank lines: the document-starts files."""
    documents: int = 0
    """For `toy`: the number of generated documents."""
    seed: int = 1
    """For `toy`: the seed of the generator."""
    longest: int = 0
    """Documents with more sentences are cut into parts of this many; 0: no document is cut."""

    def __post_init__(self) -> None:
        paired, either = self.format in _PAIRED, self.format in _EITHER
        if paired and self.files:
            raise ConfigError(f"Format {self.format!r} has source and target files, not `files`.")
        if not paired and not either and (self.source or self.target):
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
    filter: FilterConfig = field(default_factory=FilterConfig)
    """The filter step, which drops pairs that teach a model wrong things."""
    text: TextConfig = field(default_factory=TextConfig)
    """Settings of the text pipeline, which converts text to tokens."""

    @property
    def languages(self) -> tuple[str, str]:
        """The source and the target language."""
        return self.source_language, self.target_language

    def files(self, split: str) -> FilesConfig:
        """The files of one split."""
        files: FilesConfig = getattr(self, split)
        return files


def read_split(
    config: CorpusConfig,
    split: str,
    root: Path,
    inspector: BadInputPolicy,
    screen: Screen | None = None,
) -> Iterator[Document]:
    """The documents of one split, filtered by a screen; paths of files are relative to `root`."""
    files = config.files(split)
    _check_files_exist(config, files, root)
    documents = _read_files(config, files, root, inspector)
    for document in screen.filtered(documents, inspector.dropped) if screen else documents:
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
    for name in files.files:
        documents = _read_file(config, files, root / name, inspector)
        yield from with_checked_languages(documents, config.languages, str(root / name))
    for number, (source, target) in enumerate(zip(files.source, files.target, strict=True)):
        starts = root / files.starts[number] if files.starts else None
        paths = root / source, root / target
        documents = _read_paired(config, files, paths, starts, inspector)
        yield from with_checked_languages(documents, config.languages, f"{paths[0]} and {target}")


def _read_file(
    config: CorpusConfig, files: FilesConfig, path: Path, inspector: BadInputPolicy
) -> Iterator[Document]:
    """The documents of a file, or a folder, with both languages."""
    match files.format:
        case "tsv":
            return read_tsv(path, inspector)
        case "folder":
            return read_folder(path, *config.languages, inspector)
        case "jsonl":
            return read_jsonl(path, config.languages, inspector, files.units)
        case "pages":
            return read_pages_folder(path, config.languages, inspector)
    units = _units(files, path, config.languages, inspector)
    return documents_of(units, path.name.partition(".")[0], config.languages, files.units)


def _units(
    files: FilesConfig, path: Path, languages: tuple[str, str], inspector: BadInputPolicy
) -> Iterator[Unit]:
    if files.format == "po":
        return read_po(path, languages, inspector)
    read = read_tmx if files.format == "tmx" else read_xliff
    return read(path, languages, inspector, machine=files.machine)


def _read_paired(
    config: CorpusConfig,
    files: FilesConfig,
    paths: tuple[Path, Path],
    starts: Path | None,
    inspector: BadInputPolicy,
) -> Iterator[Document]:
    """The documents of a source and a target file, or folder."""
    match files.format:
        case "plain":
            return read_plain(*paths, inspector, starts)
        case "iwslt":
            return read_iwslt(*paths, inspector)
        case "pages":
            return read_pages(*paths, config.languages, inspector)
        case "po":
            units = read_po_pair(*paths, config.languages, inspector)
            name = paths[0].name.partition(".")[0]
            return documents_of(units, name, config.languages, files.units)
    return read_groups(*paths, inspector)


def _check_files_exist(config: CorpusConfig, files: FilesConfig, root: Path) -> None:
    for name in (*files.files, *files.source, *files.target, *files.starts):
        if not (root / name).exists():
            where = f" The recipe says where to get it: {config.where}" if config.where else ""
            raise CorpusError(
                f"There is no {root / name}. Name the folder that has it with --data.{where}"
            )
