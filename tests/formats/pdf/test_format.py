"""A PDF is read as Markdown: what its pages show, in the order in which people read it."""

import io
import re
import sys
from collections import Counter
from pathlib import Path

import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.pdf.format import Pdf
from longways.formats.registry import format_of
from tests.formats.pdf.documents import (
    HEIGHT,
    LEFT,
    SONG,
    TOP,
    WIDTH,
    by_hand,
    column,
    drawn,
    line,
    markdown,
    read,
    text_page,
    wrapped,
)

LONG = (
    "The installer copies all files into the folder that you name, writes the settings of the "
    "service, and starts it. It can be run again at any time: files that have not changed stay as "
    "they are, and a copy of each changed file is kept beside the new one."
)
CHINESE = (
    "打开终端\uff0c然后运行安装命令。安装完成以后\uff0c重新启动计算机\uff0c并检查所有的服务是否已经正常运行。"
    "如果服务没有启动\uff0c请查看日志文件\uff0c并将其中的错误信息发送给管理员。"
)


def test_headings_are_known_by_their_size_and_lines_become_paragraphs():
    data = drawn(
        text_page(
            ("User Manual", "Times-Bold", 24),
            ("Installation", "Times-Bold", 16),
            (LONG, "Times-Roman", 11),
            (LONG[:150], "Times-Roman", 11),
            ("Updates", "Times-Bold", 16),
            (LONG, "Times-Roman", 11),
        )
    )
    assert markdown(data).split("\n\n") == [
        "# User Manual",
        "## Installation",
        LONG,
        LONG[:150].strip(),
        "## Updates",
        LONG + "\n",
    ]


def test_lines_of_chinese_are_joined_without_spaces():
    data = drawn(text_page(("安装指南", SONG, 20), (CHINESE, SONG, 11)))
    document = read(data)
    assert [passage.text for passage in document.passages] == ["安装指南", CHINESE]


def test_two_columns_are_read_one_after_the_other_and_their_paragraph_is_joined():
    words = (LONG + " ") * 8
    lines = wrapped(words.strip(), 215)

    def draw(canvas):
        line(canvas, 150, TOP, "A Title Over Both of the Columns", "Times-Bold", 20)
        half = len(lines) // 2
        column(canvas, LEFT, TOP - 40, lines[:half])
        column(canvas, LEFT + 235, TOP - 47, lines[half:])

    title, text = markdown(drawn(draw)).split("\n\n")
    assert title == "# A Title Over Both of the Columns"
    assert text.split() == words.split()


def test_a_word_that_a_hyphen_divides_is_whole_and_a_compound_keeps_its_hyphen():
    lines = [
        "The service reads its configu-",
        "ration once. A well-known place is the",
        "folder beside it. It is also a well-",
        "known place in containers, which we de-",
        "scribe below.",
    ]
    text = markdown(drawn(lambda canvas: column(canvas, LEFT, TOP, lines)))
    assert "its configuration once." in text
    assert "also a well-known place" in text
    assert "we describe below." in text


def test_a_paragraph_continues_on_the_next_page_below_a_footnote():
    def first(canvas):
        y = column(canvas, LEFT, 200, wrapped(LONG, 450)[:2])
        assert y > 100
        line(canvas, LEFT, 90, "A small note of no importance.", size=8)

    def second(canvas):
        column(canvas, LEFT, TOP, wrapped(LONG, 450)[2:])

    assert LONG in markdown(drawn(first, second))


def test_running_heads_and_page_numbers_are_left_out_and_counted():
    def page(number):
        def draw(canvas):
            line(canvas, LEFT, 810, "Manual of the Longest Road", size=9)
            column(canvas, LEFT, TOP, wrapped(f"Step {number * 7} of the road. {LONG}", 450))
            line(canvas, WIDTH / 2, 40, f"- {number} -", size=9)

        return draw

    document = read(drawn(*map(page, range(1, 6))))
    text = document.markdown.source.text
    assert "Manual of" not in text
    assert not re.search(r"^\W*\d+\W*$", text, re.MULTILINE)
    assert [f"Step {n * 7} of" in text for n in range(1, 6)] == [True] * 5
    assert "Left out: 10 running heads and page numbers." in document.warnings[0]


def test_headings_and_first_lines_that_differ_by_a_number_stay():
    def page(number):
        def draw(canvas):
            line(canvas, LEFT, 800, f"Step {number}", "Times-Bold", 16)
            column(canvas, LEFT, TOP, [f"Part {number} has one line."])
            column(canvas, LEFT, TOP - 40, wrapped(LONG, 450))

        return draw

    text = markdown(drawn(*map(page, range(3, 12))))
    assert all(f"# Step {n}\n" in text for n in range(3, 12))
    assert all(f"Part {n} has" in text for n in range(3, 12))


