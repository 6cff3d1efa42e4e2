# ruff: noqa: RUF001 - full-width signs look like ASCII ones
"""Characters that the vocabulary lacks, and text that is not in the source language."""

import re
import time

import pytest

import longways
from longways.text.foreign import is_foreign
from longways.text.normalisation import Normaliser
from longways.text.sentences.gaps import without_gaps_in_labels
from longways.text.sentences.opening_marks import without_space_after_opening
from longways.text.sentences.splitter import split_text
from longways.translation.sanity.garbage import without_garbage

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

    @pytest.mark.parametrize("sign", ["1️⃣", "#️⃣", "⚠️", "👍🏽", "🇨🇳", "👩‍👩‍👧"])
    def test_a_sign_of_several_characters_is_one_part(self, translator, sign):
        known = KNOWN | set("1#⚠")  # the first character of a sign may have an entry
        text = f"确认{sign}。"
        assert [text[a:b] for a, b in Normaliser("zh", known).signs(text)] == [sign]
        page = f"请把 {sign} 替换为 `名称` 和 {{% if 用户 %}}, 然后继续。"
        assert sign in translator.translate(page, beam=1)

    @pytest.mark.parametrize(
        ("text", "wanted"),
        [
            ("１２：３０：４５", "12:30:45"),
            ("会议在14：30", "会议在14:30"),
            ("１，２３４．５６", "1,234.56"),
            ("１，２", "1，2"),
            ("注意：１，２", "注意：1，2"),
            ("说明──开始", "说明——开始"),
            ("├── src", "├── src"),
            ("x²ᵢ½㊙Ⅳ𝐀①", "x²ᵢ½㊙Ⅳ𝐀①"),
            ("❝确定❞", "“确定”"),
        ],
    )
    def test_a_form_that_loses_nothing_is_taken_and_no_other(self, text, wanted):
        known = KNOWN | set("3456:，：—Asrci秘xiI会议在说明开始注意定")
        assert Normaliser("zh", known)(text) == wanted

    def test_invisible_characters_are_not_read_and_stay_only_at_the_ends(self, translator):
        torn = "请\u200b打\u00ad开\ufeff终\u2060端\u200e。"
        assert translator.model.text.read(torn) == "请打开终端。"
        assert translator.translate(torn) == translator.translate("请打开终端。")
        assert translator.translate("\ufeff请打开终端。").startswith("\ufeff")

    def test_a_row_of_texts_with_signs_is_translated_one_by_one(self):
        assert texts("✅ 已完成 ❌ 未完成") == ["✅ 已完成", "❌ 未完成"]
        assert texts("①准备 ②安装") == ["①准备", "②安装"]
        assert texts("⑴打开终端⑵运行命令⑶保存") == ["⑴打开终端", "⑵运行命令", "⑶保存"]
        assert texts("㈠准备㈡安装") == ["㈠准备", "㈡安装"]
        assert texts("①和②是必选项，见③") == ["①和②是必选项，见③"]
        assert texts("点击 ✅ 按钮") == ["点击 ✅ 按钮"]

    @pytest.mark.parametrize("rule", ["-----", "=====", "├── ", "═══"])
    def test_rules_and_boxes_stay_at_the_ends(self, translator, rule):
        assert translator.translate(f"{rule} 打开终端。", beam=1).startswith(f"{rule} O")

    def test_words_in_other_scripts_are_read_in_their_places(self, translator):
        found = translator.translate("हिन्दी 是印地语。", beam=1)
        assert found.startswith("हिन्दी is")

    def test_code_and_paths_in_plain_text_are_kept(self, translator):
        found = translator.translate("运行 `安装 命令`，打开 C:\\Users\\张三\\文件。", beam=1)
        assert "`安装 命令`" in found
        assert "C:\\Users\\张三\\" in found

    @pytest.mark.parametrize(
        ("translation", "source", "wanted"),
        [
            ("Click ( OK).", "点击（确定）。", "Click (OK)."),
            ('Click " OK".', '点击"确定"。', 'Click "OK".'),
            ('Say " a" and "b".', '说"a"和"b"。', 'Say " a" and "b".'),
            ("Array [ 1 ]", "数组 [ 1 ]", "Array [ 1 ]"),
        ],
    )
    def test_no_space_follows_an_opening_mark(self, translation, source, wanted):
        assert without_space_after_opening(translation, source) == wanted

    @pytest.mark.parametrize("part", ["请\u200b", "程式碼a ", "😀字", "１，２３４", "-", "──字"])
    def test_normalisation_takes_linear_time(self, translator, part):
        normaliser = translator.model.text.normaliser

        def seconds(count):
            began = time.perf_counter()
            normaliser.signs(part * count)
            return time.perf_counter() - began

        small, large = (min(seconds(count) for _ in range(3)) for count in (1000, 8000))
        assert large < 8 * small * 4 + 0.02

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


