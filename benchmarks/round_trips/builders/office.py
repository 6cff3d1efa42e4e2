"""Office files from texts, built with the libraries that people build them with."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from benchmarks.round_trips.texts import HEADINGS, LINK, Block

_STYLES = {
    "title": "Title", "heading": "Heading 1", "subheading": "Heading 2", "item": "List Bullet",
    "subitem": "List Bullet 2", "subsubitem": "List Bullet 3", "step": "List Number",
    "quote": "Intense Quote",
}  # fmt: skip


def docx(blocks: Sequence[Block], number: int) -> bytes:
    """A document with tables, headers, comments; every second one has a table inside a cell."""
    import docx as library

    word = library.Document()
    word.core_properties.title, word.core_properties.comments = blocks[0].text, ""
    word.sections[0].header.paragraphs[0].text = "内部资料"
    table: Any = None
    for block in blocks:
        if block.kind == "row":
            if not table or len(table.columns) != len(block.cells):
                table = word.add_table(0, len(block.cells), style="Table Grid")
            for cell, text in zip(table.add_row().cells, block.cells, strict=True):
                cell.text = text
            continue
        if block.kind in ("code", "comment"):
            continue
        if table and number % 2:
            table.rows[-1].cells[-1].add_table(1, 1).cell(0, 0).text = "单元格里的表格"
        table = None
        paragraph = word.add_paragraph(style=_STYLES.get(block.kind))
        for text, look in block.runs:
            run = paragraph.add_run(text)
            run.bold, run.italic = "b" in look or None, "i" in look or None
            run.font.underline, run.font.rtl = look == "a" or None, _is_arabic(text) or None
        if block.kind == "quote":
            paragraph.add_run().add_break()
            paragraph.add_run("换行以后\t的文字")
    if number % 3 == 0:
        word.add_comment(paragraph.runs, text="请再检查一遍。", author="A")
    return _saved(word)


def _is_arabic(text: str) -> bool:
    return any("\u0590" <= sign <= "\u06ff" for sign in text)


def pptx(blocks: Sequence[Block], number: int) -> bytes:
    """A slide for each heading, with lists, a table, notes, and in every second one a chart."""
    import pptx as library
    from pptx.util import Cm

    deck = library.Presentation()
    frame: Any = None
    rows = [block.cells for block in blocks if block.kind == "row"][:3]
    for block in blocks:
        if block.kind in HEADINGS:
            slide = deck.slides.add_slide(deck.slide_layouts[1])
            slide.shapes.title.text = block.text
            frame = slide.placeholders[1].text_frame
            slide.notes_slide.notes_text_frame.text = "讲到这里时请停一下。"
        elif block.kind not in ("row", "code", "comment"):
            paragraph = frame.add_paragraph()
            paragraph.level = block.depth
            for text, look in block.runs:
                run = paragraph.add_run()
                run.text, run.font.bold, run.font.italic = text, "b" in look, "i" in look
                run.hyperlink.address = LINK if look == "a" else None
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "总结"
    size = len(rows), len(rows[0])
    table = slide.shapes.add_table(*size, Cm(2), Cm(4), Cm(20), Cm(4)).table
    for y, cells in enumerate(rows):
        for x, text in enumerate(cells[: size[1]]):
            table.cell(y, x).text = text
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(Cm(2), Cm(12), Cm(8), Cm(2)).text_frame.text = "组合里的文字"
    if number % 2:
        _chart(slide)
    return _saved(deck)


def _chart(slide: Any) -> None:
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Cm

    data = CategoryChartData()
    data.categories = ["第一季度", "第二季度"]
    data.add_series("销售额", (1.5, 2.5))
    place = Cm(12), Cm(9), Cm(10), Cm(8)
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data)


def xlsx(blocks: Sequence[Block], number: int) -> bytes:
    """A workbook with rich text, comments, merged cells, formulas and a table of a style."""
    from openpyxl import Workbook
    from openpyxl.cell.rich_text import CellRichText, TextBlock
    from openpyxl.cell.text import InlineFont
    from openpyxl.comments import Comment

    book = Workbook()
    sheet: Any = book.active
    sheet.title, sheet.oddHeader.center.text = "Data", "每月报告"
    for block in blocks:
        if block.kind == "row":
            sheet.append([int(c) if c.isascii() and c.isdigit() else c for c in block.cells])
        elif block.kind in ("code", "comment", "empty"):
            sheet.append([])
        elif len(block.runs) > 1:
            runs = (TextBlock(InlineFont(b="b" in k, i="i" in k), t) for t, k in block.runs)
            sheet.append([CellRichText(*runs)])
        else:
            sheet.append([block.text, len(block.text)])
    last = sheet.max_row
    sheet.cell(last + 1, 2, f"=SUM(B1:B{last})")
    sheet.merge_cells(start_row=1, end_row=1, start_column=1, end_column=4)
    sheet["A1"].comment = Comment("请核对数据。", "A")
    if number % 2:
        other: Any = book.create_sheet("Sheet2")
        other.append(["名称", "数量"])
        other.append(["合计", 3])
        other.append(["第一行\n第二行", None, "  前后有空格  "])
        other.sheet_state = "hidden"
    return _saved(book)


def _saved(file: Any) -> bytes:
    out = io.BytesIO()
    file.save(out)
    return out.getvalue()
