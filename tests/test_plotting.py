"""Figures."""

import pytest

from longways.plotting import open_pyplot, save_picture


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_same_numbers_give_the_same_bytes(tmp_path, suffix):
    found = []
    for _ in range(2):
        figure, place = open_pyplot().subplots()
        place.plot([1, 2, 3], label="a")
        place.legend()
        save_picture(figure, tmp_path / f"a.{suffix}")
        found.append((tmp_path / f"a.{suffix}").read_bytes())
    assert found[0] == found[1]
