# ruff: noqa: RUF001 - full-width signs look like ASCII ones
"""Characters that the vocabulary lacks, and text that is not in the source language."""

import re

import pytest

import longways
from longways.text.foreign import is_foreign
from longways.text.normalisation import Normaliser
from longways.text.sentences.gaps import without_gaps_in_labels
from longways.text.sentences.splitter import split_text

KNOWN = frozenset("abcABC012 ().,~\"'“”「」。，确认电脑后网络程序请已经连接到然打开应用价格为")


@pytest.fixture(scope="module")
def translator():
    return longways.load()


def texts(text, language="zh"):
    return [segment.text for segment in split_text(text, language) if segment.text]


class TestA1FullWidthFullStops:
    @pytest.mark.parametrize("stop", "．｡")
    def test_they_end_a_sentence_after_a_chinese_character(self, stop):
        text = f"构造需要多次合并{stop}查询复杂度很低{stop}"
        assert texts(text) == [f"构造需要多次合并{stop}", f"查询复杂度很低{stop}"]

    def test_they_do_not_inside_a_number(self):
        assert texts("圆周率约为３．１４，版本２．０。") == ["圆周率约为３．１４，版本２．０。"]

    def test_no_clause_is_lost_by_the_bundled_model(self, translator):
        text = "构造一棵这样的静态线段树需要多次合并操作．查询复杂度很低．"
        translation = translator.translate(text)
        assert "complexity" in translation
        assert translation.count(".") == 2


class TestA2FullWidthAndRareSigns:
    @pytest.mark.parametrize(
        ("text", "wanted"),
        [
            ("ＡＢＣ０１２", "ABC012"),
            ("（ａ）～", "(a)~"),
            ("价格为①②", "价格为①②"),
            ("℃", "℃"),
            ("a．", "a。"),
            ("０．１", "0.1"),
        ],
    )
    def test_a_known_form_replaces_an_unknown_character(self, text, wanted):
        normal = Normaliser("zh", KNOWN)(text)
        assert normal == wanted
        assert len(normal) == len(text)

    def test_a_known_character_and_a_kept_span_never_change(self):
        normalise = Normaliser("zh", KNOWN | {"Ａ"})
        assert normalise("Ａ０Ｂ") == "Ａ0B"
        assert normalise("Ａ０Ｂ", keep=[(1, 3)]) == "Ａ０Ｂ"

    def test_signs_and_emoji_are_copied_whole_but_rare_letters_are_not(self):
        text = "确认👩‍👩‍👧≤Ω，龘"
        spans = Normaliser("zh", KNOWN).signs(text)
        assert [text[a:b] for a, b in spans] == ["👩‍👩‍👧≤Ω"]

    @pytest.mark.parametrize("beam", [1, 4])
    def test_numbers_and_signs_arrive(self, translator, beam):
        text = "点击【保存】按钮，价格为￥１００～￥２００，温度≤２５℃。"
        translation = translator.translate(text, beam=beam)
        for part in ("Save", "100", "200", "≤", "25", "℃", "￥"):
            assert part in translation

    def test_no_sign_is_spelled_in_bytes(self, translator):
        signs = "★●√÷≠∞αβπμ①②🚀✅"
        translation = translator.translate(f"{signs} 支持多种格式。\n点击 {signs[:1]} 按钮。")
        assert translation.startswith(f"{signs} ")
        assert not set(translation) - set(signs) - translator.model.text.target.characters - {"\n"}


class TestA4TwoLanguagesInOneCue:
    CUE = "1\n00:00:01,000 --> 00:00:03,000\n打开终端。\nOpen that old door, please.\n"

    def test_the_english_line_stays(self, translator, tmp_path):
        (tmp_path / "a.srt").write_text(self.CUE, encoding="utf-8")
        lines = translator.translate_file(tmp_path / "a.srt").read_text().splitlines()
        assert lines[2:] == ["Open the terminal.", "Open that old door, please."]

    def test_an_unpunctuated_pair_of_lines_is_not_joined(self, translator, tmp_path):
        text = self.CUE.replace("。", "").replace("please.", "please")
        (tmp_path / "a.srt").write_text(text * 3, encoding="utf-8")
        page = translator.translate_file(tmp_path / "a.srt").read_text()
        assert page.count("\nOpen that old door, please\n") == 3


