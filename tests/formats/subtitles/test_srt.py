# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""SubRip subtitles."""

import re
from pathlib import Path

import pytest
import srt
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.subtitles.srt import Srt

FILES = sorted((Path(__file__).parents[1] / "files" / "srt").glob("*.srt"))


def read(text, language="zh"):
    return Srt().read(text.encode() if isinstance(text, str) else text, language)


def shouted(passage):
    """A longer text with the marks at the same letters; kept ranges and a speaker stay."""
    speaker = re.match(r"\w+：|", passage.text).end()
    kept = {place for start, end in (*passage.keep, (0, speaker)) for place in range(start, end)}
    letters = ["\n" if c == "\n" else c if i in kept or not c.isalpha() else c.upper() + "x"
               for i, c in enumerate(passage.text)]  # fmt: skip
    ends = [sum(map(len, letters[:i])) for i in range(len(letters) + 1)]
    marks = tuple(Mark(ends[m.start], ends[m.end], m.tag) for m in passage.marks)
    keep = tuple((ends[a], ends[b]) for a, b in passage.keep)
    return Passage("".join(letters), marks, keep)


def seen(passage):
    """A passage without whitespace, which the format may change."""
    length = [0]
    for character in passage.text:
        length.append(length[-1] + (not character.isspace()))
    text = re.sub(r"\s", "", passage.text)
    return text, [(length[m.start], length[m.end], m.tag) for m in passage.marks]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_written_again_to_the_byte(path):
    data = path.read_bytes()
    document = read(data)
    assert document.write(document.passages, "en") == data
    assert document.write(document.passages, "en", bilingual=True) == data


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_new_passages_are_found_again(path):
    document = read(path.read_bytes())
    new = [shouted(passage) for passage in document.passages]
    again = read(document.write(new, "zh"))
    assert [seen(p) for p in again.passages] == [seen(p) for p in new]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("bilingual", [False, True])
def test_another_reader_finds_the_same_cues_and_times(path, bilingual):
    document = read(path.read_bytes())
    new = [shouted(p) for p in document.passages]
    own, written = (
        list(srt.parse(data.decode("utf-8-sig"), ignore_errors=path.stem == "damaged"))
        for data in (path.read_bytes(), document.write(new, "zh", bilingual=bilingual))
    )
    assert [(s.index, s.start, s.end, s.proprietary) for s in written] == [
        (s.index, s.start, s.end, s.proprietary) for s in own
    ]
    assert [bool(s.content.strip()) for s in written] == [bool(s.content.strip()) for s in own]


def test_every_word_of_a_cue_is_in_a_passage_and_no_number_or_time():
    document = read((FILES[0].parent / "lecture.srt").read_bytes())
    text = "".join(passage.text for passage in document.passages)
    assert not any(machine in text for machine in ("-->", "<", "\\an8"))
    assert "今天我们要讲的\n是机器翻译里面一个常常被忽略的问题，\n也就是篇章的连贯性。" in text
    kept = [p.text[a:b] for p in document.passages for a, b in p.keep]
    assert "https://example.org/demo" in kept


def cue(text, number=1, start=1):
    return f"{number}\n00:00:{start:02},000 --> 00:00:{start + 2:02},000\n{text}\n\n"


def test_tags_become_marks_and_places_on_the_screen_stay():
    data = cue("{\\an8}<i>他</i>说<font color=red>你好</font>。")
    document = read(data)
    assert document.passages == [Passage("他说你好。", (Mark(0, 1, 0), Mark(2, 4, 1)))]
    new = Passage("Hello, he said.", (Mark(0, 5, 1), Mark(7, 9, 0)))
    assert document.write([new], "en").decode() == cue(
        "{\\an8}<font color=red>Hello</font>, <i>he</i> said."
    )


def test_tags_that_are_not_closed_stay_so_at_the_end_of_a_cue():
    document = read(cue("<i>你好。"))
    assert document.write([Passage("Hello.", (Mark(0, 6, 0),))], "en").decode() == cue("<i>Hello.")
    closed = document.write([Passage("Hello.", (Mark(0, 2, 0),))], "en").decode()
    assert closed == cue("<i>He</i>llo.")


