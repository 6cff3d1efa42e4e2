import pytest

from longways.text.tokenizers.moses import Moses
from longways.text.tokenizers.words import words_of


@pytest.mark.parametrize(
    ("language", "sentence", "words"),
    [
        ("en", "Don't stop, Mr. Smith!", "Don 't stop , Mr. Smith !"),
        ("en", "It costs 1,000.50 (about).", "It costs 1,000.50 ( about ) ."),
        ("en", "“Quoted”  —  twice", '" Quoted " - twice'),
        ("en", "a < b & c | d", "a < b & c | d"),
        ("ru", "Он сказал: «Да», и ушёл.", 'Он сказал : " Да " , и ушёл .'),
        ("en", "", ""),
    ],
)
def test_words_are_those_of_moses_without_xml(language, sentence, words):
    assert Moses(language).split(sentence) == words.split()


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", 'She said: "Leave the 12 boats where they are!"'),
        ("en", "The captain's letter (again), Mr. Smith's, wasn't lost."),
        ("en", "a < b & c | d"),
        ("ru", "Мы не знаем, почему письмо (снова) потерялось."),
    ],
)
def test_ordinary_sentences_come_back(language, sentence):
    moses = Moses(language)
    assert moses.join(moses.split(sentence)) == sentence


def test_what_moses_does_not_distinguish_is_normalised():
    assert Moses("en").normalise(" “Two”\tspaces  here ") == '"Two" spaces here'


@pytest.mark.parametrize(("language", "cased"), [("zh", False), ("zh-CN", False), ("ru", True)])
def test_only_chinese_has_no_capitals(language, cased):
    assert words_of(language).cased is cased
