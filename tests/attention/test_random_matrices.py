"""The pool of random matrices: redrawn in training, fixed in evaluation, resumable."""

import pytest
import torch

from longways.attention.random_matrices import MatrixPool
from longways.errors import ConfigError


def pool(seed: int = 1, size: int = 20, orthogonal: bool = False) -> MatrixPool:
    return MatrixPool(
        layers=3, heads=4, projection=10, head_dim=8, size=size, seed=seed, orthogonal=orthogonal
    )


def test_in_evaluation_head_h_uses_matrix_h_in_every_layer():
    matrices = pool().eval()
    matrices.redraw(1)
    for layer in range(3):
        assert torch.equal(matrices(layer), matrices.matrices[:4])


def test_a_draw_gives_every_layer_and_head_another_matrix():
    matrices = pool().train()
    matrices.redraw(1)
    assert len(set(matrices.drawn.flatten().tolist())) == 12
    assert torch.equal(matrices(2), matrices.matrices[matrices.drawn[2]])


def test_before_the_first_draw_training_uses_the_matrices_of_evaluation():
    matrices = pool()
    assert torch.equal(matrices.train()(1), matrices.eval()(1))


def test_draws_differ_and_over_time_use_the_whole_pool():
    matrices, seen = pool(), set()
    for update in range(1, 31):
        before = matrices.drawn.clone()
        matrices.redraw(update)
        assert not torch.equal(before, matrices.drawn)
        seen |= set(matrices.drawn.flatten().tolist())
    assert seen == set(range(20))


def test_a_run_resumed_from_its_state_draws_the_same_matrices():
    first, second = pool(), pool()
    for update in (1, 2):
        first.redraw(update)
    second.load_state_dict(first.state_dict())
    assert torch.equal(first.drawn, second.drawn)
    for update in (3, 4, 5):
        first.redraw(update)
    second.redraw(5)
    assert torch.equal(first.drawn, second.drawn)


def test_the_pool_is_standard_normal_and_depends_on_its_seed_alone():
    assert torch.equal(pool(1).matrices, pool(1).matrices)
    assert not torch.equal(pool(1).matrices, pool(2).matrices)
    many = pool(size=500).matrices
    assert many.mean().item() == pytest.approx(0, abs=0.02)
    assert many.std().item() == pytest.approx(1, abs=0.02)


def test_orthogonal_rows_are_orthogonal_in_blocks_and_as_long_as_normal_ones():
    matrices = pool(size=500, orthogonal=True).matrices
    block = matrices[0, :8]
    products = block @ block.T
    assert torch.allclose(products, products.diag().diag(), atol=1e-4)
    assert matrices.square().sum(-1).mean().item() == pytest.approx(8, rel=0.05)


def test_a_pool_too_small_to_draw_from_is_refused():
    with pytest.raises(ConfigError, match="12 without replacement"):
        pool(size=11)
