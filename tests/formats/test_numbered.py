"""Mappings from the numbers of marks to what they stand for."""

import sys

from hypothesis import given
from hypothesis import strategies as st

from longways.formats.numbered import numbered


@given(st.lists(st.text()), st.integers(-3, 12))
def test_it_is_equal_to_the_dict_that_it_replaces(values, number):
    wanted = dict(enumerate(values))
    found = numbered(wanted)
    assert found == wanted
    assert list(found) == list(wanted)
    assert list(found.items()) == list(wanted.items())
    assert found.get(number) == wanted.get(number)
    assert (number in found) == (number in wanted)


@given(st.dictionaries(st.integers(-2, 5), st.text()))
def test_other_numbers_stay_as_they_are(wanted):
    assert numbered(wanted) == wanted
    assert list(numbered(wanted)) == list(wanted)


def test_it_takes_less_memory():
    found = numbered({0: "a"})
    assert sys.getsizeof(found) + sys.getsizeof(("a",)) < sys.getsizeof({0: "a"}) / 2
    assert numbered({}) is numbered({})