def test_a_line_that_is_on_one_page_only_is_no_running_head():
    def page(text):
        return lambda canvas: [
            line(canvas, LEFT, 810, text, size=9),
            column(canvas, LEFT, TOP, wrapped(LONG, 450)),
        ]

    text = markdown(drawn(page("First words"), page("Second words"), page("2024")))
    assert all(words in text for words in ("First words", "Second words", "2024"))


def test_lists_keep_their_order_and_depth():
    rows = [
        (0, "1. Open the cover."),
        (0, "2. Remove the disk:"),
        (20, "• Pull the lever."),
        (20, "• Lift the disk."),
        (0, "3. Close the cover."),
    ]

    def draw(canvas):
        for place, (indent, text) in enumerate(rows):
            line(canvas, LEFT + indent, TOP - 15 * place, text)

    assert markdown(drawn(draw)) == (
        "1. Open the cover.\n2. Remove the disk:\n   - Pull the lever.\n   - Lift the disk.\n"
        "3. Close the cover.\n"
    )


def test_a_ruled_table_has_its_cells_in_rows_and_wrapped_cells_whole():
    rows = [
        ["Name", "Meaning"],
        ["host", "The address of the machine on which the service runs"],
        ["a|b", ""],
    ]

    def draw(canvas):
        canvas.grid([LEFT, 200, 330], [TOP, TOP - 40, TOP - 80, TOP - 120])
        for place, row in enumerate(rows):
            for x, text in zip((LEFT + 4, 204), row, strict=True):
                column(canvas, x, TOP - 40 * place - 14, wrapped(text, 120))

    assert markdown(drawn(draw)) == (
        "| Name | Meaning |\n| --- | --- |\n"
        "| host | The address of the machine on which the service runs |\n| a\\|b |  |\n"
    )


def test_aligned_rows_are_a_table_if_nearly_all_cells_are_there():
    rows = [("City", "People", "Area"), ("Lund", "94,393", "25.7"), ("Umeå", "91,916", "34.9")]
    rows += [("Visby", "24,330", "12.4")]

    def draw(canvas):
        for place, row in enumerate(rows):
            for x, text in zip((LEFT, 220, 360), row, strict=True):
                line(canvas, x, TOP - 15 * place, text)

    text = markdown(drawn(draw))
    assert text.splitlines()[0] == "| City | People | Area |"
    assert text.splitlines()[-1] == "| Visby | 24,330 | 12.4 |"


def test_a_table_with_long_names_is_no_text_in_columns():
    tests = [("白细胞计数与分类检验\uff08静脉血\uff09", "仪器法", "5.39", "3.5至9.5")] * 3
    tests += [("中性粒细胞计数与百分比检验项目", "仪器法", "3.21", "1.8至6.3")] * 3

    def draw(canvas):
        for place, row in enumerate(tests):
            for x, text in zip((LEFT, 250, 330, 390), row, strict=True):
                line(canvas, x, TOP - 16 * place, text, SONG)

    lines = markdown(drawn(draw)).splitlines()
    assert len(lines) == 7
    assert lines[2] == "| " + " | ".join(tests[1]) + " |"


def test_numbered_references_in_two_columns_are_no_table():
    entry = "Ada Lovelace and Charles Babbage. Notes on an engine for analysis. London, 1843."

    def draw(canvas):
        for x, first in ((LEFT, 1), (LEFT + 235, 9)):
            y = TOP
            for number in range(first, first + 8):
                line(canvas, x, y, f"[{number}]")
                y = column(canvas, x + 22, y, wrapped(entry, 190)[:3])

    text = markdown(drawn(draw))
    assert "|" not in text
    assert [int(n) for n in re.findall(r"\\\[(\d+)", text)] == list(range(1, 17))


def test_code_keeps_its_lines_and_indentation_and_is_not_translated():
    code = ["def start(name):", "    # 启动服务", '    run(f"serve {name}")', "", "start(1)"]

    def draw(canvas):
        y = column(canvas, LEFT, TOP, wrapped(LONG, 450)) - 10
        for place, text in enumerate(code):
            if "启" in text:
                line(canvas, LEFT + 24, y - 12 * place, "# ", "Courier", 10)
                line(canvas, LEFT + 36, y - 12 * place, "启动服务", SONG, 10)
            else:
                line(canvas, LEFT, y - 12 * place, text, "Courier", 10)

    document = read(drawn(draw))
    assert "```\n" + "\n".join(code) + "\n```" in document.markdown.source.text
    assert [passage.text for passage in document.passages] == [LONG]


