# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Text in, text out: nothing lost, nothing made up, every sentence with those before it in view."""

import gc
import subprocess
import sys
import tracemalloc
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import longways
from longways import Report
from longways.corpus.readers.toy import make_documents
from longways.errors import CheckpointError, ConfigError, DamagedCheckpoint, TextError
from longways.text.sentences.splitter import LINE_END, split_text
from longways.text.untranslatable import is_untranslatable
from tests.translation.echo import echo_translator

ECHO, BACK = echo_translator("zh", "en"), echo_translator("en", "zh")
TINY = echo_translator("zh", "en", positions=110)

LINES = st.one_of(
    st.sampled_from(
        ["", " ", "\t", "word", "你好", "🙂", "👩‍👩‍👧", "123", "https://example.org/a"]
    ),
    st.sampled_from(
        ["船长的信" * 750, "word " * 600, "one, two; " * 300, "Mixed смесь 混合. Да! 好。"]
    ),
    st.sampled_from(
        ["\x00\x07", "a\x01b", "\x1f", "\u200bx\u200b", "ﬁ½", "<sep> <eos>", "“好！”他说。"]
    ),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=12),
)
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\r\n\r\n"])
DOCUMENTS = st.lists(st.tuples(LINES, ENDS), max_size=8)


def spelled(text: str) -> str:
    """As SentencePiece gives it back."""
    return text.replace("\u2581", " ")


@settings(max_examples=40, deadline=None)
@given(DOCUMENTS, st.booleans())
def test_a_text_comes_back_whole_with_its_lines_and_paragraphs(document, final):
    text = "".join(line + end for line, end in document) + ("" if final else "last")
    report = Report()
    found = BACK.translate(text, beam=1, report=report)
    # Into a language without spaces, single ones between sentences go, and nothing else.
    assert found.replace(" ", "") == spelled(text).replace(" ", "")
    assert found.splitlines() == [] or len(found.splitlines()) == len(text.splitlines())
    assert report.cut == 0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(LINES, st.tuples(LINES, ENDS, LINES).map("".join)), max_size=6))
def test_sentences_in_are_sentences_out(sentences):
    for translator in (ECHO, TINY):
        found = translator.translate(sentences, beam=1)
        assert len(found) == len(sentences)
        for sentence, translation in zip(sentences, found, strict=True):
            assert "".join(translation.split()) == "".join(spelled(sentence).split())
            assert len(LINE_END.findall(translation)) == len(LINE_END.findall(sentence))


def test_spaces_between_sentences_are_those_of_the_target():
    assert ECHO.translate("好。走吧！\r\n\r\n　　再见。", beam=1) == "好。 走吧！\r\n\r\n　　再见。"
    assert ECHO.translate("好。  走吧！", beam=1) == "好。  走吧！"
    assert (
        BACK.translate("Yes. Go!\n\n  Bye.  So be it. ", beam=1) == "Yes.Go!\n\n  Bye.  So be it. "
    )
    assert ECHO.translate("", beam=1) == ""
    assert ECHO.translate([], beam=1) == []


def test_a_sentence_that_is_too_long_is_cut_at_a_clause_and_joined_again():
    report = Report()
    sentence = "我们不知道，" * 160 + "好。"
    assert TINY.translate([sentence], beam=1, report=report)[0].replace(" ", "") == sentence
    assert (report.sentences, report.split, report.untranslated, report.cut) == (1, 1, 0, 0)
    assert "1 translated in several segments" in str(report)
    assert TINY.runtime.windows > 10
    found = TINY.segments([split_text(sentence, "zh")], beam=1)
    assert all(ready.segment.text.endswith(("，", "。")) for ready in found)


def test_what_cannot_be_translated_comes_back_and_reaches_no_model():
    translator, report = echo_translator(), Report()
    text = "123\n-----\nhttps://example.org\n\n🙂\n"
    assert translator.translate(text, report=report) == text
    assert translator.runtime.windows == 0
    assert (report.sentences, report.untranslated, report.source_tokens) == (4, 4, 0)


def test_a_stream_is_read_only_as_far_as_it_is_needed():
    asked = []

    def reading():
        for number in range(100):
            asked.append(number)
            yield f"句子{number}。"

    stream = ECHO.stream(reading(), beam=1)
    assert asked == []
    for number, translation in enumerate(islice(stream, 5)):
        assert translation == f"句子{number}。"
        assert asked == list(range(number + 1))


def test_text_is_ready_as_soon_as_its_line_has_ended():
    asked = []

    def typing():
        for chunk in ("他来", "了。她", "走了。\n再", "见\n"):
            asked.append(chunk)
            yield chunk

    stream = ECHO.stream_text(typing(), beam=1)
    assert (next(stream), asked) == ("他来了。", ["他来", "了。她", "走了。\n再"])
    assert (next(stream), next(stream)) == (" 她走了。\n", "再见\n")


