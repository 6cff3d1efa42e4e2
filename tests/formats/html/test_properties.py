"""Properties of the HTML format: files are kept byte for byte, and written text is read again."""

import tracemalloc
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.html.format import Html
from longways.formats.html.scanner import Scanner
from tests.effort import is_linear
from tests.formats.html.html_shapes import changed, lengthened, seen, shape

PAIRED = ["p", "div", "b", "i", "code", "pre", "ul", "li", "table", "script", "style", "textarea"]
PAIRED += ["title", "svg", "math", "select", "iframe", "button", "template", "html", "body", "ruby"]
PAIRED += ["noscript", "object", "h1", "xmp", "tr", "td", "option", "foreignObject", "rt", "span"]
PIECES = [*(f"<{name}>" for name in PAIRED), *(f"</{name}>" for name in PAIRED)]
PIECES += ["<br>", "<br/>", "<hr>", "<img alt=图>", '<img alt="a > b">', "<span translate=no>"]
PIECES += ["<a href='y?a&b' title=\"题\">", "</a>", "<path/>", "<!-- -->", "<!--", "<!-->", "-->"]
PIECES += [
    "<![CDATA[",
    "]]>",
    "<?php",
    "?>",
    "<?x >",
    "<!doctype",
    "<!DOCTYPE[",
    "]>",
    "<p/>",
    "</>",
]
PIECES += ["</3", "<", "<3", "&", "&amp;", "&lt", "&nbsp;", "&bogus;", "&#20013;", "&#x;", "&#0"]
PIECES += ["&#99999999999;", '"', "'", "=", '<a b="', "<a b='", "<html", '<p translate="no">']
PIECES += ["<div class=notranslate>", "<input value=提 type=submit>", "<p lang=zh>", "{", ">"]
WORDS = ["你好", "世界。", "one", "two ", " ", "\n", "\r\n", "\t", "\xa0", "x{{a}}", "\x01", "é"]
soup = st.lists(st.sampled_from(PIECES + WORDS), max_size=40).map("".join)


@given(soup, st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]), st.booleans())
@settings(max_examples=1000, deadline=None)
def test_any_tags_in_any_order_come_back_to_the_byte(text, encoding, is_xml):
    data = (("<?xml version='1.0'?>" if is_xml else "") + "长" * 400 + text + "\0").encode(encoding)
    document = Html().read(data, "zh")
    assert document.write(document.passages, "zh") == data
    assert document.write(document.passages, "en", bilingual=True) == data


@given(soup)
@settings(max_examples=300, deadline=None)
def test_tokens_cover_the_text_without_gaps(text):
    place = 0
    for token in Scanner(text).tokens():
        assert token.start == place < token.end
        place = token.end
    assert place == len(text)


@given(st.binary(max_size=200), st.sampled_from(["", "gb2312", "big5", "shift_jis", "euc-kr"]))
@settings(max_examples=300, deadline=None)
def test_bytes_that_are_no_text_come_back_or_are_refused_in_words(data, encoding):
    page = f"<meta charset={encoding}>".encode() + b"text " * 4000 + data
    try:
        document = Html().read(page, "zh")
    except FormatError as error:
        assert "utf" in str(error)  # noqa: PT017
    else:
        assert document.write(document.passages, "zh") == page


@given(soup, st.sampled_from(["", "<?xml version='1.0'?>"]))
@settings(max_examples=500, deadline=None)
def test_new_text_among_any_tags_is_read_as_it_was_written(text, start):
    new, _, read = changed((start + "长" * 400 + text).encode(), lengthened)
    assert [seen(passage) for passage in read] == [seen(passage) for passage in new]


TEXT = st.text("天地玄黄ab<>&\"' \n\xa0", min_size=1, max_size=6)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def element(name, attributes=""):
    return lambda content: f"<{name}{attributes}>{content}</{name}>"


def elements(names, content):
    return st.one_of([st.builds(element(name, more), content) for name, more in names])


INLINE = [("b", ""), ("i", ' lang="zh"'), ("span", " title='提示'"), ("code", ""), ("x-y", "")]
STANDING = st.sampled_from(["<br>", '<img alt="图">', "<!-- c -->", "<i></i>", "<svg><g/></svg>"])
line = st.recursive(
    st.lists(TEXT.map(escaped) | STANDING, max_size=3).map("".join),
    lambda inner: st.lists(inner | elements(INLINE, inner), max_size=3).map("".join),
    max_leaves=8,
)
BLOCK = [("p", ""), ("h2", ""), ("div", ' lang="zh-CN"'), ("li", ""), ("pre", "")]
page = st.lists(elements(BLOCK, line) | line, max_size=4).map(
    lambda blocks: (
        f"<!DOCTYPE html><html><head></head><body><div>{''.join(blocks)}</div></body></html>"
    )
)

