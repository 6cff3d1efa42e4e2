# ruff: noqa: RUF001 - full-width signs look like ASCII ones
"""Numbers that change, and translations that run away."""

import json
import re
import time

import pytest
from typer.testing import CliRunner

import longways
from longways import Report
from longways.cli import app
from longways.errors import ConfigError
from longways.translation.files.job import PROBLEMS
from longways.translation.list_numbers import label_length, translated_label
from longways.translation.sanity.checks import find_problems
from longways.translation.sanity.chinese_numerals import numerals, value
from longways.translation.sanity.confidence import Calibration, Familiarity
from longways.translation.sanity.english_numerals import values
from longways.translation.sanity.numbers import check_numbers
from longways.translation.sanity.repetition import (
    has_doubled_words,
    is_repetitive,
    without_repetition,
    without_stutter,
)
from longways.translation.sanity.second_search import SecondSearch, _edits

PAIR = ("zh", "en")


@pytest.fixture(scope="module")
def translator():
    return longways.load()


class TestA6Repetition:
    def test_four_words_that_come_twice_are_one_unless_the_source_says_them_twice(self):
        doubled = "Click the name of the icon the name of the icon and choose a number."
        assert is_repetitive(doubled, "点击图标的名称，然后选择编号。")
        twice = "点击「级别」图标 「级别」图标，然后选择编号。"
        assert not is_repetitive('Click the "Level" icon "Level" icon and choose a number.', twice)

    @pytest.mark.parametrize(
        ("text", "wanted"),
        [
            ("as as as as as", "as"),
            ("Run it. the file is open the file is open now", "Run it. the file is open now"),
            ("no no", "no no"),
            ("1, 1, 1, 1", "1, 1, 1, 1"),
        ],
    )
    def test_a_repeated_block_is_written_once(self, text, wanted):
        assert without_repetition(text) == wanted

    def test_syllables_count_and_what_the_source_repeats_does_not(self):
        assert is_repetitive("6.0.0.0.0.0", "6.0.0 版")
        assert is_repetitive("lalalalala", "好")
        assert not is_repetitive("ha ha ha", "哈哈哈")
        assert not is_repetitive("1000000 rows", "一百万行")

    @pytest.mark.parametrize(
        ("translation", "source", "repetitive"),
        [
            ("Good good good", "好好好", False),
            ("I love you I love you I love you", "我爱你我爱你我爱你", False),
            ("of of of of of of of of", "的的的", True),
            ("A" * 34, "A" * 20 + " 是占位符", True),
            ("A" * 20, "A" * 20 + " 是占位符", False),
            ("back up, back up, back up", "备份！备份！备份！", False),
        ],
    )
    def test_more_repeats_than_in_the_source_are_a_repetition(
        self, translation, source, repetitive
    ):
        assert is_repetitive(translation, source) is repetitive

    @pytest.mark.parametrize(
        ("translation", "source", "doubled"),
        [
            ("Choose the items items of the list.", "选择列表的项目。", True),
            ("It waits for the state of the state of the node.", "它等待节点的状态。", True),
            ("Choose the items of the list.", "选择列表的项目。", False),
            ("It knows that that is often so.", "它知道情况如此。", False),
            ("The index often often changes.", "索引常常变化。", False),
            ("Run add add-node, then add.", "运行 add add-node，然后添加。", False),
            ("| Status | Status |", "| 状态 | Status |", False),
            ("The list_list list is at a/list/list.", "列表在 a/list/list。", False),
            ("The Pod Pod class", "Pod Pod 类", False),
        ],
    )
    def test_a_word_that_comes_twice_is_doubled_unless_the_source_or_english_doubles_it(
        self, translation, source, doubled
    ):
        assert has_doubled_words(translation, source) is doubled

    def test_a_doubled_word_is_written_once_at_last_and_weighs_less_than_a_number(self):
        text, source = "Choose 3 of the items items.", "选择 3 个项目。"
        problems = find_problems(source, text, (8, 8), PAIR)
        assert problems.names == ("repetition",)
        assert list(_edits(text, source, problems)) == ["Choose 3 of the items."]
        without_number = find_problems(source, "Choose items.", (8, 8), PAIR)
        assert without_number.severity > problems.severity > 0

    def test_a_stuttered_name_is_written_as_in_the_source(self):
        assert without_stutter("use gcccc now", "用 gcc 编译") == "use gcc now"
        assert without_stutter("use hahahahaha now", "好") == "use ha now"
        assert without_stutter("use zzzz now", "用 zzzz 编译") == "use zzzz now"

    def test_a_hostile_text_takes_linear_time(self):
        assert without_repetition("a b c d e f g h " * 20_000).split() == list("abcdefgh")


