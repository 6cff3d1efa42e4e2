"""AsciiDoc files: every text is found, and a translation is read as the file was."""

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.formats.asciidoc.format import AsciiDoc
from longways.formats.asciidoc.text.passages import read_inline
from longways.formats.asciidoc.text.writer import write_inline
from longways.formats.base import Mark, Passage
from longways.formats.contents import likely_format
from longways.formats.registry import format_of
from tests.formats.resources.translating import is_linear, read, texts
from tests.formats.rst.translating import han, sinicised, worded

PAGE = (Path(__file__).parents[1] / "files" / "asciidoc" / "page.zh.adoc").read_text("utf-8")


def english(source, *, bilingual=False, change=worded):
    """A file with a word for every Chinese character."""
    document = read(AsciiDoc(), source)
    new = [change(passage) for passage in document.passages]
    return document.write(new, "en", bilingual=bilingual).decode()


def one(source, new):
    """A file after its only passage was exchanged."""
    document = read(AsciiDoc(), source)
    (own,) = document.passages
    return document.write([Passage(new, own.marks)], "en").decode()


def written(source, text, *marks):
    """A paragraph with new text, and marks as (start, end)."""
    given_marks = tuple(Mark(start, end, tag) for tag, (start, end) in enumerate(marks))
    return write_inline(read_inline(source), Passage(text, given_marks), {})


def marked(source):
    """The text of a paragraph, and the texts of its marks."""
    passage = read_inline(source).passage
    return passage.text, [passage.text[m.start : m.end] for m in passage.marks]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_page_is_written_again_to_the_byte(line_end):
    data = PAGE.replace("\n", line_end).encode()
    document = read(AsciiDoc(), data)
    assert document.warnings == []
    assert document.write(document.passages, "en") == data
    assert document.write(document.passages, "en", bilingual=True) == data


def test_everything_that_is_read_is_translated_and_nothing_else():
    new = english(PAGE)
    kept = re.compile(r"不译|张三|^:产品:|<<_安装>>|^\[\[_安装")
    left = [line for line in new.split("\n") if han(line) and not kept.search(line)]
    assert left == []
    assert new.count("不译") == PAGE.count("不译")
    assert "<b>不译</b>" in new
    assert "include::不译.adoc[]" in new


def test_a_translation_has_passages_at_the_same_places():
    own, new = read(AsciiDoc(), PAGE), read(AsciiDoc(), english(PAGE))
    assert [len(p.marks) for p in new.passages] == [len(p.marks) for p in own.passages]
    again = ["".join(worded(passage).text.split()) for passage in own.passages]
    assert ["".join(html.unescape(p.text).split()) for p in new.passages] == again


def html_tags(source):
    """The tags that Asciidoctor writes, without inline ones, and those, in any order."""
    program = shutil.which("asciidoctor")
    if program is None:
        pytest.skip("the program asciidoctor is not installed")
    command = [program, "-S", "secure", "-s", "-o", "-", "-"]
    done = subprocess.run(command, input=source, capture_output=True, check=True, encoding="utf-8")
    page = re.sub(r"<pre.*?</pre>", "<pre>", done.stdout, flags=re.DOTALL)
    blocks = re.split(r"(</?(?:p|td|th|li|div|h\d|dt|dd|table|tr|ul|ol)\b[^>]*>)", page)
    return [sorted(re.findall(r"</?\w+", block)) for block in blocks], done.stderr


def test_asciidoctor_finds_the_same_structure_in_a_translation():
    assert html_tags(english(PAGE)) == html_tags(PAGE)


def test_a_bilingual_page_has_both_languages():
    new = english(PAGE, bilingual=True)
    assert set(han(PAGE)) <= set(han(new))
    assert "____\n前言的文字" in new


@pytest.mark.parametrize(
    ("source", "text", "marks"),
    [
        ("这是**粗**体", "这是粗体", ["粗"]),
        ("这是*粗*体", "这是*粗*体", []),
        ("这是 *粗体* 字", "这是 粗体 字", ["粗体"]),
        ("`ls -l` 和 ``cd``命令", "ls -l 和 cd命令", ["ls -l", "cd"]),
        ("见 <<a>> 与 <<a,一节>>", "见 <<a>> 与 一节", ["一节"]),
        ("见 xref:a.adoc#b[一节]", "见 一节", ["一节"]),
        ('见 https://x.org["甲, 乙",role=a]', "见 甲, 乙", ["甲, 乙"]),
        ("*甲 _乙_*", "甲 乙", ["甲 乙", "乙"]),
        ("{产品} 2 * 3 * 4 a_b_c", "{产品} 2 * 3 * 4 a_b_c", []),
        (r"\*不粗* 字", "*不粗* 字", []),
        ("文字footnote:[注]。", "文字。", [""]),
        ("((词))和(((藏)))", "词和", ["词", ""]),
    ],
)
def test_markup_becomes_marks_and_names_stay_words(source, text, marks):
    assert marked(source) == (text, marks)


def test_signs_are_doubled_only_where_single_ones_would_not_be_read():
    assert written("这是**粗**体", "a bold word", (2, 6)) == "a **bold** word"
    assert written("a *bold* word", "粗体字", (0, 2)) == "**粗体**字"
    assert written("a `bold` word", "unbolded", (2, 6)) == "un``bold``ed"
    assert written("一 *粗* 字", "a bold word", (2, 6)) == "a *bold* word"


def test_an_address_begins_a_word():
    source = "see https://x.org[text] now"
    assert written(source, "见字", (1, 2)) == "见link:https://x.org[字]"


