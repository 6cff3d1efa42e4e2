"""The table of a report fits on a terminal and does not break names."""

from io import StringIO

from rich.console import Console

from longways.results import narrow, report, table

ROWS = [{"model": f"a-name-of-some-length-{i}", "BLEU": 40 + i, "loss": 1.5} for i in range(2)]


def shown(result, width):
    text = StringIO()
    Console(file=text, width=width).print(table(result))
    return text.getvalue()


def test_narrow_keeps_the_named_columns_that_exist():
    result = narrow(report("name", "Claim", {}, ROWS, "cpu"), ("model", "loss", "chrF"))
    assert result.rows == [{"model": row["model"], "loss": 1.5} for row in ROWS]
    assert result.claim == "Claim"


def test_names_are_not_wrapped():
    assert "a-name-of-some-length-1" in shown(report("name", "Claim", {}, ROWS, "cpu"), 40)


def test_a_wide_table_is_transposed():
    rows = [{"model": "a", **{f"column {i}": i for i in range(10)}}]
    lines = shown(report("name", "Claim", {}, rows, "cpu"), 40).splitlines()
    assert any("column 9" in line and "9" in line.split("column 9")[1] for line in lines)
