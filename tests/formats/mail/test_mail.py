# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""E-mail: subjects, bodies in their encodings, quoted answers, parts that stay."""

import base64
import email
import email.policy
import re
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.mail.format import Eml
from longways.formats.mail.structure import read_message
from longways.formats.mail.transfer import decoded, encoded
from tests.formats.resources.translating import bracketed, is_linear

FOLDER = Path(__file__).parents[1] / "files" / "eml"
FILES = sorted(FOLDER.iterdir())
HEAD = "From: a@example.org\nSubject: x\n"


def read(data, language="zh", encoding=None):
    data = data.encode() if isinstance(data, str) else data
    return Eml().read(data, language, encoding)


def texts(data, **options):
    return [passage.text for passage in read(data, **options).passages]


def translated(data, before="[", after="]", to="en", **options):
    document = read(data)
    new = [bracketed(passage, before, after) for passage in document.passages]
    return document.write(new, to, **options)


def body(text, kind="text/plain; charset=utf-8", encoding="8bit"):
    head = f"{HEAD}Content-Type: {kind}\nContent-Transfer-Encoding: {encoding}\n\n"
    return head.encode() + (text.encode() if isinstance(text, str) else text)


def parsed(data):
    start = data.index(b"\n") + 1 if data.startswith(b"From ") else 0
    return email.message_from_bytes(data[start:], policy=email.policy.default)


def said(data):
    """The text of a message with one part, as another program reads it."""
    return parsed(data).get_content()


def shape(message):
    """What new text may not change."""
    return [
        (
            part.get_content_type(),
            part.get_filename(),
            None if part.is_multipart() or _is_read(part) else part.get_payload(decode=True),
            [(k, v) for k, v in part.items()
             if k.lower() not in ("subject", "content-type", "content-transfer-encoding")],
        )
        for part in message.walk()
    ]  # fmt: skip


def _is_read(part):
    return part.get_content_maintype() == "text" and not part.get_filename()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_message_is_written_again_to_the_byte(path):
    data = path.read_bytes()
    document = read(data)
    assert document.passages
    assert document.write(document.passages, "en") == data
    assert document.write(document.passages, "en", bilingual=True) == data


