"""PDF documents for tests, drawn with reportlab."""

import io
from collections.abc import Callable
from functools import cache

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from longways.formats.pdf.document import read_document
from longways.formats.pdf.format import Pdf, PdfDocument

WIDTH, HEIGHT = A4
LEFT, TOP = 72, 760
SONG = "STSong-Light"
"""A Chinese font that needs no file."""


@cache
def _with_fonts() -> None:
    pdfmetrics.registerFont(UnicodeCIDFont(SONG))


def drawn(*pages: Callable[[Canvas], object], **options: object) -> bytes:
    """A document with pages that these functions draw."""
    _with_fonts()
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=1, **options)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def line(
    canvas: Canvas, x: float, y: float, text: str, font: str = "Times-Roman", size: float = 11
):
    """Draw one line of text."""
    canvas.setFont(font, size)
    canvas.drawString(x, y, text)


def wrapped(text: str, width: float, font: str = "Times-Roman", size: float = 11) -> list[str]:
    """The lines of a text that is as wide as a column; Chinese is broken between signs."""
    _with_fonts()
    space = " " if " " in text else ""
    lines = [""]
    for word in text.split(" ") if space else text:
        longer = (lines[-1] + space + word).strip()
        if pdfmetrics.stringWidth(longer, font, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def column(
    canvas: Canvas,
    x: float,
    y: float,
    lines: list[str],
    font: str = "Times-Roman",
    size: float = 11,
) -> float:
    """Draw lines below each other, and return the place of the next."""
    for text in lines:
        line(canvas, x, y, text, font, size)
        y -= 1.3 * size
    return y


def text_page(*blocks: tuple[str, str, float]) -> Callable[[Canvas], None]:
    """A page with blocks, each with its font and size; a quarter line is between them."""

    def draw(canvas: Canvas) -> None:
        y = TOP
        for text, font, size in blocks:
            lines = wrapped(text, WIDTH - 2 * LEFT, font, size)
            y = column(canvas, LEFT, y, lines, font, size) - 0.8 * size

    return draw


def read(data: bytes) -> PdfDocument:
    """The document, read."""
    return Pdf().read(data, "zh")


def markdown(data: bytes) -> str:
    """The text of a document as Markdown."""
    return read_document(data)[0]
