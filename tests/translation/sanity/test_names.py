"""Names in Latin letters: found, missing, glued to words, put back."""

import time

import pytest

import longways
from longways import Report
from longways.translation.sanity.checks import find_problems
from longways.translation.sanity.names import (
    missing_names,
    names_of,
    with_name,
)


@pytest.fixture(scope="module")
def translator():
    return longways.load()


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("把 MariaDB 的数据写入EEPROM。", ["MariaDB", "EEPROM"]),
        ("合并 localParam 和 umi4", ["localParam", "umi4"]),
        ("用 C 语言写 a、B、Id 与 v18、V3.2", []),
        ("用ls和grep命令 (by the user)", ["ls", "grep", "user"]),
        ("运行 make_all 和 x86_64", []),
        ("Redis Redis Redis 集群", ["Redis"]),
    ],
)
def test_the_names_of_a_sentence(source, names):
    assert list(names_of(source, "zh")) == names


def test_a_text_in_latin_script_or_an_unknown_language_has_no_names():
    assert not names_of("Die API von MariaDB", "de")
    assert not names_of("把 MariaDB 打开", "tlh")


@pytest.mark.parametrize(
    ("source", "translation", "missing"),
    [
        ("读取ADC的值", "Read the AADC value", ("ADC",)),
        ("读取ADC的值", "Read the value of an adc", ()),
        ("合并 localParam", "Merge the localParams", ("localParam",)),
        ("把IP和Pod列出", "List the IPs and the pods", ()),
        ("提交 PR 前", "Before you open a pull request", ()),
        ("用ls命令", "Use the lls command", ("ls",)),
        ("提交后merge分支", "Merging the branch after the commit", ()),
        ("编写SSS而不是SS", "Write SS instead", ("SSS",)),
        ("支持 IE 11", "Supports IE11", ()),
        ("保存到EEPROM中", "Save it to anEEPROM", ()),
        ("关注《CodeNews》", "Follow Code News", ("CodeNews",)),
    ],
)
def test_a_name_arrives_as_it_is_as_a_plural_or_as_its_words(source, translation, missing):
    assert missing_names(source, translation, "zh") == missing


def test_names_inside_glossary_terms_are_not_looked_for():
    pair = ("zh", "en")
    assert find_problems("打开ADC单元", "Open the converter", (6, 4), pair).names == ("names",)
    problems = find_problems(
        "打开ADC单元", "Open the converter", (6, 4), pair, terms=[("ADC单元", "converter")]
    )
    assert problems.severity == 0


def test_the_word_that_is_most_like_a_missing_name_is_replaced():
    assert list(with_name("The AADC and MD5 read", "ADC", "与ADC和MD5")) == ["The ADC and MD5 read"]
    assert not list(with_name("Open the file", "ADC", "打开ADC"))
    assert list(with_name("Run lls", "ls", "运行ls")) == ["Run ls"]
    assert not list(with_name("It is the tree", "ls", "运行ls"))
    assert not list(with_name("It is the tree", "tee", "运行tee"))
    assert not list(with_name("Before the release", "rebase", "发布前请 rebase"))
    assert not list(with_name("", "ADC", "打开ADC"))


def test_a_hostile_sentence_takes_no_time():
    names = "、".join(f"Name{number}" for number in range(300))
    started = time.perf_counter()
    missing_names(names, "the " * 300, "zh")
    assert len(list(with_name("x" * 9_000 + " Name", "Nane" * 9, names))) == 0
    assert not names_of("A" * 100_000, "zh")
    code = "中 " + " ".join(f"Name{number}" for number in range(2_000))
    assert not missing_names(code, code, "zh")
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("beam", [1, 4])
def test_the_bundled_model_keeps_names(translator, beam):
    report = Report()
    text = (
        "把读数保存到EEPROM中。\n该例子读取ADC和GPIO。\n数据从 MariaDB 复制到 TiDB。\n"
        "合并 localParam 和 globalParam。\n配置Wifi的SSID。"
    )
    found = translator.translate(text, beam=beam, report=report).splitlines()
    wanted = [["EEPROM"], ["ADC", "GPIO"], ["MariaDB", "TiDB"], ["localParam", "globalParam"]]
    for line, names in zip(found, [*wanted, ["SSID"]], strict=True):
        assert set(names) <= set(line.replace(".", " ").replace(",", " ").split())
    assert report.wrong_names == 0