@pytest.mark.parametrize("bilingual", [False, True])
@pytest.mark.parametrize("before", ["[", "naïve ☃ ", "word " * 30, "\n--=_inner\n> From \r\n"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_another_program_reads_the_same_parts_and_attachments(path, before, bilingual):
    data = path.read_bytes()
    document = read(data)
    for count in range(len(document.passages) + 1):
        new = [bracketed(p, before, "") for p in document.passages[:count]]
        written = document.write([*new, *document.passages[count:]], "en", bilingual=bilingual)
        own, other = parsed(data), parsed(written)
        assert shape(own) == shape(other)
        assert not [part.defects for part in other.walk() if part.defects]


def test_what_is_translated_of_a_report():
    document = read((FOLDER / "report.eml").read_bytes())
    assert [passage.text for passage in document.passages] == [
        "本周的工作报告和计划",
        "您好：", "附件是本周的报告，请查收。", "王老师", "电话：010-12345678",
        "你好，", "请发给我报告。", "谢谢！",
        "您好：", "附件是本周的报告，请查收。",
    ]  # fmt: skip
    (warning,) = document.warnings
    assert "signed by its sender's server" in warning
    other = parsed(translated((FOLDER / "report.eml").read_bytes()))
    assert other["subject"] == "Re: [本周的工作报告和计划]"
    plain, page = (other.get_body([kind]) for kind in ("plain", "html"))
    assert plain["content-transfer-encoding"] == "base64"
    assert plain.get_content_charset() == page.get_content_charset() == "gb2312"
    assert plain.get_content().splitlines() == [
        "[您好：]", "", "[附件是本周的报告，请查收。]", "", "-- ", "[王老师]",
        "[电话：010-12345678]", "", "> [你好，]", "> > [请发给我报告。]", "> [谢谢！]",
    ]  # fmt: skip
    assert "<p>[附件是<b>本周</b>的报告，请查收。]</p>" in page.get_content()


def test_messages_inside_of_messages_are_read():
    data = (FOLDER / "digest.eml").read_bytes()
    document = read(data)
    assert [passage.text for passage in document.passages] == [
        "邮件列表摘要", "没有类型的部分。", "第一封", "第一封的内容。", "转发的邮件",
        "里面的邮件。",
    ]  # fmt: skip
    assert document.warnings == ["Line 21: a part is signed or encrypted; it stays as it is."]


def test_a_signed_part_stays_and_its_subject_is_translated():
    data = (FOLDER / "signed.eml").read_bytes()
    document = read(data)
    assert [passage.text for passage in document.passages] == ["签名的邮件"]
    assert document.warnings == ["Line 1: a part is signed or encrypted; it stays as it is."]


def test_lines_that_a_program_has_wrapped_are_one_paragraph():
    data = (FOLDER / "wrapped.eml").read_bytes()
    assert texts(data) == [
        "这是一封由程序在固定宽度处自动换行的邮件，所以这一行还没有说完，\n下一行继续说，直到这里结束。",
        "1. 第一项", "2. 第二项",
        "这是一封由程序在固定宽度处自动换行的邮件，所以引用也没有说完，\n继续说完。",
        "姓名    部门    电话", "张三    研发    12345678",
    ]  # fmt: skip
    document = read(data)
    new = list(document.passages)
    new[3] = Passage(" ".join(["word"] * 30))
    lines = document.write(new, "en").decode().splitlines()
    assert [line for line in lines if "word" in line] == [
        "> " + " ".join(["word"] * count) for count in (12, 12, 6)
    ]  # fmt: skip


def test_flowed_text_is_joined_and_flows_again():
    data = (FOLDER / "flowed.eml").read_bytes()
    document = read(data)
    assert [passage.text for passage in document.passages] == [
        "关于会议的安排",
        "我们下周三下午开会，讨论新版本的计划， 请大家准备好自己的部分，并且提前 发给我。",
        "会议在哪里？ 几点开始？",
        "还没有定。",
        "小李",
    ]
    new = [Passage("From " + "word " * 20 + "end") for _ in document.passages]
    lines = document.write(new, "en").decode().partition("\n\n")[2].splitlines()
    assert lines[:2] == [" From " + "word " * 13, "word " * 7 + "end"]
    assert lines[2:4] == [">> From " + "word " * 13, ">> " + "word " * 7 + "end"]
    assert lines[6] == "-- "


def test_a_quoted_paragraph_below_a_signature_is_joined():
    line = "这是一封由程序在固定宽度处自动换行的邮件，所以这一行还没有说完，"
    data = body(f"好的。\n-- \n{line}\n小李\n\n> {line}\n> 说完了。\n")
    assert texts(data) == ["好的。", line, "小李", f"{line}\n说完了。"]


@given(
    st.text(st.sampled_from("甲乙，。abc >-"), min_size=1, max_size=300),
    st.sampled_from(["", "> ", ">> ", "> > "]),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_flowed_text_says_the_same_when_it_is_read_again(new, quotes, deletes):
    kind = f"text/plain; charset=utf-8; format=flowed; delsp={'yes' if deletes else 'no'}"
    document = read(body(f"{quotes}文字 \n{quotes}文字\n", kind))
    assert len(document.passages) == 1
    meant = "文" + " ".join(new.split())
    written = document.write([Passage(meant)], "en")
    lines = said(written).split("\n")
    assert all(len(line) < 78 or " " not in line for line in lines)
    (again,) = (passage.text for passage in read(written).passages)
    assert again == meant.strip()


@pytest.mark.parametrize(
    ("value", "text", "answer"),
    [
        ("=?utf-8?B?5L2g5aW9?=", "你好", ""),
        ("=?gb2312?B?xOO6?=\n =?gb2312?B?ww==?=", "你好", ""),
        ("Re: Fwd: =?utf-8?Q?=E4=BD=A0=E5=A5=BD?=", "你好", "Re: Fwd: "),
        ("=?utf-8?B?5Zue5aSN77ya5L2g5aW9?=", "你好", "Re: "),
        ("你好", "你好", ""),
    ],
)
def test_subjects_are_decoded_and_written_as_encoded_words(value, text, answer):
    data = f"From: a@example.org\nSubject: {value}\nTo: b@example.org\n\nx\n".encode()
    assert texts(data) == [text]
    document = read(data)
    for new in ("Hello", "Grüße ☃ " * 12, "=?x?=", "word " * 40):
        written = document.write([Passage(new)], "de")
        assert parsed(written)["subject"] == answer + " ".join(new.split())
        assert max(map(len, written.splitlines())) <= 78
        assert written.isascii()
        assert written.endswith(b"\nTo: b@example.org\n\nx\n")


def test_text_that_a_charset_lacks_is_in_utf_8_and_the_header_says_so():
    data = body("第一行。\n第二行。\n".encode("big5"), 'text/plain; charset="big5"')
    written = translated(data, before="naïve ☃ ")
    assert b'charset="utf-8"' in written
    assert said(written) == "naïve ☃ 第一行。]\nnaïve ☃ 第二行。]\n"
    assert said(translated(data)) == "[第一行。]\n[第二行。]\n"
    assert b'charset="big5"' in translated(data)


def test_text_in_ascii_gets_an_encoding_for_other_letters():
    data = b"From: a@example.org\n\nPlease restart the server.\n"
    document = read(data, "en")
    written = document.write([Passage("请重新启动服务器。")], "zh")
    assert said(written) == "请重新启动服务器。\n"
    assert parsed(written)["content-transfer-encoding"] == "base64"
    written = document.write([Passage("Das Gerät")], "de")
    assert said(written) == "Das Gerät\n"
    assert parsed(written)["content-transfer-encoding"] == "quoted-printable"


def test_a_very_long_line_is_encoded():
    written = translated(body("第一行。\n"), before="word " * 400)
    assert max(map(len, written.splitlines())) <= 78
    assert said(written) == "word " * 400 + "第一行。]\n"


def test_unchanged_lines_of_an_encoded_body_stay():
    raw = b"=41 line that is kept=20\n=E7=AC=AC=E4=B8=80=\n=E8=A1=8C=E3=80=82\nlast =3D\n"
    data = body(raw, encoding="quoted-printable")
    assert translated(data).endswith(
        b"=41 line that is kept=20\n[=E7=AC=AC=E4=B8=80=E8=A1=8C=E3=80=82]\nlast =3D\n"
    )


def test_a_line_is_never_taken_for_a_boundary():
    data = (
        f"{HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\n"
        "Content-Type: text/plain; charset=utf-8\n\n文字。\n--b--\n"
    ).encode()
    document = read(data)
    written = document.write([Passage("--b--")], "en")
    assert [part.get_content_type() for part in parsed(written).walk()] == [
        "multipart/mixed", "text/plain"
    ]  # fmt: skip
    assert b"\n --b--\n--b--\n" in written


@pytest.mark.parametrize("charset", ["iso-2022-jp", "hz-gb-2312", "utf-7"])
def test_a_charset_with_states_becomes_utf_8(charset):
    codec = {"hz-gb-2312": "hz"}.get(charset, charset)
    data = body("文字。\n中国。\n".encode(codec), f"text/plain; charset={charset}", "7bit")
    assert texts(data) == ["文字。", "中国。"]
    assert said(translated(data)) == "[文字。]\n[中国。]\n"


def test_a_body_without_a_charset_is_in_utf_8_or_in_what_fits_or_in_what_the_user_names():
    for codec in ("utf-8", "gb18030"):
        data = f"{HEAD}\n今天我们讨论这个问题。\n".encode(codec)
        assert texts(data) == ["今天我们讨论这个问题。"]
        assert "[今天" in translated(data).decode(codec)
    assert texts(f"{HEAD}\n漢字\n".encode("big5"), encoding="big5") == ["漢字"]


@pytest.mark.parametrize(
    ("data", "warning"),
    [
        (
            body("文字".encode("gbk"), "text/plain; charset=klingon"),
            "in the unknown charset 'klingon'",
        ),
        (body(b"Die Fr\xf6sche", "text/plain"), "names no charset, and none fits"),
        (body("文字", encoding="x-uuencode"), "not in the encoding 'x-uuencode'"),
        (body("=E6*", encoding="base64"), "not in the encoding 'base64'"),
        (body("-----BEGIN PGP MESSAGE-----\n文"), "is signed or encrypted"),
        (body("文", "multipart/mixed; boundary=b"), "has no boundary"),
        (body("文", "application/pkcs7-mime"), "is signed or encrypted"),
        (b"Subject: =?utf-8?B?5L2g5aW?=\n\nx", "Line 1: the subject cannot be decoded"),
        (b"Subject: " + "\u6587".encode() * 6000 + b"\n\nx", "the subject cannot be decoded"),
    ],
)
def test_what_cannot_be_read_stays_with_a_warning(data, warning):
    document = read(data)
    assert not document.passages
    assert warning in " ".join(document.warnings)


@pytest.mark.parametrize("name", ["8-bit", "8bits", "7-Bit", "plain", "Quoted Printable;"])
def test_misspelt_transfer_encodings_are_known(name):
    assert texts(body("文字。\n", encoding=name)) == ["文字。"]


def test_a_page_may_name_its_charset_itself():
    page = "<meta charset=windows-1251><p>Привет, мир.</p>".encode("cp1251")
    data = body(page, "text/html")
    assert texts(data, language="uk") == texts(data, language="ru") == ["Привет, мир."]
    assert texts(body("<meta charset=gbk><p>峁</p>".encode("gbk"), "text/html")) == ["峁"]


def test_a_file_without_header_fields_is_refused():
    for data in ("你好。\n", "", "\n\n", "文: 字\n"):
        with pytest.raises(FormatError, match="does not begin with header fields"):
            read(data)


def test_both_languages_are_one_below_the_other():
    data = body("> 第一行。\n")
    assert said(translated(data, bilingual=True)) == "> [第一行。]\n> 第一行。\n"


LINES = st.lists(
    st.sampled_from(["", "文字。", "> 引用", "a", "-- ", " 空格 ", "=", "长" * 200, "From 文",
                     ".文", "é☃文", "--b", "\t文"]), min_size=1, max_size=6,
)  # fmt: skip


@given(
    LINES,
    st.sampled_from(["utf-8", "gb18030"]),
    st.sampled_from(["base64", "quoted-printable", "8bit"]),
    st.booleans(),
    st.sampled_from(["[", "=é ", "--b\r\n", "x" * 1200, "甲" * 50]),
)
@settings(max_examples=80, deadline=None)
def test_any_generated_message_says_the_same_with_new_text(lines, charset, cte, has_page, before):
    message = EmailMessage(email.policy.SMTP)
    message["Subject"], message["From"] = "主题 " + lines[0], "a@example.org"
    content = "\n".join(lines) + "\n"
    try:
        message.set_content(content, charset=charset, cte=cte)
    except ValueError:  # a line is too long for this encoding
        return
    if has_page:
        message.add_alternative(f"<p>{lines[0]}</p><p>文</p>", "html", charset=charset)
    message.add_attachment(b"\x00\xff\n--b", "application", "x-b", filename="文.bin")
    data = message.as_bytes()
    document = read(data)
    assert document.write(document.passages, "en") == data
    new = [bracketed(passage, before, "]") for passage in document.passages]
    own, other = parsed(data), parsed(document.write(new, "en"))
    assert shape(own) == shape(other)
    assert not [part.defects for part in other.walk() if part.defects]
    plain = other.get_body(["plain"]).get_content()
    meant = [line for line in lines if re.search("[\u3400-\u9fff]", line)]
    assert plain.count("]") == len(meant)
    assert all("".join(line.split()).lstrip(">") in "".join(plain.split()) for line in meant)


PARTS = ["文", "\n", "\r\n", "--b", "--b--", "\n\n", "Subject: 文\n", "=", "=E6", "From: a\n", " ",
         "Content-Type: text/plain; charset=utf-8\n", "Content-Type: multipart/mixed; boundary=b\n",
         "Content-Transfer-Encoding: base64\n", "=?utf-8?B?5L2g?=",
         "Content-Type: message/rfc822\n", "Content-Transfer-Encoding: quoted-printable\n", "> ",
         "5paH", ":", "é"]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=16))
@settings(max_examples=150, deadline=None)
def test_any_file_is_written_again_to_the_byte(parts):
    data = ("From: a\n" + "".join(parts)).encode()
    document = read(data)
    assert document.write(document.passages, "en") == data
    written = translated(data, "\n--b\nx: ", "\n\n")
    types = [[part.type for part in read_message(whole).walk()] for whole in (data, written)]
    assert types[0] == types[1]


@given(st.binary(max_size=300), st.binary(max_size=300))
@settings(max_examples=100, deadline=None)
def test_transfer_encodings_are_undone(content, body):
    content = content.replace(b"\r", b"")
    for name in ("base64", "quoted-printable"):
        raw, kept = encoded(content, body, name, (b"b",))
        assert (kept, decoded(raw, name)) == (name, content)
    assert decoded(base64.encodebytes(content), "base64") == content


@pytest.mark.parametrize(
    "part", ["文", ">", "> 文\n", "--b\n", "=\n", "\n--b\n\n文", "文 \n", "X: y\n", " ",
             "=?utf-8?B?", "文" * 35 + "\n", ";", '"', "Subject: 文\n"]
)  # fmt: skip
def test_time_is_linear(part):
    kinds = ("", "Content-Type: multipart/mixed; boundary=b\n\n", "Subject: ",
             "Content-Type: text/plain; a=",
             "Content-Type: text/plain; format=flowed; charset=utf-8\n\n")  # fmt: skip
    for kind in kinds:
        assert is_linear(Eml(), lambda n, k=kind, p=part: f"From: a\n{k}{p * n}".encode())
