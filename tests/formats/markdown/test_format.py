"""The Markdown format: files are kept byte for byte, and written text is read again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from longways.errors import FormatError
from longways.formats.base import Format, Mark, Passage
from longways.formats.markdown.format import Markdown, MarkdownDocument
from tests.formats.markdown.markdown_soup import moved, new_text, odd_soup, seen, soup

FILES = sorted((Path(__file__).parents[1] / "files" / "markdown").glob("*.md"))
ANY_SPEED = settings(deadline=None, suppress_health_check=list(HealthCheck))


def read(text: str) -> MarkdownDocument:
    return Markdown().read(text.encode(), "zh")


def texts(text: str) -> list[str]:
    return [passage.text for passage in read(text).passages]


def written(text: str, *new: str, bilingual: bool = False) -> str:
    """A file with new texts, and marks in corresponding places."""
    document = read(text)
    passages = [moved(p, t) for p, t in zip(document.passages, new, strict=True)]
    return document.write(passages, "en", bilingual=bilingual).decode()


def lengthened(passage: Passage) -> Passage:
    """A longer translation, with a letter after each character outside kept ranges."""
    place, parts, places = 0, list[str](), list[int]()
    kept = bytearray(len(passage.text))
    for start, end in passage.keep:
        kept[start:end] = b"k" * (end - start)
    for at, char in enumerate(passage.text):
        places.append(place)
        parts.append(char if kept[at] or char.isspace() else f"{char}ю")
        place += len(parts[-1])
    places.append(place)
    marks = tuple(Mark(places[m.start], places[m.end], m.tag) for m in passage.marks)
    keep = tuple((places[start], places[end]) for start, end in passage.keep)
    return Passage("".join(parts), marks, keep)


def blocks(text: str) -> list[tuple[str, str]]:
    """The structure of a file by plain markdown-it: its blocks, its code, and its HTML tags."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    return [(t.type, _machine_part(t.type, t.content)) for t in tokens]


def _machine_part(kind: str, content: str) -> str:
    if kind == "html_block":
        return "".join(re.findall(r"<!--.*?-->|</?\w+", content, re.DOTALL))
    return "" if kind == "inline" else content


