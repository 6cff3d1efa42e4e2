"""Shared n-grams of many segments at once, against counting them one by one."""

from collections import Counter

import numpy as np
import pytest

from longways.evaluation.metrics import ngrams
from longways.evaluation.metrics.ngrams import count_ngrams

ALPHABETS = {
    "two letters": "ab",
    "a few": "abcdefghij",
    "so many that keys are ranked first": [chr(0x4E00 + i) for i in range(5000)],
    "all of Unicode": [chr(i) for i in (0, 65, 0xFFFF, 0x1F600, 0x10FFFF)],
}


def texts(alphabet, count, seed):
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list(alphabet), rng.integers(0, 30))) for _ in range(count)]


def one_by_one(translation, reference, n):
    sides = (
        Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))
        for text in (translation, reference)
    )
    one, other = sides
    return one.total(), other.total(), (one & other).total()


@pytest.mark.parametrize("alphabet", ALPHABETS.values(), ids=ALPHABETS)
@pytest.mark.parametrize("kind", [str, list])
@pytest.mark.parametrize("at_once", [1, 70, 500_000])
def test_counts_equal_counting_one_by_one(monkeypatch, alphabet, kind, at_once):
    monkeypatch.setattr(ngrams, "BLOCK_TOKENS", at_once)
    translations, references = ([kind(t) for t in texts(alphabet, 50, seed)] for seed in (1, 2))
    found = count_ngrams(translations, references, 6)
    for n in range(1, 7):
        wanted = [one_by_one(*pair, n) for pair in zip(translations, references, strict=True)]
        counts = found.translation, found.reference, found.shared
        assert np.stack([c[:, n - 1] for c in counts], 1).tolist() == list(map(list, wanted))


def test_keys_that_would_be_too_large_are_ranked_at_every_step(monkeypatch):
    monkeypatch.setattr(ngrams, "KEY_LIMIT", 1)
    translations, references = texts("abc", 20, 1), texts("abc", 20, 2)
    found = count_ngrams(translations, references, 4).shared
    assert found[:, 3].tolist() == [
        one_by_one(*pair, 4)[2] for pair in zip(translations, references, strict=True)
    ]


def test_an_ngram_never_reaches_into_the_next_text():
    found = count_ngrams(["ab", "c"], ["a", "bc"], 2)
    assert found.shared.tolist() == [[1, 0], [1, 0]]


@pytest.mark.parametrize("nothing", [[], [""], ["", ""], [[]]])
def test_empty_texts_have_no_ngrams(nothing):
    found = count_ngrams(nothing, nothing, 4)
    assert found.shared.shape == (len(nothing), 4)
    assert not found.shared.any()