unhurried = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(page)
@unhurried
def test_a_translated_page_has_the_shape_it_had(text):
    new, written, read = changed(text.encode(), lengthened)
    assert [seen(passage) for passage in read] == [seen(passage) for passage in new]
    assert shape(written) == shape(text.encode())


@st.composite
def moved(draw, passage):
    """A passage with its marks anywhere, properly nested."""
    text = draw(st.text("XYZ <&", min_size=1, max_size=8).filter(str.strip)).strip()
    places = st.integers(0, len(text))
    marks: list[Mark] = []
    for mark in passage.marks:
        start, end = sorted((draw(places), draw(places)))
        if mark.start == mark.end or any(
            m.start < start < m.end < end or start < m.start < end < m.end for m in marks
        ):
            end = start
        marks.append(Mark(start, end, mark.tag))
    return Passage(text, tuple(sorted(marks, key=lambda m: (m.start, -m.end))))


def with_sorted_marks(passage):
    """The passage with sorted marks, since the order of marks around the same text is arbitrary."""
    text, marks = seen(passage)
    return text, tuple(sorted(marks))


@given(page, st.data())
@unhurried
def test_marks_are_read_where_they_were_put(text, data):
    document = Html().read(text.encode(), "zh")
    new = [data.draw(moved(p)) if data.draw(st.booleans()) else p for p in document.passages]
    written = document.write(new, "en")
    read = Html().read(written, "en").passages
    assert Counter(map(with_sorted_marks, read)) == Counter(map(with_sorted_marks, new))
    assert Counter(shape(written)) == Counter(shape(text.encode()))


UNENDED = ["<b>", "</b>", "<p>", "</p>", "<!--", "<svg>", "<svg><title>", "<a b='", "<td>", "&#9"]
UNENDED += [
    "<!a[",
    "<li></div>",
    "<title>",
    "<script><!--",
    "<![CDATA[",
    "{%",
    "<b><i></b>",
    "<?php",
]
UNENDED += [
    "<!DOCTYPE [",
    "<svg></div>",
    "<a>x<div>",
    "<x",
    "</",
    "&a",
    "<textarea>",
    "<iframe>",
    "<g",
]


@pytest.mark.parametrize("markup", UNENDED)
def test_time_is_linear_in_what_is_never_ended(markup):
    def translate(size):
        text = "文" * size + "<div>" * (size // 10) + "<b>" * (size // 10) + markup * size
        document = Html().read(text.encode(), "zh")
        written = document.write([lengthened(p, "x") for p in document.passages], "en")
        assert len(written) > len(text.encode())

    assert is_linear(translate, 4000, 16_000, 4)


DEEP = [
    "<div>",
    "<b>",
    "<ul><li>",
    "<table><tr><td>",
    "<blockquote><p>",
    "<a><div>",
    "<svg>",
    "<q>文",
]


@pytest.mark.parametrize("markup", DEEP)
@pytest.mark.parametrize("is_ended", [True, False])
def test_elements_ten_thousand_deep_are_read_in_linear_time(markup, is_ended):
    name = markup.strip("文<>").partition(">")[0]

    def translate(depth):
        data = f"{markup * depth}深{f'</{name}>' * depth * is_ended}<p>后</p>".encode()
        document = Html().read(data, "zh")
        assert document.write(document.passages, "zh") == data
        new = [lengthened(p, "x") for p in document.passages]
        read = Html().read(document.write(new, "en"), "en").passages
        assert [p.text for p in read] == [p.text for p in new]
        assert read[-1].text == "后x"

    assert is_linear(translate, 2500, 10_000, 4)


def test_a_page_in_memory_is_not_many_times_as_large_as_on_disk():
    plain = "我们在清晨出发、沿着河边的小路慢慢地走。" * 4
    marked = '她<b>没有</b>说话、只是把<a href="x.html">信</a>递给了我。'
    section = f'<h2 id="a">标题</h2>\n<p class="b">{plain}{marked}</p>\n<ul><li>{plain}</li></ul>\n'
    data = (section * 1000).encode()
    tracemalloc.start()
    document = Html().read(data, "zh")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(document.passages) == 3000
    assert peak < 15 * len(data)