class TestA8Numbers:
    @pytest.mark.parametrize(
        ("text", "wanted"),
        [
            ("二十", 20),
            ("三百五十六", 356),
            ("一千零一", 1001),
            ("两万五千", 25000),
            ("十二", 12),
            ("二〇二四", 2024),
            ("三四", None),
            ("千万", None),
            ("一亿零三百", 100000300),
            ("两千五", 2500),
            ("一千零五", 1005),
            ("三百五", 350),
            ("一万五", 15000),
            ("廿四", 24),
            ("十五", 15),
        ],
    )
    def test_the_value_of_a_chinese_numeral(self, text, wanted):
        assert value(text) == wanted

    def test_words_that_look_like_numerals_are_none(self):
        assert not list(numerals("这十分重要，万一失败，千万不要慌。"))
        assert [v for _, v in numerals("二十分钟")] == [20]
        assert not list(numerals("数十万条规则，几十亿，十六进制"))
        assert [v for _, v in numerals("参数三百个")] == [300]

    @pytest.mark.parametrize(
        ("text", "wanted"),
        [
            ("three hundred and fifty-six", {356}),
            ("twenty minutes", {20}),
            ("30 thousand", {30000}),
            ("on the third", {3}),
            ("March 15", {15, 3}),
            ("one million two hundred", {1000200}),
        ],
    )
    def test_the_values_of_english_numerals(self, text, wanted):
        assert set(values(text)) == wanted

    @pytest.mark.parametrize(
        ("source", "translation", "right"),
        [
            ("安装需要二十分钟。", "It takes twenty minutes.", True),
            ("安装需要二十分钟。", "It takes a dozens of minutes.", False),
            ("2024年3月15日", "March 15, 2024", True),
            ("数字 3.14 和 2024年3月15日", "Numbers 3.14 and 15, 2024", False),
            ("数字 3.14 和 2024年3月15日", "Numbers 3.14, September 15, 2024", False),
            ("数字 3.14 和 2024年3月15日", "Numbers 3.14 and March 15, 2024", True),
            ("1.2 和 2", "1.2 only", False),
            ("2020年发布", "released in September 2020", False),
            ("2020年国庆发布", "released in October 2020", True),
            ("2020/9/5", "5 September 2020", True),
            ("第1版第7次印刷", "July 1st printed", False),
            ("第1版第7次印刷", "first edition, seventh printing", True),
            ("2024年3月15日", "July 15, 2024", False),
            ("2024-03-05", "2024-03-05", True),
            ("共有3万人", "30 thousand people", True),
            ("共有3万人", "30,000 people", True),
            ("共有3万人", "3 people", False),
            ("价格为１００元", "100 yuan", True),
            ("版本 1.2.3", "version 1.2", False),
            ("端口 8080", "port 80 and 8080", False),
            ("这十分重要", "This is very important", True),
            ("大约1万5千行", "about 15,000 lines", True),
            ("大约1万5千行", "about 5 lines", False),
            ("3亿5千万用户", "350 million users", True),
            ("1.1万人", "11,000 people", True),
            ("20世纪70年代末", "in the late 1970s", True),
            ("20 世纪 70 年代", "the 70s of the 20th century", True),
            ("20世纪70年代", "the 1980s", False),
            ("将平面对象转换", "Convert a 2D object", True),
            ("约有 100 万行", "about 1 million lines", True),
            ("约有 100 万行", "about 100 lines", False),
            ("共 10 亿用户", "10 million users", False),
            ("有 400 多万人", "over four million people", True),
            ("有5百个文件", "5 files", False),
            ("3百万用户", "3 millions of users", True),
            ("超过 100 million 用户", "more than 100 million users", True),
            ("百分之九十九点九", "99.9%", True),
            ("百分之五", "15%", False),
            ("三分之二的节点", "two thirds of the nodes", True),
            ("三分之二的节点", "three of two nodes", True),  # an order is not compared
            ("三分之二的节点", "two fifths of the nodes", False),
            ("四分之一", "a quarter", True),
            ("圆周率是三点一四", "pi is 3.14", True),
            ("圆周率是三点一四", "pi is three points", False),
            ("以下三点一定要注意", "note these", True),
            ("下午三点半开会", "at 3:30 p.m.", True),
            ("下午三点半开会", "at half past three in the afternoon", True),
            ("下午三点半开会", "at 15:30", True),
            ("下午三点半开会", "at 3:30 AM", False),
            ("下午3点开会", "at 3", False),
            ("凌晨2点", "at 2 am", True),
            ("上午 10 点开始", "it starts at 10:00 am", True),
            ("在五月举行", "held in May", True),
            ("在五月举行", "held in five months", False),
            ("在 5 月举行", "held on May 5", False),
            ("截止日期是四月一日", "the deadline is April 1", True),
            ("截止日期是四月一日", "the deadline is in June", False),
            ("农历八月十五", "the 15th of the eighth lunar month", True),
            ("返回 -1", "returns -1", True),
            ("返回 -1", "returns 1", False),
            ("零下五度", "minus five degrees", True),
            ("零下五度", "five degrees", False),
            ("第 1-3 页", "pages 1 to 3", True),
            ("二十世纪九十年代", "the 1990s", True),
            ("上世纪九十年代", "the 1980s", False),
            ("民国113年", "2024", True),
            ("每天 10:00 备份", "a backup every day at 10:00", True),
            ("上午9：00开门", "opens at 9:00 AM", True),
            ("8月23日第五次会议通过", "on August 23 at the fifth meeting", True),
            ("8月23日第五次会议通过", "on August 23, July, at the fifth meeting", False),
            ("上个版本已经发布", "the last version was released in March", False),
            ("上个版本可能会失败", "May fail. March on.", True),
            ("2024-07-01 发布", "released on July 1, 2024", True),
            ("Jul 发布", "released in July", True),
            ("元旦关门", "closed on January 1", True),
            ("三萬五千個檔案", "35,000 files", True),
            ("三萬五千個檔案", "5,000 files", False),
            ("价格为壹佰贰拾叁元", "123 yuan", True),
            ("收拾大陆的陆地", "tidy up the land", True),
            ("三千克", "3 kg", True),
            ("五百万千瓦", "5 million kilowatts", True),
            ("五个节点", "five nodes", True),
            ("五个节点", "nine nodes", False),
            ("两个节点都是", "both nodes are", True),
            ("每个节点，这一个，五六个", "each node, this one, a few", True),
            ("大约八成用户", "about 80% of users", True),
            ("٣ 个文件", "3 files", True),
        ],
    )
    def test_numbers_in_are_numbers_out(self, source, translation, right):
        assert check_numbers(source, translation, PAIR).is_right is right

    @pytest.mark.parametrize("beam", [1, 4])
    @pytest.mark.parametrize(
        ("sentence", "wanted"),
        [
            ("该公司有 10 亿用户。", "1 billion"),
            ("每秒处理 1.5 万个请求。", "15,000"),
            ("会议在下午三点半开始。", "3:30 PM"),
            ("服务的可用性为百分之九十九点九。", "99.9%"),
            ("九月三日至十月五日。", "September 3"),
            ("上世纪九十年代开始使用。", "1990s"),
            ("这个软件的价格为壹佰贰拾叁元。", "123"),
        ],
    )
    def test_a_number_that_the_model_cannot_read_is_read_in_another_form(
        self, translator, sentence, wanted, beam
    ):
        assert wanted in translator.translate(sentence, beam=beam)

    @pytest.mark.parametrize(
        ("source", "wrong", "edited"),
        [
            ("下午 3:30 开始。", "It starts at 3:30 AM.", "It starts at 3:30 PM."),
            ("在 5 月举行。", "Held in May 5.", "Held in May."),
            ("共 10 亿用户。", "10 million users.", "1 billion users."),
        ],
    )
    def test_the_last_remedy_is_an_edit(self, source, wrong, edited):
        problems = find_problems(source, wrong, (8, 8), PAIR)
        assert edited in list(_edits(wrong, source, problems))
        assert not find_problems(source, edited, (8, 8), PAIR).severity

    @pytest.mark.parametrize(
        "unit",
        [
            *("1", "1万5千", "20世纪", "九", "十万", "1,111", "1.1万", "十分重要", "5月", "壹佰"),
            *("下午三点半", "-5 ", "三分之", "3 千克 ", "May 5 ", "am ", "5 million "),
        ],
    )
    def test_numbers_of_any_length_are_compared_in_linear_time(self, unit):
        took = []
        for times in (2_000, 8_000):
            began = time.process_time()
            check_numbers(unit * times, unit * times, PAIR)
            check_numbers(unit * times, "1 million " * times, ("en", "de"))
            took.append(time.process_time() - began)
        assert took[1] < 10 * took[0] + 0.2

    @pytest.mark.parametrize("beam", [1, 4])
    @pytest.mark.parametrize("window", [1, 2, 4])
    def test_the_bundled_model_keeps_numbers_in_words_and_dates(self, translator, beam, window):
        text = (
            "安装大约需要二十分钟。\n会议在2024年3月15日举行。\n三百五十六个文件被删除。\n"
            "请在十二小时内重新启动 35 台服务器。\n版本 1.28.3 于 2023 年 10 月发布。"
        )
        report = Report()
        translation = translator.translate(text, beam=beam, window=window, report=report)
        for source, line in zip(text.splitlines(), translation.splitlines(), strict=True):
            assert check_numbers(source, line, PAIR).is_right, line
        assert report.wrong_numbers == 0

    def test_a_glossary_term_may_write_numbers_otherwise(self, translator):
        glossary = {"百分之五十": "half", "第一阶段": "Phase 1"}
        terms = list(glossary.items())
        assert check_numbers("设为百分之五十", "Set it to half", PAIR, terms).is_right
        assert not check_numbers("设为百分之五十", "Set it to half", PAIR).is_right
        assert check_numbers("第一阶段有3步", "Phase 1 has 3 steps", PAIR, terms).is_right
        assert not check_numbers("第一阶段有3步", "Phase 1 has steps", PAIR, terms).is_right
        found = translator.translate("将阈值设为百分之五十。", glossary=glossary)
        assert "half" in found
        assert "50" not in found


