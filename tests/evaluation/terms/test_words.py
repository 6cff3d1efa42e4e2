"""The words by which terms are found."""

import pytest

from longways.errors import ConfigError
from longways.evaluation.terms.words import common_words, is_content, split_stems


@pytest.mark.parametrize(
    ("language", "text", "stems"),
    [
        ("en", "The Clusters were restarted.", ["the", "cluster", "were", "restart", "."]),
        ("de", "Die Knoten, zwei", ["die", "knot", ",", "zwei"]),
        ("zh", "重启集群。", ["重启", "集群", "。"]),
        ("zh-TW", "集群", ["集群"]),
        ("xx", "Same Words", ["same", "words"]),
    ],
)
def test_words_are_split_and_stemmed_by_language(language, text, stems):
    assert split_stems(language)(text) == stems


def test_a_language_without_spaces_and_segmenter_is_refused():
    with pytest.raises(ConfigError, match="Leave out --terms"):
        split_stems("ja")


@pytest.mark.parametrize(
    ("word", "expected"),
    [("集群", True), ("集", False), ("pod", True), ("of", False), ("v2", False), ("。", False)],
)
def test_only_words_of_letters_can_be_terms(word, expected):
    assert is_content(word) is expected


def test_common_words_stand_in_many_sentences_however_often_in_each():
    sentences = [["the", "pod", "pod"] if i < 21 else ["a", f"word{i}"] for i in range(200)]
    sentences[:2] = [["the"], ["the"]]
    assert common_words(sentences) == {"the", "a"}


def test_in_a_short_text_no_word_is_common():
    assert common_words([["the", "pod"]] * 20) == set()
