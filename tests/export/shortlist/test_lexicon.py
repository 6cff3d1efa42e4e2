"""The lexicon is IBM model 1: equal to hand-worked counts, and it finds what belongs together."""

import numpy as np
import pytest

from longways.corpus.prepared_data import Split
from longways.export.shortlist import lexicon as module
from longways.export.shortlist.lexicon import NULL, learn_lexicon
from longways.text.tokenizers.special_tokens import SEP, UNK

V = 40


def split(*pairs):
    def side(sentences):
        tokens = [token for one in sentences for token in (*one, SEP)]
        offsets = np.cumsum([0, *(len(one) + 1 for one in sentences)])
        return np.array(tokens, np.uint16), offsets

    (source, starts), (target, ends) = (side(one) for one in zip(*pairs, strict=True))
    return Split(source, target, starts, ends, np.array([0, len(pairs)]))


def counts(found):
    cells = zip(found.source.tolist(), found.target.tolist(), found.counts.tolist(), strict=True)
    return {(source, target): count for source, target, count in cells}


def test_one_pass_divides_each_token_among_the_source_tokens_of_its_sentence(monkeypatch):
    monkeypatch.setattr(module, "ITERATIONS", 1)
    found = counts(learn_lexicon(split(([10, 11], [20]), ([10], [20, 21])), V))
    assert found == pytest.approx(
        {
            (NULL, 20): 1 / 3 + 1 / 2,
            (NULL, 21): 1 / 2,
            (10, 20): 1 / 3 + 1 / 2,
            (10, 21): 1 / 2,
            (11, 20): 1 / 3,
        }
    )


def test_tokens_that_occur_together_find_each_other():
    rng = np.random.default_rng(1)
    pairs = []
    for _ in range(300):
        source = rng.integers(10, 20, rng.integers(2, 6))
        pairs.append((source.tolist(), rng.permutation(source + 15).tolist()))
    found = counts(learn_lexicon(split(*pairs), V))
    for token in range(10, 20):
        own = {target: count for (source, target), count in found.items() if source == token}
        assert max(own, key=own.get) == token + 15
    assert sum(found.values()) == pytest.approx(sum(len(target) for _, target in pairs))


def test_chunks_do_not_change_the_counts(monkeypatch):
    rng = np.random.default_rng(2)
    pairs = [(rng.integers(5, 20, 4).tolist(), rng.integers(5, 20, 3).tolist()) for _ in range(50)]
    whole = learn_lexicon(split(*pairs), V)
    monkeypatch.setattr(module, "CHUNK_LINKS", 17)
    parts = learn_lexicon(split(*pairs), V)
    assert np.array_equal(whole.source, parts.source)
    assert np.array_equal(whole.target, parts.target)
    np.testing.assert_allclose(whole.counts, parts.counts)


def test_empty_and_long_sentences_are_passed_over():
    long = [6] * (module.LONGEST + 1)
    found = counts(learn_lexicon(split(([], [7]), ([7], []), (long, [8]), ([9], [10])), V))
    assert set(found) == {(NULL, 10), (9, 10)}


def test_special_tokens_have_no_translations():
    found = counts(learn_lexicon(split(([UNK, 9], [UNK, 10])), V))
    assert set(found) == {(NULL, 10), (9, 10)}


def test_of_a_large_corpus_every_nth_sentence_is_read(monkeypatch):
    monkeypatch.setattr(module, "MAX_LINKS", 20)
    pairs = [([5 + n], [5 + n]) for n in range(30)]
    found = counts(learn_lexicon(split(*pairs), V))
    assert len(found) == 2 * 10  # every third; with the source token of what translates nothing
