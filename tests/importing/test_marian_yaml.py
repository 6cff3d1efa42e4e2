"""Vocabularies and settings of Marian are read as Marian writes them."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import DamagedCheckpoint
from longways.importing.marian_yaml import parse_settings, parse_vocabulary, scalar


def test_settings_are_text_or_lists():
    content = (
        'a-b: 1\nc: ""\nlist:\n  - x.npz\n  - "y z"\nflow: [1, \'two\']\nempty: []\n  odd: 1\n'
    )
    assert parse_settings(content) == {
        "a-b": "1", "c": "", "list": ["x.npz", "y z"], "flow": ["1", "two"], "empty": [],
    }  # fmt: skip


def test_subwords_that_yaml_takes_for_other_things_are_text():
    lines = (
        'null: 0\nyes: 1\n~: 2\n1.0: 3\n"\\"": 4\n"\\\\": 5\n\'it\'\'s\': 6\n::: 7\n"\\x85": 8\n'
    )
    found = parse_vocabulary(lines + '"#": 9\n? "a long\\u2028one"\n: 10\n- : 11\n', "v.yml")
    assert list(found) == [
        "null", "yes", "~", "1.0", '"', "\\", "it's", "::", "\x85", "#", "a long\u2028one", "- ",
    ]  # fmt: skip
    assert list(found.values()) == list(range(12))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), unique=True))
def test_any_quoted_subword_is_read_back(subwords):
    quoted = (json.dumps(one, ensure_ascii=False) for one in subwords)
    lines = "".join(f"{one}: {i}\n" for i, one in enumerate(quoted))
    assert list(parse_vocabulary(lines, "v.yml")) == subwords


@pytest.mark.parametrize("line", ["a", "a: b", "a:", ": x"])
def test_a_line_that_is_no_entry_is_named(line):
    with pytest.raises(DamagedCheckpoint, match=r"v\.yml, line 2: "):
        parse_vocabulary(f"a: 1\n{line}\n", "v.yml")


def test_an_unfinished_quote_is_text():
    assert scalar('"') == '"'
    assert scalar('"a') == '"a'