def test_tags_that_cross_or_have_no_beginning_are_kept():
    document = read(cue("<b><i>你</b>好</i>。"))
    new = Passage("Hello.", (Mark(0, 3, 0), Mark(0, 3, 1), Mark(5, 5, 2)))
    assert document.passages[0].marks == (Mark(0, 1, 0), Mark(0, 1, 1), Mark(2, 2, 2))
    assert read(document.write([new], "en"), "en").passages == [new]


@pytest.mark.parametrize(
    "text", ["a <i>b</i> c.", "{\\an8} x.", "00:00:01,000 --> 00:00:02,000.", "1 -> 2.", "5\n\n6."]
)
def test_new_text_is_never_taken_for_markup_or_times(text):
    document = read(cue("你好。") + cue("再见。", 2, 4))
    again = read(document.write([Passage(text), document.passages[1]], "en"), "en")
    assert [p.text for p in again.passages] == [" ".join(text.split()), "再见。"]
    assert len(again.cues) == 2


def test_what_is_wrong_is_named_with_its_line():
    warnings = read((FILES[0].parent / "damaged.srt").read_bytes(), "en").warnings
    expected = {
        1: "byte order mark",
        2: "comma",
        6: "no hours",
        8: "no blank line",
        10: "ends unlike",
        14: "before the last one ends",
        16: "blank line within",
        21: "ends before it begins",
    }
    for line, what in expected.items():
        assert any(w.startswith(f"Line {line}:") and what in w for w in warnings), (line, warnings)
    assert any(w.startswith("Line 8:") and "number 3 where 2" in w for w in warnings)


def test_many_places_with_one_fault_are_one_warning():
    document = read("".join(cue("好。", 7, start) for start in range(1, 40, 3)))
    assert document.warnings == [
        "Line 1: a cue has the number 7 where 1 is expected; it is kept. "
        "There are 12 more such places."
    ]


def test_a_missing_blank_line_is_added_after_new_text():
    data = cue("你好。").rstrip("\n") + "\n" + cue("再见。", 2, 4)
    document = read(data)
    new = [Passage("42"), document.passages[1]]
    assert document.write(new, "en").decode() == cue("42") + cue("再见。", 2, 4)


def test_a_cue_whose_times_cannot_be_read_is_translated_all_the_same():
    document = read("1\n00:00:xx --> 00:00:04,000\n你好。\n\n" + cue("再见。", 2, 4))
    assert [p.text for p in document.passages] == ["你好。", "再见。"]
    assert document.warnings == ["Line 2: the times cannot be read; the cue is kept."]


def test_a_number_apart_from_its_times_is_no_text():
    document = read(cue("你好。") + "2\n\n00:00:04,000 --> 00:00:05,000\n再见。\n")
    assert [p.text for p in document.passages] == ["你好。", "再见。"]


def test_text_before_the_first_cue_is_told_and_stays():
    document = read("字幕组出品\n\n" + cue("你好。"))
    assert document.warnings == ["Line 1: this text is in no cue; it is left as it is."]
    assert document.write([Passage("Hello.")], "en").decode() == "字幕组出品\n\n" + cue("Hello.")


@pytest.mark.parametrize("data", [b"", b"\n\n", "只是一些文字。\n".encode(), b"1\n2\n3\n"])
def test_a_file_without_cues_is_told(data):
    with pytest.raises(FormatError, match="no subtitles"):
        read(data)