class TestA8NumbersOfChapters:
    @pytest.mark.parametrize(
        ("source", "translation", "is_right"),
        [
            ("第九章 习题", "Chapter Four", False),
            ("第六章 习题", "Chapter Sattle", False),
            ("第九章 习题", "Exercises of chapter nine", True),
            ("第二章", "The second chapter", True),
            ("第一节", "First section", True),
            ("第十讲", "Lecture 10", True),
            ("第一次打开", "When it opens", True),
        ],
    )
    def test_the_number_of_a_chapter_must_arrive(self, source, translation, is_right):
        assert check_numbers(source, translation, ("zh", "en")).is_right == is_right


class TestA8SeveralNumbers:
    @pytest.mark.parametrize("source", ["数字 3.14 和 2024年3月15日。", "第二十一章 第3节"])
    def test_no_number_goes_when_a_missing_one_comes(self, translator, source):
        (found,) = translator.translate_results(source, beam=1)
        assert found.problems == (), found.text


class TestA8VersionsAndListNumbers:
    def test_a_version_that_lost_its_digits_gets_them_back(self, translator):
        assert "2.2.0" in translator.translate("2.2.0版本开始支持。", beam=1)
        problems = find_problems("2.2.0 版本", "version 2..0.", (5, 5), PAIR)
        assert list(_edits("version 2..0.", "2.2.0 版本", problems)) == ["version 2.2.0."]

    @pytest.mark.parametrize(
        ("source", "label"),
        [
            ("1、将文件保存到磁盘。", "1. "),
            ("12．将文件保存到磁盘。", "12. "),
            ("３、将文件保存到磁盘。", "3. "),
            ("3.将文件保存到磁盘。", "3. "),
            ("1.2、将文件保存到磁盘。", "1.2. "),
            ("2)将文件保存到磁盘。", "2) "),
            ("（2）将文件保存到磁盘。", "(2) "),
            ("一、将文件保存到磁盘。", "1. "),
            ("（十二）将文件保存到磁盘。", "(12) "),
            ("★ 1、将文件保存到磁盘。", "★ 1. "),
        ],
    )
    def test_the_number_of_a_list_item_stays_at_its_start(self, translator, source, label):
        wanted = translator.translate("将文件保存到磁盘。", beam=1)
        assert translator.translate(source, beam=1) == label + wanted

    @pytest.mark.parametrize(
        "sentence",
        ["1、2、3 都可以。", "一、二年级的学生", "3.5 倍", "2020、2021 年", "10月问题", "3.3V 电压",
         "十个节点", "第一、安装", "1、`命令`", "5、", "1."],
    )  # fmt: skip
    def test_a_number_that_belongs_to_the_sentence_is_no_label(self, sentence):
        assert label_length(sentence, "zh") == (2 if "`" in sentence else 0)
        assert label_length(f"1、{sentence}", "en") == 0

    @pytest.mark.parametrize(
        ("text", "translation"),
        [("一、", "1."), ("（三）", "(3)"), ("２．", "2."), ("十二、", "12."), ("1.", "1.")],
    )
    def test_a_number_that_is_alone_is_never_read_by_the_model(self, translator, text, translation):
        assert translator.translate(text, beam=1) == translation
        table = translator.translate(f"{text}\t将文件保存到磁盘。", beam=1)
        assert table.startswith(f"{translation}\t")

    def test_a_chinese_numeral_before_a_full_stop_is_a_label(self, translator):
        wanted = translator.translate("将文件保存到磁盘。", beam=1)
        assert translator.translate("二.将文件保存到磁盘。", beam=1) == f"2. {wanted}"

    def test_a_kept_part_at_the_start_is_not_cut(self, translator):
        found = translator.translate("1、`npm run build` 生成页面。", beam=1)
        assert found.startswith("1. ")
        assert "`npm run build`" in found

    def test_languages_without_spaces_keep_the_label_as_it_is(self):
        assert translated_label("1、", "ja") == "1、"
        assert translated_label("（二）", "fr") == "(2) "
        assert translated_label("★", "en") == "★"


