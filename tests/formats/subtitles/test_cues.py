# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Sentences over several cues: grouping, division of translations, and marks."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.formats.base import Mark, Passage
from longways.formats.subtitles.divide import divide, wrap
from longways.formats.subtitles.marks import Marked, Markup, changed, written
from longways.formats.subtitles.srt import Srt
from tests.effort import is_linear

ITALIC = Markup("<i>", "</i>", closed=True)


def subtitles(*cues, language="zh", length=2000, gap=100):
    """An SRT document with a cue for each text."""
    blocks, start = [], 0
    for number, text in enumerate(cues, start=1):
        times = " --> ".join(clock(t) for t in (start, start + length))
        blocks.append(f"{number}\n{times}\n{text}\n")
        start += length + gap
    return Srt().read("\n".join(blocks).encode(), language)


def clock(milliseconds):
    minutes, rest = divmod(milliseconds, 60_000)
    return f"00:{minutes:02}:{rest // 1000:02},{rest % 1000:03}"


def texts(document):
    return [passage.text for passage in document.passages]


def shown(data):
    """The text of each cue."""
    blocks = data.decode().strip("\n").split("\n\n")
    return [block.split("\n", 2)[2] for block in blocks]


def test_a_sentence_continues_until_its_full_stop():
    assert texts(subtitles("今天我们", "要讲一个", "故事。", "好。")) == [
        "今天我们要讲一个故事。",
        "好。",
    ]


def test_languages_with_spaces_are_joined_with_one():
    assert texts(subtitles("Today we", "tell a story.", language="en")) == [
        "Today we tell a story."
    ]


def test_two_foreign_words_are_not_joined_into_one():
    assert texts(subtitles("请安装 Windows", "Update 补丁。")) == ["请安装 Windows Update 补丁。"]


def test_the_lines_of_a_cue_stay_lines():
    assert texts(subtitles("今天我们  \n 要讲", "故事。")) == ["今天我们\n要讲故事。"]


@pytest.mark.parametrize("end", ["。", "！", "？", "……", ".", "?”", "。」", "！）", "♪"])
def test_final_punctuation_ends_a_sentence_also_before_closing_quotes(end):
    assert len(texts(subtitles(f"我们走吧{end}", "天黑了。"))) == 2


@pytest.mark.parametrize("next_one", ["- 你呢。", "小明：你呢。", "ANNA: 你呢。", "—你呢。"])
def test_another_speaker_ends_a_sentence(next_one):
    assert len(texts(subtitles("我今天", next_one))) == 2


@pytest.mark.parametrize("next_one", ["-5 度。", "——不是。", "他说：是。"])
def test_a_minus_a_long_dash_and_a_quotation_are_no_speakers(next_one):
    assert len(texts(subtitles("我今天", next_one))) == 1


def test_a_long_gap_ends_a_sentence():
    assert len(texts(subtitles("我今天", "走了。", gap=2000))) == 1
    assert len(texts(subtitles("我今天", "走了。", gap=2001))) == 2


def test_a_sound_in_brackets_stands_by_itself():
    assert texts(subtitles("我今天", "（笑声）", "走了。")) == ["我今天", "（笑声）", "走了。"]


def test_six_cues_are_the_most():
    assert texts(subtitles(*["一二三"] * 8, "四。")) == ["一二三" * 6, "一二三" * 2 + "四。"]


def test_without_full_stops_every_cue_is_a_passage():
    assert len(texts(subtitles("这是一条街", "街口有一家店", "你知道吗？", "后来关门了"))) == 4


def test_without_full_stops_a_sentence_continues_after_a_comma():
    assert texts(subtitles("他说过，", "时间很长", "我懂了")) == ["他说过，时间很长", "我懂了"]


def test_two_speakers_in_a_cue_are_two_passages():
    document = subtitles("- 你好吗？\n- 我很好，\n谢谢。")
    assert texts(document) == ["你好吗？", "我很好，\n谢谢。"]
    new = [Passage("How are you?"), Passage("Fine.")]
    assert shown(document.write(new, "en")) == ["- How are you?\n- Fine."]


def test_a_translation_is_divided_in_proportion_to_durations():
    data = (
        "1\n00:00:00,000 --> 00:00:06,000\n一二三\n\n2\n00:00:06,000 --> 00:00:08,000\n四。\n"
    ).encode()
    document = Srt().read(data, "zh")
    new = [Passage("aa bb cc dd ee ff gg hh.")]
    assert shown(document.write(new, "en")) == ["aa bb cc dd ee ff", "gg hh."]


def test_a_translation_is_cut_after_punctuation_if_that_is_near():
    document = subtitles("如果下雨", "我们就不去。")
    new = [Passage("If it rains today, we will not be going.")]
    assert shown(document.write(new, "en")) == ["If it rains today,", "we will not be going."]


def test_chinese_is_cut_between_characters_but_not_before_a_comma():
    document = subtitles("If it rains", "we stay.", language="en")
    assert shown(document.write([Passage("下雨的话、我们就留在家里。")], "zh")) == [
        "下雨的话、",
        "我们就留在家里。",
    ]


def test_a_cue_without_words_shows_nothing_but_is_there():
    document = subtitles("一二", "三四", "五。")
    assert shown(document.write([Passage("One two.")], "en")) == ["One", "two.", "\u00a0"]
    assert shown(document.write([Passage("")], "en")) == ["\u00a0"] * 3


