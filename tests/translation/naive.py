"""The sliding window as plainly as possible: every window from scratch, every token by itself."""

from __future__ import annotations

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


def naive_search(
    model: TranslationModel, source: list[int], prefix: list[int], most: int, beams: int
) -> list[int]:
    """The best sentence of at least one token, by its mean log-probability."""
    alive, ended = [(0.0, list[int]())], list[tuple[float, list[int]]]()
    for length in range(most + 1):
        candidates = []
        for score, tokens in alive:
            scores = next_log_probabilities(model, source, prefix + tokens)
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
