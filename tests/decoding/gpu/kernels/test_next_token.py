"""The kernels that end a decoding step find and embed the same words as torch."""

import pytest
import torch

from tests.decoding.gpu.next_token_errors import embedding_errors, top_k_errors


@pytest.mark.parametrize(("words", "count"), [(5000, 6), (4096, 3), (2049, 6), (10, 6)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_the_best_words_of_all_chunks_equal_torchs_top_k(interpreted, words, count, dtype):
    error, same = interpreted(top_k_errors, 3, words, count, dtype)
    assert error < (1e-5 if dtype == torch.float32 else 1e-4)
    assert same


@pytest.mark.parametrize("dim", [64, 24])
def test_tokens_are_embedded_at_their_positions(interpreted, dim):
    error, same_positions, same_separators = interpreted(embedding_errors, dim, torch.float32)
    assert error < 1e-5
    assert same_positions
    assert same_separators