def test_a_long_text_is_wrapped_into_two_balanced_lines():
    document = subtitles("很长。")
    new = Passage("This is a rather long sentence that does not fit on a single line.")
    lines = shown(document.write([new], "en"))[0].split("\n")
    assert lines == ["This is a rather long sentence that", "does not fit on a single line."]


def test_a_cue_that_had_three_lines_may_have_three_again():
    long = Passage(" ".join(["word"] * 25) + ".")
    assert shown(subtitles("一\n二\n三。").write([long], "en"))[0].count("\n") == 2
    assert shown(subtitles("一二三。").write([long], "en"))[0].count("\n") == 1


def test_no_line_begins_with_a_dash_that_would_be_a_speaker():
    document = subtitles("- 你。")
    new = Passage("This is a text with some words in it - and it goes on.")
    again = Srt().read(document.write([new], "en"), "en")
    assert [text.replace("\n", " ") for text in texts(again)] == [new.text]


def test_a_mark_over_a_cut_is_closed_and_opened_again_and_read_as_one():
    document = subtitles("<i>今天我们</i>", "<i>要讲</i>故事。")
    assert document.passages[0].marks == (Mark(0, 6, 0),)
    new = Passage("Today we will tell you a story.", (Mark(0, 18, 0),))
    data = document.write([new], "en")
    assert shown(data) == ["<i>Today we will</i>", "<i>tell</i> you a story."]
    assert Srt().read(data, "en").passages == [new]


def test_a_mark_around_the_space_at_a_cut_is_not_lost():
    document = subtitles("今天<i>我们</i>", "走。")
    new = Passage("Today go.", (Mark(5, 6, 0),))
    assert shown(document.write([new], "en")) == ["Today", "<i></i>go."]


def test_marks_of_other_kinds_are_not_joined():
    document = subtitles("<i>今天我们</i>", "<b>要讲</b>故事。")
    assert document.passages[0].marks == (Mark(0, 4, 0), Mark(4, 6, 1))


def test_only_what_is_new_is_written_anew():
    document = subtitles("第一 ，", "句。", "第二  句。", "第三句。")
    new = [document.passages[0], Passage("Second."), document.passages[2]]
    assert shown(document.write(new, "en")) == ["第一 ，", "句。", "Second.", "第三句。"]


def test_bilingual_cues_have_the_translation_above_the_source():
    document = subtitles("今天\n我们", "走吧。", "好。")
    new = [Passage("Today we go now, all of us together and as quickly as we can."), Passage("OK.")]
    assert shown(document.write(new, "en", bilingual=True)) == [
        "Today we go now, all of us\n今天我们",
        "together and as quickly as we can.\n走吧。",
        "OK.\n好。",
    ]


def test_what_is_kept_is_not_cut():
    text = "aaaa {{ name }} bbbb"
    at = text.index("{{")
    assert divide(text, [1, 1], [(at, at + 10)]) in ([(0, 4), (5, 20)], [(0, 15), (16, 20)])


@given(
    st.text(st.sampled_from("ab 中文，。-x"), max_size=60),
    st.lists(st.integers(0, 5000), min_size=1, max_size=6),
)
@settings(max_examples=500, deadline=None)
def test_no_character_is_lost_in_a_division(text, shares):
    text = " ".join(text.split())
    parts = divide(text, shares, [])
    assert len(parts) == len(shares)
    assert "".join(text[a:b] for a, b in parts).replace(" ", "") == text.replace(" ", "")
    filled = [a < b for a, b in parts]
    assert filled == sorted(filled, reverse=True)


@given(st.text(st.sampled_from("ab 中文，。"), min_size=1, max_size=120), st.integers(1, 4))
@settings(max_examples=300, deadline=None)
def test_no_character_is_lost_in_wrapping(text, lines):
    text = " ".join(text.split())
    found = wrap(text, (0, len(text)), lines, True, [])
    assert len(found) <= lines
    assert "".join(text[a:b] for a, b in found).replace(" ", "") == text.replace(" ", "")


def test_places_move_with_changes():
    text, marks = changed(
        "  a b  c ", [Marked(2, 8, ITALIC)], [(0, 2, ""), (5, 7, "\n"), (8, 9, "")]
    )
    assert text == "a b\nc"
    assert marks == [Marked(0, 5, ITALIC)]


def test_tags_are_written_from_the_inside_out():
    bold = Markup("<b>", "</b>", closed=True)
    marks = [Marked(0, 3, ITALIC), Marked(1, 3, bold), Marked(3, 3, Markup("{x}", "", closed=True))]
    assert written("abcd", marks, str) == "<i>a<b>bc</b></i>{x}d"


@pytest.mark.parametrize("odd", ["\u266a", "\u3002", " ", "\u3000", "-", "<", "{\\", "</i>"])
def test_many_odd_characters_take_linear_time(odd):
    def translate(size):
        document = subtitles(f"x{odd * size}x", "y.")
        document.write([Passage(p.text + "z", p.marks) for p in document.passages], "en")

    assert is_linear(translate, 2000, 16_000, 8)


def test_a_large_file_takes_linear_time():
    def translate(size):
        document = subtitles(*["今天<i>我们</i>讲", "一个故事。"] * size)
        new = [Passage("Today we tell a story.", (Mark(0, 5, 0),))] * len(document.passages)
        document.write(new, "en")

    assert is_linear(translate, 300, 2400, 8)
