"""A large first letter is read with the paragraph it begins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longways.formats.base import Mark, Passage

from .docx_files import body, package, paragraph, part, read, run, texts

LARGE = '<w:sz w:val="90"/>'
FRAME = '<w:framePr w:dropCap="drop" w:lines="3"/>'
LETTER = paragraph(run("从", LARGE), properties=FRAME)
NOTE = '<w:r><w:footnoteReference w:id="2"/></w:r>'


def large(text: str) -> str:
    return paragraph(f"<w:r><w:rPr>{LARGE}</w:rPr><w:t>{text}</w:t></w:r>", properties=FRAME)


def test_letter_and_paragraph_are_one_passage_and_the_new_first_letter_is_large():
    data = package(body(LETTER + paragraph(run("前有座"), run("山", "<w:b/>"), NOTE)))
    document = read(data)
    assert document.passages == (Passage("从前有座山", (Mark(4, 5, 0), Mark(5, 5, 1))),)
    new = Passage("Once a hill", (Mark(7, 11, 0), Mark(11, 11, 1)))
    written = document.write([new], "en")
    assert large("O") + "<w:p><w:r><w:t xml:space" in part(written)
    assert read(written).passages == (new,)


@pytest.mark.parametrize(
    ("text", "letter"), [("“Now,” he said", "“N"), ("A man", "A"), ("(1) x", "(1"), ("…", "…")]
)
def test_a_quotation_mark_before_the_letter_is_large_with_it(text, letter):
    document = read(package(body(LETTER + paragraph(run("前")))))
    written = document.write([Passage(text)], "en")
    assert large(letter) in part(written)
    assert "".join(texts(written)) == text


@given(st.text("ab Z\u0301“(。\u2011&<\n\t中", min_size=1).filter(str.strip))
def test_any_text_is_whole_again(text):
    document = read(package(body(LETTER + paragraph(run("前")))))
    assert "".join(texts(document.write([Passage(text)], "en"))) == text


def test_the_copy_in_a_bilingual_document_is_whole_and_has_no_large_letter():
    document = read(package(body(LETTER + paragraph(run("前", "<w:i/>")))))
    new = part(document.write([Passage("Once")], "en", bilingual=True))
    assert new.count("dropCap") == 1
    old = [run(text, "<w:i/>") for text in ("从", "前")]
    assert paragraph(*old) + "<w:sectPr/>" in new


def test_an_address_that_begins_with_the_letter_is_kept_whole():
    (passage,) = read(
        package(body(LETTER.replace("从", "w") + paragraph(run("ww.a.org"))))
    ).passages
    assert passage == Passage("www.a.org", (), ((0, 9),))


def test_a_letter_at_the_end_and_one_that_is_not_large_are_passages_by_themselves():
    small = paragraph(run("从"), properties='<w:framePr w:dropCap="none"/>')
    assert texts(package(body(small + paragraph(run("前")) + LETTER))) == ["从", "前", "从"]
    cell = f"<w:tbl><w:tr><w:tc>{LETTER}</w:tc></w:tr></w:tbl>"
    assert texts(package(body(cell + paragraph(run("前"))))) == ["从", "前"]


def test_a_letter_in_a_text_box_is_the_same_for_newer_and_older_programs():
    box = (
        "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:txbxContent>{0}</w:txbxContent>"
        "</mc:Choice><mc:Fallback><w:txbxContent>{1}</w:txbxContent></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    both = LETTER + paragraph(run("前"))
    document = read(package(body(paragraph(box.format(both, both)))))
    assert [p.text for p in document.passages] == ["从前"]
    assert part(document.write([Passage("Once")], "en")).count(large("O")) == 2
    apart = box.format(both, paragraph(run("从")))
    assert texts(package(body(paragraph(apart)))) == ["从前", "从"]
