"""The share of recurring words with one translation."""

from collections import Counter

import pytest

from longways.evaluation.terms.consistency import TermCounter, summarise


def documents(side: int, *found):
    """One side of documents of (source, target) sentences."""
    return [[pair[side] for pair in one] for one in found]


PAGE = [("knoten stoppt", "node stops"), ("speicher fehlt", "memory lacks"), ("knoten", "node")]
OTHER = [("knoten stoppt", "node halts"), ("knoten", "vertex"), ("knoten", "vertex")]


def test_terms_and_pairs_are_counted_by_document():
    translations = [Counter(node=2), Counter(node=1, vertex=2), Counter(memory=1)]
    found = summarise(translations)
    assert (found.terms, found.same) == (2, 1)
    assert (found.pairs, found.same_pairs) == (1 + 3, 1 + 1)
    assert (found.same_share, found.pair_share) == (50.0, 50.0)


def test_no_recurring_word_gives_zero():
    assert summarise([Counter(node=1)]).same_share == 0


def test_golden_figures_of_two_pages():
    sources, targets = documents(0, PAGE, OTHER), documents(1, PAGE, OTHER)
    found = TermCounter(sources, targets, "de", "en").references()
    assert (found.terms, found.same) == (2, 1)
    assert (found.pairs, found.same_pairs) == (1 + 3, 1 + 1)


def test_a_system_that_is_consistent_scores_higher_than_its_references():
    sources, references = documents(0, PAGE, OTHER), documents(1, PAGE, OTHER)
    counter = TermCounter(sources, references, "de", "en")
    better = [[line.replace("vertex", "node") for line in page] for page in references]
    assert counter.output(better).same_share == 100
    assert counter.output(references) == counter.references()


def test_inflected_forms_are_one_translation():
    pages = [[("knoten", "node"), ("zwei knoten", "two nodes")]]
    found = TermCounter(documents(0, *pages), documents(1, *pages), "de", "en").references()
    assert (found.terms, found.same) == (1, 1)


@pytest.mark.parametrize("empty", [[], [[]]])
def test_nothing_to_translate_is_no_error(empty):
    found = TermCounter(empty, empty, "de", "en").references()
    assert (found.terms, found.pair_share) == (0, 0)
