"""Translations that are given are taken as they are, and are context like the model's own."""

import pytest

from longways.text.sentences.splitter import Segment
from longways.translation.report import Report
from tests.translation.echo import echo_translator

CHINESE = ["灯塔在港口。", "船很大。", "海风很冷。", "天空是蓝的。"]


class Seen:
    """The windows that a runtime has read, and the prefixes that were forced."""

    def __init__(self, translator) -> None:
        self.windows, self.prefixes = [], []
        runtime, encode = translator.runtime, translator.runtime.encode
        start = runtime.start

        def seen(windows):
            self.windows += windows.tolist()
            return encode(windows)

        def started(memory, prefix, beams):
            self.prefixes += prefix.tolist()
            return start(memory, prefix, beams)

        runtime.encode, runtime.start = seen, started


def translate(segments, **options):
    translator = echo_translator(L=3)
    seen = Seen(translator)
    found = list(translator.segments([segments], beam=1, **options))
    return found, seen, translator


def test_a_given_translation_is_taken_and_not_searched():
    segments = [Segment(CHINESE[0], ""), Segment(CHINESE[1], "", given="Ein Schiff.")]
    found, _, translator = translate(segments)
    assert found[1].translation == "Ein Schiff."
    assert found[1].score is None
    assert found[1].is_translated
    assert translator.runtime.windows == 1


def test_a_given_translation_is_the_context_that_the_same_one_of_the_model_would_be():
    """The echo model says its source again: given the same, later windows are the same."""
    own, seen_own, _ = translate([Segment(text, "") for text in CHINESE])
    given = [Segment(CHINESE[0], ""), Segment(CHINESE[1], "", given=own[1].translation)]
    given += [Segment(text, "") for text in CHINESE[2:]]
    found, seen, _ = translate(given)
    assert [one.translation for one in found] == [one.translation for one in own]
    assert seen.windows == [seen_own.windows[0], *seen_own.windows[2:]]
    assert seen.prefixes == [seen_own.prefixes[0], *seen_own.prefixes[2:]]


@pytest.mark.parametrize("text", [*CHINESE, "1、安装港口的灯。", "打开 `{name}` 的灯。", "灯 🌍"])
def test_what_the_model_wrote_is_the_same_context_when_it_is_given(text):
    (first, last), seen_own, _ = translate([Segment(text, ""), Segment(CHINESE[3], "")])
    given = [Segment(text, "", given=first.translation), Segment(CHINESE[3], "")]
    found, seen, _ = translate(given)
    assert [one.translation for one in found] == [first.translation, last.translation]
    assert seen.windows[-1] == seen_own.windows[-1]
    assert seen.prefixes[-1] == seen_own.prefixes[-1]


def test_a_given_paragraph_is_not_split_and_too_long_to_be_context():
    long = "".join(f"第{n}个港口的灯熄灭了、" for n in range(200)) + "天亮。"
    segments = [Segment(long, "", given="All lights went out."), Segment(CHINESE[0], "")]
    report = Report()
    found, seen, _ = translate(segments, report=report)
    assert found[0].translation == "All lights went out."
    assert len(found) == 2
    assert (report.sentences, report.untranslated) == (2, 0)
    assert not seen.prefixes[-1]


def test_terms_that_a_given_translation_lacks_are_named():
    segments = [Segment(CHINESE[0], "", given="A beacon.")]
    found, _, _ = translate(segments, glossary={"灯塔": "lighthouse"})
    assert [term.target for term in found[0].missed] == ["lighthouse"]
    assert found[0].translation == "A beacon."


def test_text_without_words_may_be_given_another_text():
    found, _, translator = translate([Segment("123", "", given="one two three")])
    assert found[0].translation == "one two three"
    assert translator.runtime.windows == 0
