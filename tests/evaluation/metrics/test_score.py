"""Scores against hand-made documents and against sacreBLEU's own command."""

import json
import subprocess
import sys

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from longways.errors import ConfigError, CorpusError
from longways.evaluation.metrics.metric import Bleu, Chrf
from longways.evaluation.metrics.score import Scorer, open_metrics, score_documents, tokenizer_for

REFERENCES = [
    ["The lamps went out at night.", "Nobody in Lisbon had seen it."],
    ["She left the boats where they were."],
]
TRANSLATIONS = [
    ["The lamps went out at night. Nobody", "in Lisbon had seen it."],
    ["She left those boats where they were."],
]
CHINESE = [["灯在夜里熄灭了,没有人看见。", "她花了3.5元。"], ["她离开了那些小船。"]]
CHINESE_TRANSLATIONS = [["灯在夜里熄灭,没人看见。", "她花了3.5块钱。"], ["她离开了船。"]]

PIECES = [*"ab.,5-'&;<>[]|~%/ \t\n\u3000\xa0", "&quot;", "&amp;lt;", "<skipped>", "-\n", " .", "5.",
          "你", "好", "\u3002"]  # fmt: skip
strange = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def sacrebleu_scores(translations, references, folder, *options):
    """The scores that its command prints, by the name of the metric."""
    for name, lines in (("hyp", translations), ("ref", references)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "ref", "-i", "hyp", "-m", "bleu", "chrf"]
    done = subprocess.run(
        [*command, "-w", "10", "-f", "json", *options],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {one["name"]: (one["score"], one["signature"]) for one in json.loads(done.stdout)}


@pytest.mark.parametrize(
    ("translations", "references", "tokenize"),
    [(TRANSLATIONS, REFERENCES, "13a"), (CHINESE_TRANSLATIONS, CHINESE, "zh")],
)
def test_scores_equal_the_output_of_the_sacrebleu_command(
    translations, references, tokenize, tmp_path
):
    found = score_documents(translations, references, tokenize)
    levels = {
        (found.document_bleu, found.document_chrf): [
            [" ".join(document) for document in side] for side in (translations, references)
        ],
        (found.sentence_bleu, found.chrf): [
            [sentence for document in side for sentence in document]
            for side in (translations, references)
        ],
    }
    for (bleu, chrf), sides in levels.items():
        expected = sacrebleu_scores(*sides, tmp_path, "-tok", tokenize)
        assert (pytest.approx(bleu.value, abs=1e-9), bleu.signature) == expected["BLEU"]
        assert (pytest.approx(chrf.value, abs=1e-9), chrf.signature) == expected["chrF2"]
        assert 10 < bleu.value < 99


@given(
    st.lists(st.tuples(strange, strange), min_size=1, max_size=4), st.sampled_from(["13a", "zh"])
)
def test_scores_of_strange_texts_equal_sacrebleus(pairs, tokenize):
    translations, references = map(list, zip(*pairs, strict=True))
    theirs = BLEU(tokenize=tokenize, force=True), CHRF()
    for ours, other in zip((Bleu(tokenize), Chrf()), theirs, strict=True):
        counts = ours.statistics(ours.tokens(translations), ours.tokens(references))
        wanted = other.corpus_score(translations, [references]).score
        assert float(ours.score(counts.sum(0))) == pytest.approx(wanted, abs=1e-9)


@given(strange)
def test_tokens_equal_sacrebleus(text):
    wanted = BLEU(tokenize="13a", force=True).tokenizer(text.rstrip()).split()
    assert Bleu("13a").tokens([text]) == [wanted]


def test_a_document_is_one_segment_so_where_its_sentences_end_does_not_matter():
    moved = score_documents(TRANSLATIONS[:1], REFERENCES[:1])
    assert moved.document_bleu.value == pytest.approx(100)
    assert moved.sentence_bleu.value < 99


def test_each_document_alone_is_scored_as_if_it_were_all():
    (bleu, chrf) = Scorer(REFERENCES, open_metrics(["bleu", "chrf"])).statistics(TRANSLATIONS)
    for i, (one, other) in enumerate(zip(TRANSLATIONS, REFERENCES, strict=True)):
        joined = [" ".join(one)], [[" ".join(other)]]
        assert bleu.by_document()[i] == pytest.approx(sacrebleu.corpus_bleu(*joined).score)
        assert chrf.by_document()[i] == pytest.approx(sacrebleu.corpus_chrf(*joined).score)


def test_signatures_say_how():
    found = score_documents(TRANSLATIONS, REFERENCES)
    assert "case:mixed" in found.document_bleu.signature
    assert "tok:13a" in found.document_bleu.signature
    assert "nc:6" in found.chrf.signature


def test_chinese_is_cut_into_characters_and_other_languages_into_words():
    assert (tokenizer_for("zh"), tokenizer_for("en"), tokenizer_for("")) == ("zh", "13a", "13a")
    assert "tok:zh" in open_metrics(["bleu"], "zh")[0].signature


def test_metrics_are_opened_by_name():
    assert [metric.name for metric in open_metrics(["chrf"])] == ["chrF"]
    assert [metric.name for metric in open_metrics([])] == ["BLEU", "chrF"]
    with pytest.raises(ConfigError, match=r"There is no metric 'ter'. Use bleu or chrf\."):
        open_metrics(["bleu", "ter"])


@pytest.mark.parametrize(
    ("translations", "references", "message"),
    [
        (TRANSLATIONS[:1], REFERENCES, "differ at document 2: only the latter has it"),
        ([["a"], ["b"]], REFERENCES, "differ at document 1: it has 1 and 2 sentences"),
        ([], [], "no references"),
    ],
)
def test_documents_that_are_not_parallel_are_refused(translations, references, message):
    with pytest.raises(CorpusError, match=message):
        score_documents(translations, references)