def test_links_bold_text_and_code_in_a_sentence_are_marks():
    def draw(canvas):
        text = canvas.beginText(LEFT, TOP)
        for font, part in [
            ("Times-Roman", "Read "),
            ("Times-Bold", "all notes"),
            ("Times-Roman", " and run "),
            ("Courier", "make install"),
            ("Times-Roman", " as on the page of the project."),
        ]:
            text.setFont(font, 11)
            text.textOut(part)
        canvas.drawText(text)
        line(canvas, LEFT, TOP - 15, "It is here.")
        canvas.linkURL("https://example.org/a_(b)", (LEFT, TOP - 18, LEFT + 50, TOP - 5))

    text = markdown(drawn(draw))
    assert "Read **all notes** and run `make install` as on" in text
    assert "[It is here.](https://example.org/a_%28b%29)" in text


def raised(canvas, x, y, before, number, after, size):
    """Draw a line with a raised number in it."""
    text = canvas.beginText(x, y)
    for part, height, rise in (
        (before, size, 0),
        (number, 0.6 * size, 0.4 * size),
        (after, size, 0),
    ):
        text.setFont("Times-Roman", height)
        text.setRise(rise)
        text.textOut(part)
    canvas.drawText(text)


def test_footnotes_are_notes_with_their_references():
    def draw(canvas):
        y = column(canvas, LEFT, TOP, wrapped(LONG, 450))
        raised(canvas, LEFT, y, "The service is fast", "1", " and small.", 11)
        raised(canvas, LEFT, 80, "", "1", "Measured on one machine.", 8)

    text = markdown(drawn(draw))
    assert "fast[^p1-1] and small." in text
    assert text.endswith("[^p1-1]: Measured on one machine.\n")


def test_a_table_of_contents_has_one_item_for_each_line():
    rows = ["1 Introduction ........................ 5", "2 Installation ...................... 12"]
    text = markdown(drawn(lambda canvas: column(canvas, LEFT, TOP, rows)))
    assert text == "- 1 Introduction … 5\n- 2 Installation … 12\n"


def test_the_outline_gives_levels_to_headings():
    def draw(canvas):
        for level, title in enumerate(("Part One", "Chapter One", "Section One")):
            canvas.bookmarkPage(title)
            canvas.addOutlineEntry(title, title, level)
        text_page(
            ("Part One", "Times-Bold", 12),
            ("Chapter One", "Times-Bold", 12),
            ("Section One", "Times-Italic", 11),
            (LONG, "Times-Roman", 11),
        )(canvas)

    assert markdown(drawn(draw)).split("\n\n")[:3] == [
        "# Part One",
        "## Chapter One",
        "### Section One",
    ]


def test_turned_pages_and_turned_text_are_read():
    def draw(canvas):
        canvas.translate(HEIGHT / 2, 0)
        canvas.rotate(90)
        column(canvas, LEFT, 200, wrapped(LONG, 450))
        canvas.rotate(-90)
        line(canvas, 0, 30, "An upright note")

    text = markdown(drawn(draw))
    assert text.startswith(LONG)
    assert "An upright note" in text


def test_invisible_text_is_read_only_where_nothing_else_is():
    def scan(canvas):
        text = canvas.beginText(LEFT, TOP)
        text.setTextRenderMode(3)
        text.setFont("Times-Roman", 11)
        text.textOut("Text below the picture of a page")
        canvas.drawText(text)

    def both(canvas):
        scan(canvas)
        line(canvas, LEFT, TOP, "Text below the picture of a page")

    assert markdown(drawn(scan)) == "Text below the picture of a page\n"
    assert markdown(drawn(both)) == "Text below the picture of a page\n"


def test_signs_of_markdown_stay_signs():
    rows = ["# 5 * 3 = [x](y) and `z`", "1) a_b_ <b> $x$ ~~no~~ &amp; \\"]
    document = read(
        drawn(lambda canvas: [line(canvas, LEFT, TOP - 40 * n, t) for n, t in enumerate(rows)])
    )
    assert [passage.text for passage in document.passages] == [
        rows[0],
        "a_b_ <b> $x$ ~~no~~ &amp; \\",
    ]
    assert all(not passage.marks for passage in document.passages)


def test_what_is_not_translated_comes_back_to_the_byte():
    document = read(drawn(text_page(("安装指南", SONG, 20), (CHINESE, SONG, 11))))
    own = document.markdown.source.text.encode()
    assert document.write(document.passages, "en") == own
    new = [Passage("Installation"), document.passages[1]]
    assert document.write(new, "en").decode() == f"# Installation\n\n{CHINESE}\n"


