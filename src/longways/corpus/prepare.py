"""Prepare a corpus: learn subwords and encode every split, in two passes with constant memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from longways.atomic_folder import atomic_folder
from longways.corpus.filter.screen import Screen
from longways.corpus.prepared_data import (
    PreparedData,
    SplitCounts,
    open_data,
    write_config,
    write_split,
)
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.recipe import SPLITS, CorpusConfig, read_split
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
    screens = {name: Screen(config.filter, config.languages) for name in config.filter.splits}
    sentences = None
    if text is None:
        text, sentences = _learn(config, root, reporter, skip_bad, screens.get("train"))
    else:
        config = _with_text(config, text)
    counts: dict[str, SplitCounts] = {}
    dropped: dict[str, dict[str, int]] = {}
    with atomic_folder(out) as draft:
        text.save(draft / TEXT_FOLDER)
        for split in splits:
            inspector = _policy(config, split, skip_bad)
            reporter.stage(f"encoding {split}", sentences if split == "train" else None)
            documents = read_split(config, split, root, inspector, screens.get(split))
            counts[split] = write_split(draft / split, documents, text, reporter.advance)
            _check_not_empty(split, counts[split])
            dropped[split] = dict(inspector.dropped)
        write_config(draft, asdict(config), text, counts, dropped)
    return open_data(out)


def _learn(
    config: CorpusConfig, root: Path, reporter: Reporter, skip_bad: bool, screen: Screen | None
) -> tuple[TextPipeline, int]:
    """The pipeline, and the number of sentence pairs that it was learned from."""
    if not config.train:
        raise CorpusError("There are no training files, so no subwords can be learned.")
    passes: list[int] = []

    def pairs() -> Iterator[tuple[str, str]]:
        passes.append(0)
        policy = _policy(config, "train", skip_bad)
        for document in read_split(config, "train", root, policy, screen):
            yield from zip(document.source, document.target, strict=True)
            passes[-1] += len(document)
            if len(passes) == 1:
                reporter.advance(len(document))
        if not passes[-1]:
            _check_not_empty("train", SplitCounts())

    reporter.stage("learning subwords", None)
    text = learn(config.text, config.source_language, config.target_language, pairs)
    return text, passes[0]


def _policy(config: CorpusConfig, split: str, skip_bad: bool) -> BadInputPolicy:
    """The policy for a split; in a filtered one, empty sentences are dropped."""
    return BadInputPolicy(skip_bad, drop_empty=split in config.filter.splits)


def _with_text(config: CorpusConfig, text: TextPipeline) -> CorpusConfig:
    """The config with the settings of a text pipeline from elsewhere."""
    languages = config.source_language, config.target_language
    if languages != (text.source_language, text.target_language):
        raise CorpusError(
            f"The corpus is {'-'.join(languages)}, but the text pipeline was learned for "
            f"{text.source_language}-{text.target_language}."
        )
    return replace(config, text=text.config)


def _check_not_empty(split: str, counts: SplitCounts) -> None:
    if not counts.sentences:
        raise CorpusError(f"The {split} split has no sentences. Check its files in the recipe.")
