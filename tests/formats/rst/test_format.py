"""reStructuredText files: every text is found, and a translation has the same structure."""

from pathlib import Path

import pytest
from docutils import nodes
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.formats.base import Mark, Passage
from longways.formats.contents import likely_format
from longways.formats.registry import format_of
from longways.formats.rst.format import Rst
from tests.formats.resources.translating import is_linear, read, texts, translated
from tests.formats.rst.docutils_tree import complaints, shape, tree
from tests.formats.rst.docutils_tree import texts as tree_texts
from tests.formats.rst.translating import han, sinicised, worded

PAGE = (Path(__file__).parents[1] / "files" / "rst" / "page.zh.rst").read_text(encoding="utf-8")


def english(source, *, bilingual=False):
    """A file with a word for every Chinese character."""
    document = read(Rst(), source)
    new = [worded(passage) for passage in document.passages]
    return document.write(new, "en", bilingual=bilingual).decode()


def one(source, new):
    """A file after its only passage was exchanged."""
    document = read(Rst(), source)
    (own,) = document.passages
    return document.write([Passage(new, own.marks)], "en").decode()


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_page_is_written_again_to_the_byte(line_end):
    data = PAGE.replace("\n", line_end).encode()
    document = read(Rst(), data)
    assert document.warnings == []
    assert document.write(document.passages, "en") == data
    assert document.write(document.passages, "en", bilingual=True) == data


def test_docutils_finds_the_same_structure_in_a_translation():
    before, after = tree(PAGE), tree(english(PAGE))
    assert shape(after) == shape(before)
    assert complaints(after) == complaints(before) == []


def test_nothing_that_is_read_is_left_in_the_source_language():
    left = [text for text in tree_texts(tree(english(PAGE))) if han(text)]
    assert left == []


def test_code_names_and_comments_stay():
    assert english(PAGE).count("不译") == PAGE.count("不译")


def test_any_mixture_of_old_and_new_passages_has_the_same_structure():
    document = read(Rst(), PAGE)
    for every in (2, 3, 5):
        mixed = [worded(p) if n % every else p for n, p in enumerate(document.passages)]
        after = tree(document.write(mixed, "en").decode())
        assert shape(after) == shape(tree(PAGE))
        assert complaints(after) == []


def test_a_bilingual_page_has_both_languages_and_no_complaints():
    new = english(PAGE, bilingual=True)
    assert complaints(tree(new)) == []
    words = "".join(tree_texts(tree(new)))
    assert all(word in words for text in tree_texts(tree(PAGE)) for word in han(text))


def test_adornments_are_as_wide_as_the_title_on_a_screen():
    assert one("标题\n====\n", "A title") == "A title\n=======\n"
    assert one("Title\n=====\n", "标题文字好") == "标题文字好\n==========\n"
    assert one("====\n标题\n====\n", "A title") == "=======\nA title\n=======\n"
    assert one("======\n 标题\n======\n", "A title") == "========\n A title\n========\n"
    assert one("标题\n" + "-" * 30 + "\n", "A title") == "A title\n" + "-" * 30 + "\n"
    assert one("标题\n====\n", "A") == "A\n====\n"


def test_a_title_that_is_referred_to_keeps_its_name_as_a_target():
    new = english("见 `小节`_。\n\n小节\n----\n\n文字\n")
    assert ".. _`小节`:\n\n" in new
    assert complaints(tree(new)) == []


@pytest.mark.parametrize(
    "text",
    [
        *("- a", "* a", "1. a", "a. b", "(i) b", "#. a", ".. note:: a", ":a: b", "| a", ">>> a"),
        *("-a", "--all  b", "====", "....", "== ==", "+--+--+", "__ x", "a::", "-- a", "::", "/b"),
    ],
)
def test_text_that_looks_like_another_block_stays_a_paragraph(text):
    new = one(["文字", "下一段\n"][0], text)
    (paragraph,) = tree(f"x\n\n{new}\n\nx").children[1:-1]
    assert (paragraph.tagname, paragraph.astext()) == ("paragraph", text)


def test_the_colons_before_a_literal_block_stay():
    assert one("如下::\n\n  代码\n", "As follows:") == "As follows::\n\n  代码\n"
    assert one("如下::\n\n  代码\n", "As follows") == "As follows::\n\n  代码\n"
    assert one("如下 ::\n\n  代码\n", "As follows.") == "As follows. ::\n\n  代码\n"
    assert texts(Rst(), "::\n\n  代码\n\n文字::\n\n> 代码\n\n文字") == ["文字:", "文字"]


def test_a_line_before_an_indented_line_stays_on_two_lines():
    source = "第一行\n第二行\n  缩进\n"
    assert shape(tree(english(source))) == shape(tree(source))
    assert one("甲\n乙\n  1\n", "a  b c") == "a\nb c\n  1\n"
    assert one("甲\n乙::\n  1\n", "a b:") == "a\nb::\n  1\n"


def test_the_text_of_an_unknown_directive_is_read_unless_it_is_code():
    assert texts(Rst(), ".. own-note::\n\n   说明文字。\n") == ["说明文字。"]
    assert texts(Rst(), ".. own-code::\n\n   x = 1  # 注释\n") == []
    assert texts(Rst(), ".. py:function:: f(x)\n\n   说明。\n\n   :param x: 参数\n") == [
        "说明。",
        "参数",
    ]


