"""Reader of JSONL files: one JSON object with a text and its translation on each line.

    {"translation": {"en": "Save", "de": "Speichern"}}
    {"document": "page-1", "source": "Save", "target": "Speichern"}
    {"en": ["Save.", "Close."], "de": ["Speichern.", "Schließen."]}

A list is a document of sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from longways.corpus.document import Document
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.lines import read_lines
from longways.corpus.readers.units import Unit, Units, documents_of
from longways.errors import CorpusError
from longways.text.languages.codes import best_code

_SOURCES = ("source", "src", "source_text", "source_sentence", "src_text")
_TARGETS = (
    *("target", "tgt", "trg", "translation", "target_text", "target_sentence", "tgt_text"),
    *("reference", "ref"),
)
_DOCUMENTS = ("document", "document_id", "doc", "doc_id", "docid", "file")
_KEYS = _SOURCES, _TARGETS
_ALL_KEYS = frozenset((*_SOURCES, *_TARGETS, *_DOCUMENTS))
_CODE = re.compile("[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_INNER = ("translation", "translations", "text")
"""Keys of an object inside, with a text for each language."""


class _Row(NamedTuple):
    """The texts of a line: two strings, or two lists of sentences."""

    number: int
    document: str
    source: Any
    target: Any


def read_jsonl(
    path: Path, languages: tuple[str, str], inspector: BadInputPolicy, order: Units
) -> Iterator[Document]:
    """A document for each list, each run of lines with the same document, and each other line."""
    name = path.name.partition(".")[0]
    rows = _rows(path, languages, inspector)
    for is_list, run in groupby(rows, lambda row: isinstance(row.source, list)):
        if is_list:
            yield from (Document(r.document or f"{name}/{r.number}", *r[2:]) for r in run)
        else:
            units = (Unit(row.source, row.target, row.document) for row in run)
            yield from documents_of(units, name, languages, order)


def _rows(path: Path, languages: tuple[str, str], inspector: BadInputPolicy) -> Iterator[_Row]:
    for number, line in read_lines(path, inspector):
        if line is None or not line.strip():
            continue
        place = f"{path}, line {number}"
        values = _object(line, number, place, inspector)
        if values is None:
            continue
        source, target = _texts(values, languages)
        if source is None or target is None:
            kind, message = _without_texts(values, languages)
            inspector.bad(kind, f"{place}: {message}")
        elif isinstance(source, str) or len(source) == len(target):
            pairs = (
                [(source, target)] if isinstance(source, str) else zip(source, target, strict=True)
            )
            good = [p for p in pairs if all(inspector.check_sentence(t, place) for t in p)]
            if good and isinstance(source, str):
                yield _Row(number, _document(values), source, target)
            elif good:
                yield _Row(number, _document(values), *map(list, zip(*good, strict=True)))
        else:
            inspector.bad(
                "different sentence counts",
                f"{place}: {len(source)} sentences on one side, but {len(target)} on the other.",
            )


def _object(line: str, number: int, place: str, inspector: BadInputPolicy) -> dict[str, Any] | None:
    """The object on a line; None if it is bad input that is dropped."""
    if number == 1 and line.lstrip().startswith("["):
        raise CorpusError(
            f"{place}: the file is one JSON list, but JSONL has an object on each line. Convert "
            "it, as in: jq -c '.[]' FILE.json > FILE.jsonl"
        )
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        inspector.bad("invalid JSON", f"{place}: not valid JSON ({error}).")
        return None
    if not isinstance(values, dict):
        inspector.bad("invalid JSON", f"{place}: not a JSON object with a source and a target.")
        return None
    return values


def _texts(values: dict[str, Any], languages: tuple[str, str]) -> tuple[Any, Any]:
    """The source and the target, both strings or both lists of strings; else None for a side."""
    tables = [values, *(v for k in _INNER if isinstance(v := values.get(k), dict))]
    for table in tables:
        found = [_side(table, code, keys) for code, keys in zip(languages, _KEYS, strict=True)]
        if None not in found and type(found[0]) is type(found[1]):
            return found[0], found[1]
    return None, None


def _side(table: Mapping[str, Any], language: str, keys: Sequence[str]) -> Any:
    texts = {key: value for key, value in table.items() if _is_text(value)}
    code = best_code([key for key in texts if _is_code(key)], language)
    return texts.get(code or next((key for key in keys if key in texts), ""))


def _is_text(value: Any) -> bool:
    is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, str) or (is_list and bool(value))


def _is_code(key: str) -> bool:
    return bool(_CODE.fullmatch(key)) and key not in _ALL_KEYS


def _without_texts(values: dict[str, Any], languages: tuple[str, str]) -> tuple[str, str]:
    """Why an object has no pair, and what it has."""
    inner = next((v for k in _INNER if isinstance(v := values.get(k), dict)), values)
    keys = ", ".join(list(inner)[:8]) or "none"
    return "missing side", (
        f"no text in {languages[0]} with one in {languages[1]}: the keys are {keys}, but they must "
        f"be the codes of both languages, or source and target."
    )


def _document(values: Mapping[str, Any]) -> str:
    found = (values.get(key) for key in _DOCUMENTS)
    return next((str(name) for name in found if isinstance(name, str | int) and name != ""), "")
