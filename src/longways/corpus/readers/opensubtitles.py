"""Reader of OpenSubtitles as prepared by Voita et al. 2019, and of their contrastive test sets.

A line is a document of several sentences (four in their data), joined by ` _eos `.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from longways.corpus.document import ConsistencyItem, Document
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.lines import open_bytes
from longways.corpus.readers.parallel import read_pairs
from longways.errors import CorpusError

SENTENCE_SEPARATOR = " _eos "


def read_groups(source: Path, target: Path, inspector: BadInputPolicy) -> Iterator[Document]:
    """One document for each line; source and target must have the same number of sentences."""
    for number, pair in read_pairs(source, target, inspector):
        if pair is None:
            continue
        place = f"{source} and its translation, line {number}"
        left, right = (split_group(text) for text in pair)
        if len(left) != len(right):
            inspector.bad(
                "different sentence counts",
                f"{place}: {len(left)} sentences on one side, but {len(right)} on the other.",
            )
        elif all(inspector.check_sentence(text, place) for text in left + right):
            yield Document(f"{source.name}.{number}", left, right)


def split_group(text: str) -> list[str]:
    """The sentences of one line."""
    return [sentence.strip() for sentence in text.split(SENTENCE_SEPARATOR)]


def read_consistency(path: Path) -> Iterator[ConsistencyItem]:
    """The items of a contrastive test set: a JSON list of src, dst, true_ind and ctx_dist."""
    with open_bytes(path) as file:
        try:
            items = json.load(file)
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise CorpusError(f"{path} is not valid JSON: {error}. Copy it again.") from error
    if not isinstance(items, list):
        raise CorpusError(f"{path} must be a JSON list of items with src, dst and true_ind.")
    for number, item in enumerate(items, start=1):
        yield _item(item, f"{path}, item {number}")


def _item(item: Any, place: str) -> ConsistencyItem:
    try:
        if not isinstance(item["dst"], list):
            raise TypeError(f"dst is a {type(item['dst']).__name__}")
        source, candidates = split_group(item["src"]), [split_group(c) for c in item["dst"]]
        true_index, distance = int(item["true_ind"]), int(item.get("ctx_dist") or 0)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise CorpusError(
            f"{place}: needs src (text), dst (a list of texts) and true_ind (a number): {error!r}."
        ) from error
    if not 0 <= true_index < len(candidates):
        raise CorpusError(
            f"{place}: true_ind is {true_index}, but dst has {len(candidates)} texts."
        )
    if any(len(candidate) != len(source) for candidate in candidates):
        raise CorpusError(f"{place}: src has {len(source)} sentences, a candidate another number.")
    return ConsistencyItem(source, candidates, true_index, distance)
