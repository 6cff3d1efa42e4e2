"""Files that are damaged, malicious, or of another type than their name says."""

from __future__ import annotations

import io
import random
import struct
import tracemalloc
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.docx.format import Docx
from longways.formats.office import package as package_module

from .docx_files import HEAD, body, package, paragraph, part, read, run, zipped

GOOD = package(body(paragraph(run("正文"), run("粗体", "<w:b/>"))), header1=paragraph(run("页眉")))
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def refused(data: bytes, words: str) -> None:
    with pytest.raises(FormatError, match=words) as caught:
        read(data)
    assert "\n" not in str(caught.value)


def test_the_format_says_its_name():
    assert (Docx().name, Docx().suffixes) == ("docx", (".docx", ".docm"))


@pytest.mark.parametrize("data", [b"", b"PK", b"plain text", GOOD[: len(GOOD) // 2], bytes(5000)])
def test_what_is_no_zip_file_is_refused(data):
    refused(data, "cannot be opened as a zip file")


def test_an_older_document_and_one_with_a_password_are_distinguished():
    refused(OLE, r"older kind, such as")
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
    monkeypatch.setattr(package_module, "MAX_PART_BYTES", 1000)
    refused(package(body(paragraph(run("字" * 400)))), "would unpack to")


def test_many_parts_that_are_too_large_together_are_refused(monkeypatch):
    monkeypatch.setattr(package_module, "MAX_FILE_BYTES", 1500)
    refused(GOOD, "but would unpack to")


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
        "The part word/header1.xml is named in this file but not there; it is left out.",
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


ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "笑" * 10}">' for n in range(10))


@pytest.mark.parametrize(
    ("doctype", "use"),
    [
        (f"<!DOCTYPE x [{ENTITIES}]>", "&e9;"),
        ('<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/hostname">]>', "&f;"),
        ('<!DOCTYPE x [<!ENTITY % p SYSTEM "http://localhost:9/x"> %p;]>', "x"),
    ],
)
def test_entities_are_neither_multiplied_nor_fetched(doctype, use):
    refused(package(body(paragraph(run(use))).replace(HEAD, HEAD + doctype)), "xml .* declares")
    data = zipped({**_parts(GOOD), "docProps/core.xml": f"{doctype}<x>{use}</x>"})
    assert "declares a document type" in "".join(read(data).warnings)


def test_a_bomb_is_refused_without_being_unpacked_whatever_its_header_says():
    data = bytearray(_bomb(64 << 20))
    refused(bytes(data), "image1.png .* would unpack to 67,108,864")
    place = data.index(b"word/media/image1.png", data.index(b"PK\x01\x02")) - 46
    data[place + 24 : place + 28] = struct.pack("<I", 5000)
    tracemalloc.start()
    refused(bytes(data), "image1.png .* (damaged|would unpack to)")
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()


def _bomb(size: int) -> bytes:
    return zipped({**_parts(GOOD), "word/media/image1.png": bytes(size)})


@pytest.mark.parametrize("name", ["word/header1.xml", "word/styles.xml", "_rels/.rels"])
def test_a_truncated_part_is_refused_by_its_name(name):
    parts = _parts(GOOD)
    whole = parts[name]
    parts[name] = whole[: len(whole) // 2]
    refused(zipped(parts), f"The part {name} of this file is not well-formed")


def test_a_whole_file_of_the_strict_kind_is_read():
    strict = "http://purl.oclc.org/ooxml"
    parts = {
        name: str(data, "utf-8")
        .replace(
            "http://schemas.openxmlformats.org/wordprocessingml/2006", f"{strict}/wordprocessingml"
        )
        .replace(
            "http://schemas.openxmlformats.org/officeDocument/2006", f"{strict}/officeDocument"
        )
        for name, data in _parts(GOOD).items()
        if isinstance(data, bytes)
    }
    assert strict in parts["_rels/.rels"]
    document = read(zipped(dict(parts)))
    assert [passage.text for passage in document.passages] == ["正文粗体", "页眉"]
    assert document.warnings == ()
    new = [Passage("Text bold", (Mark(5, 9, 0),)), Passage("Header")]
    assert read(document.write(new, "en")).passages == tuple(new)


def test_a_document_with_large_images_is_read_without_copies_of_them():
    text = "".join(paragraph(run(f"第{n}段"), run("粗", "<w:b/>")) for n in range(200))
    image = random.Random(0).randbytes(12 << 20)
    data = zipped({**_parts(package(body(text))), "word/media/image1.png": image})
    tracemalloc.start()
    document = read(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(document.passages) == 200
    assert peak < 6 << 20
