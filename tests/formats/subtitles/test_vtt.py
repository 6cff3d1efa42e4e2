# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""WebVTT subtitles."""

from pathlib import Path

import pytest
import webvtt
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.subtitles.vtt import WebVtt
from tests.formats.subtitles.test_srt import seen, shouted

FILES = sorted((Path(__file__).parents[1] / "files" / "vtt").glob("*.vtt"))
WHOLE = [path for path in FILES if path.stem != "mended"]  # other readers cannot repair that file


def read(text, language="zh"):
    return WebVtt().read(text.encode() if isinstance(text, str) else text, language)


def file(*texts):
    """A file with cues of these texts."""
    times = (f"00:0{i}.000 --> 00:0{i + 1}.000" for i in range(len(texts)))
    return "WEBVTT\n\n" + "\n".join(f"{t}\n{x}\n" for t, x in zip(times, texts, strict=True))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_written_again_to_the_byte(path):
    data = path.read_bytes()
    document = read(data)
    assert document.write(document.passages, "en") == data


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_new_passages_are_found_again(path):
    language = "en" if path.stem == "english" else "zh"
    document = read(path.read_bytes(), language)
    new = [shouted(passage) for passage in document.passages]
    again = read(document.write(new, language), language)
    assert [seen(p) for p in again.passages] == [seen(p) for p in new]


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
@pytest.mark.parametrize("bilingual", [False, True])
def test_another_reader_finds_the_same_cues_and_times(path, bilingual):
    document = read(path.read_bytes())
    new = [shouted(passage) for passage in document.passages]
    written = document.write(new, "zh", bilingual=bilingual).decode()
    own = webvtt.from_string(path.read_bytes().decode())
    again = webvtt.from_string(written)
    assert [(c.identifier, c.start, c.end, c.settings, c.voice) for c in again] == [
        (c.identifier, c.start, c.end, c.settings, c.voice) for c in own
    ]
    assert [s.text for s in again.styles] == [s.text for s in own.styles]
    assert all(caption.text.strip() for caption in again)
    assert written.split("\n", 1)[0].encode() == path.read_bytes().split(b"\n", 1)[0]


def test_headers_notes_styles_regions_and_settings_are_in_no_passage():
    document = read((FILES[0].parent / "course.vtt").read_bytes())
    assert [passage.text for passage in document.passages] == [
        "今天我们来看注意力机制为什么会随着文章变长而变慢。",
        "是因为每个词都要看所有的词吗？",
        "没错。",
        "如果 a < b && b < c、那么 a < c。",
        "随机特征投影",
    ]
    new = [shouted(passage) for passage in document.passages]
    written = document.write(new, "zh").decode()
    for kept in ("Kind: captions", "::cue(.term)", "id:top", "不要翻译", "line:0 align:start"):
        assert kept in written


def test_a_speaker_is_a_mark_over_all_cues_of_a_sentence():
    document = read(file("<v 王>今天", "<v 王>我们<b>走</b>。", "<v 李>好。"))
    assert document.passages[0] == Passage("今天我们走。", (Mark(0, 6, 0), Mark(4, 5, 1)))
    new = Passage("Now let us all go.", (Mark(0, 18, 0), Mark(15, 17, 1)))
    written = document.write([new, document.passages[1]], "en").decode()
    assert written == file("<v 王>Now let us", "<v 王>all <b>go</b>.", "<v 李>好。")


def test_another_speaker_begins_another_passage_without_a_full_stop():
    assert [p.text for p in read(file("<v 王>今天", "<v 李>走。")).passages] == ["今天", "走。"]


def test_two_speakers_in_a_cue_are_two_passages():
    document = read(file("<v 王>走吗？</v> <v 李>好。</v>"))
    assert [p.text for p in document.passages] == ["走吗？", "好。"]
    new = [document.passages[0], Passage("Yes.", (Mark(0, 4, 0),))]
    assert document.write(new, "en").decode() == file("<v 王>走吗？</v> <v 李>Yes.</v>")


def test_a_dash_inside_a_speaker_stays_inside():
    document = read(file("甲\n<v 王>\n<v 王>\n- 好。"))
    new = [document.passages[0], Passage("Yes.", (Mark(0, 4, 0),))]
    written = document.write(new, "en")
    assert written.decode() == file("甲\n<v 王>\n<v 王>- Yes.")
    assert [(p.text, p.marks) for p in read(written).passages] == [(p.text, p.marks) for p in new]