def test_terms_of_a_glossary_are_found_by_their_new_names():
    source = ".. glossary::\n\n   环境\n      一个结构。\n\n参见 :term:`环境`。\n"
    new = english(source)
    term = new.split("\n")[2].strip()
    assert f":term:`{term}`" in new or f"<{term}>`" in new


def test_targets_without_a_name_follow_the_order_of_their_references():
    source = "见 `甲`__ 与 `乙`__。\n\n__ https://x.org/a\n.. __: https://x.org/b\n"
    (own,) = read(Rst(), source).passages
    first, second = own.marks
    new = Passage("See b and a.", (Mark(4, 5, second.tag), Mark(10, 11, first.tag)))
    written = read(Rst(), source).write([new], "en").decode()
    assert written == "See `b`__ and `a`__.\n\n__ https://x.org/b\n.. __: https://x.org/a\n"
    assert complaints(tree(written)) == []


def test_footnotes_without_a_name_stay_with_their_references():
    source = "甲 [#]_ 乙 [#]_ 丙 [#]_\n\n文 [#]_\n\n.. [#] a1\n.. [#] a2\n.. [#] a3\n.. [#] a4\n"
    document = read(Rst(), source)
    own = document.passages[0]
    first, second, third = (mark.tag for mark in own.marks)
    new = Passage("b a c", (Mark(1, 1, second), Mark(3, 3, first), Mark(5, 5, third)))
    written = document.write([new, *document.passages[1:]], "en").decode()
    assert written.startswith(
        "b [#note-2]_ a [#note-1]_ c [#note-3]_\n\n文 [#]_\n\n.. [#note-1] a1\n"
    )
    assert [ref.astext() for ref in tree(written).findall(nodes.footnote_reference)] == list("2134")
    assert complaints(tree(written)) == []
    same = Passage("b a c", tuple(Mark(n, n, mark.tag) for n, mark in enumerate(own.marks)))
    assert "note-" not in document.write([same, *document.passages[1:]], "en").decode()


def test_values_of_a_csv_table_get_quotes_where_they_need_them():
    source = '.. csv-table::\n\n   甲, "乙"\n'
    document = read(Rst(), source)
    new = document.write([Passage("a, b"), Passage('say "c"')], "en").decode()
    assert new == '.. csv-table::\n\n   "a, b", "say ""c"""\n'


def test_blocks_that_are_nested_too_deep_stay_with_a_warning():
    source = "".join(f"{'  ' * n}- 甲\n\n" for n in range(60))
    document = read(Rst(), source)
    assert len(document.passages) == 39
    assert document.warnings[0].startswith("Line 79: blocks are nested so deep")


def test_files_are_found_by_their_suffix_and_their_begin():
    assert isinstance(format_of(Path("a.RST")), Rst)
    assert likely_format("标题\n====\n\n.. note:: 文字\n") == "rst"
    assert likely_format(".. toctree::\n\n   a\n") == "rst"
    assert likely_format("标题\n====\n\n文字\n") is None


LINES = st.sampled_from(
    [
        "甲 乙",
        "- 甲",
        "* 甲",
        "  乙",
        "   丙",
        "1. 甲",
        "#. 乙",
        "====",
        "--",
        "----",
        ":甲: 乙",
        ".. note:: 甲",
        ".. 甲",
        "",
        "甲::",
        "| 甲",
        ">>> 甲",
        ".. code::",
        "   :甲: 乙",
        "== ==",
        "+--+",
        "|甲|",
        "-a  甲",
        ".. _甲:",
        "甲_",
        "**甲**",
        ".. |甲| replace:: 乙",
        ".. [1] 甲",
        "__ 甲",
        " ",
        "\t甲",
        ".. figure:: a",
        "   :alt: 甲",
        ".. list-table::",
        "   * - 甲",
        "     - 乙",
    ]
)


@settings(max_examples=200)
@given(st.lists(LINES, max_size=14).map("\n".join))
def test_any_lines_are_written_again_and_translated_without_an_error(source):
    document = read(Rst(), source)
    assert document.write(document.passages, "en") == source.encode()
    for change in (worded, sinicised):
        new = document.write([change(p) for p in document.passages], "en", bilingual=True)
        assert read(Rst(), new).warnings is not None


@settings(max_examples=80)
@given(st.lists(LINES, max_size=10).map("\n\n".join))
def test_separate_blocks_have_the_same_structure_after_translation(source):
    before, after = tree(source), tree(english(source))
    if not complaints(before):
        assert shape(after) == shape(before)
        assert complaints(after) == []


HOSTILE = [
    *("*a ", "**a ", "``a ", "`a ", "|a ", "a_ ", "[1]_ ", "\\", "`a <", ":a:`", "a-", "http://"),
    *(
        "- ",
        "- a\n",
        ".. a\n",
        "+-",
        "==\n",
        "a\n b\n",
        "| a\n",
        "甲\n\n",
        '"',
        ":a: b\n",
        "::\n\n",
    ),
]


def test_all_signs_in_turn_take_linear_time():
    assert is_linear(Rst(), lambda count: ("".join(HOSTILE) * (count // 25)).encode())


@pytest.mark.slow
@pytest.mark.parametrize("sign", HOSTILE)
def test_any_repeated_sign_takes_linear_time(sign):
    assert is_linear(Rst(), lambda count: f"甲 {sign * count}".encode())
    assert is_linear(Rst(), lambda count: (sign * count).encode())


def test_brackets_around_every_passage_keep_the_structure():
    assert shape(tree(translated(Rst(), PAGE))) == shape(tree(PAGE))