def test_one_warning_says_what_is_not_kept():
    (warning,) = read(drawn(lambda canvas: line(canvas, LEFT, TOP, "Text"))).warnings
    assert warning == (
        "The text of the PDF was read in reading order and is written as Markdown; its layout is "
        "not kept."
    )


def test_a_page_without_text_is_named():
    page = text_page((LONG, "Times-Roman", 11))
    (warning,) = read(
        drawn(page, lambda canvas: canvas.rect(100, 100, 200, 200, fill=1), page)
    ).warnings
    assert "Page 2 has no text; if it is a scan, use OCR." in warning


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "This file is damaged, or it is no PDF document"),
        (b"", "This file is damaged"),
        (b"# Title\n", "This file is damaged"),
    ],
)
def test_a_damaged_file_is_refused_in_one_sentence(data, said):
    with pytest.raises(FormatError, match=said):
        read(data)


def test_a_scan_is_refused_and_ocr_is_named():
    with pytest.raises(FormatError, match=r"no text, only pictures.* ocrmypdf"):
        read(drawn(lambda canvas: canvas.rect(100, 100, 200, 200, fill=1)))


def test_an_encrypted_document_is_read_if_its_password_is_empty():
    from reportlab.lib.pdfencrypt import StandardEncryption

    def draw(canvas):
        line(canvas, LEFT, TOP, "Not for all eyes")

    open_to_all = drawn(draw, encrypt=StandardEncryption("", ownerPassword="secret"))
    assert markdown(open_to_all) == "Not for all eyes\n"
    closed = drawn(draw, encrypt=StandardEncryption("secret", ownerPassword="secret"))
    with pytest.raises(FormatError, match=r"encrypted with a password.*qpdf --decrypt"):
        read(closed)


def test_a_library_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdfium2.raw", None)
    with pytest.raises(FormatError, match=r"pip install 'longways\[pdf\]'"):
        read(drawn(lambda canvas: line(canvas, LEFT, TOP, "Text")))


def test_the_format_is_known_by_the_suffix():
    assert isinstance(format_of(Path("A.PDF")), Pdf)


def test_tags_of_a_document_name_its_headings_and_its_footers():
    def tagged(tag, number, y, text):
        return b"/%b <</MCID %d>> BDC BT /F 11 Tf 50 %d Td (%b) Tj ET EMC\n" % (
            tag,
            number,
            y,
            text,
        )

    content = (
        tagged(b"H2", 0, 700, b"A heading as large as text")
        + tagged(b"P", 1, 680, b"The text of the page.")
        + b"/Artifact <</Type /Pagination>> BDC BT /F 11 Tf 50 30 Td (A footer) Tj ET EMC\n"
    )
    kinds = ((b"H2", 0), (b"P", 1))
    elements = [b"<</S/%b/P 6 0 R/Pg 3 0 R/K %d>>" % kind for kind in kinds]
    tree = b"<</Type/StructTreeRoot/K[7 0 R 8 0 R]/ParentTree<</Nums[0[7 0 R 8 0 R]]>>>>"
    data = by_hand(
        content,
        b"",
        tree,
        *elements,
        page=b"/StructParents 0",
        root=b"/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R",
    )
    assert markdown(data) == "## A heading as large as text\n\nThe text of the page.\n"


def test_the_values_of_a_form_are_read_where_they_stand():
    def draw(canvas):
        line(canvas, LEFT, TOP, "Your name:")
        canvas.acroForm.textfield(value="Ada", x=LEFT + 80, y=TOP - 6, width=120, height=20)
        line(canvas, LEFT, TOP - 40, "Thank you.")

    assert markdown(drawn(draw)) == "Your name: Ada\n\nThank you.\n"


def bag(text: str) -> Counter[str]:
    """The words of a text, without signs."""
    return Counter(re.findall(r"\w+", text))


WORDS = st.lists(st.text("abcdefgh", min_size=2, max_size=9), min_size=1, max_size=40)
BLOCKS = st.lists(
    st.tuples(WORDS.map(" ".join), st.sampled_from(["Times-Roman", "Times-Bold", "Courier"]),
              st.sampled_from([8, 11, 11, 16])),
    min_size=1,
    max_size=6,
)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(st.lists(BLOCKS, min_size=1, max_size=2), st.booleans())
def test_no_word_is_lost_or_made_up(pages, columns):
    def page(blocks):
        def draw(canvas):
            for place, (text, font, size) in enumerate(blocks):
                x = LEFT + (250 * (place % 2) if columns else 0)
                column(canvas, x, TOP - 110 * place, wrapped(text, 220, font, size), font, size)

        return draw

    data = drawn(*map(page, pages))
    reader = pypdf.PdfReader(io.BytesIO(data))
    words = bag("\n".join(page.extract_text() for page in reader.pages))
    assert bag(markdown(data)) == words
