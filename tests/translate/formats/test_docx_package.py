"""Files that are damaged, made to do harm, or something else than they say."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.translate.formats import docx_package
from longways.translate.formats.docx import Docx
from longways.translate.formats.protocol import Passage

from .docx_files import HEAD, body, package, paragraph, part, read, run, zipped

GOOD = package(body(paragraph(run("正文"), run("粗体", "<w:b/>"))), header1=paragraph(run("页眉")))
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def refused(data: bytes, words: str) -> None:
    with pytest.raises(FormatError, match=words) as caught:
        read(data)
    assert "\n" not in str(caught.value)


def test_the_format_says_its_name():
    assert (Docx().name, Docx().suffixes) == ("docx", (".docx",))


@pytest.mark.parametrize("data", [b"", b"PK", b"plain text", GOOD[: len(GOOD) // 2], bytes(5000)])
def test_what_is_no_zip_file_is_refused(data):
    refused(data, "cannot be opened as a zip file")


def test_an_older_document_and_one_with_a_password_are_told_apart():
    refused(OLE, r"older kind, \.doc")
    refused(OLE + "EncryptedPackage".encode("utf-16-le"), "password")


def test_a_zip_with_a_password_is_refused():
    data = bytearray(GOOD)
    place = data.index(b"PK\x01\x02")
    data[place + 8] |= 1
    refused(bytes(data), "password")


def test_a_zip_without_a_document_is_refused():
    refused(zipped({"a.txt": "x"}), "no document in it")


def test_another_kind_of_office_file_is_refused():
    refused(package('<workbook xmlns="urn:x"/>'), "another kind of Office file")


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE x>",
        '<!DOCTYPE x [<!ENTITY a "aaaa">]>',
        '<!DOCTYPE x SYSTEM "file:///etc/passwd">',
    ],
)
def test_a_document_type_is_refused_wherever_it_is(doctype):
    main = body(paragraph(run("x")))
    refused(package(main.replace(HEAD, HEAD + doctype)), "document.xml .* declares")
    refused(_with_styles(doctype), "styles.xml .* declares")


def _with_styles(doctype: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(GOOD)) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    parts["word/styles.xml"] = doctype.encode() + parts["word/styles.xml"]
    return zipped(parts)


@pytest.mark.parametrize("cut", [10, 200, -1, -30])
def test_xml_that_ends_too_early_is_refused_with_its_place(cut):
    refused(package(body(paragraph(run("正文")))[:cut]), r"document.xml .* \(line \d+, column \d+")


def test_bytes_that_are_not_in_the_encoding_are_refused():
    refused(package(body(paragraph(run("正文"))).encode("gb18030")), "not well-formed")
    refused(package(body("").replace("UTF-8", "nonsense")), "encoding, nonsense")


def test_elements_too_deep_within_each_other_are_refused():
    refused(package(body("<w:p>" + "<w:ins>" * 300 + "</w:ins>" * 300 + "</w:p>")), "256 deep")


def test_a_part_that_unpacks_to_far_more_than_it_is_is_refused_by_its_header():
    refused(package(body(" " * (11 << 20))), "would unpack to")


def test_a_part_larger_than_is_allowed_is_refused(monkeypatch):
    monkeypatch.setattr(docx_package, "LARGEST_PART", 1000)
    refused(package(body(paragraph(run("字" * 400)))), "would unpack to")


def test_many_parts_that_are_too_large_together_are_refused(monkeypatch):
    monkeypatch.setattr(docx_package, "LARGEST_FILE", 1500)
    refused(GOOD, "would unpack to more than")


def test_a_header_that_lies_about_the_size_is_found_out():
    data = bytearray(package(body(paragraph(run("字" * 4000)))))
    place = data.index(b"word/document.xml", data.index(b"PK\x01\x02")) - 46
    data[place + 24 : place + 28] = struct.pack("<I", 100)
    refused(bytes(data), "damaged")


def test_a_damaged_image_is_found_when_the_file_is_read():
    data = zipped({**_parts(GOOD), "word/media/image1.png": b"0123456789" * 50})
    place = data.index(b"word/media/image1.png") + len("word/media/image1.png")
    refused(data[:place] + b"\xff\xff" + data[place + 2 :], "image1.png .* damaged")


def _parts(data: bytes) -> dict[str, str | bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_parts_of_the_same_name_are_refused():
    out = io.BytesIO(GOOD)
    with zipfile.ZipFile(out, "a") as file:
        file.writestr("word/document.xml", "x")
    refused(out.getvalue(), "same name")


def test_a_part_that_is_not_there_is_warned_of():
    parts = _parts(GOOD)
    del parts["word/header1.xml"]
    document = read(zipped(parts))
    assert [passage.text for passage in document.passages] == ["正文粗体"]
    assert document.warnings == (
        "The part word/header1.xml is named in this .docx but not there; it is left out.",
    )


def test_styles_that_are_based_on_each_other_are_no_trap():
    styles = (
        '<w:style w:styleId="a"><w:basedOn w:val="b"/></w:style>'
        '<w:style w:styleId="b"><w:basedOn w:val="a"/></w:style>'
    )
    content = paragraph(run("文"), properties='<w:pStyle w:val="a"/>')
    assert read(package(body(content), styles)).passages == (Passage("文"),)


def test_a_stored_part_and_the_comment_of_the_file_stay():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.comment = b"archived"
        for name, data in _parts(GOOD).items():
            file.writestr(name, data, zipfile.ZIP_STORED)
    document = read(out.getvalue())
    new = document.write([*document.passages[:1], Passage("header")], "en")
    with zipfile.ZipFile(io.BytesIO(new)) as file:
        assert file.comment == b"archived"
        assert {info.compress_type for info in file.infolist()} == {zipfile.ZIP_STORED}
    assert "<w:t>header</w:t>" in part(new, "word/header1.xml")


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=4)
)
def test_any_damage_is_told_in_a_sentence_or_does_not_matter(changes):
    data = bytearray(GOOD)
    for place, value in changes:
        data[place] = value
    try:
        document = read(bytes(data))
    except FormatError as error:
        message = str(error)
    else:
        new = document.write([Passage("x", p.marks) for p in document.passages], "en")
        message = f"There are {len(read(new).passages)} passages."
    assert message.endswith(".")
