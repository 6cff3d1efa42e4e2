"""Files are decoded, or an error says why they cannot be."""

import io

import pytest

from longways.errors import TextError
from longways.text.charset import check_encoding, check_file, decode_chunks

TEXT = "夜里\r\nHello\n" * 20_000


class Trickle(io.BytesIO):
    """A file that returns one byte at a time, like a slow pipe."""

    def read1(self, size: int | None = -1) -> bytes:
        return super().read1(1)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_that_are_detected(tmp_path, encoding):
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT.encode(encoding))
    checked = check_file(path, None, "zh")
    assert checked == (encoding, len(TEXT))
    with path.open("rb") as file:
        assert "".join(decode_chunks(file, checked.encoding, "a")) == TEXT
    slow = Trickle(TEXT[:40].encode(encoding))
    assert "".join(decode_chunks(slow, None, "a")) == TEXT[:40]


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "utf-16-le"])
def test_encodings_that_are_named(tmp_path, encoding):
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT.encode(encoding))
    with path.open("rb") as file:
        assert "".join(decode_chunks(file, encoding, "a")) == TEXT


@pytest.mark.parametrize(
    ("data", "encoding", "words"),
    [
        ("夜里熄灭了".encode("gb18030"), None, "--encoding gb18030, which fits its first bytes"),
        ("夜里".encode("gb18030"), None, r"tried \(utf-8, and utf-16 and utf-32 with a mark"),
        (b"ab" * 40_000 + b"\xff", None, "byte 80001"),
        (b"\xff" * 9, None, "--encoding NAME, for example gb18030"),
        (b"PNG\x00\x01", None, "is not plain text: there is a NUL character"),
        ("夜里".encode(), "ascii", "is not in the encoding ascii"),
        ("夜里".encode()[:-1], None, "unexpected end of data"),
    ],
)
def test_undecodable_files_are_named(tmp_path, data, encoding, words):
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    with pytest.raises(TextError, match=words):
        check_file(path, encoding, "zh")


def test_an_encoding_that_does_not_exist_is_named():
    for name in ("utf8000", "base64", "rot13"):
        with pytest.raises(TextError, match=f"There is no encoding '{name}'"):
            check_encoding(name)


def test_an_empty_file_is_empty_text(tmp_path):
    (tmp_path / "a").touch()
    assert check_file(tmp_path / "a", None, "zh") == ("utf-8", 0)