class TestA3NoRubbishFromBytes:
    @pytest.mark.parametrize(
        ("translation", "source", "wanted"),
        [
            ("A\ufffd\ufffd dozen", "数十个", "A dozen"),
            ("Open\x00 \x1bit\x7f\x9f", "打开", "Open it"),
            ("Open 龘 it", "打开", "Open  it"),
            ("Open 龘\ufffd it", "打开龘\ufffd", "Open 龘\ufffd it"),
        ],
    )
    def test_what_neither_source_nor_vocabulary_has_is_removed(self, translation, source, wanted):
        assert without_garbage(translation, source, frozenset("ADOenpitdozn ")) == wanted

    @pytest.mark.parametrize("beam", [1, 4])
    @pytest.mark.parametrize(
        "text",
        [
            "🌍 数十个国际化语言支持。",
            *(
                "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f 是旗帜。",
                "龘靐齉爩𠮷囍",
            ),
            *("👨‍👩‍👧‍👦和👍🏿以及🇨🇳🇯🇵", "请输入 안녕하세요 和 مرحبا 并确认。"),
        ],
    )
    def test_no_output_has_a_character_from_nowhere(self, translator, text, beam):
        known = translator.model.text.target.characters | set(text) | {" ", "\n"}
        found = translator.translate(text, beam=beam)
        assert set(found) <= known
        assert "\ufffd" not in found

    def test_a_spelled_character_is_removed_on_the_way_back(self, translator, monkeypatch):
        kind = type(translator.model.text.target)
        monkeypatch.setattr(
            kind, "decode", lambda _, found: ["Open \ufffd\x07it龘." for _ in found]
        )
        assert translator.translate("打开终端。", beam=1) == "Open it."


