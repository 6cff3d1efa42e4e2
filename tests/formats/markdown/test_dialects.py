"""Markdown beyond CommonMark: notes, tabs, definitions, components, HTML, attributes, settings."""

from __future__ import annotations

import pytest

from tests.formats.markdown.test_format import read, texts, written


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('!!! note "题"\n    甲\n\n    乙\n\n丙\n', ["题", "甲", "乙", "丙"]),
        ("!!! tip\n    甲\n乙\n", ["甲", "乙"]),
        ('???+ tip "题"\n\n    - 甲\n\n        !!! note\n            乙\n', ["题", "甲", "乙"]),
        ('=== "甲"\n\n    乙\n', ["甲", "乙"]),
        ("!!! 注意\n", ["!!! 注意"]),
        ("甲\n: 乙\n: 丙\n", ["甲", "乙", "丙"]),
        ("*[API]: 甲\n*[URL]: 乙\n", ["甲", "乙"]),
        ("[甲](u){ .button target=_blank }", ["甲"]),
        ("![甲](u){width=50%}", ["甲"]),
        ("import A from 'b'\nexport const c = 1\n\n甲", ["甲"]),
        ("import 不是程序", ["import 不是程序"]),
        ("<Tabs items={['甲']}>\n\n乙\n\n</Tabs>", ["乙"]),
        ("<Grid\n  columns={3}\n  name='甲'\n/>", ["甲"]),
        ('+++\ntitle="甲"\n+++\n乙', ["甲", "乙"]),
        ('{\n  "title": "甲"\n}\n\n乙', ["甲", "乙"]),
        ("<summary>甲</summary>\n", ["甲"]),
        ('<Note title="题">\n  甲\n</Note>', ["题", "甲"]),
        ("<div translate=no>甲</div>\n\n<pre>乙</pre>\n\n<!-- 丙 -->", []),
        ("> <div>甲\n> 乙</div>", ["甲 乙"]),
        ("<p>{{< x >}}甲</p>", ["{{< x >}}甲"]),
        ('甲<img alt="乙"><a title="丙">丁</a>', ["甲丁", "乙", "丙"]),
    ],
)
def test_passages_are_what_a_reader_reads(source: str, expected: list[str]) -> None:
    assert texts(source) == expected
    document = read(source)
    assert document.write(document.passages, "zh").decode() == source


def test_names_of_pages_and_what_says_so_is_kept() -> None:
    (passage,) = read('甲 [[页|名]] ![[图]] <b translate="no">乙</b> [[1]](u)').passages
    kept = [passage.text[start:end] for start, end in passage.keep]
    assert kept == ["[[页|名]]", "![[图]]", "乙"]


@pytest.mark.parametrize(
    "formula", [r"\(x^2\)", r"\(f(x) = \sin x\)", r"\(n\)", r"\(\text{if not} [a]_1\)", "$a_1$"]
)
def test_formulas_are_kept_whatever_stands_beside_them(formula: str) -> None:
    (passage,) = read(f"甲 {formula} 乙").passages
    assert [passage.text[start:end] for start, end in passage.keep] == [formula]
    for beside in ("a", "a * b", "1. a", "a `b`", "[a]", "(a)"):
        result = written(f"甲 {formula} 乙", f"{beside} {formula} c")
        (again,) = read(result).passages
        assert [again.text[start:end] for start, end in again.keep] == [formula], result
        assert again.text == f"{beside} {formula} c"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("甲\n\\[\nx = 1\n\\]\n乙\n", ["甲", "乙"]),
        ("\\[ f(x) = 1 \\]\n\n> 甲\n>\n> \\[\n> x\n> \\]\n", ["甲"]),
        ("\\[可选\\]\n", ["[可选]"]),
        ("\\[see the note\\] 甲\n", ["[see the note] 甲"]),
        ("\\[\n甲\n", ["[\n甲"]),
        ("$$\nx\n$$\n甲\n", ["甲"]),
    ],
)
def test_formulas_on_lines_of_their_own_are_left_alone(source: str, expected: list[str]) -> None:
    assert texts(source) == expected
    document = read(source)
    assert document.write(document.passages, "zh").decode() == source


@pytest.mark.parametrize("text", [r"\(see the note\)", r"\[optional\]", r"\(a", r"\(\)"])
def test_brackets_that_are_escaped_are_text(text: str) -> None:
    (passage,) = read(f"甲 {text} 乙").passages
    assert not passage.keep
    assert "\\" not in passage.text


@pytest.mark.parametrize(
    ("source", "new", "expected"),
    [
        ('!!! note "题"\n    甲\n', ["a # b", "c\nd"], '!!! note "a # b"\n    c\n    d\n'),
        ("甲\n: 乙\n", ["a", "b"], "a\n: b\n"),
        ("甲\n", ["a\n: b"], "a\n\\: b\n"),
        ("甲\n", ["import 'a'"], "&#32;import 'a'\n"),
        ("<p>甲<br>乙</p>\n", ["a < b\n\nc"], "<p>a <br>&lt; b  c</p>\n"),
        ('<p title="甲">乙</p>\n', ['"{{x}}"', "`b`"], None),
        ('甲<img alt="乙">\n', ["a", "`b` $c$"], 'a<img alt="&#96;b&#96; &#36;c&#36;">\n'),
        ("<Note>\n甲\n</Note>\n", ["a"], "<Note>\na\n</Note>\n"),
        ("---\n甲\n\n---\n", ["key: a"], "---\n\nkey: a\n\n---\n"),
        ("- <div>甲</div>\n\n  乙\n", ["a\nb", "c"], "- <div>a b</div>\n\n  c\n"),
        ("甲\n", [r"a \(see the note\) *b*"], None),
        ("甲\n", [r"a \(b"], None),
    ],
)
def test_new_text_is_read_as_it_was_written(
    source: str, new: list[str], expected: str | None
) -> None:
    result = written(source, *new)
    assert expected is None or result == expected
    assert ["".join(text.split()) for text in texts(result)] == ["".join(t.split()) for t in new]


def test_both_texts_of_html_are_shown_beside_each_other() -> None:
    assert written("<p>甲</p>\n", "a", bilingual=True) == "<p>a / 甲</p>\n"
    source = '甲<img alt="乙">\n'
    assert 'alt="b / 乙"' in written(source, "a", "b", bilingual=True)
