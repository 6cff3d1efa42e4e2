"""Markdown at any size and of any shape: as fast as it is long, and the same by every way."""

from __future__ import annotations

import re
import time
import tracemalloc

import pytest
from hypothesis import given, settings

from longways.translate.formats import markdown_compose
from longways.translate.formats.markdown import Markdown
from longways.translate.formats.markdown_rules import parser
from longways.translate.formats.protocol import Passage
from tests.translate.formats.markdown_soup import soup
from tests.translate.formats.test_markdown import ANY_SPEED, lengthened, read

NOTHING = re.compile("(?!)")
SENTENCES = "我们在清晨出发。**控制器**装好以后请检查[接线](a.html)。她把 `信` 递给了我。"
PAGE = (
    f"## 标题\n\n{SENTENCES * 3}\n\n- {SENTENCES}\n- 短\n\n| 甲 | 乙 |\n|---|---|\n| 一 | 二 |\n\n"
)


@settings(ANY_SPEED, max_examples=300)
@given(soup)
def test_the_short_ways_of_reading_see_what_the_long_ones_see(text: str) -> None:
    short = read(text).passages
    rules = parser().block.ruler
    try:
        rules.disable("lines")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(markdown_compose, "plain_node", lambda _: None)
            assert read(text).passages == short
    finally:
        rules.enable("lines")


@settings(ANY_SPEED, max_examples=100)
@given(soup)
def test_the_short_ways_of_writing_write_what_the_long_ones_write(text: str) -> None:
    document = read(text)
    new = [lengthened(passage) for passage in document.passages]
    short = document.write(new, "ru")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markdown_compose, "_NO_MARKUP", NOTHING)
        patch.setattr(markdown_compose, "_ONE_LINE", NOTHING)
        assert document.write(new, "ru") == short


def test_a_file_of_a_thousand_sentences_is_read_and_written_in_a_moment() -> None:
    text = PAGE * 70
    began = time.process_time()
    document = read(text)
    document.write([lengthened(passage) for passage in document.passages], "ru")
    assert time.process_time() - began < 1.5  # a tenth of it on an idle machine


def test_a_file_in_memory_is_not_many_times_as_large_as_on_disk() -> None:
    data = (PAGE * 300).encode()
    Markdown().read(data[:0], "zh")
    tracemalloc.start()
    document = Markdown().read(data, "zh")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert document.passages
    assert peak < 30 * len(data)


N = 4000
HARD = {
    "a long line": "文字。" * 10 * N,
    "quotes in quotes": ">" * N + " 文",
    "lists in lists": "- " * N + "文",
    "indented lists": "\n".join("  " * n + "- 文" for n in range(400)),
    "notes in notes": "\n".join("    " * n + "!!! note" for n in range(200)) + "\n文",
    "brackets in brackets": "[" * N + "文" + "]" * N,
    "brackets": "[文" * N,
    "links in links": "[" * N + "文" + "](u)" * N,
    "images in images": "![" * N + "文" + "](u)" * N,
    "pages": "[[" * N,
    "stars": "*文 " * N,
    "stars side by side": "*" * N + "文" + "*" * N,
    "underscores": "_文 __字 " * N,
    "backticks": " ".join("`" * (n % 99 + 1) for n in range(N)),
    "tags": "<b>文" * N,
    "comments": "<!-- " * N,
    "dollars": "$文 " * N,
    "lines of dollars": "$$文\n" * N,
    "braces": "文{{< {% {{ {a=" * N,
    "definitions": "[文\n" * N,
    "terms": "文\n: 字\n" * N,
    "footnotes in footnotes": "[^1]: " * N + "文",
    "a long row": f"|{'文|' * N}\n|{'-|' * N}\n",
    "rows": "|文|\n|-|\n" + "|`a\\|b` 文|\n" * N,
    "spaces": "文" + " " * 10 * N + "字" + " " * 10 * N + "\n文",
    "HTML in HTML": "<div>" * N + "文",
}


@pytest.mark.parametrize("text", HARD.values(), ids=HARD)
def test_what_nobody_would_write_is_read_and_written_in_a_moment(text: str) -> None:
    began = time.process_time()
    document = read(text)
    assert document.write(document.passages, "zh").decode() == text
    new = [Passage("x" + p.text, p.marks) for p in document.passages]
    assert document.write(new, "en").decode() != text or not new
    assert document.passages or document.warnings or "文" not in text
    assert time.process_time() - began < 10  # a square of it would take minutes
