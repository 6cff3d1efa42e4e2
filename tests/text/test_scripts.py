# ruff: noqa: RUF001 - Russian has letters that look like Latin ones
"""A text in another script than the source language gives a warning; foreign words do not."""

import pytest

from longways.text.scripts import language_warning, script_share

RUSSIAN = "Ночью в гавани погасли фонари."
CHINESE = "夜里，港口的二十三盏灯熄灭了。我们不知道船长的信为什么丢了。"
ENGLISH = "The lamps in the harbour went out at night."


@pytest.mark.parametrize(
    ("text", "language"), [(RUSSIAN, "ru"), (CHINESE, "zh"), (CHINESE, "zh-CN"), (ENGLISH, "en")]
)
def test_a_text_in_the_language_is_wholly_in_its_script(text, language):
    assert script_share(text, language) == 1
    assert language_warning("page", text, language) is None


@pytest.mark.parametrize(
    ("text", "language"), [(RUSSIAN, "zh"), (ENGLISH, "zh"), (CHINESE, "en"), (RUSSIAN, "en")]
)
def test_a_text_in_another_script_gets_a_warning(text, language):
    assert "page is hardly in the language" in (language_warning("page", text, language) or "")


def test_foreign_words_few_letters_and_unknown_languages_get_none():
    assert language_warning("page", CHINESE + ENGLISH, "zh") is None
    assert language_warning("page", "Hello 12345678901234567890", "zh") is None
    assert language_warning("page", RUSSIAN, "toy") is None