class TestA5ForeignText:
    @pytest.mark.parametrize(
        ("sentence", "source", "target", "foreign"),
        [
            ("This project exists thanks to all the people who contribute.", "zh", "en", True),
            ("styles", "zh", "en", True),
            ("使用 styles", "zh", "en", False),
            ("これは日本語の文です。", "zh", "en", True),
            ("Привет", "en", "ru", True),
            ("Open the door", "en", "ru", False),
            ("This project exists thanks to all the people.", "de", "en", True),
            ("Dieses Projekt gibt es dank aller Menschen, die mitmachen.", "de", "en", False),
            ("Download", "de", "en", False),
            ("whatever", "xx", "en", False),
        ],
    )
    def test_script_decides_first_and_identification_second(
        self, sentence, source, target, foreign
    ):
        assert is_foreign(sentence, source, target) is foreign

    @pytest.mark.parametrize(
        "text",
        [
            "This project exists thanks to all the people who contribute.",
            "styles",
            "6.0.0，",
            "Cookie",
        ],
    )
    def test_it_comes_back_as_it_is(self, translator, text):
        assert translator.translate(text) == text

    def test_in_a_table_beside_chinese_cells(self, translator, tmp_path):
        page = "| 名称 | Value |\n| --- | --- |\n| 样式 | styles |\n"
        (tmp_path / "a.md").write_text(page, encoding="utf-8")
        found = translator.translate_file(tmp_path / "a.md").read_text()
        assert "| styles |" in found
        assert "| Value |" in found


class TestA6Gaps:
    FORM = "日  期：{{date}}        日  期：     年    月    日"

    def test_a_line_is_split_at_gaps_but_not_inside_a_spaced_label(self):
        assert texts(self.FORM) == ["日  期：{{date}}", "日  期：", "年", "月", "日"]
        assert texts("姓\u3000名：张三\u3000\u3000年龄：三") == ["姓\u3000名：张三", "年龄：三"]
        assert texts("Two  spaces here   and a gap", "en") == ["Two  spaces here", "and a gap"]

    def test_every_character_is_kept(self):
        segments = split_text(self.FORM, "zh")
        assert "".join(one.text + one.after for one in segments) == self.FORM

    def test_a_spaced_label_is_read_as_a_word(self):
        assert without_gaps_in_labels("日  期：今天  好") == "日期：今天  好"

    @pytest.mark.parametrize("beam", [1, 4])
    def test_the_gaps_arrive_and_nothing_runs_away(self, translator, beam):
        translation = translator.translate(self.FORM, beam=beam)
        assert re.findall(" {3,}", translation) == re.findall(" {3,}", self.FORM)
        assert len(translation) < 80

    def test_splitting_takes_linear_time_on_hostile_gaps(self):
        assert len(texts("年  " * 20_000)) == 20_000


class TestA7TraditionalChinese:
    def test_a_traditional_sentence_is_simplified_with_the_terms_of_taiwan(self):
        normalise = Normaliser("zh", KNOWN)
        text = "請確認電腦已經連線到網路，然後開啟應用程式。"
        assert normalise(text) == "请确认电脑已经连接到网络，然后打开应用程序。"

    def test_a_length_that_would_change_is_converted_character_by_character(self):
        text = "請確認隨身碟"
        assert len(Normaliser("zh", KNOWN)(text)) == len(text)

    def test_the_bundled_model_translates_it(self, translator):
        translation = translator.translate("請確認電腦已經連線到網路，然後開啟應用程式。")
        assert "computer" in translation
        assert "network" in translation
        assert "application" in translation