def test_text_that_looks_like_markup_gets_references():
    assert written("文字", "a *b* and {c}") == "a &#42;b&#42; and &#123;c&#125;"
    assert written("文字", "2 * 3 and <<x>>") == "2 * 3 and &#60;<x>>"
    assert written("见 https://x.org[文]", "see a]b=c", (4, 9)) == (
        "see https://x.org[a&#93;b&#61;c]"
    )


@pytest.mark.parametrize(
    "text",
    ["* a", "- a", ". a", "1. a", ".a", "// a", "[a]", "NOTE: a", "== a", "a:: b", ":a: b"],
)
def test_text_that_looks_like_another_block_stays_a_paragraph(text):
    new = one("文字", text)
    (passage,) = read(AsciiDoc(), new).passages
    assert passage.text.replace("{empty}", "").replace("&#58;", ":") == text


def test_a_paragraph_directly_above_a_block_does_not_become_its_title():
    code = "\n----\nls -l\n----\n"
    assert one(f"运行以下命令\uff1a{code}", "Run:") == f"Run:{{empty}}{code}"
    assert one(f"运行以下命令\uff1a{code}", "Run it:") == f"Run it:{code}"
    assert one(f"NOTE: 运行下列命令\n{'-' * 10}\nls\n{'-' * 10}\n", "Run").startswith(
        "NOTE: Run{empty}"
    )


def test_a_title_that_is_referred_to_keeps_its_anchor():
    assert english("== 安装\n\n见 <<_安装>>。\n").startswith("[[_安装]]\n== ")
    assert one("== 安装\n", "A") == "== A\n"
    page = ":idprefix:\n:idseparator: -\n\n{}== 安装 步骤_一\n\n<<安装-步骤_一>>\n"
    assert one(page.format(""), "A") == page.format("[[安装-步骤_一]]\n").replace(
        "= 安装 步骤_一", "= A"
    )
    assert one("标题\n--\n", "Title") == "Title\n-----\n"


def test_cells_keep_their_borders():
    assert one("|===\n|甲|1\n|===\n", "a|b") == "|===\n|a\\|b|1\n|===\n"
    assert one("|===\n|甲|1\n|===\n", "plan a") == "|===\n|plan a |1\n|===\n"
    assert texts(AsciiDoc(), '[cols="1,l"]\n|===\n|甲 |乙\n|===\n') == ["甲"]
    assert texts(AsciiDoc(), "[format=dsv]\n|===\n甲:乙\n|===\n") == []


def test_texts_inside_of_markup_are_translated_without_their_sentence():
    source = "文字footnote:[注释]完"
    document = read(AsciiDoc(), source)
    own, _ = document.passages
    assert document.write([own, Passage("note")], "en").decode() == "文字footnote:[note]完"
    both = [Passage("text end", (Mark(4, 4, 0),)), Passage("note")]
    assert document.write(both, "en").decode() == "textfootnote:[note] end"


def test_a_block_without_an_end_has_a_warning():
    assert read(AsciiDoc(), "甲\n\n----\n乙\n").warnings == [
        "Line 3: the block that begins with ---- has no end."
    ]


def test_files_are_found_by_their_suffix_and_their_begin():
    assert isinstance(format_of(Path("a.adoc")), AsciiDoc)
    assert likely_format(":toc:\n\n= 标题\n\n文字\n") == "asciidoc"


LINES = st.sampled_from(
    [*PAGE.split("\n"), "+", "====", "----", "--", "|===", "|甲", "*甲*", "甲::", " 甲"]
)


@settings(max_examples=150)
@given(st.lists(LINES, max_size=14).map("\n".join))
def test_any_lines_are_written_again_and_translated_without_an_error(source):
    document = read(AsciiDoc(), source)
    assert document.write(document.passages, "en") == source.encode()
    for change in (worded, sinicised):
        assert isinstance(english(source, bilingual=True, change=change), str)


SIGNS = st.sampled_from([*"ab字 *_`#^~{}<>[]()\\\"'+:,", "**", "``", "<<", "link:", "https://x"])


@settings(max_examples=300)
@given(st.lists(SIGNS, max_size=20).map("".join), st.integers(0, 9), st.integers(1, 9))
def test_any_new_text_is_read_again_as_it_was_meant(text, start, length):
    text = f"x {text} y"
    start, end = min(start, len(text) - 1), min(start + length, len(text))
    if not text[start:end].strip():
        return
    result = read_inline(written("甲 **乙**", text, (start, end)))
    kinds = [markup.name for markup in result.markups.values()]
    assert kinds == ["strong"]


HOSTILE = [
    *("*a ", "**a ", "``a ", "`a ", "#a ", "^a", "{", "<<", "((", "[[", "[a]#", "+a ", "$$", "\\"),
    *(
        "http://a[",
        "link:a[",
        "footnote:[",
        '"`a ',
        "- a\n",
        "a::\n",
        "----\n",
        "|",
        "2+|",
        "[a]\n",
    ),
    *("menu:a[b] ", "image:a[b] ", "a +\n", "中文\n\n", "a\n--\n", "ifdef::a[]\n"),
]


def test_all_signs_in_turn_take_linear_time():
    assert is_linear(AsciiDoc(), lambda count: ("".join(HOSTILE) * (count // 25)).encode())


@pytest.mark.slow
@pytest.mark.parametrize("sign", HOSTILE)
def test_any_repeated_sign_takes_linear_time(sign):
    assert is_linear(AsciiDoc(), lambda count: f"甲 {sign * count}".encode())
    assert is_linear(AsciiDoc(), lambda count: f"|===\n|{sign * count}".encode())
