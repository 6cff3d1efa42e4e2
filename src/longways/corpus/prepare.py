"""Prepare a corpus: learn subwords and encode every split, in two passes with constant memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from longways.atomic_folder import atomic_folder
from longways.corpus.passes import SplitReader
from longways.corpus.prepared_data import (
    PreparedData,
    SplitCounts,
    open_data,
    write_config,
    write_split,
)
from longways.corpus.recipe import SPLITS, CorpusConfig
from longways.errors import CorpusError
from longways.text.manifest import TEXT_FOLDER
from longways.text.pipeline import TextPipeline, learn


@dataclass(frozen=True)
class Reporter:
    """Progress callbacks: `stage` starts a named stage, `advance` adds finished sentences."""

    stage: Callable[[str, int | None], None]
    advance: Callable[[int], None]


def prepare(
    config: CorpusConfig,
    root: Path,
    out: Path,
    reporter: Reporter,
    text: TextPipeline | None = None,
    skip_bad: bool = False,
    force: bool = False,
) -> PreparedData:
    """Learn a text pipeline from the train split, or use `text`, and encode every split with it.

    The folder appears when all of its files are written, so a killed run leaves no folder.
    """
    if out.exists() and not force:
        raise CorpusError(f"{out} is already there. Choose another folder, or use --force.")
    splits = [split for split in SPLITS if config.files(split)]
    with ExitStack() as stack:
        readers = {
            split: stack.enter_context(SplitReader(config, split, root, skip_bad))
            for split in splits
        }
        sentences = None
        if text is None:
            text, sentences = _learn(config, readers.get("train"), reporter)
        else:
            config = _with_text(config, text)
        draft = stack.enter_context(atomic_folder(out))
        text.save(draft / TEXT_FOLDER)
        counts = dict[str, SplitCounts]()
        for split, reader in readers.items():
            reporter.stage(f"encoding {split}", sentences if split == "train" else None)
            counts[split] = write_split(draft / split, reader.documents(), text, reporter.advance)
            _check_not_empty(split, counts[split].sentences, reader)
        dropped = {split: dict(reader.dropped) for split, reader in readers.items()}
        write_config(draft, asdict(config), text, counts, dropped)
    return open_data(out)


def _learn(
    config: CorpusConfig, reader: SplitReader | None, reporter: Reporter
) -> tuple[TextPipeline, int]:
    """The pipeline, and the number of sentence pairs that it was learned from."""
    if reader is None:
        raise CorpusError("There are no training files, so no subwords can be learned.")
    passes: list[int] = []

    def pairs() -> Iterator[tuple[str, str]]:
        passes.append(0)
        for document in reader.documents():
            yield from zip(document.source, document.target, strict=True)
            passes[-1] += len(document)
            if len(passes) == 1:
                reporter.advance(len(document))
        _check_not_empty("train", passes[-1], reader)

    reporter.stage("learning subwords", None)
    text = learn(config.text, config.source_language, config.target_language, pairs)
    return text, passes[0]


def _with_text(config: CorpusConfig, text: TextPipeline) -> CorpusConfig:
    """The config with the settings of a text pipeline from elsewhere."""
    languages = config.source_language, config.target_language
    if languages != (text.source_language, text.target_language):
        raise CorpusError(
            f"The corpus is {'-'.join(languages)}, but the text pipeline was learned for "
            f"{text.source_language}-{text.target_language}."
        )
    return replace(config, text=text.config)


def _check_not_empty(split: str, sentences: int, reader: SplitReader) -> None:
    if sentences:
        return
    counts = ", ".join(f"{count:,} x {kind}" for kind, count in reader.dropped.items() if count)
    dropped = f" Dropped were: {counts}." if counts else ""
    raise CorpusError(
        f"The {split} split has no sentences.{dropped} Check its files in the recipe."
    )