def test_new_text_does_not_close_a_tag_that_was_left_open():
    document = read(file("- 好。\n<rt\n- 走。"))
    new = [document.passages[0], Passage("a > b.")]
    assert [p.text for p in read(document.write(new, "en"), "en").passages] == [
        "好。\n<rt",
        "a > b.",
    ]


def test_karaoke_times_stay_in_their_cue():
    document = read(file("天<00:00.500>地", "玄<00:01.500>黄。"))
    assert document.passages == [Passage("天地玄黄。", (Mark(1, 1, 0), Mark(3, 3, 1)))]
    new = Passage("Heaven and earth, dark and yellow.", (Mark(28, 28, 0), Mark(30, 30, 1)))
    first, second = document.write([new], "en").decode().split("00:01.000 -->")
    assert "<00:00.500>" in first
    assert "<00:01.500>" in second
    assert "<00:00.500>" not in second


@pytest.mark.parametrize(
    "text", ["a <b>x</b> & c.", "1 --> 2.", "&amp; &lt;.", "x\u00a0y.", "<v A>."]
)
def test_new_text_is_never_taken_for_markup(text):
    document = read(file("你好。", "再见。"))
    again = read(document.write([Passage(text), document.passages[1]], "en"), "en")
    assert [(p.text, p.marks) for p in again.passages] == [(text, ()), ("再见。", ())]


def test_a_tag_over_two_lines_keeps_its_line_end():
    document = read("WEBVTT\r\n\r\n00:01.000 --> 00:02.000\r\n<v 王\r\n老师>走。\r\n")
    written = document.write([Passage("Go.", (Mark(0, 3, 0),))], "en").decode()
    assert written.endswith("\r\n<v 王\r\n老师>Go.\r\n")


def test_entities_are_read_as_what_they_stand_for():
    passage = read(file("a&lt;b&nbsp;&amp;&#20013;&#x4e2d;&nosuch;&#xD800;.")).passages[0]
    assert passage.text == "a<b\u00a0&中中&nosuch;&#xD800;."


def test_what_is_wrong_is_named_with_its_line():
    document = read((FILES[0].parent / "mended.vtt").read_bytes())
    expected = {
        1: ("WEBVTT is missing", "full stop"),
        3: ("no blank line",),
        7: ("in no cue",),
        9: ("cannot be read",),
        14: ("before the last one ends",),
    }
    for line, parts in expected.items():
        for part in parts:
            found = [w for w in document.warnings if w.startswith(f"Line {line}:") and part in w]
            assert found, (line, part, document.warnings)
    assert "时间坏了的一句。" in [p.text for p in document.passages]


@pytest.mark.parametrize("data", [b"", b"WEBVTT\n\nNOTE nothing\n", "没有字幕。".encode()])
def test_a_file_without_cues_is_told(data):
    with pytest.raises(FormatError, match="no subtitles"):
        read(data)


def test_bilingual_cues_have_the_translation_above_the_source():
    document = read(file("<v 王>今天\n我们", "<v 王>走。"))
    new = Passage("Today we leave.", (Mark(0, 15, 0),))
    assert document.write([new], "en", bilingual=True).decode() == file(
        "<v 王>Today we</v>\n<v 王>今天我们", "<v 王>leave.</v>\n<v 王>走。"
    )


PIECES = st.sampled_from(
    ["NOTE 注", "STYLE", "id", "12", "00:01.000 --> 00:02.000 line:0", "00:03,500 --> 00:00:04.000",
     "x --> y", "你好", "- 好。", "- 走", "<i>", "</i>", "<c.a.b>走</c>", "<v 王>", "</v>",
     "A &amp; B", "&", "<00:01.500>", " ", "", "<", ">", "小明：好", "好，", "<foo>",
     "&nbsp;", "<rt"]
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\n\n", ""])


@st.composite
def files(draw):
    parts = draw(st.lists(st.tuples(PIECES, ENDS), max_size=25))
    start = draw(st.sampled_from(["WEBVTT\n\n", "\ufeffWEBVTT x\r\n\r\n", "WEBVTT\n", ""]))
    return start + "00:00.000 --> 00:01.000\n" + "".join(a + b for a, b in parts)


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
