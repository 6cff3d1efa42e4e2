"""Readers of plain text with one sentence per line: two files, or a folder of pairs of files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from longways.corpus.document import Document
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.lines import read_lines
from longways.corpus.readers.parallel import LinePair, read_pairs
from longways.errors import CorpusError


def read_plain(
    source: Path, target: Path, inspector: BadInputPolicy, starts: Path | None = None
) -> Iterator[Document]:
    """Documents separated by lines that are blank in both files, or by a document-starts file.

    Each line of a document-starts file has the number of the line, from 1, on which a document
    starts.
    """
    name = source.name.split(".")[0]
    boundaries = read_starts(starts, inspector) if starts else iter(())
    upcoming = next(boundaries, None)
    sentences: list[LinePair] = []
    documents = 0
    for number, pair in read_pairs(source, target, inspector):
        starting = number == upcoming
        if starting:
            upcoming = next(boundaries, None)
        blank = pair is not None and not (pair[0].strip() or pair[1].strip())
        if (starting or (blank and not starts)) and sentences:
            documents += 1
            yield _document(f"{name}.{documents}", sentences)
            sentences = []
        if pair is not None and not (blank and not starts):
            sentences += _checked(pair, source, number, inspector)
    if upcoming is not None:
        raise CorpusError(
            f"{starts}: a document starts on line {upcoming}, but {source} has no such line. The "
            "files may come from different corpora."
        )
    if sentences:
        yield _document(f"{name}.{documents + 1}", sentences)


def _checked(
    pair: LinePair, source: Path, number: int, inspector: BadInputPolicy
) -> list[LinePair]:
    """A list of the pair, or an empty list if one of its sentences is empty."""
    place = f"{source} and its translation, line {number}"
    return [pair] if all(inspector.check_sentence(text, place) for text in pair) else []


def _document(name: str, sentences: list[LinePair]) -> Document:
    source, target = zip(*sentences, strict=True)
    return Document(name, list(source), list(target))


def read_starts(path: Path, inspector: BadInputPolicy) -> Iterator[int]:
    """The numbers of a document-starts file, which begin with 1 and increase."""
    last = 0
    for number, line in read_lines(path, inspector):
        text = (line or "").strip()
        if not text.isdecimal() or int(text) <= last or (last == 0 and int(text) != 1):
            raise CorpusError(
                f"{path}, line {number}: {text!r}, but there must be the line on which a document "
                f"starts: {'1 for the first' if last == 0 else f'a number above {last}'}."
            )
        last = int(text)
        yield last


def read_folder(
    folder: Path, source_language: str, target_language: str, inspector: BadInputPolicy
) -> Iterator[Document]:
    """One document for each pair of files whose names differ only in the language.

    `page.zh.txt` and `page.en.txt` are a pair, as are `page.zh` and `page.en`, also compressed as
    .gz or .xz and in subfolders. Lines that are blank in both files separate paragraphs.
    """
    if not folder.is_dir():
        raise CorpusError(f"There is no folder {folder}. Check the path.")
    sources = {_stem(p, source_language): p for p in _files(folder, source_language)}
    targets = {_stem(p, target_language): p for p in _files(folder, target_language)}
    if not sources:
        raise CorpusError(f"{folder} has no file of language {source_language!r} (NAME.zh.txt).")
    for stem in sorted(sources.keys() | targets.keys()):
        if stem not in sources or stem not in targets:
            unpaired, other = (
                (sources, target_language) if stem in sources else (targets, source_language)
            )
            inspector.bad(
                "missing side", f"{unpaired[stem]} has no counterpart in language {other!r}."
            )
            continue
        sentences = [
            good
            for number, pair in read_pairs(sources[stem], targets[stem], inspector)
            if pair is not None and (pair[0].strip() or pair[1].strip())
            for good in _checked(pair, sources[stem], number, inspector)
        ]
        if sentences:
            yield _document(stem, sentences)


def _files(folder: Path, language: str) -> list[Path]:
    return [
        p for p in sorted(folder.rglob("*")) if p.is_file() and language in p.name.split(".")[1:]
    ]


def _stem(path: Path, language: str) -> str:
    """The part of the name that source and target share: all but the language."""
    parts = path.name.split(".")
    parts.remove(language)
    return str(path.with_name(".".join(parts)))