class TestA4TwoLanguagesInOneCue:
    CUE = "1\n00:00:01,000 --> 00:00:03,000\n打开终端。\nOpen that old door, please.\n"

    def test_the_english_line_stays(self, translator, tmp_path):
        (tmp_path / "a.srt").write_text(self.CUE, encoding="utf-8")
        lines = translator.translate_file(tmp_path / "a.srt").read_text().splitlines()
        assert lines[2:] == ["Open the terminal.", "Open that old door, please."]

    @pytest.mark.parametrize(
        "line", ["Open that old door please", "これは日本語です", "Открой дверь", "이 문을 열어"]
    )
    def test_one_cue_is_enough(self, translator, tmp_path, line):
        cue = "{}\n00:00:0{},000 --> 00:00:0{},900\n{}\n"
        cues = [f"打开终端\n{line}", "关闭窗口，\n重新启动", "运行命令"]
        page = "\n".join(cue.format(n, n, n, text) for n, text in enumerate(cues, 1))
        (tmp_path / "a.srt").write_text(page, encoding="utf-8")
        lines = translator.translate_file(tmp_path / "a.srt").read_text().splitlines()
        assert lines[3] == line
        assert not set(lines[2]) & set(line[-4:]) - set("abcdefghijklmnopqrstuvwxyz. ")

    def test_lines_of_a_passage_in_two_languages_are_not_joined(self, translator, tmp_path):
        page = "<p>打开终端。<br>The old door is still open<br>关闭窗口</p>"
        (tmp_path / "a.html").write_text(page, encoding="utf-8")
        found = translator.translate_file(tmp_path / "a.html").read_text()
        assert found.split("<br>")[1].strip() == "The old door is still open"
        (tmp_path / "b.md").write_text("打开终端。\nThe old door is open.\n关闭窗口。\n")
        found = translator.translate_file(tmp_path / "b.md").read_text()
        assert "The old door is open." in found
        assert found.count("ose") == 1

    def test_chinese_that_names_much_in_latin_letters_is_a_line_of_its_own(
        self, translator, tmp_path
    ):
        english = "- Do they close the window at night, or how do they--"
        note = "注：关于窗口，请参考 example.org/windows-at-night"
        cue = f"1\n00:00:01,000 --> 00:00:02,000\n打开窗口\n{english}\n{note}\n"
        (tmp_path / "a.srt").write_text(cue, encoding="utf-8")
        lines = translator.translate_file(tmp_path / "a.srt").read_text().splitlines()
        assert english in lines

    @pytest.mark.parametrize("pause", [0, 1])
    def test_cues_that_alternate_between_two_languages_are_not_joined(
        self, translator, tmp_path, pause
    ):
        """The pairs have the same times, or follow each other."""
        english = ["This is the private key of the customer", "and of the payment gateway."]
        texts = [english[0], "这是客户的私钥，", english[1], "也是支付网关的密钥"]
        times = [("01", "02"), (f"0{1 + pause}", "02"), ("02", "03"), (f"0{2 + pause}", "03")]
        cue = "{}\n00:00:{},000 --> 00:00:{},900\n{}\n"
        pairs = zip(times, texts, strict=True)
        cues = (cue.format(number, *at, text) for number, (at, text) in enumerate(pairs))
        (tmp_path / "a.srt").write_text("\n".join(cues), encoding="utf-8")
        found = translator.translate_file(tmp_path / "a.srt").read_text()
        assert [text in found.splitlines() for text in english] == [True, True]
        assert found.count("key") >= 3

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
            ("日本語テキスト", "zh", "en", True),
            ("データ構造", "zh", "en", True),
            ("苹果・香蕉・橙子", "zh", "en", False),
            ("「ありがとう」是日语的谢谢。", "zh", "en", False),
            ("カタカナ 是片假名。", "zh", "en", False),
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

    def test_simplified_japanese_is_not_taken_for_chinese(self, translator):
        assert translator.translate("日本語テキスト", beam=1) == "日本語テキスト"

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

    def test_spaced_words_and_titles_are_whole(self):
        assert texts("Ｗｉｎｄｏｗｓ　１１ 系统") == ["Ｗｉｎｄｏｗｓ　１１ 系统"]
        assert texts("目　录") == ["目　录"]
        assert without_gaps_in_labels("使 用 说 明") == "使用说明"
        assert texts("男  女") == ["男", "女"]

    @pytest.mark.parametrize(
        ("line", "wanted"),
        [
            ("第二章 安装......................12", ["第二章 安装", "......................12"]),
            ("第一章　概述…………………………1", ["第一章", "概述", "…………………………1"]),
            ("前言 ············· iv", ["前言", "············· iv"]),
            ("等一下……再说", ["等一下……再说"]),
            ("版本 1.2.3", ["版本 1.2.3"]),
            ("姓名：____性别：＿＿年龄：", ["姓名：____", "性别：＿＿", "年龄："]),
            ("请在____中填写", ["请在____中填写"]),
        ],
    )
    def test_leaders_and_blanks_separate_too(self, line, wanted):
        assert texts(line) == wanted

    def test_every_character_is_kept(self):
        for line in (
            self.FORM,
            "①准备②安装......12",
            "姓名：____性别：＿＿",
            "目录.....1\n二.....2",
        ):
            segments = split_text(line, "zh")
            assert "".join(one.text + one.after for one in segments) == line

    def test_a_spaced_label_is_read_as_a_word(self):
        assert without_gaps_in_labels("日  期：今天  好") == "日期：今天  好"

    @pytest.mark.parametrize("beam", [1, 4])
    def test_the_gaps_arrive_and_nothing_runs_away(self, translator, beam):
        translation = translator.translate(self.FORM, beam=beam)
        assert re.findall(" {3,}", translation) == re.findall(" {3,}", self.FORM)
        assert len(translation) < 80

    def test_splitting_takes_linear_time_on_hostile_gaps(self):
        assert len(texts("年  " * 20_000)) == 20_000
        for unit in ("①准备", "_", "...", "：__a"):
            began = time.perf_counter()
            texts(unit * 20_000)
            assert time.perf_counter() - began < 5


class TestA7TraditionalChinese:
    def test_a_traditional_sentence_is_simplified_with_the_terms_of_taiwan(self):
        normalise = Normaliser("zh", KNOWN)
        text = "請確認電腦已經連線到網路，然後開啟應用程式。"
        assert normalise(text) == "请确认电脑已经连接到网络，然后打开应用程序。"

    @pytest.mark.parametrize(
        ("text", "read"),
        [
            ("程式碼範例如下：", "代码范例如下："),
            ("透過網際網路存取資料庫。", "透过互联网访问数据库。"),
            ("請檢查字串與隨身碟。", "请检查字符串与U盘。"),
        ],
    )
    def test_terms_of_another_length_keep_every_character_in_its_place(self, text, read):
        normaliser = Normaliser(
            "zh", KNOWN | set("代码范例如下：透过互联网访问数据库。检查字符串与U盘")
        )
        normal = normaliser(text)
        assert len(normal) == len(text)
        assert normaliser.visible(normal) == read

    @pytest.mark.parametrize("term", ["程式碼", "代码", "程式码"])
    def test_a_term_is_found_as_it_was_given_or_simplified(self, translator, term):
        found = translator.translate("這是程式碼。", glossary={term: "sauce"}, beam=1)
        assert ("sauce" in found) is (term != "程式码")

    def test_the_bundled_model_translates_it(self, translator):
        translation = translator.translate("請確認電腦已經連線到網路，然後開啟應用程式。")
        assert "computer" in translation
        assert "network" in translation
        assert "application" in translation
