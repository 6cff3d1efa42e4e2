"""Toy documents translated sentence by sentence, each from the window that ends at it."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from longways.model.decoder import State
from longways.model.translation import TranslationModel
from longways.toy.batch import BOS, EOS, SEP, ToyCorpus, join, pad

MAX_TOKENS = 8
"""No sentence of the task is this long."""


@torch.no_grad()
def translate(model: TranslationModel, corpus: ToyCorpus, L: int) -> list[list[int]]:
    """The model's own translation of every sentence, its own earlier ones forced as the prefix.

    All documents advance side by side: first the first sentence of each, then the second.
    """
    model.eval()
    starts = corpus.windows(L)[:, 0].tolist()
    translations: list[list[int]] = [[] for _ in corpus.source]
    for now in _turns(corpus):
        memory = model.encode(pad([join(corpus.source[starts[i] : i + 1]) for i in now]))
        forced = [_prefix(translations[starts[i] : i]) for i in now]
        state = model.start(memory, pad([tokens[:-1] for tokens in forced]))
        first = torch.tensor([tokens[-1] for tokens in forced])
        for i, sentence in zip(now, _greedy(model, first, state), strict=True):
            translations[i] = sentence
    return translations


def _turns(corpus: ToyCorpus) -> Iterator[list[int]]:
    """The first sentence of every document, then the second of each that has one, and so on."""
    starts, ends = corpus.documents[:-1], corpus.documents[1:]
    for turn in range(int((ends - starts).max())):
        yield (starts + turn)[starts + turn < ends].tolist()


def _prefix(sentences: list[list[int]]) -> list[int]:
    return [BOS, *(token for sentence in sentences for token in (*sentence, SEP))]


def _greedy(model: TranslationModel, tokens: Tensor, state: State) -> list[list[int]]:
    """The likeliest next token, again and again, until a sentence is over."""
    steps = []
    for _ in range(MAX_TOKENS):
        logits, state = model.step(tokens, state)
        tokens = logits.argmax(-1)
        steps.append(tokens)
    return [_until_end(row) for row in torch.stack(steps, 1).tolist()]


def _until_end(tokens: list[int]) -> list[int]:
    return next((tokens[:i] for i, token in enumerate(tokens) if token in (SEP, EOS)), tokens)


def pronoun_accuracy(translations: list[list[int]], corpus: ToyCorpus) -> float:
    """The share of pronouns given the right name: the first word of the sentence they open."""
    right = [translations[i][:1] == corpus.target[i][:1] for i in corpus.pronouns]
    return sum(right) / len(right)


def other_accuracy(translations: list[list[int]], corpus: ToyCorpus) -> float:
    """The share of sentences without a pronoun that are translated word for word."""
    pronouns = set(corpus.pronouns)
    others = [i for i in range(len(corpus.target)) if i not in pronouns]
    return sum(translations[i] == corpus.target[i] for i in others) / len(others)
