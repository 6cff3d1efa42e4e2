"""IBM model 1 in both directions."""

import numpy as np

from longways.evaluation.terms.lexicon import ITERATIONS, learn_lexicon

SOURCES = [["das", "haus"], ["das", "buch"], ["ein", "buch"]]
TARGETS = [["the", "house"], ["the", "book"], ["a", "book"]]


def model1_by_hand(sources, targets):
    """p(t | s) by the textbook's loops, without a null word."""
    p = {(s, t): 1.0 for ss, ts in zip(sources, targets, strict=True) for s in ss for t in ts}
    for _ in range(ITERATIONS):
        counts = dict.fromkeys(p, 0.0)
        for ss, ts in zip(sources, targets, strict=True):
            for t in ts:
                total = sum(p[s, t] for s in ss)
                for s in ss:
                    counts[s, t] += p[s, t] / total
        totals = {}
        for (s, _), count in counts.items():
            totals[s] = totals.get(s, 0.0) + count
        p = {(s, t): count / totals[s] for (s, t), count in counts.items()}
    return p


def test_scores_are_the_product_of_both_directions_of_model_1():
    sources, targets = [*SOURCES, ["das", "das"]], [*TARGETS, ["the", "that", "the"]]
    forward, backward = model1_by_hand(sources, targets), model1_by_hand(targets, sources)
    scores = learn_lexicon(sources, targets).scores
    assert scores.keys() == forward.keys()
    for (s, t), score in scores.items():
        assert np.isclose(score, forward[s, t] * backward[t, s], rtol=1e-12)


def test_each_word_finds_its_partner():
    lexicon = learn_lexicon(SOURCES, TARGETS)
    assert lexicon.translations(["ein", "haus"], ["a", "house"]) == ["a", "house"]
    assert lexicon.translations(["das", "buch"], ["book", "the"]) == ["the", "book"]


def test_a_word_whose_partner_fits_another_better_has_none():
    lexicon = learn_lexicon(SOURCES, TARGETS)
    assert lexicon.translations(["das", "haus"], ["the"]) == ["the", None]


def test_unknown_words_and_empty_sentences_have_no_partner():
    lexicon = learn_lexicon([*SOURCES, []], [*TARGETS, ["x"]])
    assert lexicon.translations(["neu"], ["the"]) == [None]
    assert lexicon.translations(["das"], []) == [None]
    assert lexicon.translations([], ["the"]) == []
    assert learn_lexicon([], []).translations(["das"], ["the"]) == [None]
