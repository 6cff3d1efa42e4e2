"""Reader of TSV files with one sentence pair per line: `document<TAB>source<TAB>target`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from longways.corpus.document import Document
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.lines import read_lines


def read_tsv(path: Path, inspector: BadInputPolicy) -> Iterator[Document]:
    """A document for each run of lines with the same name; only hashes of names are stored."""
    seen: set[int] = set()
    name, source, target = "", list[str](), list[str]()
    for number, line in read_lines(path, inspector):
        row = _row(line, f"{path}, line {number}", inspector)
        if row is None:
            continue
        if row[0] != name:
            if source:
                yield Document(name, source, target)
            source, target = [], []
            name = row[0]
            returned = hash(name) in seen
            seen.add(hash(name))
        if returned:
            inspector.bad(
                "document comes back",
                f"{path}, line {number}: document {name!r} ended earlier and comes back here, but "
                "the lines of a document must stand together.",
            )
            continue
        source.append(row[1])
        target.append(row[2])
    if source:
        yield Document(name, source, target)


def _row(line: str | None, place: str, inspector: BadInputPolicy) -> tuple[str, str, str] | None:
    if line is None:
        return None
    columns = line.split("\t")
    if len(columns) != 3:
        inspector.bad(
            "missing side" if len(columns) < 3 else "too many columns",
            f"{place}: {len(columns)} columns, but there must be 3, separated by tabs: "
            "document, source, target.",
        )
        return None
    name, source, target = columns
    if not all(inspector.check_sentence(text, place) for text in (source, target)):
        return None
    return name, source, target
