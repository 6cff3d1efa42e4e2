"""Models side by side on the same documents: BLEU, chrF, loss, and what of it is real."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeAlias

from longways.errors import CorpusError
from longways.evaluation.judged import Judged, read_judged, write_judged
from longways.evaluation.material import Advance, Material, Way
from longways.evaluation.score import score_documents, tokenizer_for
from longways.evaluation.significance import compare_bleu, compare_losses

Progress: TypeAlias = Callable[[str, int], AbstractContextManager[Advance]]
"""Given what is done and of how many sentences, a block in which each is counted."""


def judge_models(
    models: Iterable[Path],
    material: Material,
    way: Way | None = None,
    keep: Path | None = None,
    progress: Progress = lambda *_: nullcontext(lambda: None),
) -> list[Judged]:
    """Translate the same documents with every model.

    In place of a model folder there may be a file that an earlier call has written into `keep`.
    """
    judged, way = [], way or Way()
    sentences = sum(map(len, material.references))
    for model in models:
        if model.suffix == ".json":
            found = read_judged(model)
            _check_sizes(found, material, model)
        else:
            with progress(f"{model}", sentences) as advance:
                found = material.judge(model, way, advance)
            if keep:
                part = material.part or material.name
                write_judged(found, keep / f"{found.name}-L{found.L}-beam{way.beams}-{part}.json")
        judged.append(found)
    return judged


def _check_sizes(judged: Judged, material: Material, path: Path) -> None:
    sizes = [len(document) for document in judged.output]
    if sizes != [len(document) for document in material.references]:
        raise CorpusError(
            f"{path} translates other documents than those of the {material.part or 'given'} part."
        )


def rows(judged: list[Judged], material: Material) -> list[dict[str, Any]]:
    """A line for each model; all but the first are compared with the first."""
    return [_row(model, judged[0], material) for model in judged]


def _row(model: Judged, first: Judged, material: Material) -> dict[str, Any]:
    tokenize = tokenizer_for(material.target_language)
    scores = score_documents(model.output, material.references, tokenize)
    bleu = compare_bleu(model.output, first.output, material.references, tokenize)
    return {
        "model": model.name,
        "L": model.L,
        "document BLEU": round(scores.document_bleu.value, 2),
        "sentence BLEU": round(scores.sentence_bleu.value, 2),
        "chrF": round(scores.chrf.value, 2),
        "BLEU difference": _interval(bleu.value, bleu.low, bleu.high, 2),
        "p of BLEU": round(bleu.p, 3),
        **_loss_columns(model, first),
        "seconds": round(model.seconds, 1),
    }


def _loss_columns(model: Judged, first: Judged) -> dict[str, Any]:
    """Only where the models share a vocabulary."""
    if model.losses is None or first.losses is None:
        return {}
    loss = compare_losses(model.losses, first.losses)
    return {
        "loss": round(model.loss, 4),
        "loss difference": _interval(loss.value, loss.low, loss.high, 4),
        "p of loss": round(loss.p, 3),
    }


def signatures(judged: list[Judged], material: Material) -> dict[str, str]:
    """How the scores are computed, in sacreBLEU's words."""
    tokenize = tokenizer_for(material.target_language)
    scores = score_documents(judged[0].output[:1], material.references[:1], tokenize)
    return {"BLEU": scores.document_bleu.signature, "chrF": scores.chrf.signature}


def _interval(value: float, low: float, high: float, digits: int) -> str:
    return f"{value:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]"
