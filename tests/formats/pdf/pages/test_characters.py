"""Characters of fonts that look like others are read as the characters that people mean."""

import pytest

from longways.formats.pdf.pages.characters import readable, without_unreadable


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("\ufb01le o\ufb03ce", "file office"),
        ("使\u2f64\u2f42件和⻚⾯", "使用文件和页面"),
        ("\uf0b7 Open", "• Open"),
        ("\u200bzero\ufeff", "zero"),
        ("\ud83d\ude00", "\U0001f600"),
        ("１２％", "１２％"),  # noqa: RUF001 - full width has a meaning
        ("km²", "km²"),
    ],
)
def test_a_text_has_plain_characters(read, meant):
    assert readable(read) == meant


def test_what_has_no_meaning_is_counted():
    assert without_unreadable("a\ue123b\x01\ufffdc") == ("abc", 3)
