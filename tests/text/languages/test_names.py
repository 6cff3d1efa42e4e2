"""English names of languages."""

import pytest

from longways.text.languages.names import language_name


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("zh", "Chinese"), ("zho_Hans", "Chinese"), ("zh-CN", "Chinese"),
        ("zh-TW", "Chinese (traditional)"), ("zt", "Chinese (traditional)"), ("eng", "English"),
        ("pt-BR", "Portuguese (BR)"), ("pb", "Portuguese (BR)"), ("qaa", "qaa"),
    ],
)  # fmt: skip
def test_a_code_has_the_name_of_its_language(code, name):
    assert language_name(code) == name
