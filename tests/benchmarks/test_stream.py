"""The benchmark of drift groups sentences by their position."""

import pytest
from benchmarks.stream import drift

from longways.errors import ConfigError
from longways.evaluation.system_output import SystemOutput, write_output

LONG = "The cluster has three nodes."


@pytest.fixture
def data(tmp_path):
    lines = [
        "a\t甲\tOne apple is red.",
        f"a\t乙\t{LONG}",
        f"a\t丙\t{LONG}",
        "b\t丁\tHello there, you.",
    ]
    path = tmp_path / "test.en.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_scores_and_repetitions_are_of_the_positions_in_their_row(tmp_path, data):
    output = [["One apple is red.", "One apple is red.", LONG], ["Hello there, you."]]
    write_output(SystemOutput("mine", 4, output), tmp_path / "mine.json")
    first, rest = drift.measure([tmp_path / "mine.json"], data, "", tmp_path, [1, 3]).rows
    assert (first["sentences"], first["scored"], first["BLEU"]) == ("1 to 1", 2, 100.0)
    assert (rest["sentences"], rest["scored"]) == ("2 to 3", 2)
    assert rest["BLEU"] < 100
    assert (rest["repetitions"], rest["repetitions of references"]) == (500.0, 500.0)


@pytest.mark.parametrize("bounds", [[], [0, 5], [5, 5], [9, 3]])
def test_bounds_that_do_not_rise_are_refused(data, tmp_path, bounds):
    with pytest.raises(ConfigError, match="must be positive and rise"):
        drift.measure([], data, "", tmp_path, bounds)
