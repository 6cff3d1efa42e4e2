"""Learn a shortlist from prepared data: which target tokens may translate a source token.

S source vocabulary, V target vocabulary.

A token is listed if it translates the source token often enough. Frequent tokens and tokens of one
character are in every list, so that search can always spell a word. With a joint vocabulary
source tokens are listed, too: names are copied.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longways.corpus.prepared_data import PreparedData, Split, open_data
from longways.decoding.runtime import Tokens
from longways.decoding.shortlist.folder import StoredShortlist
from longways.decoding.shortlist.shortlist import Shortlist
from longways.errors import CorpusError
from longways.export.shortlist.lexicon import NULL, Lexicon, learn_lexicon
from longways.text.manifest import TEXT_FOLDER, same_pipeline
from longways.text.tokenizers.base import Tokenizer
from longways.text.tokenizers.special_tokens import SPELLINGS


@dataclass(frozen=True, kw_only=True)
class ShortlistConfig:
    """How many tokens are listed."""

    share: float = 3e-5
    """The smallest share of a source token's translations that a listed token has."""
    count: float = 0.01
    """The smallest expected count of a translation in the training data."""
    frequent: int = 1000
    """Target tokens that are in every list because they are the most frequent."""


def learn_shortlist(
    data: PreparedData,
    config: ShortlistConfig | None = None,
    say: Callable[[str], None] = lambda _: None,
    *,
    default: bool = False,
) -> StoredShortlist:
    """The shortlist of prepared data, with its coverage of the dev split."""
    config = config or ShortlistConfig()
    train, (source, target) = data.split("train"), data.vocabularies
    if not train.sentences:
        raise CorpusError(f"{data.folder} has no training data, from which lists are learned.")
    say(f"Learning the translations of {source} tokens from {train.sentences} sentences.")
    text = data.text()
    counts = np.bincount(np.asarray(train.target), minlength=target)
    always = _always(counts, short_tokens(text.target), config.frequent)
    translations = _translations(learn_lexicon(train, target), source, config)
    copies = np.arange(source) if text.source is text.target else np.zeros(0, np.int64)
    lists = _lists(*translations, copies, always, (source, target))
    facts = {"data": data.folder.name, **asdict(config), **coverage(lists, data)}
    return StoredShortlist(lists, facts, default)


def check_data(model: Path, data: Path) -> PreparedData:
    """Open prepared data, which must have the vocabulary of a model."""
    prepared = open_data(data)
    if not same_pipeline(model / TEXT_FOLDER, data / TEXT_FOLDER):
        raise CorpusError(
            f"{data} was prepared with another vocabulary than that of {model}. Prepare the "
            "training data again with the vocabulary of the model."
        )
    return prepared


def short_tokens(tokenizer: Tokenizer) -> Tokens:
    """The tokens of one ASCII character or of one byte."""
    spelled = tokenizer.decode([[token] for token in range(tokenizer.size)])
    short = [len(one) <= 1 and (one.isascii() or one == "\ufffd") for one in spelled]
    return np.flatnonzero(short)


def coverage(lists: Shortlist, data: PreparedData) -> dict[str, float]:
    """The share of reference tokens in the dev split that are listed, and the mean list."""
    if "dev" not in data.counts or not data.split("dev").sentences:
        return {}
    split = data.split("dev")
    found = np.array([_covered(lists, split, number) for number in range(split.sentences)])
    listed, tokens, length = found.sum(0)
    return {
        "coverage": round(float(listed / max(tokens, 1)), 4),
        "tokens in a list": round(float(length / split.sentences), 1),
    }


def _covered(lists: Shortlist, split: Split, sentence: int) -> tuple[int, int, int]:
    """The listed tokens of a reference, all of its tokens, the length of the list."""
    source = split.source[slice(*split.source_offsets[sentence : sentence + 2])]
    target = split.target[slice(*split.target_offsets[sentence : sentence + 2])]
    own = lists.of(source.tolist())
    return int(np.isin(target, own).sum()), len(target), len(own)


def _always(counts: NDArray[np.int64], short: Tokens, frequent: int) -> Tokens:
    """Special tokens, the most frequent tokens, and short tokens."""
    special = np.arange(min(len(SPELLINGS), len(counts)))
    common = np.argsort(-counts, kind="stable")[:frequent]
    return np.unique(np.concatenate([special, short, common]))


def _translations(lexicon: Lexicon, source: int, config: ShortlistConfig) -> tuple[Tokens, Tokens]:
    """Pairs of source tokens and their translations, sorted."""
    total = np.bincount(lexicon.source, lexicon.counts, source)[lexicon.source]
    often = (lexicon.counts >= config.share * total) & (lexicon.counts >= config.count)
    often &= lexicon.source != NULL
    return lexicon.source[often], lexicon.target[often]


def _lists(
    source: Tokens, target: Tokens, copies: Tokens, always: Tokens, sizes: tuple[int, int]
) -> Shortlist:
    """The lists of all source tokens, without the tokens that are in every list."""
    keys = np.concatenate([source, copies]) * sizes[1] + np.concatenate([target, copies])
    keys = np.unique(keys)
    keys = keys[~np.isin(keys % sizes[1], always)]
    offsets = np.searchsorted(keys, np.arange(sizes[0] + 1) * sizes[1])
    return Shortlist(always, keys % sizes[1], offsets, sizes[1])
