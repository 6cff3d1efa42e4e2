"""Properties of the .docx format: documents stay unchanged, and translations are read again."""

from __future__ import annotations

import random
import re
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from longways.formats.base import Mark, Passage

from .docx_files import body, package, paragraph, part, read, run

LETTERS = "ab Zé中文。、\u3000&<>\"'\u2011\u00a0\U0001f600{}"
TEXT = st.text(LETTERS, max_size=6)
LOOKS = st.sampled_from(
    [
        "",
        "",
        "<w:b/>",
        "<w:i/>",
        '<w:rStyle w:val="Code"/>',
        '<w:rFonts w:hint="eastAsia"/><w:lang w:val="en-US"/>',
        "<w:vanish/>",
    ]
)
STYLES = '<w:style w:type="character" w:styleId="Code"><w:name w:val="XmlSource Code"/></w:style>'
FIELD = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> {0} </w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r>{1}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
)
THINGS = st.sampled_from(
    [
        "<w:r><w:br/></w:r>",
        "<w:r><w:rPr><w:b/></w:rPr><w:tab/></w:r>",
        '<w:r><w:footnoteReference w:id="2"/></w:r>',
        '<w:bookmarkStart w:id="1" w:name="x"/>',
        '<w:bookmarkEnd w:id="1"/>',
        '<w:del w:id="5"><w:r><w:delText>gone</w:delText></w:r></w:del>',
        '<w:proofErr w:type="spellStart"/>',
        '<w:r><w:rPr><w:color w:val="0"/></w:rPr><w:noBreakHyphen/></w:r>',
        "<w:r></w:r>",
        "<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>",
        '<w:fldSimple w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple>',
        FIELD.format("PAGE", run("7")),
        '<!-- note --><w:r><w:rPr><w:color w:val="0"/></w:rPr><w:t><![CDATA[<raw>]]></w:t></w:r>',
    ]
)
ENCLOSING = (
    "<w:hyperlink w:anchor='a>b'>{}</w:hyperlink>",
    '<w:ins w:id="3" w:author="x">{}</w:ins>',
    "<w:sdt><w:sdtPr><w:id w:val='9'/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>",
    "<w:sdt><w:sdtPr><w:dataBinding w:xpath='x'/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>",
    FIELD.replace("{0}", "HYPERLINK").replace("{1}", "{}"),
    FIELD.replace("{0}", "REF HYPERLINK").replace("{1}", "{}"),
    "<w:r><w:ruby><w:rt><w:r><w:t>rt</w:t></w:r></w:rt><w:rubyBase>{}</w:rubyBase></w:ruby></w:r>",
    "<w:smartTag w:element='x'><w:smartTagPr/>{}</w:smartTag>",
)
BOXED = (
    "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><w:txbxContent>{0}"
    "</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>{0}"
    "</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def inline(looks: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The content of a paragraph."""
    runs = st.builds(lambda text, look: run(escaped(text), look), TEXT, looks)
    leaves = st.one_of(runs, runs, THINGS)
    return st.recursive(
        leaves,
        lambda inner: st.builds(
            lambda shape, items: shape.replace("{}", "".join(items)),
            st.sampled_from(ENCLOSING),
            st.lists(inner, min_size=1, max_size=3),
        ),
        max_leaves=5,
    )


def documents(looks: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The content of a body: paragraphs, some of them in cells and boxes."""
    simple = st.builds(
        lambda before, items, after: (
            paragraph(*items)
            if "HYPERLINK" in "".join(items)  # parts of other fields are never within a field
            else paragraph(before, *items, after)
        ),
        st.sampled_from(["", "", '<w:r><w:fldChar w:fldCharType="end"/></w:r>']),
        st.lists(inline(looks), max_size=5),
        st.sampled_from(["", "", FIELD.partition("{1}")[0].format("TOC")]),
    )
    boxed = st.tuples(simple, TEXT).map(
        lambda pair: paragraph(run(escaped(pair[1])), BOXED.format(pair[0]), run("end"))
    )
    celled = simple.map(lambda p: f"<w:tbl><w:tr><w:tc><w:tcPr/>{p}</w:tc></w:tr></w:tbl>")
    return st.lists(st.one_of(simple, boxed, celled), max_size=4).map("".join)


def moved(passage: Passage, seed: int) -> Passage:
    """New text, and the marks in new places, properly nested."""
    source = random.Random(seed)
    text = "".join(
        source.choices(LETTERS.replace("{", "").replace("}", ""), k=source.randint(1, 12))
    )
    text += "x"
    marks = list[Mark]()
    left = [(mark.tag, mark.start < mark.end) for mark in passage.marks]
    source.shuffle(left)

    def place(start: int, end: int) -> None:
        while left and start <= end:
            tag, encloses = left.pop()
            start = source.randint(start, end)
            stop = source.randint(start, end) if encloses else start
            marks.append(Mark(start, stop, tag))
            if encloses and source.random() < 0.5:
                place(start, stop)
                return
            start = stop

    while left:
        place(max((mark.end for mark in marks), default=0), len(text))
    return Passage(text, tuple(marks))


def without_spaces(passage: Passage) -> tuple[str, list[tuple[int, int]]]:
    """Text and marks without spaces; a break counts as a space."""
    before = [0]
    for character in passage.text:
        before.append(before[-1] + (character != " "))
    spans = [(before[mark.start], before[mark.end]) for mark in passage.marks]
    return passage.text.replace(" ", ""), spans


@settings(max_examples=1000, deadline=None)
@given(documents(LOOKS))
def test_a_document_with_nothing_new_is_the_same_to_the_byte(content):
    data = package(body(content), STYLES)
    document = read(data)
    assert document.write(document.passages, "en") == data
    assert document.write(document.passages, "en", bilingual=True) == data


@settings(max_examples=300, deadline=None)
@given(documents(LOOKS), st.integers(), st.booleans())
def test_whatever_the_translation_no_passage_and_no_thing_is_lost(content, seed, all_new):
    document = read(package(body(content), STYLES))
    new = [
        moved(own, seed + n) if all_new or n % 2 else own for n, own in enumerate(document.passages)
    ]
    written = document.write(new, "en")
    again = read(written)
    assert [without_spaces(p)[0] for p in again.passages] == [without_spaces(p)[0] for p in new]
    assert all(own == now for own, now in zip(document.passages, new, strict=True) if own is now)
    elements = re.compile(
        "<(w:(?:br|tab|footnoteReference|bookmark|del|fldChar|instrText|fldSimple|hyperlink|ins|sdt"
        "|rt|smartTag|pict|drawing|tbl|p)|m:oMath)[ />]"
    )
    assert sorted(elements.findall(part(written))) == sorted(elements.findall(body(content)))


@settings(max_examples=300, deadline=None)
@given(documents(st.just('<w:color w:val="0"/>')), st.integers())
def test_marks_are_found_again_where_they_were_put(content, seed):
    numbers = count(1)  # each run has a look of its own: two of the same cannot be in each other
    content = re.sub('(?<=color w:val=")0', lambda _: f"{next(numbers):06}", content)
    document = read(package(body(content)))
    new = [moved(own, seed + n) for n, own in enumerate(document.passages)]
    again = read(document.write(new, "en"), "en")
    assert list(map(without_spaces, again.passages)) == list(map(without_spaces, new))


@settings(max_examples=200, deadline=None)
@given(documents(LOOKS), st.integers())
def test_a_bilingual_document_has_each_passage_and_what_it_was(content, seed):
    document = read(package(body(content), STYLES))
    new = [moved(own, seed + n) for n, own in enumerate(document.passages)]
    again = read(document.write(new, "en", bilingual=True)).passages
    texts = [re.sub("[ 0-9]", "", passage.text) for passage in again]  # digits are of fields
    both = zip(new, document.passages, strict=True)
    assert sorted(texts) == sorted(p.text.replace(" ", "") for pair in both for p in pair)
