# ruff: noqa: RUF001 - full-width signs look like ASCII ones
"""Numbers that change, and translations that run away."""

import pytest

import longways
from longways import Report
from longways.translation.sanity.chinese_numerals import numerals, value
from longways.translation.sanity.english_numerals import values
from longways.translation.sanity.numbers import check_numbers
from longways.translation.sanity.repetition import (
    is_repetitive,
    without_repetition,
    without_stutter,
)

PAIR = ("zh", "en")


@pytest.fixture(scope="module")
def translator():
    return longways.load()


class TestA6Repetition:
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
            ("2024年3月15日", "July 15, 2024", False),
            ("2024-03-05", "2024-03-05", True),
            ("共有3万人", "30 thousand people", True),
            ("共有3万人", "30,000 people", True),
            ("共有3万人", "3 people", False),
            ("价格为１００元", "100 yuan", True),
            ("版本 1.2.3", "version 1.2", False),
            ("端口 8080", "port 80 and 8080", False),
            ("这十分重要", "This is very important", True),
        ],
    )
    def test_numbers_in_are_numbers_out(self, source, translation, right):
        assert check_numbers(source, translation, PAIR).is_right is right

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
