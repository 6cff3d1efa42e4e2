"""BLEU, numbers, names, repetitions and U+FFFD of a split, against another version's output.

Numbers are counted twice: by the checker of the software, and by a plain comparison of the digits
in source and translation. The plain one does not know words: 5月 is wrong if it became May, and
references have a rate as well.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longways.errors import CorpusError
from longways.evaluation.metrics.bootstrap import compare_bleu
from longways.evaluation.metrics.score import TextDocuments, score_documents
from longways.evaluation.test_set import RawTestSet, open_test_set
from longways.results import Report, report
from longways.translation.report import Report as Counts
from longways.translation.sanity.names import missing_names, names_of
from longways.translation.sanity.numbers import check_numbers, source_numbers
from longways.translation.sanity.repetition import is_repetitive
from longways.translation.translator import load


def measure(
    data: Path, part: str, root: Path, beams: Sequence[int], before: Sequence[Path]
) -> Report:
    """Translate a split with each beam; `before` has the lines of another version for each."""
    material = open_test_set(data, part, root)
    assert isinstance(material, RawTestSet), "a recipe or a TSV file is raw text"
    translator = load(threads=1)
    languages = translator.source_language, translator.target_language
    rows = [{"version": "reference", "beam": 0, **_row(material.references, material, languages)}]
    for beam, path in zip(beams, before, strict=True):
        old = _read(path, material)
        began, counts = time.perf_counter(), Counts()
        new = translator.translate_documents(material.sources, beam=beam, report=counts)
        seconds = round(time.perf_counter() - began, 1)
        change = compare_bleu(new, old, material.references)
        rows.append({"version": "before", "beam": beam, **_row(old, material, languages)})
        found = {
            "version": "now",
            "beam": beam,
            **_row(new, material, languages),
            "BLEU difference": f"{change.value:+.2f} [{change.low:+.2f}, {change.high:+.2f}]",
            "p": round(change.p, 3),
            "searched again": counts.searched_again,
            "seconds": seconds,
        }
        rows.append(found)
    names = list(rows[-1])
    settings = {
        "data": material.name,
        "part": part,
        "model": translator.model.folder.name,
        "L": translator.model.best_window,
        "before": "c7aa965",
    }
    rows = [{name: row.get(name) for name in names} for row in rows]
    return report("real-text", "Numbers and repetitions of translations", settings, rows, "cpu")


def _read(path: Path, material: RawTestSet) -> list[list[str]]:
    """Documents of a file with one translation a line, in the order of the split."""
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    wanted = sum(map(len, material.sources))
    if len(lines) != wanted:
        raise CorpusError(f"{path} has {len(lines)} lines, but the split has {wanted} sentences.")
    rest = iter(lines)
    return [[next(rest) for _ in document] for document in material.sources]


def _row(output: TextDocuments, material: RawTestSet, languages: tuple[str, str]) -> dict[str, Any]:
    pairs = [
        pair
        for sources, translations in zip(material.sources, output, strict=True)
        for pair in zip(sources, translations, strict=True)
    ]
    numbered = [pair for pair in pairs if any(source_numbers(pair[0], languages[0]))]
    digits = [pair for pair in pairs if _digits(pair[0])]
    arrived = sum(not check_numbers(*pair, languages).missing for pair in numbered)
    invented = sum(bool(check_numbers(*pair, languages).foreign) for pair in pairs)
    copied = sum(not _digits(source) - _digits(target) for source, target in digits)
    repetitive = sum(is_repetitive(target, source) for source, target in pairs)
    damaged = sum("\ufffd" in target and "\ufffd" not in source for source, target in pairs)
    named = [pair for pair in pairs if names_of(pair[0], languages[0])]
    kept = sum(not missing_names(*pair, languages[0]) for pair in named)
    scores = score_documents(output, material.references)
    return {
        "document BLEU": round(scores.document_bleu.value, 2),
        "chrF": round(scores.chrf.value, 2),
        "numbered": len(numbered),
        "numbers arrive": round(arrived / max(1, len(numbered)), 4),
        "numbers made up": invented,
        "with digits": len(digits),
        "digits arrive": round(copied / max(1, len(digits)), 4),
        "named": len(named),
        "names arrive": round(kept / max(1, len(named)), 4),
        "repetitions per 1000": round(1000 * repetitive / len(pairs), 2),
        "U+FFFD": damaged,
    }


def _digits(text: str) -> Counter[str]:
    """The runs of digits in a text with their counts, leading zeros removed."""
    return Counter(run.lstrip("0") or "0" for run in re.findall(r"\d+", text))
