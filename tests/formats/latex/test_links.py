"""Names of files in LaTeX are renamed where the job renames the files."""

import time

import pytest

from longways.formats.latex.links import edit_latex_links
from tests.formats.rst.test_links import new

PAGES = {"a.tex": "a.en.tex", "章/一.tex": "%E7%AB%A0/%E4%B8%80.en.tex", "b/c.tex": "b/c.en.tex"}


def renamed(source):
    """The file after the other files have new names."""
    return edit_latex_links(source.encode(), None, lambda own, _: new(own, PAGES)).decode()


def test_files_are_named_with_or_without_their_suffix():
    assert renamed("\\input{a}\\include{b/c} \\input a.tex\r\n\\includeonly{a, b/c,d}") == (
        "\\input{a.en}\\include{b/c.en} \\input a.en.tex\r\n\\includeonly{a.en, b/c.en,d}"
    )
    assert renamed("\\subfile{章/一}\\import{b/}{c}\\documentclass[a.tex]{subfiles}") == (
        "\\subfile{章/一.en}\\import{b/}{c.en}\\documentclass[a.en.tex]{subfiles}"
    )


def test_comments_listings_and_other_files_stay():
    for source in (
        "% \\input{a}\n",
        "50\\% \\verb|x| \\includegraphics{a} \\input{d}",
        "\\begin{verbatim}\n\\input{a}\n\\end{verbatim}",
    ):
        assert renamed(source) == source
    assert renamed("\\\\% x\n50\\% \\input{a}") == "\\\\% x\n50\\% \\input{a.en}"


@pytest.mark.parametrize("part", ["\\begin{verbatim}\\input{a}% ", "\\\\", "\\input{", "%"])
def test_time_is_linear(part):
    def seconds(size):
        began = time.process_time()
        renamed(part * size)
        return time.process_time() - began

    assert any(seconds(80_000) < 24 * max(seconds(10_000), 0.01) for _ in range(3))
