"""The XML scanner of Office files."""

import gc
import tracemalloc
import weakref

import pytest

from longways.errors import FormatError
from longways.formats.office.xml import TEXT, Scanner, XmlSource

TEXT_NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"


def part(content):
    return f'<text:p xmlns:text="{TEXT_NAMESPACE}">{content}</text:p>'.encode()


def scanned(data):
    found = []
    scanner = Scanner(XmlSource.of("part", data), lambda node, _: found.append(node))
    scanner.scan()
    return scanner, found


def test_a_small_part_is_read_in_little_memory():
    data = part("好")
    scanned(data)
    tracemalloc.start()
    scanned(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000


def test_a_scanner_is_freed_without_the_garbage_collector():
    gc.disable()
    try:
        scanner, _ = scanned(part("好"))
        left = weakref.ref(scanner)
        del scanner
        assert left() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("text", ["好", "a" * 3_000_000, "&#20013;" * 400_000, "&lt;" * 600_000])
def test_text_is_one_child_unless_it_is_longer_than_the_buffer(text):
    _, (paragraph,) = scanned(part(text))
    texts = [child.text for child in paragraph.children if child.name == TEXT]
    wanted = text.replace("&#20013;", "中").replace("&lt;", "<")
    assert "".join(texts) == wanted
    assert len(texts) <= len(wanted.encode()) // (1 << 20) + 1


def test_a_damaged_part_names_its_place():
    with pytest.raises(
        FormatError, match=r"part part of this file is not well-formed XML \(line 1"
    ):
        scanned(part("<b>"))
