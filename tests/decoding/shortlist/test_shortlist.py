"""A sentence has the tokens of its own source tokens, of its prefix, and those of all lists."""

import numpy as np

from longways.decoding.config import LengthConfig
from longways.decoding.shortlist.shortlist import Shortlist, untranslated
from longways.decoding.stream import stream_sentence
from longways.decoding.windows import Pair, sliding_window, source_window, whole_window
from longways.text.tokenizers.special_tokens import BOS, EOS, SEP

LISTS = Shortlist(
    always=np.array([0, 1, 2, 3, 4, 9]),
    words=np.array([7, 8, 11, 12, 12], np.uint16),
    offsets=np.array([0, 0, 0, 0, 0, 0, 2, 4, 5]),  # 5: 7 8; 6: 11 12; 7: 12
    vocabulary=14,
)


def test_a_list_is_ascending_and_has_each_token_once():
    assert LISTS.of([6, 7, 6]).tolist() == [0, 1, 2, 3, 4, 9, 11, 12]
    assert LISTS.of([]).tolist() == [0, 1, 2, 3, 4, 9]


def test_forced_tokens_are_listed():
    assert LISTS.of([5], [BOS, 13]).tolist() == [0, 1, 2, 3, 4, 7, 8, 9, 13]


def test_the_list_of_a_sliding_window_is_that_of_its_last_sentence():
    length = LengthConfig()
    window = sliding_window([Pair([5, 5], [10])], [7], length, 64)
    assert untranslated(window) == [7]
    assert LISTS.of_window(window).tolist() == [0, 1, 2, 3, 4, 9, 10, 12]
    alone = sliding_window([], [5, 7], length, 64)
    assert untranslated(alone) == [5, 7]


def test_the_list_of_a_window_that_is_translated_whole_is_that_of_all_sentences():
    window = whole_window([[5], [7]], LengthConfig(), 64)
    assert LISTS.of_window(window).tolist() == [0, 1, 2, 3, 4, 7, 8, 9, 12]
    assert untranslated(window) == source_window([[5], [7]]) == [5, SEP, 7, EOS]


def test_the_list_of_a_stream_model_is_that_of_its_sentence():
    window = stream_sentence([5, 6], LengthConfig(), 64, None, first=True)
    assert untranslated(window) == [5, 6]


def test_other_lists_have_another_identity():
    other = Shortlist(LISTS.always, LISTS.words[::-1], LISTS.offsets, LISTS.vocabulary)
    assert other.identity != LISTS.identity
