"""Scores against hand-made documents."""

import pytest
import sacrebleu

from longways.errors import CorpusError
from longways.evaluation import score_documents

REFERENCES = [
    ["The lamps went out at night.", "Nobody in Lisbon had seen it."],
    ["She left the boats where they were."],
]
TRANSLATIONS = [
    ["The lamps went out at night. Nobody", "in Lisbon had seen it."],
    ["She left those boats where they were."],
]


def test_a_document_is_one_segment_so_where_its_sentences_end_does_not_matter():
    moved = score_documents(TRANSLATIONS[:1], REFERENCES[:1])
    assert moved.document_bleu.value == pytest.approx(100)
    assert moved.sentence_bleu.value < 99


def test_the_numbers_are_those_of_sacrebleu():
    found = score_documents(TRANSLATIONS, REFERENCES)
    joined = [" ".join(d) for d in TRANSLATIONS], [[" ".join(d) for d in REFERENCES]]
    flat = [s for d in TRANSLATIONS for s in d], [[s for d in REFERENCES for s in d]]
    assert found.document_bleu.value == sacrebleu.corpus_bleu(*joined).score
    assert found.sentence_bleu.value == sacrebleu.corpus_bleu(*flat).score
    assert found.chrf.value == sacrebleu.corpus_chrf(*flat).score


def test_signatures_say_how():
    found = score_documents(TRANSLATIONS, REFERENCES)
    assert "case:mixed" in found.document_bleu.signature
    assert "tok:13a" in found.document_bleu.signature
    assert "nc:6" in found.chrf.signature
    chinese = score_documents(TRANSLATIONS, REFERENCES, tokenize="zh")
    assert "tok:zh" in chinese.sentence_bleu.signature


@pytest.mark.parametrize(
    ("translations", "references", "message"),
    [
        (TRANSLATIONS[:1], REFERENCES, "1 translated documents, but 2 references"),
        ([["a"], ["b"]], REFERENCES, "Document 1 has 1 translated sentences, but its reference"),
        ([], [], "no references"),
    ],
)
def test_documents_that_are_not_parallel_are_refused(translations, references, message):
    with pytest.raises(CorpusError, match=message):
        score_documents(translations, references)
