"""The share of sentences that tokenizers restore exactly, by language of prepared corpora."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from longways.config import build
from longways.corpus.prepared_data import open_data
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.recipe import CorpusConfig, read_split
from longways.results import Report, report
from longways.text.tokenizers.base import Tokenizer, round_trip_share

LINES = 5_000


def measure(folders: list[Path], data: Path) -> Report:
    """The first 5,000 sentences of each side's training files, read again from the raw corpus."""
    rows = [row for folder in folders for row in _rows(folder, data)]
    claim = "Sentences that come back from their tokens"
    return report("roundtrip", claim, {"sentences": LINES}, rows, "cpu")


def _rows(folder: Path, data: Path) -> list[dict[str, Any]]:
    prepared = open_data(folder)
    config = build(CorpusConfig, prepared.config, str(folder), "corpus.")
    documents = read_split(config, "train", data, BadInputPolicy(skip_bad=True))
    pairs = (pair for d in documents for pair in zip(d.source, d.target, strict=True))
    source, target = (list(side) for side in zip(*islice(pairs, LINES), strict=True))
    text = prepared.text()
    return [
        _row(folder.name, config.text.kind, language, side, sentences)
        for language, side, sentences in (
            (config.source_language, text.source, source),
            (config.target_language, text.target, target),
        )
    ]


def _row(
    corpus: str, kind: str, language: str, side: Tokenizer, sentences: list[str]
) -> dict[str, Any]:
    back = side.decode(side.encode(sentences))
    same = sum(found == wanted for found, wanted in zip(back, sentences, strict=True))
    return {
        "corpus": corpus,
        "text": kind,
        "language": language,
        "exactly": round(same / len(sentences), 4),
        "after normalisation": round(round_trip_share(side, sentences), 4),
    }
