"""The sliding window as plainly as possible: every window from scratch, every token by itself."""

from __future__ import annotations

from collections.abc import Callable

import torch

from longways.decoding.runtime import FORBIDDEN
from longways.model.translation import TranslationModel
from longways.text.tokenizers.special_tokens import BOS, EOS, SEP


def next_log_probabilities(model: TranslationModel, source: list[int], read: list[int]) -> list:
    """After reading `<bos> t1 <sep> ...` one token at a time from nothing."""
    with torch.no_grad():
        state = model.start(model.encode(torch.tensor([source])))
        for token in read:
            logits, state = model.step(torch.tensor([token]), state)
    return logits[0].log_softmax(-1).tolist()


def whole_log_probabilities(model: TranslationModel, source: list[int], read: list[int]) -> list:
    """After `<bos> t1 <sep> ...`, by one parallel pass over the whole document so far."""
    with torch.no_grad():
        logits = model(torch.tensor([source]), torch.tensor([read]))
    return logits[0, -1].log_softmax(-1).tolist()


def naive_search(
    model: TranslationModel,
    source: list[int],
    prefix: list[int],
    most: int,
    beams: int,
    next_scores: Callable = next_log_probabilities,
) -> list[int]:
    """The best sentence of at least one token, by its mean log-probability."""
    alive, ended = [(0.0, list[int]())], list[tuple[float, list[int]]]()
    for length in range(most + 1):
        candidates = []
        for score, tokens in alive:
            scores = next_scores(model, source, prefix + tokens)
            if length > 0:
                stop = max(scores[SEP], scores[EOS])
                candidates.append((score + stop, tokens, None))
            if length < most:
                words = [t for t in range(len(scores)) if t not in (*FORBIDDEN, SEP, EOS)]
                candidates += [(score + scores[t], tokens, t) for t in words]
        candidates.sort(key=lambda candidate: -candidate[0])
        ended += [(s / (length + 1), t) for s, t, word in candidates[:beams] if word is None]
        if len(ended) >= beams or length == most:
            break
        alive = [(s, [*t, word]) for s, t, word in candidates if word is not None][:beams]
    return max(ended)[1]


def naive_translate(
    model: TranslationModel, document: list[list[int]], L: int, most: int, beams: int
) -> list[list[int]]:
    translations: list[list[int]] = []
    for i in range(len(document)):
        first = max(0, i - L + 1)
        source = [token for sentence in document[first : i + 1] for token in (*sentence, SEP)]
        prefix = [BOS, *(t for sentence in translations[first:i] for t in (*sentence, SEP))]
        translations.append(naive_search(model, [*source[:-1], EOS], prefix, most, beams))
    return translations


def naive_stream(
    model: TranslationModel, document: list[list[int]], most: int, beams: int, context: int | None
) -> list[list[int]]:
    """A stream model without any state: all of the document so far is read for every token."""
    translations: list[list[int]] = []
    for i, sentence in enumerate(document):
        before = [pair for pair in zip(document[:i], translations, strict=True) if pair[0]]
        before = before if context is None else before[max(0, len(before) - context) :]
        source = [t for s in (*(s for s, _ in before), sentence) for t in (*s, SEP)]
        prefix = [BOS, *(t for _, target in before for t in (*target, SEP))]
        found = naive_search(model, source, prefix, most, beams, whole_log_probabilities)
        translations.append(found if sentence else [])
    return translations
