"""Fuzzy matches: scores like those of translators' tools, found without reading all units."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longways.translation.memory.gram_index import GramIndex
from longways.translation.memory.similarity import edits, score


def plain_edits(one: str, other: str) -> int:
    """The table of Levenshtein, row by row."""
    row = list(range(len(other) + 1))
    for place, character in enumerate(one, 1):
        below = [place]
        for column, sign in enumerate(other, 1):
            changed = row[column - 1] + (character != sign)
            below.append(min(row[column] + 1, below[-1] + 1, changed))
        row = below
    return row[-1]


short = st.text("abc你", max_size=12)


@given(short, short)
def test_edits_are_those_of_the_plain_table(one, other):
    assert edits(one, other) == plain_edits(one, other)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("点击保存按钮。", "点击保存按钮。", 100),
        ("点击 保存\u200b按钮。", "点击  保存按钮。", 100),
        ("共12行。", "共345行。", 99),
        ("共{0}行，见`a`。", "共{name}行，见`a`。", 99),  # noqa: RUF001
        ("ＡＢＣ", "abc", 99),  # noqa: RUF001
        ("点击保存按键吧。", "点击保存按钮吧。", 88),
        ("你好", "再见", 0),
        ("", "你", 0),
    ],
)
def test_scores(one, other, expected):
    assert score(one, other) == score(other, one) == expected


def sentences(count: int) -> list[str]:
    choose = random.Random(7)
    letters = [chr(0x4E00 + place) for place in range(2_000)]
    return [
        "".join(letters[int(2_000 * choose.random() ** 2)] for _ in range(choose.randrange(1, 40)))
        for _ in range(count)
    ]


def test_every_sentence_that_is_near_enough_is_found():
    """Compared with all: of 3,000 random sentences with edits, none is missed."""
    known, choose = sentences(3_000), random.Random(8)
    index = GramIndex(known)
    for wanted in known[::10]:
        query = list(wanted)
        for _ in range(max(1, len(query) // 8)):
            query[choose.randrange(len(query))] = "X"
        changed = "".join(query)
        if score(changed, wanted) >= 75:
            assert wanted in index.like(changed, 75, 20)


def test_equal_sentences_are_one_and_short_ones_are_found():
    index = GramIndex(["你", "你", "你好", "", "a"])
    assert index.like("你", 75, 5) == ["你"]
    assert index.like("你好", 75, 5) == ["你好"]
    assert index.like("", 75, 5) == []
    assert GramIndex([]).like("你好", 75, 5) == []


def test_thirty_thousand_sentences():
    """The index is built in seconds, and a lookup does not read all of it."""
    known = sentences(30_000)
    began = time.process_time()
    large = GramIndex(known)
    assert time.process_time() - began < 5
    began = time.process_time()
    for query in known[:200]:
        assert query in large.like(query, 75, 20)
    assert (time.process_time() - began) / 200 < 0.02


def test_hostile_sentences_take_no_quadratic_time():
    began = time.process_time()
    index = GramIndex(["哈" * (n % 50 + 1) for n in range(20_000)] + ["1" * 100_000, "{" * 100_000])
    assert index.like("哈" * 30, 75, 20)[0] == "哈" * 30
    score("{a" * 50_000, "}b" * 50_000)
    score("你" * 100_000, "好" * 100_000)
    assert time.process_time() - began < 5
