"""Reader of folders with translated pages: Markdown, HTML, Office files and others, and plain text.

The two languages are in two folders, in two folders inside of one (`en/page.md`, `de/page.md`), or
in the names (`page.en.md`, `page.de.md`). A page without a language in its name is in the language
that no name has. Pages are aligned, so they need not have the same number of sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from longways.corpus.alignment.blocks import Block, blocks_of
from longways.corpus.alignment.pages import aligned_page, aligned_share
from longways.corpus.document import Document
from longways.corpus.gaps import between_gaps
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.exchange import bad_files
from longways.corpus.readers.lines import open_bytes
from longways.errors import CorpusError
from longways.formats.registry import SUFFIXES, format_of
from longways.text.languages.codes import best_code, main_language

MIN_ALIGNED = 0.5
"""Pages of whose text a smaller share has a counterpart are no translations of each other."""

PAGES = frozenset(
    [
        *("markdown", "ipynb", "latex", "rst", "asciidoc", "org", "html", "docx", "pptx", "odt"),
        *("odp", "epub", "pdf", "eml"),
    ]
)
"""Formats whose files are pages. Files of keys and their texts are not aligned by their order."""
_TEXT_SUFFIX = ".txt"
_CODE = re.compile("[A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4}){0,2}")
_IN_NAME = re.compile(r"(?<=[^\W_])[._-]([A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4}){0,2})$")

_DOCUSAURUS = re.compile(r"(^|.*/)i18n/docusaurus-plugin-content-(docs|blog)/(?:current/)?")
"""The folder of translations of Docusaurus, without the language; the sources are in docs/."""

Languages = tuple[str, str]


def read_pages(
    source: Path, target: Path, languages: Languages, inspector: BadInputPolicy
) -> Iterator[Document]:
    """The documents of two folders: pages with the same path in both, but for the languages."""
    sides = [
        {key: files[_best(files, code) or ""] for key, files in _pages(folder, (code,)).items()}
        for folder, code in zip((source, target), languages, strict=True)
    ]
    yield from _documents(sides[0], sides[1], f"{source} and {target}", languages, inspector)


def read_pages_folder(
    folder: Path, languages: Languages, inspector: BadInputPolicy
) -> Iterator[Document]:
    """The documents of one folder with the pages of both languages."""
    pages = _pages(folder, languages)
    named = {main_language(code) for files in pages.values() for code in files if code}
    sides = []
    for code in languages:
        unnamed = "" if main_language(code) not in named else None
        found = {key: _best(files, code) or unnamed for key, files in pages.items()}
        sides.append({k: pages[k][f] for k, f in found.items() if f is not None and f in pages[k]})
    yield from _documents(sides[0], sides[1], str(folder), languages, inspector)


def _pages(folder: Path, languages: Sequence[str]) -> dict[str, dict[str, Path]]:
    """The pages of a folder by their path without the language, then by the language in it."""
    if not folder.is_dir():
        raise CorpusError(f"There is no folder {folder}. Check the path.")
    pages = dict[str, dict[str, Path]]()
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not hidden and _is_page(path) and path.is_file():
            key, code = _without_language(path.relative_to(folder), languages)
            pages.setdefault(key, {}).setdefault(code, path)
    return pages


def _is_page(path: Path) -> bool:
    suffix = path.suffix.lower()
    return suffix == _TEXT_SUFFIX or SUFFIXES.get(suffix) in PAGES


def _without_language(path: Path, languages: Sequence[str]) -> tuple[str, str]:
    """A path without the language in its name or folders, and the language or an empty text."""
    match = _IN_NAME.search(path.stem)
    if match and _is_one(match[1], languages):
        return path.with_name(path.stem[: match.start()] + path.suffix).as_posix(), match[1]
    for place, part in enumerate(path.parts[:-1]):
        if _is_one(part, languages):
            rest = Path(*path.parts[:place], *path.parts[place + 1 :]).as_posix()
            return _DOCUSAURUS.sub(r"\1\2/", rest), part
    return path.as_posix(), ""


def _is_one(part: str, languages: Sequence[str]) -> bool:
    """Whether a part of a path is one of the languages."""
    return bool(_CODE.fullmatch(part)) and any(best_code([part], code) for code in languages)


def _best(files: Mapping[str, Path], language: str) -> str | None:
    """The code that fits a language best among the ones of a page; None if none is of it."""
    return best_code([code for code in files if code], language)


def _documents(
    sources: Mapping[str, Path],
    targets: Mapping[str, Path],
    where: str,
    languages: Languages,
    inspector: BadInputPolicy,
) -> Iterator[Document]:
    keys = [key for key in sources if key in targets]
    if not keys:
        raise CorpusError(
            f"{where}: there are {len(sources):,} pages in {languages[0]} and {len(targets):,} in "
            f"{languages[1]}, but no page in both. Pages of both languages must have the same path "
            "but for the language, as en/page.md and de/page.md or page.en.md and page.de.md."
        )
    for key in sorted({*sources, *targets}):
        if key in sources and key in targets:
            yield from _aligned(key, (sources[key], targets[key]), languages, inspector)
        else:
            inspector.count("page without translation")


def _aligned(
    name: str, paths: tuple[Path, Path], languages: Languages, inspector: BadInputPolicy
) -> Iterator[Document]:
    """The documents of a page; none if the two files are no translations of each other."""
    sides = [_blocks(path, code, inspector) for path, code in zip(paths, languages, strict=True)]
    if not all(sides):
        inspector.count("page without text")
        return
    found = aligned_page(sides[0], sides[1], languages)
    if aligned_share(found) < MIN_ALIGNED:
        inspector.count("page that is no translation of the other")
        return
    if alone := sum(not pair.is_pair for pair in found):
        inspector.dropped["sentence without counterpart"] += alone
    yield from between_gaps(name, ((p.source, p.target) if p.is_pair else None for p in found))


def _blocks(path: Path, language: str, inspector: BadInputPolicy) -> list[Block]:
    with bad_files(path, inspector), open_bytes(path) as file:
        return blocks_of(file.read(), format_of(path), language)
    return []
