# ruff: noqa: RUF001 - Chinese and Russian have letters and marks that look like Latin ones
"""Sentence splitting keeps every character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longways.text.sentences.splitter import BLOCK, LINE_END, split_item, split_stream, split_text

PIECES = st.sampled_from([
    "。", "！”", "……", "。」", "?", "!", ". ", "...", "\n", "\r\n", "\r", " ", "\t", "　", '"', "'",
    "\u2028", "\x85", "\x0b", "1.", "3.14", "Mr.", "e.g. ", "т.д. ", "http://a.b/c?d. ", "- ",
    "Word", "word", "你好", "Привет", "🙂", "👩\u200d👧", "e\u0301",
    "\x00", "\x1f", "\u200b", "（", "）",
])  # fmt: skip
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=60).map("".join)
LANGUAGES = st.sampled_from(["zh", "en", "ru", "fr", "toy"])


def sentences(text: str, language: str) -> list[str]:
    return [segment.text for segment in split_text(text, language) if segment.text]


@given(TEXTS, LANGUAGES)
def test_nothing_is_lost(text, language):
    segments = split_text(text, language)
    assert "".join(s.text + s.after for s in segments) == text
    assert all(s.text == s.text.strip() and not s.after.strip() for s in segments)
    assert all(not LINE_END.search(s.text) for s in segments)
    assert all(s.ends for s in segments)


@given(TEXTS, LANGUAGES, st.lists(st.integers(1, 9), min_size=1, max_size=40))
def test_chunk_borders_do_not_change_the_sentences(text, language, sizes):
    chunks, rest = [], text * 3
    for size in sizes:
        chunks.append(rest[:size])
        rest = rest[size:]
    assert list(split_stream([*chunks, rest], language)) == split_text(text * 3, language)


@pytest.mark.parametrize("size", [1, 7, BLOCK, 3 * BLOCK])
@pytest.mark.parametrize(
    "unit", ["x", "word ", "one, two ", "你好", "好。", " ", "🙂", ". A", "\r"]
)
def test_a_line_longer_than_a_block_is_cut_but_not_lost(unit, size):
    text = "  " + unit * (30_000 // len(unit)) + "end\r\nnext\r"
    segments = split_text(text, "zh")
    assert "".join(s.text + s.after for s in segments) == text
    assert max(len(s.text) for s in segments) <= BLOCK
    chunks = [text[i : i + size] for i in range(0, len(text), size)]
    assert list(split_stream(chunks, "zh")) == segments
    if unit in ("x", "word ", "one, two ", "你好", "🙂"):
        assert [s.ends for s in segments if s.text].count(True) == 2


@given(TEXTS)
def test_an_item_is_one_sentence_whatever_is_in_it(item):
    segments = split_item(item)
    assert "".join(s.text + s.after for s in segments) == item
    assert [s.ends for s in segments] == [False] * (len(segments) - 1) + [True]
    assert all(not LINE_END.search(s.text) for s in segments)


@given(st.lists(st.text(alphabet="ab .。!?", min_size=1, max_size=20), max_size=8))
def test_every_line_is_at_least_one_sentence(lines):
    text = "".join(line + "\n" for line in lines)
    ended = [s for s in split_text(text, "en") if s.after.endswith("\n")]
    assert len(ended) == len(lines)


CHINESE = [
    (
        "他来了。她走了！真的吗？！好；再见。",
        ["他来了。", "她走了！", "真的吗？！", "好；", "再见。"],
    ),
    ("“你好！”他说。（他笑了。）好。", ["“你好！”", "他说。", "（他笑了。）", "好。"]),
    ("「走吧。」「好。」", ["「走吧。」", "「好。」"]),
    ("“真的？”，他问。", ["“真的？”，他问。"]),
    ("我不知道该怎么说……那就算了。", ["我不知道该怎么说……", "那就算了。"]),
    ("我……我不知道。", ["我……我不知道。"]),
    ("你好!你是谁?我是3.14。", ["你好!", "你是谁?", "我是3.14。"]),
    ('他说。"你好。"她说。', ["他说。", '"你好。"', "她说。"]),
    ("见 https://a.cn/b?c=1。好。", ["见 https://a.cn/b?c=1。", "好。"]),
    ("　　第一段。\n　　第二段。", ["第一段。", "第二段。"]),
]
ENGLISH = [
    ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
    ("Mr. and Mrs. Smith met Dr. No. They left.", ["Mr. and Mrs. Smith met Dr. No.", "They left."]),
    ("It cost $3.14. See No. 5, Fig. 2.", ["It cost $3.14.", "See No. 5, Fig. 2."]),
    ("No. I won't. So do I. J. K. Lee did.", ["No.", "I won't.", "So do I.", "J. K. Lee did."]),
    ("Wait... what? Well... Then go.", ["Wait... what?", "Well...", "Then go."]),
    ('"Why?" she asked. "Go. Now." He went.', ['"Why?" she asked.', '"Go.', 'Now."', "He went."]),
    ("1. First. 2. Second. A. Third.", ["1. First.", "2. Second.", "A. Third."]),
    ("See https://a.b/c?d=e.f or x.org. Ok.", ["See https://a.b/c?d=e.f or x.org.", "Ok."]),
    ("At 5 p.m. He left the U.S. Army, e.g. Bo.", ["At 5 p.m.", "He left the U.S. Army, e.g. Bo."]),
    ("(He left.) We stayed [there]. Fine!", ["(He left.)", "We stayed [there].", "Fine!"]),
    ("- one\n- two. Three", ["- one", "- two.", "Three"]),
]  # fmt: skip
RUSSIAN = [
    ("В 1990 г. Россия и т.д. Потом всё.", ["В 1990 г. Россия и т.д.", "Потом всё."]),
    ("А. С. Пушкин писал. Да?", ["А. С. Пушкин писал.", "Да?"]),
    ("«Нет!» — сказал он. «Да». Всё…", ["«Нет!» — сказал он.", "«Да».", "Всё…"]),
]
CASES = [(language, *case) for language, cases in
         (("zh", CHINESE), ("en", ENGLISH), ("ru", RUSSIAN)) for case in cases]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "wanted"), CASES)
def test_sentences_end_where_a_reader_would_say(language, text, wanted):
    assert sentences(text, language) == wanted


def test_other_languages_have_a_sensible_default():
    assert sentences("Hr. Meier kam. Er ging.", "de") == ["Hr. Meier kam.", "Er ging."]
    assert sentences("वह आया। वह गया।", "hi") == ["वह आया।", "वह गया।"]
    assert sentences("هل أنت هنا؟ نعم. لا.", "ar") == ["هل أنت هنا؟", "نعم.", "لا."]
