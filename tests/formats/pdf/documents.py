"""PDF documents for tests, drawn with reportlab."""

import io
import zlib
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


def by_hand(
    content: bytes, resources: bytes = b"", *more: bytes, page: bytes = b"", root: bytes = b""
) -> bytes:
    """A document with one page; `more` are objects from number 6 on."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R%b>>" % root,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
        b"/Resources<</Font<</F 5 0 R>>%b>>%b>>" % (resources, page),
        stream(content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *more,
    ]
    body = b"".join(b"%d 0 obj\n%b\nendobj\n" % item for item in enumerate(objects, 1))
    return b"%PDF-1.7\n" + body + b"trailer<</Root 1 0 R>>\n%%EOF\n"


def stream(content: bytes, more: bytes = b"") -> bytes:
    """A compressed stream, with more keys."""
    packed = zlib.compress(content)
    head = b"<</Length %d/Filter/FlateDecode%b>>" % (len(packed), more)
    return head + b"stream\n" + packed + b"\nendstream"
