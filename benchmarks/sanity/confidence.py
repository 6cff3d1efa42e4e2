"""Confidence against chrF, and documents that are warned about, in the model's domain and outside.

The coefficients of the bundled model are fitted to the sentences of its validation split
(`calibrate`), so the correlations of the test split and of all other corpora are held out. The
limit of the warning was chosen with all of these corpora in view, so its rates are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.corpus.document import Document
from longways.evaluation.metrics.metric import Chrf
from longways.evaluation.test_set import RawTestSet, open_test_set
from longways.results import Report, report
from longways.text.sentences.joiner import SentenceJoiner
from longways.text.sentences.splitter import split_item
from longways.translation.report import Report as Counts
from longways.translation.translator import Translator, load

BINS = 10
"""Rows of the calibration table, with equally many sentences each."""
SENTENCES_OF_A_DOCUMENT = 20
"""Corpora of single sentences are joined to documents of this size."""

Numbers = NDArray[np.float64]


class Measured(NamedTuple):
    """The sentences of a corpus that were translated."""

    confidence: Numbers
    chrf: Numbers
    counts: Counts


def measure(
    domain: Path, others: Sequence[Path], root: Path, beam: int, most: int
) -> tuple[Report, Report]:
    """A row for each corpus, and the calibration on the test split of the domain.

    Other corpora are TSV files, of which `most` documents are translated.
    """
    translator = load(threads=1)
    corpora = {f"{domain.name} {part}": _documents(domain, part, root) for part in ("dev", "test")}
    for path in others:
        name = f"{path.parent.name}/{path.name.partition('.tsv')[0]}"
        corpora[name] = _documents(path, "", root)[:most]
    found = {name: _measure(translator, documents, beam) for name, documents in corpora.items()}
    rows = [{"corpus": name, **_row(one)} for name, one in found.items()]
    settings = {"model": translator.model.folder.name, "beam": beam, "documents at most": most}
    bins = _bins(found[f"{domain.name} test"])
    return (
        report("confidence", "Confidence and chrF of sentences", settings, rows, "cpu"),
        report("calibration", "Mean chrF of sentences by confidence", settings, bins, "cpu"),
    )


def _documents(path: Path, part: str, root: Path) -> list[Document]:
    """The documents of a recipe or a TSV file, with Chinese as their source."""
    material = open_test_set(path, part, root)
    assert isinstance(material, RawTestSet), "a recipe or a TSV file is raw text"
    given = list(material.documents)
    if ".en-zh." in path.name:
        given = [Document(one.name, one.target, one.source) for one in given]
    if max(map(len, given)) > 1:
        return given
    parts = [given[n : n + SENTENCES_OF_A_DOCUMENT] for n in range(0, len(given), 20)]
    return [
        Document(part[0].name, [d.source[0] for d in part], [d.target[0] for d in part])
        for part in parts
    ]


def _measure(translator: Translator, documents: Sequence[Document], beam: int) -> Measured:
    counts, metric = Counts(), Chrf()
    joiners = [SentenceJoiner(translator.target_language) for _ in documents]
    texts, sure = list[str](), list[float]()
    references, places = list[str](), [0] * len(documents)
    given = ((s for text in one.source for s in split_item(text)) for one in documents)
    for ready in translator.segments(given, beam=beam, report=counts):
        whole, number = (
            joiners[ready.document].add(ready.segment, ready.translation),
            ready.document,
        )
        if whole is None:
            continue
        if ready.confidence is not None:
            texts, sure = [*texts, whole], [*sure, ready.confidence]
            references.append(documents[number].target[places[number]])
        places[number] += 1
    statistics = metric.statistics(metric.tokens(texts), metric.tokens(references))
    return Measured(np.array(sure), np.asarray(metric.score(statistics)) / 100, counts)


def _row(found: Measured) -> dict[str, Any]:
    """How well confidence predicts chrF, and how many documents are warned about."""
    counts = found.counts
    return {
        "documents": counts.documents,
        "sentences": len(found.chrf),
        "confidence": round(float(found.confidence.mean()), 3),
        "chrF / 100": round(float(found.chrf.mean()), 3),
        "Spearman": round(_correlation(_ranks(found.confidence), _ranks(found.chrf)), 3),
        "Pearson": round(_correlation(found.confidence, found.chrf), 3),
        "warned": counts.unfamiliar,
        "share warned": round(counts.unfamiliar / counts.documents, 3),
    }


def _bins(found: Measured) -> list[dict[str, Any]]:
    order = np.array_split(np.argsort(found.confidence, kind="stable"), BINS)
    return [
        {
            "confidence": f"{found.confidence[rows[0]]:.2f} to {found.confidence[rows[-1]]:.2f}",
            "sentences": len(rows),
            "mean confidence": round(float(found.confidence[rows].mean()), 3),
            "mean chrF / 100": round(float(found.chrf[rows].mean()), 3),
        }
        for rows in order
    ]


def _correlation(a: Numbers, b: Numbers) -> float:
    return float(np.corrcoef(a, b)[0, 1])


def _ranks(values: Numbers) -> Numbers:
    """Ranks; equal values share their mean rank."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[places], dtype=np.float64)