def test_it_is_a_format() -> None:
    markdown: Format = Markdown()
    assert (markdown.name, markdown.suffixes) == ("markdown", (".md", ".markdown", ".mdx"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_written_as_it_was_read(path: Path) -> None:
    data = path.read_bytes()
    document = Markdown().read(data, "zh")
    assert document.write(document.passages, "zh") == data
    assert document.write(document.passages, "zh", bilingual=True) == data


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_translated_file_has_the_same_structure_and_the_new_texts(path: Path) -> None:
    document = Markdown().read(path.read_bytes(), "zh")
    new = [lengthened(passage) for passage in document.passages]
    data = document.write(new, "ru")
    again = Markdown().read(data, "ru").passages
    assert [seen(passage) for passage in again] == [seen(passage) for passage in new]
    tags = [{mark.tag for mark in passage.marks} for passage in document.passages]
    assert [{mark.tag for mark in passage.marks} for passage in again] == tags
    old = path.read_bytes().decode("utf-8-sig")
    if "[^" not in old and "!!!" not in old:  # markdown-it alone knows no footnotes and notes
        assert blocks(data.decode("utf-8-sig")) == blocks(old)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_any_mixture_of_old_and_new_passages_is_read_as_it_was_written(path: Path) -> None:
    document = Markdown().read(path.read_bytes(), "zh")
    for rest in (0, 1):
        mixed = [lengthened(p) if n % 2 == rest else p for n, p in enumerate(document.passages)]
        again = Markdown().read(document.write(mixed, "ru"), "ru").passages
        assert [seen(passage) for passage in again] == [seen(passage) for passage in mixed]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_bilingual_file_has_both_texts_of_every_passage(path: Path) -> None:
    document = Markdown().read(path.read_bytes(), "zh")
    new = [lengthened(passage) for passage in document.passages]
    data = document.write(new, "ru", bilingual=True)
    shown = "".join("".join(p.text.split()) for p in Markdown().read(data, "ru").passages)
    for passage in (*document.passages, *new):
        assert "".join(passage.text.split()) in shown


@settings(ANY_SPEED, max_examples=1500)
@given(odd_soup | soup)
def test_whatever_is_read_is_written_to_the_byte(text: str) -> None:
    document = read(text)
    assert document.write(document.passages, "zh") == text.encode()


@settings(ANY_SPEED, max_examples=400, derandomize=True)
@given(soup, st.data())
def test_whatever_is_written_is_read_as_it_was_meant(text: str, data: st.DataObject) -> None:
    assume(not re.search(r"\[[^]]*<(?:http|me@)", text))  # a link in a link
    document = read(text)
    new = list(document.passages)
    for n, passage in enumerate(document.passages):
        other = data.draw(new_text)
        if data.draw(st.booleans()) and other.strip():
            new[n] = moved(passage, other)
    again = Markdown().read(document.write(new, "en"), "en").passages
    assert [seen(passage) for passage in again] == [seen(passage) for passage in new]


@settings(ANY_SPEED, max_examples=150)
@given(st.binary(max_size=40) | soup.map(lambda text: text.encode("utf-16")))
def test_bytes_are_read_or_refused_if_they_are_no_text(data: bytes) -> None:
    try:
        document = Markdown().read(data, "zh")
    except FormatError:
        with pytest.raises((UnicodeDecodeError, FormatError)):
            _no_text(data)
        return
    assert document.write(document.passages, "zh") == data


def _no_text(data: bytes) -> None:
    """Raise if the data has a NUL character or cannot be decoded."""
    if "\0" in data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"):
        raise FormatError("NUL")


def _is_in(place: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(start <= place < end for start, end in ranges)


def test_what_a_machine_reads_is_in_no_passage() -> None:
    for path in FILES:
        for passage in Markdown().read(path.read_bytes(), "zh").passages:
            text = "".join(c for n, c in enumerate(passage.text) if not _is_in(n, passage.keep))
            for word in ("不译", "不翻译", "images/", "{{<", "{%", ":::", "curl", "title =", "[!"):
                assert word not in text


def test_a_paragraph_is_one_passage_with_its_marks_and_kept_parts() -> None:
    [passage, title] = read('看 [*这*里](u "题")\n运行 `a b`。').passages
    assert passage.text == "看 这里\n运行 a b。"
    assert passage.marks == (Mark(2, 4, 0), Mark(2, 3, 1), Mark(8, 11, 2))
    assert passage.keep == ((8, 11),)
    assert title.text == "题"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# 标题 {#id}\n", ["标题"]),
        ("# 标题 ##\n", ["标题"]),
        ("标题\n===\n", ["标题"]),
        ("- [x] 任务\n", ["任务"]),
        ("> [!NOTE]\n> 文字\n", ["文字"]),
        ("| 甲 | 乙\\|丙 |\n|---|---|\n| 丁 |\n", ["甲", "乙|丙", "丁"]),
        ("![图](x.png '题')\n", ["图", "题"]),
        ("[^1]: 注\n\n    续\n", ["注", "续"]),
        ("a&amp;b \\*c\\*\n", ["a&b *c*"]),
        ("$$\nx\n$$\n\n[TOC]\n\n***\n\n    code\n\n<pre>html</pre>\n", []),
        ("---\na: 甲\n---\n\n文\n", ["文"]),
        ("---\n\n甲\n\n---\n\n乙\n", ["甲", "乙"]),
    ],
)
def test_passages_are_what_a_reader_reads(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("1. No list", "1\\. No list"),
        ("# No heading", "\\# No heading"),
        ("- No item", "\\- No item"),
        ("5 * 3 and snake_case stay", "5 * 3 and snake_case stay"),
        ("a < b > c & d [e]", "a < b > c & d [e]"),
        ("*stars*", "\\*stars\\*"),
        ("<b>", "\\<b>"),
        ("AT&amp;T", "AT\\&amp;T"),
        ("text\n---", "text\n\\---"),
        ("one\n\n\ntwo", "one\ntwo"),
        ("{% if %}", "&#123;% if %}"),
        ("Hello {{ name }}", "Hello {{ name }}"),
    ],
)
def test_new_text_is_escaped_where_it_must_be_and_nowhere_else(new: str, expected: str) -> None:
    assert written("文\n", new) == expected + "\n"


def test_bold_that_markdown_would_not_see_is_written_as_html() -> None:
    new = Passage("注意：看", (Mark(0, 3, 0),))  # noqa: RUF001
    assert read("**a**b").write([new], "zh").decode() == "<strong>注意：</strong>看"  # noqa: RUF001
    assert read("**a**b").write([Passage("cd", (Mark(1, 2, 0),))], "en") == b"c**d**"


