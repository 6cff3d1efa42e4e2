"""Kept pairs come back as they were written, or not at all."""

import gzip
import io

from hypothesis import given
from hypothesis import strategies as st

from longways.formats.base import Mark, Passage
from longways.translation.files.updates.kept import (
    Head,
    Kept,
    KeptPassage,
    KeptSentence,
    dump,
    load,
    load_head,
)

TEXTS = st.text(max_size=8)
MARKS = st.lists(st.builds(Mark, *[st.integers(0, 9)] * 3), max_size=2).map(tuple)
KEEP = st.sampled_from([(), ((0, 1),), ((0, 1), (2, 3))])
PASSAGES = st.builds(Passage, TEXTS, MARKS, KEEP)
SENTENCES = st.lists(st.builds(KeptSentence, TEXTS, TEXTS, st.booleans()), max_size=2).map(tuple)
HEAD = Head("a.en.md", "../a.md", "1", "2", "markdown", {"beam": 4, "window": None})
KEPT = st.builds(
    Kept,
    st.just(HEAD),
    st.lists(st.builds(KeptPassage, PASSAGES, PASSAGES, SENTENCES), max_size=4),
    st.none() | st.lists(PASSAGES, max_size=4),
)
ONE = Kept(HEAD, [KeptPassage(Passage("一。"), Passage("One."), (KeptSentence("一。", "One."),))])


@given(KEPT)
def test_what_is_written_is_read(kept):
    assert load(dump(kept)) == kept
    assert dump(kept) == dump(kept)


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_damaged_pairs_are_none(place, byte):
    data = bytearray(dump(ONE))
    data[place % len(data)] = byte
    assert load(bytes(data)) in (None, ONE)
    assert load(dump(ONE)[: place % len(data)]) is None


def test_pairs_of_another_version_and_other_files_are_none():
    newer = Kept(HEAD._replace(version=99), ONE.passages)
    assert load(dump(newer)) is None
    deep = gzip.compress(b"[" * 100_000)
    for data in (b"", b"dear diary", gzip.compress(b"5"), gzip.compress(b"{}\n[]"), deep):
        assert load(data) is None
        assert load_head(io.BytesIO(data)) is None


def test_the_head_is_read_without_the_rest():
    assert load_head(io.BytesIO(dump(ONE))) == HEAD
