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
        (
            "打开/usr/local/文件/a.txt文件，或/opt/文件/a.txt",
            ["/usr/local/文件/a.txt", "/opt/文件/a.txt"],
        ),
        ("前端/vue/组件/文档", ["/vue/"]),
        ("见 /Users/张三/文档/a.md", ["/Users/张三/文档/a.md"]),
        ("用%q和%T输出", []),
        ("用 %用户名% 与 %PATH%", ["%用户名%", "%PATH%"]),
        ("@old (别名)", []),
        ("@if (甲 == 1) 与 @old (a, b)", ["@if (甲 == 1)", "@old (a, b)"]),
        ("支持 3.9/3.10/3.11 与 80/443/8080/8443", ["3.9/3.10/3.11", "80/443/8080/8443"]),
        ("2026/1/2 与 1/2 与 1.2/3", []),
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


def test_the_sign_of_a_note_is_no_text() -> None:
    assert texts("?> 甲\n\n!> **注：**乙\n") == ["甲", "注：乙"]
    assert texts("甲\n?> 乙\n") == ["甲", "乙"]


def test_attributes_that_frameworks_read_from_any_element_are_translated() -> None:
    assert texts('<div label="甲">\n\n乙\n\n</div>\n') == ["甲", "乙"]
    assert texts('<img src="a" description="甲<br>乙">\n') == ["甲<br>乙"]
    assert texts('<div label="npm" description="a b">\n</div>\n') == []


def test_values_in_three_braces_are_written_as_they_were() -> None:
    source = "在 {{{ .a }}} 中，{x} 与 {{ b }}。\n"
    document = read(source)
    (passage,) = document.passages
    assert [passage.text[a:b] for a, b in passage.keep] == ["{{{ .a }}}", "{x}", "{{ b }}"]
    result = document.write([Passage("In {{{ .a }}}, {x} and {{ b }}.")], "en").decode()
    assert result == "In {{{ .a }}}, {x} and {{ b }}.\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("| 甲 | 乙 | 丙 |\n|---|---|\n| 丁 | `a` | 戊 |\n", ["甲", "乙", "丙", "丁", "a", "戊"]),
        ("改成：\n| 甲 | 乙 |\n| 1 | 2 |\n然后\n", ["改成：", "甲", "乙", "然后"]),
        ("- |甲|乙|\n  |丙|x \\| y|\n", ["甲", "乙", "丙", "x | y"]),
        ("> | 甲 | 乙 |\n> | 丙 |\n", ["甲", "乙", "| 丙 |"]),
        ("集合 |甲| 与 |乙|\n", ["集合 |甲| 与 |乙|"]),
    ],
)
def test_rows_that_are_no_table_are_read_by_cell(source: str, expected: list[str]) -> None:
    assert texts(source) == expected
    document = read(source)
    new = [Passage("x|y", p.marks) if p.text == "乙" else p for p in document.passages]
    assert document.write(document.passages, "zh").decode() == source
    assert document.write(new, "en").decode().count("\n") == source.count("\n")


@pytest.mark.parametrize(
    ("tag", "title", "new", "result"),
    [
        (
            "{% note info 站点 在此 %}",
            "站点 在此",
            "It's 5% {here}",
            "{% note info It\u2019s 5 here %}",
        ),
        ("{% note no-icon Mac 用户 %}", "Mac 用户", "Mac users", "{% note no-icon Mac users %}"),
        ('{% note warn "警告！" %}', "警告！", 'A "b"', '{% note warn "A \\"b\\"" %}'),
        ("{% folding 详情 %}", "详情", "Details", "{% folding Details %}"),
    ],
)
def test_the_title_of_a_box_is_translated(tag: str, title: str, new: str, result: str) -> None:
    document = read(f"{tag}\n甲\n{{% endnote %}}\n")
    assert [passage.text for passage in document.passages] == [title, "甲"]
    written = document.write([Passage(new), document.passages[1]], "en").decode()
    assert written.split("\n")[0] == result


@pytest.mark.parametrize("tag", ["{% note info Windows %}", "{% tabs 标签 %}", "{% note info %}"])
def test_the_name_of_a_box_stays(tag: str) -> None:
    assert texts(f"{tag}\n甲\n") == ["甲"]


def test_no_placeholder_extends_over_a_line_break() -> None:
    source = "运行：  \ncd /data/a  \nrun b_c.sh $X_Y  \n注：  \n$X_Z 是名字。\n"
    (passage,) = read(source).passages
    kept = [passage.text[a:b] for a, b in passage.keep]
    assert kept == ["/data/a", "b_c", "$X_Y", "$X_Z"]
    html = "<p>cd /data/a<br>run 甲 /xx/yy/<br>乙</p>\n"
    (passage,) = read(html).passages
    assert [passage.text[a:b] for a, b in passage.keep] == ["/data/a", "/xx/yy/"]


def test_a_placeholder_that_begins_in_code_ends_there() -> None:
    (passage,) = read("用`get https://a.b/c/`安装支持CUDA的包，`f`()").passages
    assert [passage.text[a:b] for a, b in passage.keep] == ["get https://a.b/c/", "f()"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (":::demo 很简单: 设`a`即可\n\n:::\n", ["很简单: 设a即可"]),
        ('<Card title="注意: 甲" />\n', ["注意: 甲"]),
        ('<Card foo="mailto:a@甲.c" bar="API: 说明" />\n', ["API: 说明"]),
        ("<table>\n<tr><td>引脚(28=>26)</td></tr>\n</table>\n", ["引脚(28=>26)"]),
        ("<Chart>\n<p>{a.map(x => '甲')}</p>\n</Chart>\n", []),
    ],
)
def test_prose_with_colons_and_arrows_is_no_code(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("```{note}\n甲 `a`。\n\n- 乙\n```\n丙\n", ["甲 a。", "乙", "丙"]),
        ("````{admonition} 题 **一**\n:class: tip\n甲\n```\n码\n```\n````\n", ["题 一", "甲"]),
        ("- 甲\n  ~~~{tip}\n  乙\n  ~~~\n", ["甲", "乙"]),
        ("> ```{warning}\n> 甲\n> ```\n", ["甲"]),
        ("甲\n```{note}\n乙\n```\n", ["甲", "乙"]),
        ("```{note}\n没有结尾\n", []),
        ("```{math}\n甲\n```\n\n```{code-block} 乙\n丙\n```\n\n```note\n丁\n```\n", []),
    ],
)
def test_notes_between_fences_are_read(source: str, expected: list[str]) -> None:
    assert texts(source) == expected
    document = read(source)
    assert document.write(document.passages, "zh").decode() == source
    new = [Passage(f"new {p.text}", p.marks) for p in document.passages]
    assert document.write(new, "en").decode().count("\n") == source.count("\n")


def test_a_linked_badge_inside_a_sentence_needs_no_escapes() -> None:
    source = "用 [![甲](a.svg)](b)，[![](c.svg)](d) 或 `e` 安装。\n"
    document = read(source)
    passage, alt = document.passages
    text = "with ,  or e install."
    places = {passage.text.index("，"): 5, passage.text.index("，") + 1: 7}
    marks = [
        Mark(places[m.start], places[m.start], m.tag) if m.start == m.end else Mark(11, 12, m.tag)
        for m in passage.marks
    ]
    result = document.write([Passage(text, tuple(marks)), alt], "en").decode()
    assert result == "with [![甲](a.svg)](b), [![](c.svg)](d) or `e` install.\n"
