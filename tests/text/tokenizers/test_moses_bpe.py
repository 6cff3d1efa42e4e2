from collections import Counter

import pytest

from longways.errors import TextError
from longways.text import worker_processes
from longways.text.config import TextConfig
from longways.text.pipeline import learn
from longways.text.tokenizers.base import round_trip_share
from longways.text.tokenizers.special_tokens import BOS, EOS, SEP, UNK
from longways.text.tokenizers.words import words_of
from tests.text.corpus import HARD, PAPER, SENTENCES, pairs, pipeline

LANGUAGES = [("en", "ru"), ("zh", "en")]


@pytest.mark.parametrize("languages", LANGUAGES)
def test_decoding_the_corpus_gives_the_normalised_sentences(languages):
    made = pipeline(*languages, PAPER)
    for language, side in zip(languages, (made.source, made.target), strict=True):
        plain = [s.format(n=12) for s in SENTENCES[language] if "http" not in s]
        assert round_trip_share(side, plain) == 1


@pytest.mark.parametrize("languages", LANGUAGES)
def test_only_characters_that_were_not_learned_are_unknown(languages):
    made = pipeline(*languages, PAPER)
    for side in (made.source, made.target):
        rows = side.encode(list(HARD))
        assert rows[:2] == [[], []]
        assert min(min(row, default=UNK) for row in rows) == UNK
        assert len(side.decode(rows)) == len(HARD)


def test_the_corpus_itself_has_no_unknown_subword():
    made = pipeline("zh", "en", PAPER)
    for sentences, side in zip(
        zip(*pairs("zh", "en"), strict=True), (made.source, made.target), strict=True
    ):
        assert not any(side.unknown(row) for row in side.encode(list(sentences)))


def test_the_vocabulary_counts_what_encoding_the_corpus_gives():
    """Counting words once and truecasing the counts equals truecasing the text."""
    made = pipeline("en", "ru", PAPER)
    rows = made.source.encode([source for source, _ in pairs("en", "ru")])
    counts = Counter(i for row in rows for i in row)
    order = sorted(counts, key=lambda i: (-counts[i], made.source.vocabulary.entries[i]))
    assert order == list(range(5, made.source.size))


def test_a_word_that_opens_a_sentence_has_the_id_of_its_usual_casing():
    side = pipeline("en", "ru", PAPER).source
    assert side.encode(["The captain"])[0] == side.encode(["the captain"])[0]
    assert side.decode(side.encode(["the captain"])) == ["The captain"]


def test_chinese_has_no_truecaser():
    made = pipeline("zh", "en", PAPER)
    assert made.source.truecaser is None
    assert made.target.truecaser is not None


def test_special_ids_are_dropped_from_text():
    side = pipeline("en", "ru", PAPER).source
    ids = side.encode(["The captain"])[0]
    assert side.decode([[BOS, SEP, *ids, UNK, EOS]]) == ["The captain"]


def test_learning_twice_gives_the_same_tokenizers():
    again = learn(PAPER, "zh", "en", lambda: pairs("zh", "en"))
    assert again == pipeline("zh", "en", PAPER)


def test_worker_processes_give_the_same_as_one_process(monkeypatch):
    made = pipeline("en", "ru", PAPER)
    sentences = [source for source, _ in pairs("en", "ru")]
    alone = made.source.encode(sentences)
    monkeypatch.setattr(worker_processes, "BATCH", 40)
    monkeypatch.setattr(worker_processes, "MIN_BATCHES", 2)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert made.source.encode(sentences) == alone


def test_learning_from_no_text_is_refused():
    with pytest.raises(TextError, match="no text to learn from"):
        learn(TextConfig(kind="moses-bpe"), "zh", "en", lambda: iter([("", " ")]))


def test_a_language_moses_does_not_know_still_has_words():
    assert words_of("xx").split("Un, deux.") == ["Un", ",", "deux", "."]
