"""Systems side by side."""

from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import pytest
import sacrebleu

from longways.errors import ConfigError
from longways.evaluation.comparison import compare, count_copied, count_empty
from longways.evaluation.system_output import SystemOutput


@dataclass
class Texts:
    """References as a comparison needs them."""

    references: list[list[str]] = field(
        default_factory=lambda: [["A pod runs here.", "ls -l"], ["It is a small one, they say."]]
    )
    sources: list[list[str]] | None = None
    target_language: str = ""
    names: tuple[str, ...] = ("x", "y")


SOURCES = [["Ein Pod", "ls -l"], ["Er ist klein"]]
OUTPUT = [["A pod runs there.", "ls -l"], ["It is a small one, we say."]]


def test_scores_equal_sacrebleus_to_two_digits():
    (row,) = compare([SystemOutput("a", 2, OUTPUT)], Texts()).rows()
    joined = [" ".join(d) for d in OUTPUT], [[" ".join(d) for d in Texts().references]]
    flat = [*chain(*OUTPUT)], [[*chain(*Texts().references)]]
    bleu = sacrebleu.corpus_bleu(*joined)
    assert row["document BLEU"] == round(bleu.score, 2)
    assert row["sentence BLEU"] == round(sacrebleu.corpus_bleu(*flat).score, 2)
    assert row["document chrF"] == round(sacrebleu.corpus_chrf(*joined).score, 2)
    assert row["chrF"] == round(sacrebleu.corpus_chrf(*flat).score, 2)
    assert row["length ratio"] == round(bleu.sys_len / bleu.ref_len, 3)


def test_a_short_translation_has_a_small_length_ratio():
    short = [["A pod", ""], ["It is"]]
    (row,) = compare([SystemOutput("a", 2, short)], Texts()).rows()
    assert row["length ratio"] == round(4 / 16, 3)
    assert row["empty"] == 1


def test_empty_and_copied_sentences_are_counted():
    output = [["Ein Pod ", "ls -l"], [" "]]
    assert count_empty(output) == 1
    assert count_copied(output, Texts(sources=SOURCES)) == 1  # a command is rightly left as it is
    assert count_copied(output, Texts()) is None


def test_what_is_known_of_no_system_is_no_column():
    plain, kept = SystemOutput("a", None, OUTPUT), SystemOutput("b", 4, OUTPUT, seconds=2.04)
    (row,) = compare([plain], Texts()).rows()
    assert not {"L", "context", "copied", "seconds", "loss"} & row.keys()
    limited = SystemOutput("a", None, OUTPUT, context="3")
    assert [row["context"] for row in compare([limited, plain], Texts()).rows()] == ["3", None]
    one, other = compare([plain, kept], Texts(sources=SOURCES)).rows()
    assert (one["L"], other["L"], one["copied"]) == (None, 4, 0)
    assert (one["seconds"], other["seconds"]) == (None, 2.0)


def test_losses_are_compared_where_all_systems_have_them():
    losses = np.array([[4.0, 2.0], [3.0, 3.0]])
    with_losses = SystemOutput("a", 4, OUTPUT, losses)
    one, other = compare(
        [with_losses, SystemOutput("b", 4, OUTPUT, losses / [2, 1])], Texts()
    ).rows()
    assert (one["loss"], other["loss"]) == (1.4, 0.7)
    assert other["loss difference"].startswith("-0.7000 [")
    one, _ = compare([with_losses, SystemOutput("b", 4, OUTPUT)], Texts()).rows()
    assert "loss" not in one


def test_only_the_named_metrics_are_computed():
    compared = compare([SystemOutput("a", 2, OUTPUT)], Texts(), metrics=["chrf"])
    assert list(compared.signatures) == ["chrF"]
    assert not [name for name in compared.rows()[0] if "BLEU" in name]


def test_details_say_what_made_a_system_and_score_each_document():
    judged = SystemOutput("a", 2, OUTPUT, beam=4, runtime="onnxruntime-1", model_hash="abc")
    (found,) = compare([judged], Texts()).details(by_document=True)
    assert found["signatures"]["BLEU"].endswith("|L:2|beam:4|runtime:onnxruntime-1|model:abc")
    assert (found["model"], found["model hash"]) == ("a", "abc")
    assert [(d["document"], d["sentences"]) for d in found["documents"]] == [("x", 2), ("y", 1)]
    alone = sacrebleu.corpus_bleu(OUTPUT[1], [Texts().references[1]]).score
    assert found["documents"][1]["BLEU"] == round(alone, 2)
    assert "documents" not in compare([judged], Texts()).details()[0]


@pytest.mark.parametrize(
    ("asked", "of_references", "of_systems", "wanted"),
    [
        ("", "", ["", ""], "13a"),
        ("", "", ["", "zh"], "zh"),
        ("", "zh", ["en", "zh"], "zh"),
        ("zh", "en", ["en", "en"], "zh"),
    ],
)
def test_the_target_language_is_found(asked, of_references, of_systems, wanted):
    judged = [SystemOutput("a", 1, OUTPUT, language=language) for language in of_systems]
    found = compare(judged, Texts(target_language=of_references), language=asked)
    assert f"tok:{wanted}" in found.signatures["BLEU"]


def test_systems_of_two_languages_are_not_guessed_about():
    judged = [SystemOutput("a", 1, OUTPUT, language=language) for language in ("zh", "en")]
    with pytest.raises(ConfigError, match=r"into en and zh\. Say which is meant with --language"):
        compare(judged, Texts())
