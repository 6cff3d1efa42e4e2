# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""ASS and SSA: events, tags, drawings, songs, signs on several layers."""

import re
from pathlib import Path

import pysubs2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.subtitles.ass import Ass
from tests.formats.resources.translating import bracketed, is_linear

FOLDER = Path(__file__).parents[1] / "files" / "ass"
FILES = sorted(FOLDER.iterdir())
HEAD = (
    "[Script Info]\nScriptType: v4.00+\n\n[Events]\n"
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
)


def script(*texts, length=2, gap=0):
    """A script with an event for each text."""
    lines, start = [], 0
    for text in texts:
        times = [f"0:{second // 60:02}:{second % 60:02}.00" for second in (start, start + length)]
        lines.append(f"Dialogue: 0,{times[0]},{times[1]},Default,,0,0,0,,{text}\n")
        start += length + gap
    return (HEAD + "".join(lines)).encode()


def read(data, language="zh"):
    return Ass().read(data, language)


def found(*texts, **options):
    return [passage.text for passage in read(script(*texts, **options)).passages]


def shown(data):
    """The texts of the events."""
    return [line.split(",", 9)[9] for line in data.decode().splitlines() if line[:9] == "Dialogue:"]


def translated(*texts, before="[", after="]"):
    document = read(script(*texts))
    return shown(document.write([bracketed(p, before, after) for p in document.passages], "en"))