def test_documents_side_by_side_are_as_each_would_be_alone():
    documents = [[f"句子{n}。" for n in range(size)] for size in (3, 0, 5, 1)] + [["", "好", ""]]
    assert ECHO.translate_documents(iter(documents), beam=2) == documents
    assert [ECHO.translate(document, beam=2) for document in documents] == documents


def held(sentences: int) -> int:
    """Bytes in use when so many sentences are translated, and more could come."""
    lines = (f"句子{number}，我们不知道。\n" for number in range(sentences + 1))
    stream = ECHO.stream_text(lines, beam=1)
    tracemalloc.start()
    try:
        for _ in islice(stream, sentences):
            pass
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_document():
    held(20)  # what is kept once for all
    assert held(800) < held(100) + 60_000  # text and ids of the others would be 200 kB


def test_memory_does_not_grow_with_a_line():
    def line():
        yield from ("我们不知道，" for _ in range(100_000))

    tracemalloc.start()
    for _ in islice(ECHO.stream_text(line(), beam=1), 60):
        pass
    assert tracemalloc.get_traced_memory()[1] < 4_000_000
    tracemalloc.stop()


def test_the_window_is_the_trained_one_or_smaller():
    with pytest.raises(ConfigError, match=r"longer than the 3 this model was trained on"):
        ECHO.translate("好", window=4)
    with pytest.raises(ConfigError, match="at least 1"):
        ECHO.translate("好", window=0)
    assert ECHO.translate("好", window=1) == "好"


def test_an_unknown_option_is_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'windows'"):
        ECHO.translate("好", windows=2)


def test_several_hypotheses_come_with_their_scores_the_best_first():
    (ready,) = ECHO.segments([split_text("好。", "zh")], beam=3, nbest=3)
    scores = [score for _, score in ready.alternatives]
    assert ready.alternatives[0] == (ready.translation, ready.score)
    assert len(scores) > 1
    assert scores == sorted(scores, reverse=True)


class TestLearned:
    """A model that has learned the toy language."""

    def test_context_is_used(self, learned):
        translator = longways.load(learned)
        documents = make_documents(8, seed=77)
        sources, report = [document.source for document in documents], Report()
        with_context = translator.translate_documents(sources, beam=1, report=report)
        alone = translator.translate_documents(sources, beam=1, window=1)
        assert pronouns_right(with_context, documents) > 0.9
        assert pronouns_right(alone, documents) < 0.5
        assert report.documents == 8
        assert report.sentences == sum(map(len, sources))
        assert report.target_tokens > report.sentences
        assert 0 < report.seconds < 60

    def test_a_text_is_translated_as_its_sentences_are(self, learned):
        translator = longways.load(learned)
        (document,) = make_documents(1, seed=5)
        wanted = translator.translate(document.source)
        assert translator.translate("\r\n\r\n".join(document.source)) == "\r\n\r\n".join(wanted)
        assert list(translator.stream(iter(document.source))) == wanted
        assert not any(map(is_untranslatable, wanted))

    def test_a_file_is_translated(self, learned, tmp_path):
        translator = longways.load(str(learned), threads=1)
        (tmp_path / "page.toy.txt").write_text("rona velu tokim\n")
        out = translator.translate_file(tmp_path / "page.toy.txt")
        assert out == tmp_path / "page.en.txt"
        assert out.read_text() == translator.translate("rona velu tokim\n")


def pronouns_right(found, documents) -> float:
    right = [f[i] == d.target[i] for f, d in zip(found, documents, strict=True) for i in d.pronouns]
    return sum(right) / len(right)


class TestLoading:
    def test_without_a_model_one_sentence_says_how_to_name_one(self, monkeypatch, tmp_path):
        monkeypatch.setattr("longways.translation.model_folder.MODELS", tmp_path)
        with pytest.raises(CheckpointError, match=r"No model is bundled .* longways\.load\(DIR\)"):
            longways.load()

    def test_a_folder_that_is_no_model(self, learned, tmp_path):
        with pytest.raises(DamagedCheckpoint, match="There is no model folder at"):
            longways.load(tmp_path / "nowhere")
        with pytest.raises(CheckpointError, match="is a run; the model in it is at"):
            longways.load(learned.parent)

    def test_a_model_without_words_or_weights(self, learned, tmp_path):
        (tmp_path / "config.json").write_bytes((learned / "config.json").read_bytes())
        with pytest.raises(TextError, match="has no folder text"):
            longways.load(tmp_path)
        (tmp_path / "text").symlink_to(learned / "text")
        with pytest.raises(DamagedCheckpoint, match="neither graphs nor weights"):
            longways.load(tmp_path)

    @pytest.mark.parametrize(
        ("options", "words"),
        [({"device": "tpu"}, "must be cpu or cuda"), ({"threads": 0}, "whole number from 1")],
    )
    def test_options_that_make_no_sense(self, learned, options, words):
        with pytest.raises(ConfigError, match=words):
            longways.load(learned, **options)


def test_loading_the_translator_loads_no_engine():
    code = (
        "import sys, longways; longways.load, longways.Translator, longways.Report\n"
        "print([m for m in ('torch', 'onnxruntime') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