def test_another_encoding_is_told():
    with pytest.raises(FormatError, match="gb18030"):
        read(cue("你好，世界，今天天气很好。").encode("gb18030"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_files_with_a_mark_keep_their_encoding(encoding):
    data = cue("你好。").encode(encoding)
    document = read(data)
    assert document.write(document.passages, "zh") == data
    assert document.write([Passage("Hello.")], "en") == cue("Hello.").encode(encoding)


def test_an_arrow_at_the_start_of_a_line_is_no_speaker():
    document = read("00:00:00,000 --> 00:00:01,000\n- 好。\n4200:03.5 -> 00:04\n")
    (passage,) = document.passages
    assert passage.text == "好。\n4200:03.5 -> 00:04"
    again = read(document.write([shouted(passage)], "zh"))
    assert [seen(p) for p in again.passages] == [seen(shouted(passage))]


@pytest.mark.parametrize("text", ["37 years.", "-5 degrees.", "> 40."])
@pytest.mark.parametrize("form", ["-{}", "<i>-{}</i>", "- {}"])
def test_a_number_after_a_dash_does_not_become_a_minus(text, form):
    document = read(cue(f"{form.format('走吗？')}\n{form.format('三十七年。')}"))
    assert [p.text for p in document.passages] == ["走吗？", "三十七年。"]
    marks = tuple(Mark(0, len(text), m.tag) for m in document.passages[1].marks)
    written = document.write([document.passages[0], Passage(text, marks)], "en")
    assert f"- {text}" in written.decode()
    assert [p.text for p in read(written, "en").passages] == ["走吗？", text]


PIECES = st.sampled_from(
    ["1", "2", "00:00:01,000 --> 00:00:02,000", "00:03.5 -> 00:04", "x --> y", "你好", "- 好。",
     "- 走", "<i>", "</i>", "<b>走</b>", "{\\an8}", "A & B", " ", "", "\t", "小明：好", "{i}",
     "\ufeff", "42", "<", "好，", "\u00a0", "</font>", '<font color="red">']
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n", ""])


@st.composite
def files(draw):
    parts = draw(st.lists(st.tuples(PIECES, ENDS), max_size=25))
    start = draw(st.sampled_from(["", "\ufeff", "1\n"]))
    return start + "00:00:00,000 --> 00:00:01,000\n" + "".join(a + b for a, b in parts)


@given(files())
@settings(max_examples=1000, deadline=None)
def test_any_file_is_written_again_to_the_byte(text):
    document = read(text)
    assert document.write(document.passages, "zh") == text.encode()


@given(files(), st.data())
@settings(max_examples=400, deadline=None)
def test_any_mixture_has_the_same_cues_and_says_the_same(text, data):
    document = read(text)
    chosen = [data.draw(st.booleans()) for _ in document.passages]
    new = [shouted(p) if c else p for p, c in zip(document.passages, chosen, strict=True)]
    again = read(document.write(new, "zh"))
    assert [(c.start, c.end) for c in again.cues] == [(c.start, c.end) for c in document.cues]
    assert "".join(seen(p)[0] for p in again.passages) == "".join(seen(p)[0] for p in new)


WORDS = st.text(st.sampled_from("天地玄黄，ab<{&"), min_size=3, max_size=12)
TAGGED = st.sampled_from(
    ["{}", "<i>{}</i>", "{{\\an8}}{}", "<b>{}</b>走", "走<i>{}", "地<i>{}</i>天"]
)


@st.composite
def sentences(draw):
    """Cues of sentences that end with a full stop and have none inside."""
    texts = list[str]()
    for _ in range(draw(st.integers(1, 4))):
        cues = draw(st.lists(st.tuples(TAGGED, WORDS), min_size=1, max_size=4))
        texts += [form.format(f"字{word}字") for form, word in cues]
        texts[-1] += "。"
    return "".join(cue(text, i, 2 * i) for i, text in enumerate(texts, start=1))


@given(sentences(), st.data())
@settings(max_examples=400, deadline=None)
def test_any_mixture_of_sentences_is_found_again(text, data):
    document = read(text)
    chosen = [data.draw(st.booleans()) for _ in document.passages]
    new = [shouted(p) if c else p for p, c in zip(document.passages, chosen, strict=True)]
    again = read(document.write(new, "zh"))
    assert [seen(p) for p in again.passages] == [seen(p) for p in new]
