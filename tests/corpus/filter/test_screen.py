"""The filter step counts what it drops, and never joins strangers to a document."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longways.corpus.document import Document
from longways.corpus.filter.config import FilterConfig
from longways.corpus.filter.hashes import HashSet, text_hash
from longways.corpus.filter.screen import Screen
from longways.corpus.gaps import between_gaps
from longways.corpus.prepare import Reporter, prepare
from longways.corpus.recipe import CorpusConfig, FilesConfig
from longways.errors import CorpusError
from longways.text.config import TextConfig

QUIET = Reporter(lambda *_: None, lambda _: None)
GOOD = [(f"This is sentence {word}.", f"Das ist Satz {word}.") for word in "abcdef"]
BAD = ("It was in 1987.", "Es war 1988.")


def document(*pairs, name="d"):
    return Document(name, [pair[0] for pair in pairs], [pair[1] for pair in pairs])


def filtered(*documents, **settings):
    dropped = Counter()
    screen = Screen(FilterConfig(**settings), ("en", "de"))
    return list(screen.filtered(documents, dropped)), dropped


def test_one_dropped_pair_leaves_a_document_whole():
    found, dropped = filtered(document(*GOOD[:2], BAD, *GOOD[2:4]))
    assert found == [document(*GOOD[:4])]
    assert dropped == {"different numbers": 1}


def test_two_dropped_pairs_in_a_row_end_a_document():
    found, dropped = filtered(document(*GOOD[:2], BAD, ("In 1990.", "1991."), *GOOD[2:4], BAD))
    assert found == [document(*GOOD[:2], name="d/1"), document(*GOOD[2:4], name="d/2")]
    assert dropped == {"different numbers": 3}


def test_repeated_pairs_are_dropped_without_a_gap():
    found, dropped = filtered(document(GOOD[0], GOOD[0], GOOD[0], GOOD[0], GOOD[1], GOOD[0]))
    assert found == [document(GOOD[0], GOOD[1], GOOD[0])]
    assert dropped == {"repeated pair": 3}


def test_a_document_with_the_same_text_is_dropped_whatever_its_name():
    same = document(*GOOD[:3], name="other")
    found, dropped = filtered(document(*GOOD[:3]), same, document(*GOOD[:2]))
    assert [len(one) for one in found] == [3, 2]
    assert dropped == {"repeated document": 3}
    assert len(filtered(same, same, duplicates=False)[0]) == 2


def test_a_document_without_good_pairs_disappears():
    assert filtered(document(BAD, BAD)) == ([], {"different numbers": 1, "repeated pair": 1})


def test_the_second_pass_repeats_the_decisions_of_the_first(monkeypatch):
    screen = Screen(FilterConfig(), ("en", "de"))
    documents = [document(*GOOD[:2], BAD, GOOD[3]), document(*GOOD), document(*GOOD)]
    first, second = Counter(), Counter()
    before = list(screen.filtered(documents, first))
    monkeypatch.setattr("longways.corpus.filter.screen.reason", None)  # it is not asked again
    assert list(screen.filtered(documents, second)) == before
    assert first == second == {"different numbers": 1, "repeated document": 6}


def test_a_pass_that_was_left_early_is_decided_anew():
    screen = Screen(FilterConfig(), ("en", "de"))
    next(iter(screen.filtered([document(*GOOD), document(BAD)], Counter())))
    dropped = Counter()
    assert list(screen.filtered([document(BAD), document(*GOOD)], dropped)) == [document(*GOOD)]
    assert dropped == {"different numbers": 1}


@given(st.lists(st.booleans(), max_size=30))
def test_gaps_keep_every_pair_once_and_in_order(kept):
    pairs = [(str(n), str(n)) if is_kept else None for n, is_kept in enumerate(kept)]
    found = [
        pair for d in between_gaps("d", pairs) for pair in zip(d.source, d.target, strict=True)
    ]
    assert found == [pair for pair in pairs if pair]


@given(st.lists(st.integers(1, 2**64 - 1), max_size=3000))
def test_the_set_of_hashes_is_a_set(values):
    ours, seen = HashSet(), set()
    for value in values:
        assert ours.add(value) == (value not in seen)
        seen.add(value)
    assert len(ours) == len(seen)


def test_hashes_of_lists_know_where_a_text_ends():
    assert text_hash(["ab", "c"]) != text_hash(["a", "bc"])
    assert text_hash(["\ud800"])


def test_prepare_filters_the_splits_that_are_named_and_saves_the_counts(tmp_path):
    lines = "".join(f"d\t{s}\t{t}\n" for s, t in [*GOOD, BAD, ("Empty here.", " ")])
    (tmp_path / "train.tsv").write_text(lines)
    (tmp_path / "dev.tsv").write_text(lines.replace("\t \n", "\tx\n"))
    files = {split: FilesConfig(files=(f"{split}.tsv",)) for split in ("train", "dev")}
    config = CorpusConfig(
        source_language="en", target_language="de", text=TextConfig(vocabulary=290),
        filter=FilterConfig(splits=("train",)), **files,
    )  # fmt: skip
    data = prepare(config, tmp_path, tmp_path / "out", QUIET)
    assert data.dropped == {"train": {"empty side": 1, "different numbers": 1}, "dev": {}}
    assert {name: count.sentences for name, count in data.counts.items()} == {"train": 6, "dev": 8}
    plain = CorpusConfig(source_language="en", target_language="de", train=files["train"])
    with pytest.raises(CorpusError, match="the sentence is empty"):
        prepare(plain, tmp_path, tmp_path / "other", QUIET)
