"""Complete HTML files of many kinds, in several encodings, valid and damaged."""

from pathlib import Path

import html5lib
import lxml.etree
import lxml.html
import pytest

from longways.formats.html.format import Html
from tests.formats.html.html_shapes import changed, lengthened, seen, shape, upper

FILES = sorted((Path(__file__).parents[1] / "files" / "html").iterdir())
READ_OTHERWISE = ["broken.html", "chapter.xhtml", "specification.html", "template.html"]
"""Files that are not compared: text out of tree order, untranslated text, or more than HTML."""
READ_BY_OTHERS = [path for path in FILES if path.name not in READ_OTHERWISE]
ENCODINGS = {"forum.htm": "gbk", "letter.html": "big5", "minutes.html": "utf-16"}
UNREAD = {"script", "style", "pre", "svg", "math", "iframe", "rt", "rp"}
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def encoding(path):
    return ENCODINGS.get(path.name, "utf-8-sig")


def visible(element):
    """The readable text of a tree, by another implementation."""
    if not isinstance(element.tag, str) or element.tag.split("}")[-1] in UNREAD:
        return ""
    own = element.text or ""
    if element.tag == "textarea" and "{" in own:
        return ""
    return own + "".join(visible(child) + (child.tail or "") for child in element)


def test_there_are_files_of_many_kinds():
    assert len(FILES) >= 13


@each_file
def test_a_file_comes_back_to_the_byte(path):
    document = Html().read(path.read_bytes(), "zh")
    assert document.write(document.passages, "zh") == path.read_bytes()


@each_file
@pytest.mark.parametrize("change", [lengthened, upper])
def test_a_translated_file_is_read_as_it_was_written(path, change):
    new, written, read = changed(path.read_bytes(), change)
    assert [seen(passage) for passage in read] == [seen(passage) for passage in new]
    assert shape(written, encoding(path)) == shape(path.read_bytes(), encoding(path))


@each_file
def test_any_mixture_of_old_and_new_passages_is_read_as_it_was_written(path):
    document = Html().read(path.read_bytes(), "zh")
    own = document.passages
    for every in (2, 3):
        new = [upper(p) if number % every == 0 else p for number, p in enumerate(own)]
        read = Html().read(document.write(new, "en"), "en").passages
        assert [seen(passage) for passage in read] == [seen(passage) for passage in new]


@each_file
def test_a_file_in_two_languages_has_all_of_both(path):
    document = Html().read(path.read_bytes(), "zh")
    new = [upper(p) for p in document.passages]
    written = document.write(new, "en", bilingual=True)
    read = Html().read(written, "en").passages
    assert len(read) == len(new)
    for both, one, other in zip(read, new, document.passages, strict=True):
        assert seen(both)[0].replace("/", "") == (seen(one)[0] + seen(other)[0]).replace("/", "")


@pytest.mark.parametrize("path", READ_BY_OTHERS, ids=lambda path: path.name)
def test_all_that_a_reader_reads_is_in_the_passages(path):
    data = path.read_bytes()
    tree = html5lib.parse(data.decode(encoding(path)), namespaceHTMLElements=False)
    places = Html().read(data, "zh")._found.places
    found = "".join(place.passage.text for place in places if place.kind != "value")
    assert "".join(found.split()) == "".join(visible(tree).split())


@pytest.mark.parametrize("name", ["manual.html", "form.html", "shop.html", "specification.html"])
def test_another_parser_sees_the_same_tags_before_and_after(name):
    path = next(p for p in FILES if p.name == name)
    _, written, _ = changed(path.read_bytes(), lengthened)

    def tags(data):
        tree = lxml.html.document_fromstring(data.decode())
        return [(e.tag, e.getparent() is not None and e.getparent().tag) for e in tree.iter()]

    assert tags(written) == tags(path.read_bytes())


def test_a_translated_chapter_is_well_formed_xml():
    path = next(p for p in FILES if p.name == "chapter.xhtml")
    parser = lxml.etree.XMLParser(resolve_entities=False)
    document = Html().read(path.read_bytes(), "zh")
    for bilingual in (False, True):
        new = [lengthened(p, "<&\xa0") for p in document.passages]
        written = document.write(new, "en", bilingual=bilingual)
        root = lxml.etree.fromstring(written, parser)
        assert root.get("lang") == root.get("{http://www.w3.org/XML/1998/namespace}lang") == "en"
        assert b"&house;" in written


def test_the_manual_is_read_as_a_reader_reads_it():
    path = next(p for p in FILES if p.name == "manual.html")
    passages = Html().read(path.read_bytes(), "zh").passages
    texts = [passage.text for passage in passages]
    assert texts[:4] == [
        "青松 X20 水泵控制器的安装、接线与日常维护说明",
        "青松 X20 水泵控制器 — 使用手册",
        "使用手册 第 3 版",
        "主导航",
    ]
    assert "液位\n传感器" in texts
    assert "控制器的安装位置" in texts
    assert not any("x20ctl status --all\n" in text or "窄屏" in text for text in texts)
    wiring = next(p for p in passages if "TB1" in p.text)
    assert [wiring.text[a:b] for a, b in wiring.keep] == ["TB1", "x20ctl status --all"]
