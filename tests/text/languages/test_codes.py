"""Codes of other tools mean the languages that they are written for."""

import pytest

from longways.text.languages.codes import best_code, is_traditional, language_tag, main_language


@pytest.mark.parametrize(
    ("code", "tag"),
    [
        ("zh", "zh"), ("zh_CN", "zh-CN"), ("zh-hans", "zh-Hans"), ("zho_Hans", "zh-Hans"),
        ("cmn-Hans-CN", "zh-Hans-CN"), ("zt", "zh-Hant"), ("ZH-tw", "zh-TW"), ("pb", "pt-BR"),
        ("pt_br", "pt-BR"), ("eng", "en"), ("en_US", "en-US"), ("ger", "de"), ("iw", "he"),
        ("jp", "ja"), ("xx", "xx"), ("es-419", "es-419"),
    ],
)  # fmt: skip
def test_a_code_is_written_as_one_tag(code, tag):
    assert language_tag(code) == tag
    assert language_tag(language_tag(code)) == tag
    assert main_language(code) == tag.partition("-")[0]


def test_traditional_chinese_is_a_script_or_a_place():
    assert [code for code in ("zh", "zt", "zh-TW", "zh_Hant_HK", "zh-CN", "de-HK") if
            is_traditional(code)] == ["zt", "zh-TW", "zh_Hant_HK"]  # fmt: skip


def test_the_best_code_knows_the_codes_of_libretranslate():
    assert best_code(["zh", "zt"], "zh-TW") == "zt"
    assert best_code(["zt", "zh"], "zh") == "zh"
    assert best_code(["pt", "pb"], "pt-BR") == "pb"
