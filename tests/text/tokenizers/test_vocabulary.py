from longways.text.tokenizers.special_tokens import SPELLINGS, UNK
from longways.text.tokenizers.vocabulary import Vocabulary

COUNTS = {"b": 2, "a": 2, "c@@": 5, "<sep>": 9}


def test_special_tokens_come_first_then_the_most_frequent_then_the_alphabet():
    assert Vocabulary.from_counts(COUNTS).entries == (*SPELLINGS, "c@@", "a", "b")


def test_subwords_become_ids_and_what_is_missing_becomes_unknown():
    vocabulary = Vocabulary.from_counts(COUNTS)
    assert vocabulary.ids(["c@@", "b", "z"]) == [5, 7, UNK]
    assert len(vocabulary) == 8


def test_text_that_spells_a_special_token_is_only_text():
    vocabulary = Vocabulary.from_counts(COUNTS)
    assert vocabulary.ids(["<sep>", "<pad>"]) == [UNK, UNK]
    assert "<sep>" not in vocabulary


def test_the_file_has_one_entry_per_line_and_can_be_read():
    vocabulary = Vocabulary.from_counts(COUNTS)
    assert vocabulary.to_bytes().decode().splitlines() == list(vocabulary.entries)
    assert Vocabulary.from_bytes(vocabulary.to_bytes()) == vocabulary
