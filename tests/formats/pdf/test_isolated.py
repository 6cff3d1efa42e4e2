"""Documents that would take days or all memory are refused in one sentence, in a bounded time."""

import pytest

from longways.errors import FormatError
from longways.formats.pdf import isolated
from longways.formats.pdf.document import read_document
from longways.formats.pdf.isolated import read_isolated
from tests.formats.pdf.documents import LEFT, TOP, by_hand, drawn, line, stream


def nested(depth: int) -> bytes:
    """A page that draws a word 10 to the power of `depth` times."""
    forms = []
    for level in range(depth):
        last = level == depth - 1
        content = b"BT /F 9 Tf 50 700 Td (word) Tj ET" if last else b"/X Do " * 10
        inside = b"" if last else b"/XObject<</X %d 0 R>>" % (7 + level)
        kind = b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>%b>>"
        forms.append(stream(content, kind % inside))
    return by_hand(b"/X Do", b"/XObject<</X 6 0 R>>", *forms)


def test_a_process_reads_what_a_call_reads():
    data = drawn(lambda canvas: line(canvas, LEFT, TOP, "Text with a sign: \u2022"))
    assert read_isolated(data) == read_document(data)
    assert read_document(by_hand(b"BT /F 9 Tf 50 700 Td (by hand) Tj ET"))[0] == "by hand\n"


def test_forms_in_forms_are_refused_in_a_bounded_time():
    with pytest.raises(FormatError, match=r"more than 1 seconds to read\. Open it in a PDF viewer"):
        read_isolated(nested(9), seconds=1)


def test_a_page_that_needs_too_much_memory_is_refused():
    with pytest.raises(FormatError, match="damaged, or it needs too much memory"):
        read_isolated(nested(7), memory=300 << 20)


def test_a_fault_of_the_reader_is_no_fault_of_the_file(monkeypatch):
    monkeypatch.setattr(isolated, "_START", "raise KeyError('a name')")
    with pytest.raises(RuntimeError, match="KeyError: 'a name'"):
        read_isolated(drawn(lambda canvas: line(canvas, LEFT, TOP, "Text")))


@pytest.mark.parametrize("sign", ["- a", "word-", "....", "# ", "((", "| "])
def test_many_signs_of_one_kind_are_read_in_seconds(sign):
    content = b"BT /F 4 Tf 1 0 0 1 50 790 Tm .1 TL\n" + b"(%b) '\n" % sign.encode() * 5000
    assert read_isolated(by_hand(content + b"ET"), seconds=10)[1].pages == 1
