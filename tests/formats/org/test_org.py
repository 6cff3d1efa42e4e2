# ruff: noqa: E501, RUF001 - lists of parts; Chinese marks look like ASCII ones
"""Org files: what is read, what stays, and how new text is written."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.contents import likely_format
from longways.formats.org.format import Org
from tests.formats.resources.translating import bracketed, is_linear, kept, read, texts, translated

FOLDER = Path(__file__).parents[1] / "files" / "org"
FILES = sorted(FOLDER.iterdir())
ZERO = "\u200b"


def flat(text):
    """A text without line ends, double spaces and zero-width spaces."""
    return " ".join(text.replace(ZERO, "").split())


def one(text, new, language="en", **options):
    """A file after its only passage was exchanged."""
    document = read(Org(), text)
    (passage,) = document.passages
    return document.write([Passage(new, passage.marks)], language, **options).decode()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_written_again_to_the_byte(path):
    document = read(Org(), path.read_bytes())
    assert document.passages
    assert document.warnings == []
    assert document.write(document.passages, "en") == path.read_bytes()
    assert document.write(document.passages, "en", bilingual=True) == path.read_bytes()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
@pytest.mark.parametrize(
    "around", [("Aq ", " qA"), ("* [x] | :: ", " :a:"), ("- =q= ", " *w* #+b: ")]
)
def test_each_new_text_is_read_again(path, around):
    document = read(Org(), path.read_bytes())
    new = [bracketed(passage, *around) for passage in document.passages]
    again = read(Org(), document.write(new, "en")).passages
    assert [
        flat(p.text.replace("\\vert{}", "|").replace("\\vert", "|").replace("'", '"'))
        for p in again
    ] == [flat(p.text.replace("\\vert", "|")) for p in new] or "|" in around[0]
    assert len(again) == len(new)
    assert [len(p.marks) for p in again] == [len(p.marks) for p in new]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_one_new_passage_changes_nothing_else(path):
    document = read(Org(), path.read_bytes())
    for number, passage in enumerate(document.passages):
        new = list(document.passages)
        new[number] = bracketed(passage, "Aq ", " qA")
        again = texts(Org(), document.write(new, "zh"))
        assert [*map(flat, again)] == [flat(p.text) for p in new]


def test_what_a_reader_reads_is_a_passage_and_nothing_else():
    assert [flat(text) for text in texts(Org(), (FOLDER / "manual.org").read_bytes())] == [
        "集群的部署", "第一版", "如何部署集群。", "集群, 部署",
        "本文说明如何部署集群，见第一节和 官方的 安装 手册。",
        "开始之前 [1/2]",
        "请先安装数据库，再启动 调度程序。 变量 ~MAX_SIZE~ 的值是 $n_i \\le 2^{10}$，而 \\(a + b\\) 不变。",
        "它见第 =3= 章。",
        "换行之后的文字 删去的 和 \\alpha 与 H_{2}O，时间是 [2024-05-01 三]。 {{{name(参数)}}} 由 [cite:@knuth] 引用，结束。",
        "列表", "打开终端， 输入命令。", "节点", "一台机器。", "嵌套的第一步", "更深一层", "另一项", "项里的第二段。",
        "表格", "短", "节点的数量", "架构的图", "提示的文字", "名称", "数量 \\vert 位置", "主节点", "=3= 北京",
        "引用的文字。", "第一行", "第二行", "脚注的内容， 在两行上。",
    ]  # fmt: skip


def test_what_is_no_text_stays_around_new_text():
    new = translated(Org(), (FOLDER / "manual.org").read_bytes(), "A", "B").split("\n")
    assert "* 待办 [#A] A开始之前 [1/2]B                                       :准备:work:" in new
    assert "- [X] A节点B :: A一台机器。B" in new
    assert "  1. [@3] A嵌套的第一步B" in new
    assert "| A名称B   | A数量 \\vert 位置B |" in new
    assert "#+CAPTION[A短B]: A节点的数量B" in new
    assert '#+ATTR_HTML: :alt A架构的图B :width 300 :title "A提示的文字B"' in new
    assert "[fn:1] A脚注的内容， 在两行上。B" in new
    assert "| 标题 | 时间 |" in new


def test_kept_parts_are_commands_times_code_and_formulas():
    found = [
        part for p in read(Org(), (FOLDER / "manual.org").read_bytes()).passages for part in kept(p)
    ]
    assert found == [
        "[1/2]", "~MAX_SIZE~", "$n_i \\le 2^{10}$", "\\(a + b\\)", "=3=", "\\alpha", "_{2}",
        "[2024-05-01 三]", "{{{name(参数)}}}", "[cite:@knuth]", "\\vert", "=3=",
    ]  # fmt: skip


def test_marks_enclose_their_new_words():
    document = read(Org(), "请*先*打开[[a][终端]][fn:1]。")
    (passage,) = document.passages
    assert passage.marks == (Mark(1, 2, 0), Mark(4, 6, 1), Mark(6, 6, 2))
    new = Passage("Open the shell first.", (Mark(9, 14, 1), Mark(14, 14, 2), Mark(15, 20, 0)))
    assert document.write([new], "en") == b"Open the [[a][shell]][fn:1] *first*."


@pytest.mark.parametrize(
    ("text", "mark", "written"),
    [
        ("甲*乙*丙", (0, 1), f"*a*{ZERO}bc d"),
        ("甲*乙*丙", (1, 2), f"a{ZERO}*b*{ZERO}c d"),
        ("甲*乙*丙", (2, 4), f"ab{ZERO}*c* d"),
        ("甲*乙*丙", (4, 4), "abc d"),
    ],
)
def test_emphasis_is_apart_from_letters_and_never_empty(text, mark, written):
    document = read(Org(), text)
    new = document.write([Passage("abc d", (Mark(*mark, 0),))], "en")
    assert new.decode() == written


def test_emphasis_may_begin_with_other_emphasis():
    document = read(Org(), "*/甲/ 乙*")
    (passage,) = document.passages
    assert passage.marks == (Mark(0, 3, 0), Mark(0, 1, 1))
    assert document.write([bracketed(passage, "", " a")], "en").decode() == "*/甲/ 乙* a"


@pytest.mark.parametrize(
    ("text", "new", "written"),
    [
        ("甲", "* a", f"{ZERO}* a"),
        ("甲", "# a", f"{ZERO}# a"),
        ("甲", "- a", f"{ZERO}- a"),
        ("甲", "1. a", f"{ZERO}1. a"),
        ("甲", "| a", f"{ZERO}| a"),
        ("甲", ": a", f"{ZERO}: a"),
        ("甲", "a *b* =c=", f"a *{ZERO}b* ={ZERO}c="),
        ("甲", "[[a]] [fn:1]", f"[{ZERO}[a]] [{ZERO}fn:1]"),
        ("- 甲", "a :: b", f"- a :{ZERO}: b"),
        ("- 甲", "[ ] b", f"- {ZERO}[ ] b"),
        ("* 甲", "TODO b", f"* {ZERO}TODO b"),
        ("* 甲 :b:", "a :b:", f"* a :b:{ZERO} :b:"),
        ("| 甲 |", "a | b", "| a \\vert{} b |"),
        ("|甲|", "- a", "| - a|"),
        ("| 甲 |", "=a", f"| {ZERO}=a |"),
        ("#+attr_html: :alt 甲 :width 3", "a :b c", f"#+attr_html: :alt a {ZERO}:b c :width 3"),
        ("1[fn:: 甲]", "a ] b [", "1[fn:: a ) b (]"),
        ("甲", "a\n\n* b\x07c", "a * b c"),
        ("甲", "\x07#+begin_quote", f"{ZERO} #+begin_quote"),
    ],
)  # fmt: skip
def test_new_text_is_not_read_as_markup(text, new, written):
    assert one(text, new) == written


def test_links_to_a_headline_have_its_new_title():
    text = "* TODO 安装 [1/2] :a:\n见[[*安装]]、[[安装][这里]]和[[*别的]]。\n"
    document = read(Org(), text)
    new = [Passage("Setup [1/2]"), bracketed(document.passages[1])]
    assert (
        document.write(new, "en").decode()
        == "* TODO Setup [1/2] :a:\n[见[[*Setup]]、[[Setup][这里]]和[[*别的]]。]\n"
    )
    assert "[[*安装]]" in document.write(new, "en", bilingual=True).decode()


def test_both_languages_are_paragraphs_or_beside_each_other():
    assert one("甲[fn:1]乙\n", "A", bilingual=True) == "A[fn:1]\n\n甲乙\n"
    assert one("  - 甲\n", "A", bilingual=True) == "  - A\n\n    甲\n"
    assert one("* 甲 :b:\n", "A", bilingual=True) == "* A / 甲 :b:\n"
    assert one("| 甲 |", "A", bilingual=True) == "| A / 甲 |"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("甲 *乙*丙 a*b*c 2*3*4", ["甲 乙丙 a*b*c 2*3*4"]),
        ("见 /甲/乙 和 a_b_c 与 x+y+z", ["见 /甲/乙 和 a_b_c 与 x+y+z"]),
        ("*甲\n乙\n丙*", ["*甲\n乙\n丙*"]),
        (":甲:\n乙\n:END:\n丙", ["丙"]),
        (":甲:\n乙\n* 丙\n:END:", [":甲:\n乙", "丙", ":END:"]),
        ("#+begin_src\n甲\n", ["甲"]),
        ("#+BEGIN_EXAMPLE\n#+end_src\n甲\n#+END_EXAMPLE\n乙", ["乙"]),
        ("\\begin{x}\n甲\n\\end{x}\n乙", ["乙"]),
        ("+---+\n| 甲 |\n", ["甲"]),
        ("a) 甲\nA. 乙\n * 丙\n*丁", ["甲", "乙", "丙", "*丁"]),
        ("- 甲\n乙\n", ["甲", "乙"]),
        ("# 甲\n#\n乙", ["乙"]),
        ("甲\\\\\n乙", ["甲", "乙"]),
        ("[fn:甲] 乙\n[fn:1] 丙", ["乙", "丙"]),
        ("[[甲.png]] [[乙]]", []),
        ("* 甲 :乙:\n*** DONE 丙", ["甲", "丙"]),
        ("是 %1$s\uff0c和 %2$s 与 $甲$", ["是 %1$s\uff0c和 %2$s 与 $甲$"]),
    ],
)
def test_elements_and_objects(text, found):
    assert texts(Org(), text) == found


def test_a_block_without_an_end_is_a_warning_with_its_line():
    (warning,) = read(Org(), "甲\n#+begin_src c\n乙\n").warnings
    assert warning == "Line 2: #+begin_src is never ended; what is there was left as it is."


@pytest.mark.parametrize("data", [b"\0\1\2\xff", "中文".encode("gb18030") * 20])
def test_bytes_that_are_no_text_are_refused_in_a_sentence(data):
    with pytest.raises(FormatError) as error:
        read(Org(), data)
    assert "\n" not in str(error.value)


def test_the_beginning_of_a_text_shows_the_format():
    assert likely_format("# 注\n#+TITLE: 甲\n") == "org"
    assert likely_format("# 甲\n\n#+") is None


PARTS = st.sampled_from(["甲", "乙 ", "*", "/", "_", "+", "=", "~", "[[a][", "]]", "[[b]]", "[fn:1]", "[fn:: ", "]", "[",
                         "\n", "\n\n", "* ", "** TODO ", " :t:", "- ", "1. ", "[ ] ", " :: ", "|", "|-", "#+TITLE: ", "#+begin_src\n",
                         "#+end_src\n", "#+begin_quote\n", "# ", ": ", ":a:\n", ":END:\n", "\\begin{a}\n", "\\end{a}\n", "\\\\", "$x$",
                         "\\(", "\\)", "<2024-05-01>", "{{{m}}}", "\\alpha", "_{a}", "\r\n", "@@a:b@@", "src_c{x}", ZERO, "  ", "COMMENT "])  # fmt: skip


@given(st.lists(PARTS, max_size=16))
@settings(max_examples=250, deadline=None)
def test_any_file_is_written_again_to_the_byte_and_keeps_its_passages(parts):
    text = "".join(parts)
    document = read(Org(), text)
    assert document.write(document.passages, "en") == text.encode()
    new = [bracketed(p, "aq ", " qa") for p in document.passages]
    again = texts(Org(), document.write(new, "en"))
    assert [flat(text) for text in again] == [flat(passage.text) for passage in new]
    document.write(new, "en", bilingual=True)


PLACES = ["{}", "* {}", "- {}", "| {} |", "#+TITLE: {}", "[[a][{}]]", "1[fn:: {}]", "  {}\n"]


@given(
    st.text(st.sampled_from("ab *_/+=~[]|#:-.<>{}$\\1é\n"), min_size=1, max_size=12),
    st.sampled_from(PLACES),
)
@settings(max_examples=200, deadline=None)
def test_any_new_text_is_read_again_as_text(new, place):
    written = one(place.format("甲"), f"文{new}文")
    (again,) = read(Org(), written).passages
    meant = f"文{new}文".replace("|", "\\vert") if "|" in place else f"文{new}文"
    found = flat(again.text.replace("\\vert{}", "\\vert"))
    in_note = flat(meant.replace("[", "(").replace("]", ")"))
    assert found == flat(meant) or ("fn" in place and found == in_note)
    assert len(again.marks) == ("[[" in place)


@pytest.mark.parametrize(
    "part",
    ["*", "* ", "*文 ", "* 文\n", "/a ", "=", "=a ", "~文", "[[", "[[a][", "[[a][文]] ", "[fn:", "[fn:: ", "|", "| 文 |\n", "#+begin_src\n",
     "#+begin_a\n", ":a:\n", ":END:\n", "- ", "- 文 :: ", "\\begin{a}\n", "{{{a(", "<2024-01-01 ", "$", "\\(", "\\[", "@@a:", "src_a{", "_{",
     "文\\\\\n", "#+CAPTION[", "#+attr_html: :alt ", ":alt 文 ", "\n", " ", "<<", "[", "\\a[", "1. ", "# "],
)  # fmt: skip
def test_time_is_linear(part):
    assert is_linear(Org(), lambda n: (part * n).encode())
    assert is_linear(Org(), lambda n: ("文 " + part * n + "文").encode())
