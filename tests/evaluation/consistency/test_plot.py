"""The consistency figure says how much of it may be chance."""

import pytest

from longways.evaluation.consistency.plot import half_interval, plot_consistency


def row(model, L, accuracy, items=2500):
    return {
        "model": model, "set": "deixis", "L": L, "accuracy": accuracy, "guessing": 0.5,
        "items": items,
    }  # fmt: skip


def test_the_band_is_that_of_a_coin():
    """Of 2,500 tosses of a fair coin, in 95 of 100 cases 48 to 52 percent are heads."""
    assert half_interval(row("coin", 1, 0.5)) == pytest.approx(0.0196, abs=1e-4)
    assert half_interval(row("coin", 1, 0.5, 10_000)) == pytest.approx(0.0098, abs=1e-4)
    assert half_interval(row("sure", 1, 1.0)) == 0.0


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_it_is_drawn(tmp_path, suffix):
    rows = [row(model, L, 0.5 + L / 20) for model in ("one", "other") for L in (2, 1, 3)]
    plot_consistency(rows, tmp_path / f"figure.{suffix}")
    assert (tmp_path / f"figure.{suffix}").stat().st_size > 5_000
