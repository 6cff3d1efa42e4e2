"""Markdown of any shape is parsed in linear time, and fast paths give the same result."""

from __future__ import annotations

import re
import tracemalloc

import pytest
from hypothesis import given, settings

from longways.formats.base import Passage
from longways.formats.markdown import compose
from longways.formats.markdown.format import Markdown
from longways.formats.markdown.rules import parser
from tests.effort import is_linear
from tests.formats.markdown.markdown_soup import soup
from tests.formats.markdown.test_format import ANY_SPEED, lengthened, read

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
            patch.setattr(compose, "plain_node", lambda _: None)
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
        patch.setattr(compose, "_NO_MARKUP", NOTHING)
        patch.setattr(compose, "_ONE_LINE", NOTHING)
        assert document.write(new, "ru") == short


def test_a_file_in_memory_is_not_many_times_as_large_as_on_disk() -> None:
    data = (PAGE * 300).encode()
    Markdown().read(data[:0], "zh")
    tracemalloc.start()
    document = Markdown().read(data, "zh")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert document.passages
    assert peak < 30 * len(data)


def hard(n: int) -> dict[str, str]:
    """Artificial files that are hard to parse, by the construct that they repeat."""
    return {
        "pages of text": PAGE * (n // 60),
        "marks and what only begins them": (
            "段落 **粗** [链](u) `c` <b>x</b> ![图](p).\n\n" * (n // 10)
            + "*a _b `c [d <e " * (n // 10)
        ),
        "a long line": "文字。" * 10 * n,
        "quotes in quotes": ">" * n + " 文",
        "lists in lists": "- " * n + "文",
        "indented lists": "\n".join("  " * i + "- 文" for i in range(n // 10)),
        "notes in notes": "\n".join("    " * i + "!!! note" for i in range(n // 20)) + "\n文",
        "brackets in brackets": "[" * n + "文" + "]" * n,
        "brackets": "[文" * n,
        "links in links": "[" * n + "文" + "](u)" * n,
        "images in images": "![" * n + "文" + "](u)" * n,
        "pages": "[[" * n,
        "stars": "*文 " * n,
        "stars side by side": "*" * n + "文" + "*" * n,
        "strokes and stars in turn": "_*" * n + "文" + "*_" * n,
        "underscores": "_文 __字 " * n,
        "backticks": " ".join("`" * (i % 99 + 1) for i in range(n)),
        "tags": "<b>文" * n,
        "comments": "<!-- " * n,
        "dollars": "$文 " * n,
        "lines of dollars": "$$文\n" * n,
        "formulas that never end": r"\(x \[y " * n + "文",
        "braces": "文{{< {% {{ {a=" * n,
        "definitions": "[文\n" * n,
        "terms": "文\n: 字\n" * n,
        "footnotes in footnotes": "[^1]: " * n + "文",
        "a long row": f"|{'文|' * n}\n|{'-|' * n}\n",
        "rows": "|文|\n|-|\n" + "|`a\\|b` 文|\n" * n,
        "spaces": "文" + " " * 10 * n + "字" + " " * 10 * n + "\n文",
        "HTML in HTML": "<div>" * n + "文",
    }


FEW, MANY = hard(1000), hard(4000)


@pytest.mark.parametrize("kind", MANY)
def test_what_nobody_would_write_is_read_and_written(kind: str) -> None:
    text = MANY[kind]
    document = read(text)
    assert document.write(document.passages, "zh").decode() == text
    new = [Passage("x" + p.text, p.marks) for p in document.passages]
    assert document.write(new, "en").decode() != text or not new
    assert document.passages or document.warnings or "文" not in text


@pytest.mark.parametrize("kind", MANY)
def test_time_grows_with_the_size_of_the_file_and_no_faster(kind: str) -> None:
    def translate(text: str) -> None:
        document = read(text)
        document.write([lengthened(passage) for passage in document.passages], "ru")

    assert is_linear(translate, FEW[kind], MANY[kind], len(MANY[kind]) / len(FEW[kind]))