def test_code_with_backticks_gets_a_longer_fence() -> None:
    assert read("`a`").write([Passage("x`y", (Mark(0, 3, 0),))], "en") == b"``x`y``"


def test_a_link_known_by_its_text_keeps_its_label_when_the_text_changes() -> None:
    assert written("[书]\n\n[书]: u\n", "book") == "[book][书]\n\n[书]: u\n"
    assert written("![书][]\n\n[书]: u\n", "book") == "![book][书]\n\n[书]: u\n"


def test_an_image_stays_in_its_link() -> None:
    source = "[![图](a)](b) 字"
    document = read(source)
    new = [Passage("word", document.passages[0].marks), Passage("picture")]
    assert document.write(new, "en").decode() == "[![picture](a)](b)word"


def test_a_link_ends_where_another_begins() -> None:
    document = read("[甲](a) [乙](b)")
    new = Passage("one two", (Mark(0, 7, 0), Mark(4, 7, 1)))
    assert document.write([new], "en").decode() == "[one ](a)[two](b)"


def test_lines_of_a_quote_in_a_list_get_their_markers() -> None:
    assert written("1. > 甲\r\n", "one\ntwo") == "1. > one\r\n   > two\r\n"


def test_a_parenthesis_after_a_footnote_does_not_make_it_a_link() -> None:
    new = Passage("a(b)", (Mark(1, 1, 0),))
    assert read("甲[^1]乙").write([new], "en").decode() == "a[^1]\\(b)"


def test_a_break_at_the_end_is_written_so_that_it_is_still_one() -> None:
    document = read("甲  \n乙")
    assert document.write([Passage("ab", (Mark(2, 2, 0),))], "en") == b"ab<br>"


def test_pipes_in_a_cell_are_escaped() -> None:
    assert written("| 甲 |\n|---|\n", "a|b") == "| a\\|b |\n|---|\n"


def test_text_right_below_a_line_is_not_taken_for_a_part_of_it() -> None:
    assert written("[a]: /u\n甲\n", '"title"') == '[a]: /u\n\\"title"\n'
    assert written("::: tip\n甲\n:::\n", "===") == "::: tip\n\\===\n:::\n"


def test_quotes_in_a_title_are_escaped() -> None:
    assert written('[甲](u "题")', "a", 'say "x"') == '[a](u "say \\"x\\"")'


def test_an_empty_translation_leaves_the_text_as_it_is() -> None:
    assert written("甲\n===\n", " ") == "甲\n===\n"


def test_both_texts_are_shown_in_the_way_of_the_block() -> None:
    assert written("甲\n乙\n", "one", bilingual=True) == "one\n\n> 甲\n> 乙\n"
    assert written("> 甲\n", "one", bilingual=True) == "> one\n>\n> > 甲\n"
    assert written("# 甲 {#i}\n", "one", bilingual=True) == "# one / 甲 {#i}\n"
    assert written("- 甲\n", "one", bilingual=True) == "- one / 甲\n"
    assert written("|甲|\n|-|\n", "one", bilingual=True) == "|one / 甲|\n|-|\n"
    assert written("![甲](u '题')", "a", "b", bilingual=True) == "![a / 甲](u 'b / 题')"
    assert written("![甲]\n\n[甲]: u", "a", bilingual=True) == "![a / 甲][甲]\n\n[甲]: u"
    assert written("甲\n- 乙\n", "a", "b", bilingual=True) == "a\n\n> 甲\n\n- b / 乙\n"


def test_the_wrong_number_of_passages_is_refused() -> None:
    with pytest.raises(ValueError, match="0 passages for 1"):
        read("甲").write([], "en")


def test_a_file_in_another_encoding_is_refused_with_a_hint() -> None:
    with pytest.raises(FormatError, match="--encoding gb18030"):
        Markdown().read("标题很长".encode("gb18030"), "zh")


def test_utf_16_is_written_as_it_was() -> None:
    for mark, codec in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        document = Markdown().read(mark + "# 甲\r\n".encode(codec), "zh")
        assert document.write([Passage("a")], "en") == mark + "# a\r\n".encode(codec)


def test_what_is_nested_too_deep_is_left_as_it_is_with_a_warning() -> None:
    text = "---\na: b\n---\n" + ">" * 200 + " 甲\n"
    document = read(text)
    assert document.write(document.passages, "zh").decode() == text
    assert not document.passages
    assert document.warnings[0].startswith("Line 4: ")
