# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Long sentences are split at the best break, and no character is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longways.text.sentences.long_sentences import best_break, split_long


@given(st.text(min_size=1, max_size=300), st.integers(1, 40))
def test_the_segments_fit_and_make_up_the_sentence(text, limit):
    pieces = split_long(text, lambda piece: len(piece) <= limit)
    assert "".join(pieces) == text
    assert all(len(piece.rstrip()) <= limit or len(piece) == 1 for piece in pieces)


@pytest.mark.parametrize(
    ("sentence", "first"),
    [
        ("one two three, four five six", "one two three, "),
        ("one, two three four five six", "one, two three "),
        ("我们昨天去了北京，今天回来了", "我们昨天去了北京，"),
        ("costs 1,000,000.50 in all now", "costs 1,000,000.50 "),
        ("aaaabbbb", "aaaa"),
        ("aae\u0301\u0301bb", "aa"),
        ("👩\u200d👩\u200d👧👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
    ],
)
def test_a_clause_is_better_than_a_space_and_a_space_better_than_nothing(sentence, first):
    assert sentence[: best_break(sentence)] == first


def test_a_single_character_is_not_cut():
    assert split_long("x", lambda _: False) == ["x"]
