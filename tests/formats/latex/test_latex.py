# ruff: noqa: E501, RUF001 - lists of parts; Chinese marks look like ASCII ones
"""LaTeX files: what is read, what stays, and how new text is written."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.contents import likely_format
from longways.formats.latex.commands import CHARACTERS
from longways.formats.latex.format import Latex
from longways.formats.latex.tokens import (
    BEGIN,
    COMMAND,
    COMMENT,
    DISPLAY,
    END,
    HIDDEN,
    HREF,
    MATHS,
    ONE,
    SYMBOL,
    VERB,
    Tokens,
)
from tests.formats.resources.translating import bracketed, is_linear, kept, read, texts, translated

FOLDER = Path(__file__).parents[1] / "files" / "latex"
FILES = sorted(FOLDER.iterdir())
HOSTILE = "50% & #1 _x_ {a} $5 ~ ^ \\ \"q\" <b> | [x] é – … “z” 'w'"


def shape(text):
    """The commands, environments, formulas, comments and cells of a file, in order."""
    tokens, found, number = Tokens(text, 0, len(text)), [], 0
    while number < len(tokens):
        kind, token = tokens.kinds[number], tokens.at(number)
        if kind in (MATHS, DISPLAY) and tokens.partners[number] > number:
            last = tokens.partners[number]
            token, number = text[tokens.starts[number] : tokens.stop(last)], last
            found.append(token)
        elif kind in (BEGIN, END, VERB, HREF, DISPLAY) or (kind == ONE and token == "&"):
            found.append(token)
        elif kind == HIDDEN:
            found.append(token.partition("\n")[2] if "caption" in token else token)
        elif kind == COMMENT:
            found.append("".join(token.split()))
        elif (kind == COMMAND and tokens.name(number) not in CHARACTERS) or (
            kind == SYMBOL and token[1:] not in tuple("%&#_${} ,-/")
        ):
            found.append(token)
        number += 1
    return found


def one(text, new, language="en", **options):
    """A file after its only passage was exchanged."""
    document = read(Latex(), text)
    (passage,) = document.passages
    return document.write([Passage(new, passage.marks)], language, **options).decode()


def flat(text):
    """A text without line ends and double spaces."""
    return " ".join(text.split())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_written_again_to_the_byte(path):
    document = read(Latex(), path.read_bytes())
    assert document.passages
    assert document.warnings == []
    assert document.write(document.passages, "en") == path.read_bytes()
    assert document.write(document.passages, "en", bilingual=True) == path.read_bytes()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
@pytest.mark.parametrize("around", [("Aq ", " qA"), (HOSTILE, "a" + HOSTILE), ("[*", "]")])
def test_new_text_keeps_the_commands_formulas_and_comments(path, around):
    before = path.read_text(encoding="utf-8")
    after = translated(Latex(), path.read_bytes(), *around)
    assert shape(after) == shape(before)
    assert texts(Latex(), after) != texts(Latex(), before)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_new_text_is_read_again(path):
    document = read(Latex(), path.read_bytes())
    new = [bracketed(passage, "Aq & 5% ", " qA") for passage in document.passages]
    again = read(Latex(), document.write(new, "en")).passages
    assert [flat(p.text) for p in again] == [flat(p.text) for p in new]
    assert [len(p.marks) for p in again] == [len(p.marks) for p in new]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_one_new_passage_changes_nothing_else(path):
    document = read(Latex(), path.read_bytes())
    for number, passage in enumerate(document.passages):
        new = list(document.passages)
        new[number] = bracketed(passage, "Aq ", " qA")
        again = texts(Latex(), document.write(new, "zh"))
        assert [*map(flat, again)] == [flat(p.text) for p in new]


def test_what_a_reader_reads_is_a_passage_and_nothing_else():
    found = texts(Latex(), (FOLDER / "article.tex").read_bytes())
    assert found[:8] == [
        "集群的部署, 第一版", "定理", "第 3 版", "图", "部署手册", "集群, 部署", "集群的部署", "与维护",
    ]  # fmt: skip
    assert found[8] == "本文由基金资助。"
    for text in (
        "开始",
        "开始之前",
        "连通性",
        "短",
        "节点的数量",
        "数量 & 位置",
        "主节点",
        "示例代码",
        "准备",
    ):
        assert text in found
    whole = "".join(found)
    for text in (
        "张三 ",
        "2024",
        "内部的名字",
        "中文注释",
        "不翻译",
        "不会印出来",
        "程序设计艺术",
        "常用宏包",
    ):
        assert text not in whole


def test_a_paragraph_is_read_as_it_is_printed():
    (passage,) = read(
        Latex(), "M\\\"uller 和 Erd\\H{o}s、caf\\'e 写了 ``99\\%'' --- \\S~3\\ldots{}。\n"
    ).passages
    assert passage.text == "Müller 和 Erdős、café 写了 “99%” — § 3…。"
    assert passage.marks == ()


def test_formulas_references_and_code_are_kept_parts():
    text = "由 $x_i$、\\(y % 注\n+1\\)、\\eqref{式:1} 和 \\verb|a%b| 可知，\\url{http://a.b/%20#c} 与 \\ours{} 和 \\texttt{a\\_b} 相同。"
    (passage,) = read(Latex(), text).passages
    assert kept(passage) == [
        "$x_i$", "\\(y % 注 +1\\)", "\\eqref{式:1}", "\\verb|a%b|", "\\url{http://a.b/%20#c}",
        "\\ours", "a_b",
    ]  # fmt: skip
    written = translated(Latex(), text, "By ")
    for part in (
        "$x_i$",
        "\\(y % 注\n+1\\)",
        "\\eqref{式:1}",
        "\\verb|a%b|",
        "\\url{http://a.b/%20#c}",
        "\\ours{} 和",
        "\\texttt{a\\_b}",
    ):
        assert part in written


def test_a_kept_part_that_is_lost_is_written_at_the_end():
    assert one("见图~\\ref{a}。", "See it") == "See it \\ref{a}"


def test_a_tie_stays_before_a_reference():
    assert one("见图~\\ref{a}。", "See Figure \\ref{a}.") == "See Figure~\\ref{a}."


def test_each_occurrence_of_a_formula_keeps_its_own_bytes():
    text = "由 $a\n+b$ 和 $a +b$ 可知。"
    assert one(text, "By $a +b$ and $a +b$.") == "By $a\n+b$ and $a +b$."


@pytest.mark.parametrize(
    ("new", "written"),
    [
        ("5 % & # _ $ { }", "5 \\% \\& \\# \\_ \\$ \\{ \\}"),
        ("\\a ~ ^", "\\textbackslash{}a \\textasciitilde{} \\textasciicircum{}"),
        ("a < b | c > d", "a \\textless{} b \\textbar{} c \\textgreater{} d"),
        ('He said "yes" ("no").', "He said ``yes'' (``no'')."),
        ("“a” ‘b’ – — … é", "``a'' `b' -- --- \\ldots{} é"),
        ("a\n\n\nb\u2028c\x07d", "a b c d"),
        ("[a]", "{[}a]"),
        ("* b", "{*} b"),
    ],
)  # fmt: skip
def test_new_text_is_escaped(new, written):
    assert one("甲\n", new) == written + "\n"


def test_new_text_in_chinese_keeps_its_quotation_marks():
    assert one("甲\n", "“乙”……——", "zh") == "“乙”……——\n"


@pytest.mark.parametrize(
    ("text", "new", "written"),
    [
        ("\\item甲\n", "a", "\\item a\n"),
        ("\\item甲\n", "(a", "\\item(a\n"),
        ("{\\bf甲}乙", None, "{\\bf a甲}乙b"),
        ("\\LaTeX\\ 很好。", "\\LaTeX is good.", "\\LaTeX{} is good."),
        ("\\LaTeX 很好。", "We like \\LaTeX, too.", "We like \\LaTeX, too."),
        ("好用的\\LaTeX", "Good \\LaTeX", "Good \\LaTeX"),
        ("\\section[甲]{1}", "a] b", "\\section[{a] b}]{1}"),
        ("\\begin{lstlisting}[caption=甲]\n\\end{lstlisting}", "a, b", "\\begin{lstlisting}[caption={a, b}]\n\\end{lstlisting}"),
        ("甲 \\\\[2pt] 1", "a", "a \\\\[2pt] 1"),
    ],
)  # fmt: skip
def test_names_of_commands_and_arguments_end_where_they_did(text, new, written):
    if new is None:
        document = read(Latex(), text)
        assert document.write([bracketed(document.passages[0], "a", "b")], "en").decode() in (
            "a{\\bf 甲}乙b", "a{\\bf甲}乙b",
        )  # fmt: skip
        return
    assert one(text, new) == written


def test_a_mark_encloses_its_new_words():
    document = read(Latex(), "请\\textbf{先}打开\\href{a%b}{终端}。\\footnote{注。}完。")
    passage, note = document.passages
    assert passage.marks == (Mark(1, 2, 0), Mark(4, 6, 1), Mark(7, 7, 2))
    new = Passage("Open the shell first.", (Mark(9, 14, 1), Mark(15, 20, 0), Mark(21, 21, 2)))
    written = document.write([new, Passage("A note.")], "en").decode()
    assert written == "Open the \\href{a%b}{shell} \\textbf{first}.\\footnote{A note.}"
    assert document.write([new, note], "en").decode().endswith("\\footnote{注。}")


def test_code_and_addresses_that_move_into_an_argument_are_read_by_tex():
    document = read(Latex(), "请\\textbf{先}看 \\verb|a%b_c|。")
    new = Passage("See \\verb|a%b_c| first", (Mark(0, 22, 0),))
    assert document.write([new], "en") == b"\\textbf{See \\texttt{a\\%b\\_c} first}"


def test_a_comment_ends_its_line_and_the_words_around_it_stay_apart():
    document = read(Latex(), "甲 % 注一\n乙\n% 注二\n丙")
    (passage,) = document.passages
    assert passage.text == "甲 乙\n丙"
    new = Passage("one two three", (Mark(3, 3, 0), Mark(7, 7, 1)))
    assert document.write([new], "en").decode() == "one % 注一\ntwo\n% 注二\nthree"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\\newcommand{\\x}[1]{第#1章}", ["第#1章"]),
        ("\\def\\x#1{图：#1}", ["图：#1"]),
        ("\\newenvironment{x}{开始}{结束}", ["开始", "结束"]),
        ("\\newtheorem{x}[y]{引理}", ["引理"]),
        ("\\unknown{甲}{乙}{a}", ["甲", "乙"]),
        ("文\\unknown{甲}文", ["文甲文"]),
        ("\\label{图}\\ref{图}\\input{章/一}\\includegraphics{图}\\setCJKmainfont{宋体}", []),
        ("\\ifx\\a\\b 甲\\else 乙\\fi", ["\\a\\b 甲", "乙"]),
        ("\\ifstrequal{甲}{乙}{丙}{丁}", ["丙", "丁"]),
        ("\\setup{title = {甲}, author = {乙}, info = {subtitle = 丙}}", ["甲", "丙"]),
        ("\\newglossaryentry{a}{name={甲}, description={乙}}", ["甲", "乙"]),
        ("\\captionsetup{name={图}}", ["图"]),
        ("\\begin{tikzpicture}\\node {甲};\\end{tikzpicture}", []),
        ("\\begin{align*} 甲 & \\text{乙} \\\\ \\end{align*}", []),
        ("\\begin{verbatim}\\begin{verbatim}甲\\end{verbatim}乙\\begin{verbatim}\\end{verbatim}", ["乙"]),
        ("\\begin{tikzpicture}\\begin{tikzpicture}\\end{tikzpicture}甲\\end{tikzpicture}乙", ["乙"]),
        ("$$甲$$ $\\text{甲 $x$ 乙}$", []),
        ("\\begin{Code}甲\\end{Code}\\begin{code}\\caption{甲}\\end{code}", ["甲"]),
        ("\\begin{tabbing}甲 \\= 乙 \\> 丙\\end{tabbing}", ["甲", "乙", "丙"]),
        ("\\textbf{甲\n\n乙}", ["甲", "乙"]),
        ("甲\\\\乙 & 丙\\par 丁", ["甲", "乙", "丙", "丁"]),
        ("\\State 甲 \\If{乙} \\Comment{丙}", ["甲", "乙", "丙"]),
        ("\\begin{frame}<2->[t]{甲}{乙}丙\\end{frame}", ["甲", "乙", "丙"]),
        ("\\makeatletter 甲 \\makeatother 乙", ["乙"]),
        ("\\makeatletter\\begin{document}甲\\makeatother\\end{document}", ["甲"]),
        ("\\lstnewenvironment{mine}{}{}\\begin{mine}甲\\end{mine}", []),
        ("\\begin{CJK*}{UTF8}{gbsn}甲\\end{CJK*}", ["甲"]),
        ("\\index{甲}乙", ["乙"]),
        ("文\\cite[见][3]{甲}文", ["文\\cite[见][3]{甲}文"]),
    ],
)  # fmt: skip
def test_arguments_and_environments_are_texts_or_stay(text, found):
    assert texts(Latex(), text) == found


def test_a_chapter_whose_example_has_a_preamble_is_read_as_a_whole():
    text = "\\section{甲}\n\\begin{sourcetext}\n\\documentclass{a}\n\\begin{document}\n乙\n\\end{document}\n\\end{sourcetext}\n丙\n"
    assert texts(Latex(), text) == ["甲", "乙", "丙"]


def test_english_is_read_by_its_words():
    text = "\\chapter{One}\\define{start point}\\mynote{This is a note}\\begin{lemma}[Pythagoras]Let $x$ be.\\end{lemma}\\begin{figure}[htbp]\\end{figure}"
    assert texts(Latex(), text, "en") == [
        "One",
        "\\define{start point}This is a note",
        "Pythagoras",
        "Let $x$ be.",
    ]


def test_both_languages_are_paragraphs_or_beside_each_other():
    assert one("甲\\label{a}乙\n\n", "A", bilingual=True) == "A\\label{a}\n\n甲乙\n\n"
    assert one("\\section{甲}", "A", bilingual=True) == "\\section{A / 甲}"
    assert (
        one("\\begin{tabular}{c}甲\\\\\\end{tabular}", "A", bilingual=True)
        == "\\begin{tabular}{c}A / 甲\\\\\\end{tabular}"
    )


@pytest.mark.parametrize(
    "declared",
    ["\\usepackage[gbk]{inputenc}", "% !TEX encoding = GB18030", "\\begin{CJK}{GBK}{song}"],
)
def test_a_declared_encoding_is_read(declared):
    data = f"{declared}\n\n中文的论文\n".encode("gb18030")
    document = read(Latex(), data)
    (passage,) = document.passages
    assert passage.text == "中文的论文"
    assert document.write([passage], "en") == data
    new = document.write([Passage("A paper")], "en")
    assert new == f"{declared}\n\nA paper\n".encode()


def test_a_character_that_the_encoding_lacks_is_a_command():
    text = "\\usepackage[latin2]{inputenc}\n\nПривет"
    document = Latex().read(text.replace("Привет", "Ä").encode("iso8859-2"), "de")
    written = document.write([Passage("ø ñ ß")], "en")
    assert written == "\\usepackage[latin2]{inputenc}\n\n\\o{} \\~{n} ß".encode("iso8859-2")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("甲\n{乙", "Line 2: a brace is never closed; what is there was left as it is."),
        ("甲 } 乙", "Line 1: a brace is closed that was not opened; what is there was left as it is."),
        ("\\begin{verbatim}甲", "Line 1: \\begin{verbatim} is never ended; what is there was left as it is."),
    ],
)  # fmt: skip
def test_defects_are_warnings_with_their_line(text, said):
    document = read(Latex(), text)
    assert document.warnings == [said]
    assert document.write([bracketed(p) for p in document.passages], "en") != text.encode()


def test_groups_that_are_nested_too_deep_stay():
    text = "甲" + "{\\bf 乙" * 100 + "}" * 100
    document = read(Latex(), text)
    assert any("nested so deep" in warning for warning in document.warnings)
    assert (
        document.write([bracketed(p, "A", "B") for p in document.passages], "en")
        .decode()
        .count("{")
        == 100
    )


@pytest.mark.parametrize("data", [b"\0\1\2\xff", "中文".encode("gb18030") * 20])
def test_bytes_that_are_no_text_are_refused_in_a_sentence(data):
    with pytest.raises(FormatError) as error:
        read(Latex(), data)
    assert "\n" not in str(error.value)


def test_the_beginning_of_a_text_shows_the_format():
    assert likely_format("% !TEX\n\\documentclass{a}") == "latex"
    assert likely_format("\\n 是换行") is None


PARTS = st.sampled_from(["甲", "乙 ", "\\textbf{", "\\emph{", "}", "{", "{\\bf ", "\\footnote{", "$x$", "$", "$$", "\\(", "\\)",
                         "\\[", "\\]", "[", "]", "% 注\n", "%", "\n", "\n\n", "\\\\", "&", "~", "\\ref{a}", "\\LaTeX ",
                         "\\item", "\\section{", "\\begin{verbatim}", "\\end{verbatim}", "\\begin{tabular}{c}", "\\end{tabular}",
                         "\\unknown", "\\verb|x|", "\\href{a%b}{", "\\'e", "#1", "\\newcommand{\\x}{", "\\%", "\r\n", "``", "--",
                         "\\hypersetup{pdftitle=", "title={", ",", "\\else", "\\,", "\\begin{equation}", "\\end{equation}"])  # fmt: skip


@given(st.lists(PARTS, max_size=16), st.booleans())
@settings(max_examples=400, deadline=None)
def test_any_file_is_written_again_to_the_byte_and_keeps_its_commands(parts, is_closed):
    text = "".join(parts) + "}" * is_closed
    document = read(Latex(), text)
    assert document.write(document.passages, "en") == text.encode()
    new = document.write([bracketed(p, "aq ", " qa") for p in document.passages], "en").decode()
    assert sorted(shape(new)) == sorted(shape(text))
    for number, passage in enumerate(document.passages):
        some = list(document.passages)
        some[number] = Passage(
            "x y", tuple(Mark(0, 1 if m.end > m.start else 0, m.tag) for m in passage.marks)
        )
        document.write(some, "en", bilingual=True)


@given(st.text(st.sampled_from("ab .:%&#_${}~^\\\"'`[]<>|*-é“\t\n"), min_size=1, max_size=14))
@settings(max_examples=300, deadline=None)
def test_any_new_text_is_read_again(new):
    (again,) = read(Latex(), "\\section{甲}".replace("甲", one("甲", f"文{new}文"))).passages
    straight = str.maketrans("“”‘", '""\'')
    assert flat(again.text.translate(straight)) == flat(f"文{new}文".translate(straight))


@pytest.mark.parametrize(
    "part",
    ["{", "}", "[", "$", "$$", "\\", "\\(", "\\begin{verbatim}", "\\begin{equation}", "%", "文%\n", "&", "\n", "文\\\\",
     "\\textbf{文", "\\textbf{文} ", "{\\bf ", "{文} ", "\\footnote{文} ", "\\foo{文", "\\foo[", "$x$ 文 ", "\"", "\\section{文} ",
     "\\verb", "\\url{", "\\href{", "\\lstinline[", "\\def\\a", "\\hypersetup{a={", "\\LaTeX ", "\\iffalse", "\\csname "],
)  # fmt: skip
def test_time_is_linear(part):
    assert is_linear(Latex(), lambda n: (part * n).encode())
    assert is_linear(Latex(), lambda n: ("\\section{文" + part * n + "}").encode())


@pytest.mark.parametrize(
    ("part", "end"),
    [
        ("\\begin{verbatim}", "\\end{verbatim}"),
        ("\\begin{align}", "\\end{align}"),
        ("\\makeatletter\\begin{document}", "\\makeatother"),
    ],
)
def test_time_is_linear_where_all_have_one_end(part, end):
    assert is_linear(Latex(), lambda n: (part * n + end).encode())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["article.tex", "slides.tex"])
@pytest.mark.parametrize("around", [("Aq ", " qA"), (HOSTILE + " ", "A" + HOSTILE), ("[", "]*")])
@pytest.mark.parametrize("bilingual", [False, True])
def test_tex_reads_the_new_file(name, around, bilingual, tmp_path):
    if not shutil.which("xelatex"):
        pytest.skip("xelatex with ctex, beamer and the fonts of fandol reads the files")
    document = read(Latex(), (FOLDER / name).read_bytes())
    new = [bracketed(passage, *around) for passage in document.passages]
    (tmp_path / name).write_bytes(document.write(new, "en", bilingual=bilingual))
    command = ["xelatex", "-interaction=nonstopmode", "-halt-on-error", name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2_000:]
