# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Inline markup is read as docutils reads it, and written so that docutils reads it again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.formats.base import Mark, Passage
from longways.formats.rst.text.inline import may_follow, may_precede
from longways.formats.rst.text.passages import Reader
from longways.formats.rst.text.writer import InlineWriter
from tests.formats.rst.docutils_tree import nodes, tree

READER = Reader("zh")
KINDS = {
    "em": nodes.emphasis,
    "strong": nodes.strong,
    "code": nodes.literal,
}


def written(source, text, *marks, language="zh"):
    """A paragraph with new text, and marks as (start, end)."""
    reader = Reader(language)
    own = reader.read(source)
    given_marks = tuple(Mark(start, end, tag) for tag, (start, end) in enumerate(marks))
    return InlineWriter(reader).write(own, Passage(text, given_marks))


def marked(source, language="zh"):
    """The text of a passage with its marks in brackets."""
    passage = Reader(language).read(source).passage
    return passage.text, [(passage.text[m.start : m.end]) for m in passage.marks]


@pytest.mark.parametrize(
    ("source", "text", "marks"),
    [
        (r"这是\ **粗体**\ 文字。", "这是粗体文字。", ["粗体"]),
        ("使用 ``ls -l`` 命令", "使用 ls -l 命令", ["ls -l"]),
        ("参见 :ref:`安装 <install>` 一节", "参见 安装 一节", ["安装"]),
        ("参见 :ref:`install`。", "参见 :ref:`install`。", []),
        ("参见 `官网 <https://x.org>`_。", "参见 官网。", ["官网"]),
        ("见下文 [1]_ [#a]_。", "见下文。", ["", ""]),
        ("|版本| 已发布", "|版本| 已发布", []),
        (r"\*不是\* 强调", "*不是* 强调", []),
        ("2 * 3 * 4 与 a*b*c", "2 * 3 * 4 与 a*b*c", []),
        ("按 :kbd:`Ctrl` 再点 :guilabel:`文件`", "按 :kbd:`Ctrl` 再点 文件", ["文件"]),
        ("（*重点*）", "（重点）", ["重点"]),
        ("`文字`:sup:", "文字", ["文字"]),
        ("代码 `name` 与 `名称`", "代码 `name` 与 名称", ["名称"]),
    ],
)
def test_markup_becomes_marks_and_names_stay_words(source, text, marks):
    assert marked(source) == (text, marks)


def test_steps_of_a_menu_are_separate_and_its_arrow_stays():
    passage = READER.read("选 :menuselection:`文件 --> 打开`").passage
    assert [passage.text[a:b] for a, b in passage.keep] == [" --> "]


def test_markup_is_separated_from_words_only_where_it_must_be():
    source = r"这是\ **粗体**\ 文字。"
    assert written(source, "a bold word", (2, 6)) == "a **bold** word"
    assert written(source, "unbolded", (2, 6)) == r"un\ **bold**\ ed"
    assert written(source, "(bold)", (1, 5)) == "(**bold**)"
    assert written("the **bold** word", "粗体字", (0, 2), language="en") == r"**粗体**\ 字"


def test_a_note_keeps_the_space_that_it_has():
    assert written("文字 [1]_。", "Text.", (4, 4)) == "Text [1]_."
    assert written(r"文字\ [1]_。", "Text.", (4, 4)) == r"Text\ [1]_."


def test_text_that_looks_like_markup_is_escaped():
    assert written("文字", "a *b* c_ and `d`") == r"a \*b\* c\_ and \`d\`"
    assert written("文字", "2 * 3 and C:\\x") == "2 * 3 and C:\\\\x"


def test_a_reference_keeps_its_target():
    assert written("见 `标题`_", "see title", (4, 9)) == "see `title <标题_>`__"
    assert written("见 Python_", "see Python", (4, 10)) == "see Python_"
    assert written("见 `文 <u>`_", "see text", (4, 8)) == "see `text <u>`_"
    assert written("见 `文`__", "see text", (4, 8)) == "see `text`__"


def test_two_links_with_one_text_and_two_targets_stay_two():
    source = "`甲 <u>`_ 和 `乙 <v>`_"
    assert written(source, "it and it", (0, 2), (7, 9)) == "`it <u>`_ and `it <v>`__"


def test_marks_that_overlap_are_written_one_after_the_other():
    source = "**甲** 和 ``乙``"
    assert written(source, "one two three", (0, 13), (4, 7)) == "**one** ``two`` **three**"


def test_a_mark_without_text_keeps_its_own_text():
    assert written("用 ``ls``", "use", (3, 3)) == "use ``ls``"


def test_markup_begins_and_ends_beside_the_same_signs_as_for_docutils():
    signs = [chr(n) for n in range(0x20, 0x2F0) if chr(n) not in "\\|`*_<>\x7f\xad"]
    signs += [chr(n) for n in (*range(0x2010, 0x2040), *range(0x3000, 0x3040))]
    signs += [chr(n) for n in range(0xFF01, 0xFF66)]
    signs = [c for c in signs if c.isprintable() and c not in "\u3030\u303d"]
    text = "\n\n".join(f"x{sign}*em* \n\n*em*{sign}x" for sign in signs)
    paragraphs = [n for n in tree(text).children if isinstance(n, nodes.paragraph)]
    found = [any(p.findall(nodes.emphasis)) for p in paragraphs]
    ours = [answer for sign in signs for answer in (may_follow(sign), may_precede(sign))]
    wrong = [
        (signs[n // 2], ours[n], docutils)
        for n, docutils in enumerate(found)
        if ours[n] != docutils
    ]
    assert wrong == []


ALPHABET = st.sampled_from([*'ab字，。 *`_|<>:[]1\\("/-.', "**", "``", ":ref:", "`_", "]_", "\\ "])


@settings(max_examples=150)
@given(st.lists(ALPHABET, min_size=1, max_size=24).map("".join))
def test_any_text_is_read_as_docutils_reads_it(source):
    source = f"x {source} y"
    document = tree(source)
    paragraphs = [n for n in document.children if isinstance(n, nodes.paragraph)]
    if len(paragraphs) != 1 or paragraphs[0].rawsource != source:
        return  # other blocks
    inline = READER.read(source)
    problems = "without end-string" in document.astext()
    assert problems == bool(inline.problems)
    if document.parse_messages or "Unknown" in document.astext():
        return  # names without a target
    for kind, node in KINDS.items():
        found = [one.astext() for one in paragraphs[0].findall(node)]
        marks = [m for m in inline.passage.marks if inline.markups[m.tag].kind == kind]
        assert [inline.passage.text[m.start : m.end] for m in marks] == found


@settings(max_examples=150)
@given(st.lists(ALPHABET, max_size=24).map("".join), st.integers(0, 9), st.integers(0, 9))
def test_any_new_text_is_read_by_docutils_as_text(text, start, length):
    text = f"x {text}".strip()
    start, end = min(start, len(text)), min(start + length, len(text))
    result = written("甲 **乙**", text, (start, end))
    (paragraph,) = tree(f"中文 {result} 完").findall(nodes.paragraph)
    assert not list(paragraph.findall(nodes.problematic))
    assert not list(paragraph.findall(nodes.literal))
    plain = "".join(paragraph.astext().split())
    assert plain == "中文" + "".join(text.split()) + "完"
