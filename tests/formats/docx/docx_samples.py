"""Ten documents as people write them, built with python-docx from a few lines of text each.

`#` begins a heading, `-` and `1.` a list item, `|` a row of a table, `!` an image, `@` a link;
**bold** and *italic* are runs of their own.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

import docx
from docx.document import Document as Word
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.text.paragraph import Paragraph

from .docx_files import R, W, png

FOLDER = Path(__file__).parents[1] / "files" / "docx"
SAMPLES = sorted(path.stem for path in FOLDER.glob("*.txt"))


def build(name: str) -> bytes:
    """A document of this name."""
    word = docx.Document()
    word.core_properties.comments = ""
    word.sections[0].header.paragraphs[0].text = f"内部资料 {name}"
    word.sections[0].footer.paragraphs[0].text = "版权所有"
    rows = list[str]()
    for line in [*(FOLDER / f"{name}.txt").read_text("utf-8").splitlines(), ""]:
        if line.startswith("|"):
            rows.append(line)
        else:
            _table(word, rows)
            rows = []
            _line(word, line)
    out = io.BytesIO()
    word.save(out)
    return out.getvalue()


def _line(word: Word, line: str) -> None:
    if line.startswith("!"):
        word.add_picture(io.BytesIO(png()))
    elif line.startswith("# "):
        word.add_heading(line[2:], 1)
    elif line.startswith("- "):
        _runs(word.add_paragraph(style="List Bullet"), line[2:])
    elif line.startswith("1. "):
        _runs(word.add_paragraph(style="List Number"), line[3:])
    elif line.startswith("@"):
        _link(word.add_paragraph("→ "), line[1:])
    else:
        _runs(word.add_paragraph(), line)


def _runs(paragraph: Paragraph, line: str) -> None:
    for bold, italic, plain in re.findall(r"\*\*(.+?)\*\*|\*(.+?)\*|([^*]+)", line):
        run = paragraph.add_run(bold or italic or plain)
        run.bold, run.italic = bool(bold) or None, bool(italic) or None


def _link(paragraph: Paragraph, text: str) -> None:
    target = paragraph.part.relate_to("https://example.org/", RELATIONSHIP_TYPE.HYPERLINK, True)
    paragraph._p.append(
        parse_xml(
            f'<w:hyperlink xmlns:w="{W}" xmlns:r="{R}" r:id="{target}">'
            f"<w:r><w:rPr><w:u/></w:rPr><w:t>{text}</w:t></w:r></w:hyperlink>"
        )
    )


def _table(word: Word, rows: list[str]) -> None:
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    if not cells:
        return
    table = word.add_table(len(cells), len(cells[0]), style="Table Grid")
    for row, values in zip(table.rows, cells, strict=True):
        for cell, value in zip(row.cells, values, strict=True):
            _runs(cell.paragraphs[0], value)
    inner = table.rows[0].cells[0].add_table(1, 1)
    inner.rows[0].cells[0].text = "表中之表"