KNOWN = (
    "在开始之前，请确认你的电脑至少有 8 GB 内存。你还需要安装一个容器运行时。"
    "打开终端，然后运行下面的命令。应用程序由一个配置文件描述。"
    "控制节点负责管理集群的状态。完成之后，请删除集群以释放内存。"
)
UNKNOWN = (
    "他昨天去了北京，看望了生病的母亲。天气很冷，街上没有什么人。"
    "她笑了笑，没有说话，只是把那封信放回了抽屉里。窗外的麻雀叽叽喳喳地叫着。"
    "老人叹了一口气，想起了年轻时候的那场大雪。"
)


class TestA9TextThatTheModelDoesNotKnow:
    def test_every_translated_sentence_has_a_confidence(self, translator):
        known = [one.confidence for one in translator.translate_results(KNOWN)]
        unknown = [one.confidence for one in translator.translate_results(UNKNOWN)]
        assert all(0 <= one <= 1 for one in [*known, *unknown])
        assert sum(known) / len(known) > 0.5 > 0.4 > sum(unknown) / len(unknown)
        assert translator.translate_results("1234")[0].confidence is None

    @pytest.mark.parametrize("beam", [1, 4])
    def test_the_report_counts_documents_that_are_unlike_the_training_text(self, translator, beam):
        report = Report()
        documents = [re.findall(".+?。", text) for text in (UNKNOWN, KNOWN)]
        translator.translate_documents(documents, report=report, beam=beam)
        assert report.unfamiliar == 1
        assert 0 < report.confidence < 1

    def test_the_command_warns_once_for_each_such_file(self, tmp_path):
        for name, text in (("known", KNOWN), ("unknown", UNKNOWN * 12)):
            (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
        files = [str(tmp_path / "known.txt"), str(tmp_path / "unknown.txt")]
        result = CliRunner().invoke(
            app, ["translate", "--json", "--beam", "1", "-o", "-", *files], catch_exceptions=False
        )
        assert result.exit_code == 0
        warnings = [line for line in result.stderr.splitlines() if "unlike the text" in line]
        assert len(warnings) == 1
        assert "unknown.txt" in warnings[0]
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        assert [line["document"] for line in lines if "warning" in line] == [files[1]]
        assert all("confidence" in line for line in lines if "warning" not in line)

    def test_terms_that_the_model_finds_unlikely_are_no_reason_to_warn(self, translator):
        report, terms = Report(), {"终端": "console", "集群": "flock", "节点": "knot"}
        translator.translate("打开终端。\n删除集群。\n创建节点。\n", glossary=terms, report=report)
        assert report.unfamiliar == 0

    def test_a_model_without_coefficients_has_no_confidence_and_never_warns(self):
        assert Calibration.from_facts({}, "config.json") is None
        familiarity = Familiarity(None)
        familiarity.add(0.01)
        assert familiarity.warning("a.txt") is None

    def test_few_sentences_must_be_worse_than_many_before_a_warning(self):
        facts = {"bias": 0.0, "log_probability": 1.0, "log_density": 0.0}
        config = Calibration.from_facts(
            {"confidence": {**facts, "limit": 0.4, "margin": 0.2}}, "config.json"
        )
        few, many = Familiarity(config), Familiarity(config)
        few.add(0.3)
        for _ in range(50):
            many.add(0.3)
        assert not few.is_low
        assert "mean confidence 0.30, usually above 0.37" in many.warning("a.txt")

    def test_damaged_coefficients_are_refused(self):
        with pytest.raises(ConfigError, match=r"config.json, facts.confidence"):
            Calibration.from_facts({"confidence": {"bias": 1.0, "slope": 2.0}}, "config.json")


class TestA6AndA8AreCounted:
    def test_the_report_has_the_place_of_each_sentence_that_was_searched_again(self, translator):
        report = Report()
        text = "打开终端。\n\n安装大约需要二十分钟。\n保存文件。三百五十六个文件被删除。\n"
        results = translator.translate_results(text, report=report, beam=1, window=4)
        again = [n for n, one in enumerate(results, 1) if one.searched_again]
        assert [one.sentence for one in report.findings] == again != []
        lines = {2: 3, 3: 4, 4: 4}
        assert [one.line for one in report.findings] == [lines[n] for n in again]
        assert report.searched_again == len(again)

    @pytest.mark.parametrize(
        ("problem", "field"),
        [
            *(("numbers", "wrong_numbers"), ("repetition", "repetitions")),
            *(("length", "odd_lengths"), ("context", "copies")),
            ("names", "wrong_names"),
        ],
    )
    def test_every_kind_of_problem_is_counted_and_shown(self, problem, field):
        report = Report(sentences=3, seconds=1.0)
        before = str(report)
        report.add_problems([problem])
        assert getattr(report, field) == 1
        assert str(report) != before
        assert PROBLEMS[problem]

    def test_a_copy_of_the_sentence_before_is_named(self, translator, monkeypatch):
        monkeypatch.setattr(SecondSearch, "improve", lambda _, given: [one.found for one in given])
        copied = "The same sentence is here again and again."
        kind = type(translator.model.text.target)
        monkeypatch.setattr(kind, "decode", lambda _, found: [copied for _ in found])
        report = Report()
        translator.translate("打开终端。打开终端。关闭窗口。", report=report, beam=1)
        assert report.copies == 1
        assert [(one.sentence, one.problems) for one in report.findings] == [(3, ("context",))]

    def test_a_translation_that_was_cut_off_is_named(self):
        problems = find_problems("打开", "Open", (2, 2), PAIR, is_cut=True)
        assert problems.names == ("cut",)
        assert problems.severity > 0

    def test_what_stays_wrong_is_named_with_its_sentence(self, translator, tmp_path, monkeypatch):
        monkeypatch.setattr(SecondSearch, "improve", lambda _, given: [one.found for one in given])
        (tmp_path / "a.txt").write_text("打开终端。\n三百五十六个文件被删除。\n", encoding="utf-8")
        result = CliRunner().invoke(
            app, ["translate", "--json", "-o", "-", str(tmp_path / "a.txt")], catch_exceptions=False
        )
        assert "a.txt, sentence 2: a number is missing or made up." in result.stderr
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        assert [line.get("problems") for line in lines] == [None, ["numbers"]]
