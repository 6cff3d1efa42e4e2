"""How translations look."""

import pytest
from rich.cells import cell_len

from longways.text.sentences.splitter import split_stream
from longways.translation.files.output_styles import SideBySide
from longways.translation.segments import TranslatedSegment

WIDTH = 20


@pytest.fixture
def form(monkeypatch):
    monkeypatch.setenv("COLUMNS", str(2 * WIDTH + len(SideBySide.GAP)))
    return SideBySide("page", "en")


def written(form, text, translate=lambda text: f"The translation of {text}."):
    ready = [
        TranslatedSegment(0, s, translate(s.text) if s.text else "", 0.0)
        for s in split_stream([text], "zh")
    ]
    return "".join(map(form.add, ready)) + form.finish()


def test_columns_are_as_wide_as_the_terminal_lets_them_be(form):
    lines = written(form, "打开终端并运行安装命令然后等一会儿。\n").splitlines()
    assert len(lines) > 1
    for line in lines:
        assert cell_len(line) <= 2 * WIDTH + len(SideBySide.GAP)


def test_nothing_is_lost(form):
    text = "打开终端并运行安装命令然后等一会儿。"
    lines = written(form, text).splitlines()
    left = "".join(line[: _characters(line, WIDTH)].rstrip() for line in lines)
    right = " ".join(line[_characters(line, WIDTH) :].strip() for line in lines)
    assert left == text
    assert " ".join(right.split()).replace(" ", "") == f"Thetranslationof{text}."


def test_blank_lines_stay(form):
    lines = written(form, "一。\n\n二。", lambda _: "One.").splitlines()
    assert [line.split() for line in lines] == [["一。", "One."], [], ["二。", "One."]]


def _characters(line: str, cells: int) -> int:
    """Characters that fill so many cells."""
    return next((i for i in range(len(line) + 1) if cell_len(line[:i]) >= cells), len(line))
