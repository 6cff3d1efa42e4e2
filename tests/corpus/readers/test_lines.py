"""Lines of plain and compressed files, and bad lines."""

import gzip
import lzma

import pytest

from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.lines import MAX_LINE_BYTES, read_lines
from longways.errors import CorpusError


def lines(path, skip_bad=False):
    inspector = BadInputPolicy(skip_bad)
    return [text for _, text in read_lines(path, inspector)], dict(inspector.dropped)


@pytest.mark.parametrize(
    ("name", "pack"), [("a.txt", bytes), ("a.txt.gz", gzip.compress), ("a.txt.xz", lzma.compress)]
)
def test_compressed_files_are_read_like_plain_ones(tmp_path, name, pack):
    path = tmp_path / name
    path.write_bytes(pack("\ufeffeins\r\nzwei\u2028drei\n四".encode()))
    assert lines(path) == (["eins", "zwei\u2028drei", "四"], {})


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        (b"good\nba\xffd\ngood\n", "invalid UTF-8", "line 2, byte 3: not valid UTF-8"),
        (b"good\nb\0ad\ngood\n", "NUL byte", "line 2, byte 2: a NUL byte"),
        (b"good\n" + b"x" * (MAX_LINE_BYTES + 9) + b"\ngood\n", "line too long", "line 2: longer"),
        (b"good\n" + b"x" * 2_500_000 + b"\ngood\n", "line too long", "line 2: longer"),
    ],
)
def test_a_bad_line_is_named_or_dropped_and_counted(tmp_path, content, kind, words):
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(CorpusError) as caught:
        lines(path)
    assert f"{path}, {words}" in str(caught.value)
    assert "--skip-bad" in str(caught.value)
    assert lines(path, skip_bad=True) == (["good", None, "good"], {kind: 1})


def test_the_longest_line_that_is_allowed_is_read(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * MAX_LINE_BYTES + b"\nend\n")
    assert [len(text or "") for text in lines(path)[0]] == [MAX_LINE_BYTES, 3]


@pytest.mark.parametrize("name", ["a.gz", "a.xz"])
def test_a_truncated_compressed_file_is_named(tmp_path, name):
    path = tmp_path / name
    pack = gzip.compress if name.endswith("gz") else lzma.compress
    path.write_bytes(pack(b"line\n" * 1000)[:-9])
    with pytest.raises(CorpusError, match="truncated or damaged"):
        lines(path)


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(CorpusError, match="There is no file"):
        lines(tmp_path / "none.txt")
    with pytest.raises(CorpusError, match="is a folder"):
        lines(tmp_path)
