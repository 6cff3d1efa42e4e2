"""Signs of comments and list items around a sentence, as in files of programs and mail."""

import pytest

import longways


@pytest.fixture(scope="module")
def translator():
    return longways.load()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("* ", ""),
        ("- ", ""),
        ("+ ", ""),
        ("//", ""),
        ("// ", ""),
        ("/* ", " */"),
        ("/** ", " */"),
        ("# ", ""),
        ("// 1. ", ""),
    ],
)
def test_the_signs_of_a_comment_stay_around_it(translator, before, after):
    wanted = translator.translate("将文件保存到磁盘。", beam=1)
    found = translator.translate(f"{before}将文件保存到磁盘。{after}", beam=1)
    assert found == f"{before}{wanted}{after}"


@pytest.mark.parametrize("text", ["//", "# ", "/* */", "/**/", "#", "*/", "// ---"])
def test_signs_alone_do_not_change(translator, text):
    assert translator.translate(text, beam=1) == text
