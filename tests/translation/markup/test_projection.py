"""Marks follow their words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.formats.base import Mark
from longways.translation.markup.alignment import find_kept
from longways.translation.markup.passages import _nested
from longways.translation.markup.projection import Aligned, place_marks, place_verbatim


def aligned(source, words, links):
    """A translation of words; `links` says which source characters each comes from."""
    text, spans = "", []
    for word in words:
        text += " " if text else ""
        spans.append((len(text), len(text) + len(word)))
        text += word
    shares = np.zeros((len(words), len(source)))
    for word, characters in enumerate(links):
        shares[word, list(characters)] = 1 / max(1, len(characters))
    return Aligned(source, text, tuple(spans), shares)


def enclosed(marks, found):
    return {m.tag: found.translation[m.start : m.end] for m in place_marks(marks, found)}


# "abcdef": ab -> one, cd -> two, ef -> three, but the translation has another order.
SWAPPED = aligned("abcdef", ["three", "one", "two"], [(4, 5), (0, 1), (2, 3)])


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [(0, 2, "one"), (2, 4, "two"), (4, 6, "three"), (0, 4, "one two"), (0, 6, "three one two")],
)
def test_a_mark_goes_around_the_words_it_enclosed(start, end, text):
    assert enclosed([Mark(start, end, 7)], SWAPPED) == {7: text}


def test_an_inner_mark_stays_inside_its_outer_one():
    marks = [Mark(0, 4, 0), Mark(2, 4, 1)]
    assert enclosed(marks, SWAPPED) == {0: "one two", 1: "two"}


def test_marks_side_by_side_are_in_the_order_of_the_translation():
    placed = place_marks([Mark(0, 2, 0), Mark(4, 6, 1)], SWAPPED)
    assert [m.tag for m in placed] == [1, 0]


def test_what_stands_by_itself_goes_behind_the_word_before_it():
    places = {p: place_marks([Mark(p, p, 0)], SWAPPED)[0].start for p in (0, 2, 4, 6)}
    assert places == {0: 0, 2: len("three one"), 4: len("three one two"), 6: len("three one two")}


def test_without_a_place_to_trust_a_mark_takes_the_nearest_free_content_word():
    unknown = aligned("abcd", ["one", "two", "."], [(0, 1), (), ()])
    assert enclosed([Mark(0, 2, 0), Mark(2, 4, 1)], unknown) == {0: "one", 1: "two"}


def test_a_mark_whose_text_is_there_is_placed_by_itself():
    """The other mark attends to the same word and takes a free one."""
    found = aligned("run a b", ["a", "goes", ","], [(4, 6), (6,), (6,)])
    assert enclosed([Mark(4, 5, 0), Mark(6, 7, 1)], found) == {0: "a", 1: "goes"}


def test_of_two_occurrences_the_aligned_one_is_marked():
    found = aligned("x y x", ["x", "y", "x"], [(4,), (2,), (0,)])
    (mark,) = place_marks([Mark(0, 1, 0)], found)
    assert (mark.start, mark.end) == (4, 5)


def test_no_mark_is_on_an_article_alone():
    found = aligned("abcd", ["of", "the", "page", "."], [(0,), (1, 2), (), (3,)])
    assert enclosed([Mark(1, 3, 0)], found) == {0: "page"}


def test_a_kept_word_takes_the_place_with_the_highest_attention():
    source, translation = "a=import b=sort c=sort", "import import, sort sort sort"
    keep = [(2, 8), (11, 15), (18, 22)]
    shares = np.zeros((len(translation), len(source)))
    for (start, end), part in (((7, 13), keep[0]), ((25, 29), keep[1]), ((20, 24), keep[2])):
        shares[start:end, slice(*part)] = 1
    found, missing = find_kept(source, translation, keep, shares)
    assert sorted(found) == [((7, 13), keep[0]), ((20, 24), keep[2]), ((25, 29), keep[1])]
    assert missing == []
    assert find_kept(source, "sort", keep) == ([((0, 4), keep[1])], [keep[0], keep[2]])


def test_a_mark_on_code_of_signs_is_placed_on_the_same_signs():
    found = aligned("a{}b.", ["one", "{}", "two", "."], [(0,), (1, 2), (3,), (4,)])
    assert enclosed([Mark(1, 3, 0), Mark(3, 4, 1)], found) == {0: "{}", 1: "two"}
    full_stop = aligned("a.b.", ["one", ".", "two", "."], [(0,), (1,), (2,), (3,)])
    assert [m.start for m in place_marks([Mark(1, 2, 0)], full_stop)] == [4]


def test_punctuation_that_was_not_enclosed_stays_outside():
    found = aligned("ab。", ["one", "."], [(0, 1), (0, 1)])
    assert enclosed([Mark(0, 2, 0)], found) == {0: "one"}
    assert enclosed([Mark(0, 3, 0)], found) == {0: "one ."}


@st.composite
def nested_marks(draw, length):
    marks = []

    def fill(start, end, depth):
        place = start
        while place < end and len(marks) < 8 and draw(st.booleans()):
            a = draw(st.integers(place, end))
            b = draw(st.integers(a, end))
            marks.append(Mark(a, b, len(marks)))
            if depth and a < b:
                fill(a, b, depth - 1)
            place = max(b, place + 1)

    fill(0, length, 3)
    return marks


@given(st.data())
@settings(max_examples=500, deadline=None)
def test_every_mark_is_there_and_all_are_nested(data):
    length = data.draw(st.integers(1, 12))
    marks = data.draw(nested_marks(length))
    words = data.draw(st.lists(st.sampled_from(["a", "bc", "d,"]), min_size=0, max_size=6))
    links = [data.draw(st.sets(st.integers(0, length - 1))) for _ in words]
    found = aligned("x" * length, words, links)
    check_nested(place_marks(marks, found), marks, len(found.translation))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=8))
def test_marks_that_cross_are_nested_again(spans):
    marks = [Mark(min(span), max(span), tag) for tag, span in enumerate(spans)]
    check_nested(_nested(marks), marks, 9)


def check_nested(placed, marks, length):
    assert sorted(m.tag for m in placed) == sorted(m.tag for m in marks)
    assert all(0 <= m.start <= m.end <= length for m in placed)
    for one in placed:
        for other in placed:
            apart = one.end <= other.start or other.end <= one.start
            inside = one.start <= other.start and other.end <= one.end
            around = other.start <= one.start and one.end <= other.end
            assert apart or inside or around


@pytest.mark.parametrize(
    ("source", "translation", "mark", "wanted"),
    [
        ("运行 make 命令", "Run the make command", (3, 7), (8, 12)),
        ("运行命令", "Run it", (0, 4), (0, 6)),
        ("运行命令", "Run it", (4, 4), (6, 6)),
        ("运行命令", "Run it", (0, 0), (0, 0)),
        ("运行命令", "Run it", (2, 2), None),
        ("运行命令", "Run it", (0, 2), None),
        ("有 8 个", "80 of them", (2, 3), None),
        ("有 8 个", "8 or 8 of them", (2, 3), None),
        ("8 和 8", "8 of them", (0, 1), None),
    ],
)
def test_what_is_the_same_in_both_needs_no_model(source, translation, mark, wanted):
    found = place_verbatim([Mark(*mark, 5)], source, translation)
    assert found == (None if wanted is None else [Mark(*wanted, 5)])


def test_one_mark_that_needs_a_model_needs_it_for_all():
    marks = [Mark(0, 2, 1), Mark(3, 7, 2)]
    assert place_verbatim(marks, "运行 make 命令", "Run the make command") is None


def test_a_run_of_words_ends_where_another_mark_has_its_text():
    found = aligned("abcd X", ["one", "X", "two"], [(0, 1), (5,), (2, 3)])
    assert enclosed([Mark(0, 4, 0), Mark(5, 6, 1)], found)[1] == "X"
    assert enclosed([Mark(0, 4, 0), Mark(5, 6, 1)], found)[0] in ("one", "two")
