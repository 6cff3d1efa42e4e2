"""Toy documents translated, and how many of their pronouns were understood."""

from __future__ import annotations

from itertools import pairwise

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import LengthConfig, TranslateConfig
from longways.decoding.torch import TorchRuntime
from longways.model.translation import TranslationModel
from longways.toy.corpus import ToyCorpus
from longways.translation.documents import gather, translate_documents

LENGTH = LengthConfig(ratio=1.0, extra=5)
"""No sentence of the task is longer than its source."""


def translate(model: TranslationModel, corpus: ToyCorpus, L: int) -> list[list[int]]:
    """The model's own translation of every sentence, greedily, after its own earlier ones."""
    spans = list(pairwise(corpus.documents.tolist()))
    documents = [corpus.source[start:end] for start, end in spans]
    how = TranslateConfig(L=L, search=SearchConfig(beams=1), length=LENGTH)
    found = translate_documents(TorchRuntime(model), documents, how)
    by_document = gather(found, [end - start for start, end in spans])
    return [sentence for document in by_document for sentence in document]


def pronoun_accuracy(translations: list[list[int]], corpus: ToyCorpus) -> float:
    """The share of pronouns given the right name: the first word of the sentence they open."""
    right = [translations[i][:1] == corpus.target[i][:1] for i in corpus.pronouns]
    return sum(right) / len(right)


def other_accuracy(translations: list[list[int]], corpus: ToyCorpus) -> float:
    """The share of sentences without a pronoun that are translated word for word."""
    pronouns = set(corpus.pronouns)
    others = [i for i in range(len(corpus.target)) if i not in pronouns]
    return sum(translations[i] == corpus.target[i] for i in others) / len(others)
