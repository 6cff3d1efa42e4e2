"""What real pages have beyond the dialects: bold beside Chinese, loose maths, odd paths."""

# ruff: noqa: RUF001 - full-width signs are meant

from __future__ import annotations

import pytest

from longways.formats.base import Mark, Passage
from longways.formats.placeholders import kept_parts
from tests.formats.markdown.test_format import read, texts


class TestBoldBesideChinese:
    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            ("**注：**先保存。", "注：先保存。"),
            ("点**「保存」**键", "点「保存」键"),
            ("甲。**乙：**丙。**丁**", "甲。乙：丙。丁"),
            ("~~（旧）~~新", "（旧）新"),
            ("甲***“乙”***丙", "甲“乙”丙"),
            ("全部*.gz，还有*.zip。", "全部*.gz，还有*.zip。"),
            ("2 ** 3，4 ** 5", "2 ** 3，4 ** 5"),
            ("**没有结尾：甲", "**没有结尾：甲"),
        ],
    )
    def test_its_delimiters_are_markup(self, source: str, expected: str) -> None:
        assert texts(source) == [expected]

    def test_a_translation_is_bold_for_commonmark(self) -> None:
        assert _with_bold("**注：**先。", "Note: first.", (0, 5)) == "**Note:** first."
        assert _with_bold("甲**“乙”**丙", 'a"b"c', (1, 4)) == 'a<strong>"b"</strong>c'


def _with_bold(source: str, text: str, bold: tuple[int, int]) -> str:
    """The file with a new text of which some characters are bold."""
    document = read(source)
    marks = tuple(Mark(*bold, mark.tag) for mark in document.passages[0].marks)
    return document.write([Passage(text, marks)], "en").decode()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("设 $ A = \\{1\\} $ 与 $ n $ 和 $ i < j $", ["$ A = \\{1\\} $", "$ n $", "$ i < j $"]),
        ("用 $3×3$ 的核，$≥3$，约 $≈ 65$", ["$3×3$", "$≥3$", "$≈ 65$"]),
        ("设 $|\\mathcal\n{H}|=2$，则", ["$|\\mathcal\n{H}|=2$"]),
        ("从 $ 5 到 $ 6 为止", []),
        ("it costs $ 5 for a file and $ 6 for two", []),
        ("from $5 a day\nor $6 a week", []),
    ],
)
def test_formulas_have_spaces_signs_and_two_lines(text: str, kept: list[str]) -> None:
    assert [text[start:end] for start, end in kept_parts(text)] == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("支持缓存/IOC/序列化/ 等", ["/IOC/"]),
        ("写入/dev/null表示丢弃，再到/dev/null为止", ["/dev/null", "/dev/null"]),
        ("见./core/a该目录下没有b/c", ["./core/a"]),
        ("放在/data/项目/a.txt里", ["/data/项目/a.txt"]),
        ("见 /Users/张三/文档/a.md", ["/Users/张三/文档/a.md"]),
        ("用%q和%T输出", []),
        ("用 %用户名% 与 %PATH%", ["%用户名%", "%PATH%"]),
        ("@old (别名)", []),
        ("@if (甲 == 1) 与 @old (a, b)", ["@if (甲 == 1)", "@old (a, b)"]),
        ("__名称__ 与 __表项中的index域指向的基址在这里__", ["__名称__"]),
    ],
)
def test_no_sentence_is_a_part_of_a_path_or_a_name(text: str, kept: list[str]) -> None:
    assert [text[start:end] for start, end in kept_parts(text)] == kept


def test_an_image_with_spaces_in_its_address_stays() -> None:
    document = read("甲 ![截图 1](第 1 周/图 1.png) 乙。")
    (passage,) = document.passages
    assert [passage.text[a:b] for a, b in passage.keep] == ["![截图 1](第 1 周/图 1.png)"]
    assert texts("![图](a.png) 乙") == ["乙", "图"]


@pytest.mark.parametrize("code", ["` a`", "`a `", "`` a``", "` `", "`  a  `", "``a` ``"])
def test_code_keeps_the_spaces_at_its_ends(code: str) -> None:
    document = read(f"甲 {code} 乙")
    (passage,) = document.passages
    new = passage.text.replace("甲", "one").replace("乙", "two")
    moved = tuple(Mark(m.start + 2, m.end + 2, m.tag) for m in passage.marks)
    result = document.write([Passage(new, moved)], "en").decode()
    assert result == f"one {code} two"


def test_attributes_that_frameworks_read_from_any_element_are_translated() -> None:
    assert texts('<div label="甲">\n\n乙\n\n</div>\n') == ["甲", "乙"]
    assert texts('<img src="a" description="甲<br>乙">\n') == ["甲<br>乙"]
    assert texts('<div label="npm" description="a b">\n</div>\n') == []
