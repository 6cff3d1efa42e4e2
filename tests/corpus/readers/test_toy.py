"""The toy task has the properties that its module describes."""

import numpy as np

from longways.corpus.readers.toy import NAMES, PRONOUN, SPECIALS, make_documents
from longways.text.tokenizers.special_tokens import BOS, EOS, PAD, SEP, UNK


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


def test_its_special_tokens_have_the_usual_ids():
    assert [SPECIALS.index(f"<{name}>") for name in ("pad", "bos", "eos", "sep", "unk")] == [
        PAD, BOS, EOS, SEP, UNK
    ]  # fmt: skip
