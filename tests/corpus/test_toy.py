"""The toy task is what it says."""

import numpy as np

from longways.corpus.toy import NAMES, PRONOUN, TARGET_WORDS, make_documents
from longways.toy.batch import BOS, EOS, SEP, ToyCorpus


def documents(count: int = 50):
    return make_documents(count, seed=0)


def test_a_pronoun_is_whoever_was_named_two_sentences_earlier():
    for document in documents():
        assert len(document.pronouns) == 4
        for i in document.pronouns:
            named = document.source[i - 2].split()[0]
            assert document.source[i].split()[0] == PRONOUN
            assert document.target[i].split()[0] == NAMES[named]


def test_names_are_drawn_evenly_so_that_guessing_stays_at_chance():
    names = [d.target[i].split()[0] for d in documents(500) for i in d.pronouns]
    shares = np.unique(names, return_counts=True)[1] / len(names)
    assert len(shares) == len(NAMES)
    assert abs(shares - 1 / len(NAMES)).max() < 0.03


def test_windows_join_sentences_and_shift_the_target():
    corpus = ToyCorpus(documents(2))
    batch = corpus.training(L=4)
    for target_in, target in zip(batch.target_in.tolist(), batch.target.tolist(), strict=True):
        length = target.index(EOS) + 1
        assert target_in[:length] == [BOS, *target[: length - 1]]
        assert target.count(SEP) <= 3
        assert not any(target[length:])
    assert TARGET_WORDS.text(corpus.target[0]).split()[0] in NAMES.values()
