"""Translation memories: the share of sentences taken, the time saved, and what else changes."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from longways.corpus.document import Document
from longways.errors import ConfigError
from longways.evaluation.metrics.score import score_documents, tokenizer_for
from longways.evaluation.test_set import RawTestSet, open_test_set
from longways.results import Report, report
from longways.text.sentences.joiner import SentenceJoiner
from longways.text.sentences.splitter import Segment
from longways.translation.documents import decode_all
from longways.translation.memory.lookup import TranslationMemory
from longways.translation.memory.opened import open_memory
from longways.translation.memory.tmx_writer import TmxWriter
from longways.translation.memory.units import Unit
from longways.translation.options import Options, open_decoder
from longways.translation.report import Report as Counts
from longways.translation.translator import Translator, load

SHARES = (0.0, 0.3, 0.7)
"""Shares of the sentences that are in the memory."""


class _Output(NamedTuple):
    """The translations of all documents, and how they were made."""

    documents: list[list[str]]
    taken: list[list[bool]]
    """Whether each sentence was taken."""
    seconds: float
    """Of one CPU, so that other programs do not count."""
    counts: Counts


def measure(
    data: Path,
    part: str,
    root: Path,
    *,
    documents: int,
    units: int,
    beam: int,
    seed: int,
    model: Path | None = None,
) -> Report:
    """Translate the first documents of a split with memories that have some of their sentences."""
    material, known = open_test_set(data, part, root), open_test_set(data, "train", root)
    if not isinstance(material, RawTestSet) or not isinstance(known, RawTestSet):
        raise ConfigError(f"{data} is prepared data. Name a recipe: text is needed.")
    translator, chosen = load(model, threads=1), material.documents[:documents]
    fillers = _fillers(known.documents, units, seed)
    outputs, facts = dict[float, _Output](), dict[str, Any]()
    for share in SHARES:
        memory, loaded = _memory(translator, chosen, fillers, units, share, seed)
        outputs[share] = _translate(translator, chosen, memory if share else None, beam)
        facts |= {"seconds to load": loaded, "ms a fuzzy lookup": _lookup_time(memory, chosen)}
    rows = [_row(share, outputs, chosen, translator.target_language) for share in SHARES]
    settings = {
        "data": material.name,
        "part": material.split_name,
        "documents": len(chosen),
        "units": units,
        "beam": beam,
        "seed": seed,
        "L": translator.model.best_window,
        "model": translator.model.folder.name,
        **facts,
    }
    return report("memory", "Sentences taken from a translation memory", settings, rows, "cpu")


def _fillers(documents: Sequence[Document], units: int, seed: int) -> list[Unit]:
    """Random sentences of other documents, which are as long and as alike as real ones."""
    pairs = [pair for one in documents for pair in zip(one.source, one.target, strict=True)]
    return [Unit(*pair) for pair in random.Random(seed).sample(pairs, min(units, len(pairs)))]


def _chosen(documents: Sequence[Document], share: float, seed: int) -> list[list[bool]]:
    """Which sentences are in a memory; a larger share has all of a smaller one."""
    choose = random.Random(seed)
    return [[choose.random() < share for _ in document.source] for document in documents]


def _memory(
    translator: Translator,
    documents: Sequence[Document],
    fillers: Sequence[Unit],
    units: int,
    share: float,
    seed: int,
) -> tuple[TranslationMemory, float]:
    """A TMX file with these sentences, filled up with others, and the seconds of loading it."""
    languages = translator.source_language, translator.target_language
    own = [
        Unit(source, target)
        for document, taken in zip(documents, _chosen(documents, share, seed), strict=True)
        for source, target, is_in in zip(document.source, document.target, taken, strict=True)
        if is_in
    ]
    test = {sentence for document in documents for sentence in document.source}
    others = [unit for unit in fillers if unit.source not in test][: max(0, units - len(own))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.tmx"
        writer = TmxWriter(path, *languages)
        writer.begin()
        writer.add([*own, *others])
        writer.finish()
        began = time.process_time()
        return open_memory([path], *languages), round(time.process_time() - began, 2)


def _translate(
    translator: Translator,
    documents: Sequence[Document],
    memory: TranslationMemory | None,
    beam: int,
) -> _Output:
    """Every sentence as one segment, so that outputs and references are side by side."""
    counts = Counts()
    options = Options(beam=beam, memory=memory, report=counts)
    decoder = open_decoder(translator.model, translator.runtime, options)
    found: list[list[str]] = [[] for _ in documents]
    taken: list[list[bool]] = [[] for _ in documents]
    joiners = [SentenceJoiner(translator.target_language) for _ in documents]
    began = time.process_time()
    for ready in decode_all(decoder, (_segments(one.source) for one in documents)):
        whole = joiners[ready.document].add(ready.segment, ready.translation)
        if whole is not None:
            found[ready.document].append(whole.strip())
            taken[ready.document].append(ready.segment.given is not None)
    return _Output(found, taken, time.process_time() - began, counts)


def _segments(sentences: Iterable[str]) -> Iterator[Segment]:
    return (Segment(" ".join(sentence.split()), "\n") for sentence in sentences)


def _lookup_time(memory: TranslationMemory, documents: Sequence[Document]) -> float:
    """Milliseconds of one lookup of a fuzzy match, without building the index."""
    sentences = [sentence for document in documents for sentence in document.source][:200]
    memory.like(sentences[0])
    began = time.process_time()
    for sentence in sentences:
        memory.like(sentence)
    return round(1000 * (time.process_time() - began) / len(sentences), 2)


def _row(
    share: float,
    outputs: dict[float, _Output],
    documents: Sequence[Document],
    language: str,
) -> dict[str, Any]:
    """What a memory saves, and what it changes in the sentences that are not taken."""
    output, plain = outputs[share], outputs[0.0]
    others, before, references = (
        [
            [text for text, is_in in zip(texts, places, strict=True) if not is_in]
            for texts, places in zip(whole, output.taken, strict=True)
        ]
        for whole in (output.documents, plain.documents, [one.target for one in documents])
    )
    pairs = [
        pair for new, old in zip(others, before, strict=True) for pair in zip(new, old, strict=True)
    ]
    tokenize, counts = tokenizer_for(language), output.counts
    bleu = [
        round(score_documents(one, references, tokenize).document_bleu.value, 2)
        for one in (before, others)
    ]
    return {
        "in the memory": share,
        "sentences": counts.sentences,
        "taken": counts.taken,
        "share taken": round(counts.taken / max(1, counts.sentences), 3),
        "fuzzy": counts.fuzzy,
        "seconds": round(output.seconds, 1),
        "time saved": round(1 - output.seconds / plain.seconds, 3),
        "others": len(pairs),
        "others unchanged": round(sum(a == b for a, b in pairs) / max(1, len(pairs)), 3),
        "BLEU of others before": bleu[0],
        "BLEU of others": bleu[1],
    }
