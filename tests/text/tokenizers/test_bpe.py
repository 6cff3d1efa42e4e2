import pytest

from longways.errors import TextError
from longways.text.tokenizers.bpe import Bpe, learn_codes, undo_bpe
from longways.text.tokenizers.vocabulary import Vocabulary

COUNTS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def test_the_most_frequent_pairs_are_merged_first():
    """Both e-s and s-t occur 9 times; subword-nmt takes the alphabetically later pair."""
    version, first, second, *_ = learn_codes(COUNTS, 4).splitlines()
    assert (version, first, second) == ("#version: 0.2", "s t</w>", "e st</w>")


def test_words_are_split_by_the_codes_and_come_back():
    bpe = Bpe(learn_codes(COUNTS, 3))
    subwords = bpe.apply(["lowest", "x"])
    assert subwords == ["lo@@", "w@@", "est", "x"]
    assert undo_bpe(subwords) == ["lowest", "x"]


def test_a_joiner_at_the_end_is_dropped():
    assert undo_bpe(["lo@@", "w@@"]) == ["low"]
    assert undo_bpe([]) == []


def test_a_subword_of_the_other_language_is_split_into_known_ones():
    known = Vocabulary.from_counts({"lo@@": 1, "w@@": 1, "e@@": 1, "st": 1})
    codes = learn_codes(COUNTS, 3)
    assert Bpe(codes, known).apply(["lowest"]) == ["lo@@", "w@@", "e@@", "st"]


@pytest.mark.parametrize(("counts", "reason"), [({}, "no text"), ({"a": 3}, "nothing to merge")])
def test_counts_without_pairs_are_refused(counts, reason):
    with pytest.raises(TextError, match=reason):
        learn_codes(counts, 10)


def test_learning_is_silent_and_the_order_of_counting_does_not_matter(capfd):
    assert learn_codes(COUNTS, 99) == learn_codes(dict(reversed(COUNTS.items())), 99)
    assert capfd.readouterr() == ("", "")
