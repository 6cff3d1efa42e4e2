"""Batches: windows gathered into padded arrays."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longways.corpus.batching.batch import gather_batch, window_lengths
from longways.corpus.batching.buckets import Shape
from longways.corpus.window import training_windows
from longways.text.tokenizers.special_tokens import BOS, EOS, PAD, SEP
from tests.corpus.splits import make_split

lengths = st.tuples(st.integers(1, 9), st.integers(1, 9))
corpora = st.lists(st.lists(lengths, min_size=1, max_size=6), min_size=1, max_size=5)


def window(ids, offsets, start, end):
    """The reference: sentences joined one by one."""
    sentences = [ids[offsets[i] : offsets[i + 1] - 1].tolist() for i in range(start, end)]
    joined = [token for sentence in sentences for token in (*sentence, SEP)]
    return [*joined[:-1], EOS]


@given(corpora, st.integers(1, 6), st.integers(0, 3))
def test_every_window_of_a_random_corpus_is_the_one_joined_by_hand(documents, L, fillers):
    split = make_split(documents)
    windows = training_windows(split.documents, L)
    widths = [
        int(window_lengths(windows, offsets).max())
        for offsets in (split.source_offsets, split.target_offsets)
    ]
    batch = gather_batch(split, windows, Shape(len(windows) + fillers, *widths))
    for row, (start, end) in enumerate(windows.tolist()):
        source = window(split.source, split.source_offsets, start, end)
        target = window(split.target, split.target_offsets, start, end)
        assert [t for t in batch.source[row].tolist() if t != PAD] == source
        assert [t for t in batch.target[row].tolist() if t != PAD] == target
        assert [t for t in batch.target_in[row].tolist() if t != PAD] == [BOS, *target[:-1]]
        assert batch.source[row, len(source) :].tolist() == [PAD] * (widths[0] - len(source))
    assert batch.target_tokens == int(window_lengths(windows, split.target_offsets).sum())


def test_rows_without_a_window_have_a_source_token_and_no_target():
    split = make_split([[(2, 3)]])
    batch = gather_batch(split, np.array([[0, 1]]), Shape(3, 4, 5))
    assert batch.source[1:].tolist() == [[EOS, PAD, PAD, PAD]] * 2
    assert not batch.target[1:].any()
    assert not batch.target_in[1:].any()
