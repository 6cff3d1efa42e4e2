import pytest

from longways.text.tokenizers.truecase import Truecaser, detruecase, openings

COUNTS = {
    "the": 9,
    "The": 1,
    "Lisbon": 4,
    "lisbon": 1,
    "NASA": 2,
    "iPhone": 3,
    "Rain": 1,
    "rain": 1,
}


@pytest.fixture
def truecaser():
    return Truecaser.from_counts({**COUNTS, "42": 5, ",": 7})


@pytest.mark.parametrize(
    ("words", "opening"),
    [
        ("The rain fell . It stopped", ["The", "It"]),
        ('" ( The rain', ['"', "(", "The"]),
        ("No : it did", ["No"]),
        ("3 Dogs ? ! Yes", ["3", "!", "Yes"]),
    ],
)
def test_a_sentence_opens_after_an_end_and_any_quotes_or_brackets(words, opening):
    assert [word for word, opens in openings(words.split()) if opens] == opening


@pytest.mark.parametrize(
    ("words", "true"),
    [
        ("The rain", "the rain"),  # most frequent inside sentences
        ("Lisbon . The end", "Lisbon . the end"),  # a name keeps its capital; a second sentence
        ("in The lisbon", "in The lisbon"),  # known casings stay
        ("in THE LISBON", "in the Lisbon"),  # unknown casings become the most frequent one
        ("Unheard Of", "Unheard Of"),  # unknown words
        ("IPHONE", "iPhone"),
    ],
)
def test_words_get_the_casing_of_the_rule(truecaser, words, true):
    assert truecaser.truecase(words.split()) == true.split()


def test_ties_go_to_the_first_in_the_alphabet(truecaser):
    assert truecaser.truecase(["rain"]) == ["Rain"]


def test_words_without_case_are_not_stored(truecaser):
    assert "42" not in truecaser.casings
    assert "," not in truecaser.casings


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("the rain . it fell", "The rain . It fell"),
        ('" the rain', '" The rain'),
        ("iPhone : new", "iPhone : new"),
        ("", ""),
    ],
)
def test_every_sentence_opens_with_a_capital_again(words, text):
    assert detruecase(words.split()) == text.split()


def test_the_file_is_that_of_moses_and_reads_back(truecaser):
    content = truecaser.to_bytes()
    assert b"\nthe (9/10) The (1)\n" in content
    assert Truecaser.from_bytes(content) == truecaser
    assert Truecaser.from_bytes(Truecaser({}).to_bytes()) == Truecaser({})