def decoded(data):
    return data.decode("utf-16" if data[:2] == b"\xff\xfe" else "utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_script_is_written_again_to_the_byte(path):
    data = path.read_bytes()
    document = read(data)
    assert document.passages
    assert document.write(document.passages, "en") == data
    assert document.write(document.passages, "en", bilingual=True) == data


@pytest.mark.parametrize("bilingual", [False, True])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_another_program_reads_the_same_events_styles_and_tags(path, bilingual):
    data = path.read_bytes()
    document = read(data)
    for count in range(len(document.passages) + 1):
        new = [bracketed(p) for p in document.passages[:count]] + document.passages[count:]
        written = document.write(new, "en", bilingual=bilingual)
        own, other = (
            pysubs2.SSAFile.from_string(decoded(whole), format_=path.suffix[1:])
            for whole in (data, written)
        )
        assert (own.info, own.styles) == (other.info, other.styles)
        assert own.fonts_opaque == other.fonts_opaque
        for this, that in zip(own, other, strict=True):
            fields = ("start", "end", "style", "layer", "name", "effect", "type")
            assert all(getattr(this, name) == getattr(that, name) for name in fields)
            tags, others = (re.findall(r"\{[^{}]*\}", one.text) for one in (this, that))
            assert sorted(set(tags)) == sorted(set(others))
            assert this.is_comment <= (this.text == that.text)


def test_what_is_translated_of_a_script():
    document = read((FOLDER / "signs.ass").read_bytes())
    assert [passage.text for passage in document.passages] == [
        "危险，请勿靠近",
        "你好，世界，再见。",
        "今天我们",
        "Today, we",
        "要讲的，\u00a0是注意力。",
        "图形旁的文字",
        "月亮代表我的心",
        "危险，请勿靠近",
    ]
    (warning,) = document.warnings
    assert warning.startswith("Line 34: the effect of this line is written by a program")


def test_damaged_events_are_read_with_warnings():
    data = script("甲") + "Dialogue: 0,bad,0:00:16.00,S,,0,0,0,,乙\nDialogue: 0,丙\n".encode()
    document = read(data.replace(b"Text", b"Words"))
    assert [passage.text for passage in document.passages] == ["甲", "乙"]
    assert [warning.split(":")[0] for warning in document.warnings] == [
        "Line 5", "Line 7", "Line 8"
    ]  # fmt: skip


def test_tags_at_both_ends_stay_and_tags_inside_are_marks():
    document = read((FOLDER / "signs.ass").read_bytes())
    new = list(document.passages)
    assert new[1].marks == (Mark(3, 5, 0),)
    new[1] = Passage("Hello, world, bye.", (Mark(7, 12, 0),))
    assert "{\\an8\\fad(200,200)}Hello, {\\i1}world{\\i0}, bye.{\\fs10}\n" in decoded(
        document.write(new, "en")
    )


def test_a_sign_on_several_layers_is_translated_once():
    document = read((FOLDER / "signs.ass").read_bytes())
    new = [Passage("Danger"), *document.passages[1:]]
    whole = decoded(document.write(new, "en"))
    assert whole.count("Danger") == 3
    assert "{\\pos(10,10)\\bord2}Danger{\\alpha&HFF&}\n" in whole
    assert "{\\pos(11,10)}Danger\n" in whole
    assert whole.count("危险") == 1  # it is shown again much later


def test_lines_in_two_languages_are_passages_of_their_own():
    assert found(r"{\i1}今天我们\N{\fs14}Today, we are here{\i0}") == [
        "今天我们",
        "Today, we are here",
    ]


def test_a_line_in_another_font_or_size_is_a_text_of_its_own():
    assert found(r"{\fs20}原创翻译\N{\blur1}{\fs10\b1}中英双语字幕") == ["原创翻译", "中英双语字幕"]
    assert found(r"{\i1}原创{\i0}\N{\i1}翻译{\i0}") == ["原创\n翻译"]


def test_a_sentence_continues_in_the_next_event_of_the_same_style_and_speaker():
    assert found("今天我们", "要讲的。", "好。") == ["今天我们要讲的。", "好。"]
    document = read(script("今天我们", "要讲的。", "好。"))
    new = [Passage("Today we talk."), *document.passages[1:]]
    assert shown(document.write(new, "en")) == ["Today we", "talk.", "好。"]
    other = script("今天我们", "要讲的。", "好。").replace(b"Default,,", b"Other,,", 1)
    assert len(read(other).passages) == 3


def test_full_stops_of_the_other_language_do_not_count():
    pairs = [rf"第{n}句没有句号\N{{\fs9}}This one has a full stop." for n in "一二三四五六七八九"]
    assert found(*pairs, "前情提要", "我们来了")[-2:] == ["前情提要", "我们来了"]


def test_events_are_read_by_time_and_stay_in_their_places():
    lines = script("后一句。", "前一句。").replace(b"0:00:00", b"0:09:00")
    document = read(lines)
    assert [passage.text for passage in document.passages] == ["前一句。", "后一句。"]
    new = [bracketed(passage) for passage in document.passages]
    assert shown(document.write(new, "en")) == ["[后一句。]", "[前一句。]"]


def test_the_times_of_a_song_keep_their_order_and_divide_the_translation():
    document = read(script(r"{\k20}月{\kf30}亮{\k50}代表{\K40}我的心"))
    (passage,) = document.passages
    marks = tuple(Mark(0, 0, mark.tag) for mark in reversed(passage.marks))
    new = Passage("The moon represents my heart", marks)
    (text,) = shown(document.write([new], "en"))
    assert text == r"{\k20}The moon {\kf30}represents {\k50}my {\K40}heart"


def test_drawings_stay():
    assert found(r"{\p1}m 0 0 l 100 0") == []
    assert translated(r"{\pos(1,1)\p1}m 0 0{\p0}文") == [r"{\pos(1,1)\p1}m 0 0{\p0}[文]"]


def test_line_ends_and_spaces_that_do_not_break_are_written_again():
    assert found(r"甲乙\N丙丁\n戊\h己") == ["甲乙\n丙丁\n戊\u00a0己"]
    long = "word " * 20
    (text,) = translated(r"甲乙\N丙丁", before=long, after="")
    assert text.count(r"\N") == 1
    assert translated("甲", before="a\u00a0", after="") == [r"a\h甲"]


def test_new_text_is_never_markup():
    assert translated("甲", before=r"{\i1}", after=r"\N \h C:\new") == [
        "(\\i1)甲\\\u2060N \\\u2060h C:\\\u2060new"
    ]
    assert translated("甲", before="a\nb\r\n", after="") == ["a b 甲"]
    assert found("{说明}") == []


def test_an_event_without_words_left_is_there():
    document = read(script("一二", "三。"))
    assert shown(document.write([Passage("One.")], "en")) == ["One.", "\\h"]


def test_both_languages_are_two_lines():
    document = read(script(r"{\an8}甲乙{\fs1}"))
    new = [bracketed(passage) for passage in document.passages]
    assert shown(document.write(new, "en", bilingual=True)) == [r"{\an8}[甲乙]\N甲乙{\fs1}"]


def test_a_file_without_events_is_refused():
    with pytest.raises(FormatError, match=r"no section \[Events\]"):
        read("1\n00:00:01,000 --> 00:00:02,000\n文\n".encode())


PARTS = ["甲", "乙。", "{", "}", r"{\i1}", r"{\i0}", r"{\k5}", r"{\p1}", r"{\p0}", r"\N", r"\h",
         "\\", ",", " ", "a b c", "{注}", "- ", "\n", "Dialogue: ", "[Events]\n"]  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(PARTS), max_size=8), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_any_events_are_written_again_and_new_texts_change_no_field(texts):
    data = script(*map("".join, texts))
    document = read(data)
    assert document.write(document.passages, "en") == data
    new = [Passage("x, {y}", p.marks and tuple(Mark(0, 0, m.tag) for m in p.marks))
           for p in document.passages]  # fmt: skip
    written = document.write(new, "en")
    assert written.count(b"\n") == data.count(b"\n")
    fields = [re.findall(rb"^Dialogue: 0(?:,[^,\n]*){8},", whole, re.MULTILINE)
              for whole in (data, written)]  # fmt: skip
    assert fields[0] == fields[1]


@pytest.mark.parametrize(
    "part", ["{", "}", "{}", r"{\p1}", r"{\i1}", r"{\k1}甲", r"\N", r"甲\N", "\\", ",", "甲{\\p0}",
             "{\\i0}", r"\h", "甲 "]
)  # fmt: skip
def test_time_is_linear(part):
    for whole in ("{}", "甲{}乙"):
        assert is_linear(Ass(), lambda n, w=whole, p=part: script(w.replace("{}", p * n)))
    assert is_linear(Ass(), lambda n, p=part: script(*[f"甲{p}"] * (n // 4)))
