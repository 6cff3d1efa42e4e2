"""The effect of a glossary: the share of its terms in translations, BLEU and time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longways.errors import ConfigError
from longways.evaluation.metrics.bootstrap import compare_bleu
from longways.evaluation.metrics.score import TextDocuments, score_documents, tokenizer_for
from longways.evaluation.test_set import RawTestSet, open_test_set
from longways.results import Report, report
from longways.translation.terminology.glossary import Terms
from longways.translation.terminology.glossary_files import read_glossary
from longways.translation.translator import Translator, load


def measure(
    glossary: Path, data: Path, part: str, root: Path, model: Path | None, beam: int
) -> Report:
    """Translate the documents of a recipe or a TSV file without and with the glossary."""
    material, words = open_test_set(data, part, root), read_glossary(glossary)
    if not isinstance(material, RawTestSet):
        raise ConfigError(f"{data} is prepared data. Name a recipe or a TSV file: text is needed.")
    translator = load(model)
    outputs = [_translate(translator, material, given, beam) for given in ({}, words)]
    terms = Terms(words, language=translator.target_language)
    rows = [
        {"glossary": name, **_row(output, outputs[0][0], material, terms), "seconds": seconds}
        for name, (output, seconds) in zip(("no", "yes"), outputs, strict=True)
    ]
    settings = {
        "data": material.name,
        "part": material.split_name,
        "beam": beam,
        "model": translator.model.folder.name,
        "L": translator.model.best_window,
        "glossary": glossary.name,
        "entries": len(words),
    }
    return report("glossary", "Terms of a glossary used, and BLEU", settings, rows, "cpu")


def _translate(
    translator: Translator, material: RawTestSet, glossary: Mapping[str, str], beam: int
) -> tuple[TextDocuments, float]:
    sources = [document.source for document in material.documents]
    began = time.perf_counter()
    found = translator.translate_documents(sources, beam=beam, glossary=glossary)
    return found, round(time.perf_counter() - began, 1)


def _row(
    output: TextDocuments, first: TextDocuments, material: RawTestSet, terms: Terms
) -> dict[str, Any]:
    wanted = [
        one.is_in(translation)
        for document, translations in zip(material.documents, output, strict=True)
        for sentence, translation in zip(document.source, translations, strict=True)
        for one in terms.find(sentence)
    ]
    tokenize = tokenizer_for(material.target_language)
    scores = score_documents(output, material.references, tokenize)
    change = compare_bleu(output, first, material.references, tokenize)
    return {
        "terms": len(wanted),
        "used": sum(wanted),
        "share": round(sum(wanted) / max(1, len(wanted)), 4),
        "document BLEU": round(scores.document_bleu.value, 2),
        "chrF": round(scores.chrf.value, 2),
        "BLEU difference": f"{change.value:+.2f} [{change.low:+.2f}, {change.high:+.2f}]",
        "p": round(change.p, 3),
    }
