"""Defects that hostile files and full disks showed: lost data, followed links, mixed files."""

import json
import os
import re
import resource
import stat
import subprocess
import sys
import threading

import pytest

from longways.decoding.hypothesis import Hypothesis
from longways.errors import LongwaysError
from longways.translation.files.journal import Journal
from longways.translation.files.output import Stream, WholeFile, open_output, write_all
from longways.translation.sanity.garbage import without_garbage

TEXT = "打开终端。\n"
COMMAND = [sys.executable, "-m", "longways", "translate", "--beam", "1", "--threads", "1"]
ABOUT = {"journal": 1, "window": 2}
FOUND = [Hypothesis([7, 8], -1.25, -0.625, 2)]


def translate(folder, *words, text=b""):
    command = [*COMMAND, *map(str, words)]
    return subprocess.run(command, cwd=folder, input=text, capture_output=True, check=False)


def refused(done, words):
    (line,) = done.stderr.decode().splitlines()
    assert done.returncode == 2
    assert words in line


@pytest.fixture
def page(tmp_path):
    (tmp_path / "page.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


class TestA3NoGarbage:
    """No output has a U+FFFD or a control character that its source does not have."""

    @pytest.mark.parametrize(
        ("translation", "source", "wanted"),
        [
            ("🌍\ufffd\ufffd dozen", "🌍 数十个", "🌍 dozen"),
            ("a\x00b\x1bc\x9f", "好", "abc"),
            ("kept \ufffd\x07", "有 \ufffd 和 \x07", "kept \ufffd\x07"),
        ],
    )
    def test_what_the_source_lacks_is_removed(self, translation, source, wanted):
        known = frozenset("abc dozenkpt")
        assert without_garbage(translation, source, known) == wanted

    @pytest.mark.parametrize(
        ("translation", "source", "wanted"),
        [
            ("called _balanced_ here", "叫做平衡", "called balanced here"),
            ("allows _progressive _correct_ fixes", "渐进", "allows progressive correct fixes"),
            ("the snake_case name", "名称", "the snake_case name"),
            ("called _init_ here", "叫做 _init_", "called _init_ here"),
        ],
    )
    def test_emphasis_that_the_source_lacks_is_removed(self, translation, source, wanted):
        assert without_garbage(translation, source, frozenset(translation)) == wanted

    def test_through_the_bundled_model(self, tmp_path):
        text = "🌍 数十个国际化语言支持。\n🙂👩‍👩‍👧 好。\n①②★●√ 支持。\n"
        done = translate(tmp_path, "-", text=text.encode())
        assert done.returncode == 0
        assert not re.search("[\ufffd\x00-\x08\x0e-\x1f\x7f-\x9f]", done.stdout.decode())


class TestC1UnknownSuffixes:
    @pytest.mark.parametrize("name", ["a.toml", "b.ini", "c.rmd", "d.wiki", "e.mobi", "f.psv"])
    def test_an_unknown_suffix_is_refused_with_the_known_ones(self, tmp_path, name):
        (tmp_path / name).write_text('{"k": "打开终端。"}', encoding="utf-8")
        done = translate(tmp_path, name)
        refused(done, "which is no known format. Known are .txt, .text, .md")
        assert [path.name for path in tmp_path.iterdir()] == [name]

    def test_it_is_plain_text_if_the_user_says_so(self, tmp_path):
        (tmp_path / "a.log").write_text(TEXT, encoding="utf-8")
        assert translate(tmp_path, "a.log", "--format", "text").returncode == 0
        assert "terminal" in (tmp_path / "a.en.log").read_text()

    def test_mdx_is_markdown_and_a_language_is_plain_text(self, tmp_path):
        (tmp_path / "a.mdx").write_text("# 安装\n\n```\n不要翻译\n```\n", encoding="utf-8")
        (tmp_path / "page.zh").write_text(TEXT, encoding="utf-8")
        assert translate(tmp_path, "a.mdx", "page.zh").returncode == 0
        assert "```\n不要翻译\n```" in (tmp_path / "a.en.mdx").read_text(encoding="utf-8")
        assert "terminal" in (tmp_path / "page.en").read_text()


class TestE1FolderJobsResume:
    """The same command finishes a folder job: finished files are skipped, changed ones redone."""

    @pytest.fixture
    def folder(self, tmp_path):
        (tmp_path / "in" / "deep").mkdir(parents=True)
        for name, text in (
            ("a.txt", "打开终端。\n"),
            ("deep/b.md", "# 安装\n"),
            ("c.txt", "集群。\n"),
        ):
            (tmp_path / "in" / name).write_text(text, encoding="utf-8")
        return tmp_path

    def test_finished_files_are_skipped_and_the_rest_is_translated(self, folder):
        whole = translate(folder, "in", "-o", "whole")
        assert (whole.returncode, whole.stderr) == (0, b"")
        assert translate(folder, "in", "-o", "out").returncode == 0
        (folder / "out" / "c.en.txt").unlink()
        before = (folder / "out" / "a.en.txt").stat().st_mtime_ns
        done = translate(folder, "in", "-o", "out")
        assert done.returncode == 0
        assert b"2 of 3 files were translated before and have not changed." in done.stderr
        assert (folder / "out" / "a.en.txt").stat().st_mtime_ns == before
        for name in ("a.en.txt", "deep/b.en.md", "c.en.txt"):
            found = [(folder / out / name).read_bytes() for out in ("out", "whole")]
            assert found[0] == found[1]

    def test_after_a_broken_file_is_fixed_the_same_command_does_the_one(self, folder):
        (folder / "in" / "d.docx").write_bytes(b"no zip")
        done = translate(folder, "in", "-o", "out")
        assert done.returncode == 2
        assert b"1 of 4 files were not translated" in done.stderr
        (folder / "in" / "d.docx").unlink()
        (folder / "in" / "d.txt").write_text("节点。\n", encoding="utf-8")
        done = translate(folder, "in", "-o", "out")
        assert (done.returncode, b"3 of 4 files were" in done.stderr) == (0, True)

    def test_a_changed_source_or_option_is_translated_again(self, folder):
        assert translate(folder, "in", "-o", "out").returncode == 0
        (folder / "in" / "a.txt").write_text("运行安装命令。\n", encoding="utf-8")
        done = translate(folder, "in", "-o", "out")
        assert b"2 of 3 files were" in done.stderr
        assert "command" in (folder / "out" / "a.en.txt").read_text()
        assert translate(folder, "in", "-o", "out", "--window", "1").stderr == b""

    def test_an_edited_translation_is_kept_and_named(self, folder):
        assert translate(folder, "in", "-o", "out").returncode == 0
        (folder / "out" / "a.en.txt").write_text("My own words.\n")
        done = translate(folder, "in", "-o", "out")
        assert done.returncode == 2
        assert b"a.en.txt was edited after it was translated, so it is kept." in done.stderr
        assert (folder / "out" / "a.en.txt").read_text() == "My own words.\n"
        assert translate(folder, "in", "-o", "out", "--force").returncode == 0
        assert "terminal" in (folder / "out" / "a.en.txt").read_text()

    def test_a_file_that_no_job_wrote_is_not_overwritten(self, folder):
        (folder / "out").mkdir()
        (folder / "out" / "a.en.txt").write_text("mine")
        refused(translate(folder, "in", "-o", "out"), "a.en.txt exists.")
        assert (folder / "out" / "a.en.txt").read_text() == "mine"


class TestE2FullDisk:
    """A write that the disk takes only in part is an error, never a success."""

    def test_bytes_are_written_until_all_are_there(self, tmp_path):
        class Slow:
            def __init__(self):
                self.taken = b""

            def write(self, data):
                self.taken += bytes(data[:3])
                return len(data[:3])

        file = Slow()
        write_all(file, b"0123456789")
        assert file.taken == b"0123456789"

    def test_a_file_that_cannot_grow_is_an_error_and_does_not_appear(self, tmp_path):
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        output = WholeFile(tmp_path / "a.txt")
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))
        try:
            with pytest.raises(LongwaysError, match=r"a\.txt cannot be written"):
                output.append("x" * 1500)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        output.keep_partial()
        assert not (tmp_path / "a.txt").exists()


class TestE3SourceIsNeverOverwritten:
    """Neither the partial file nor the journal of a target may be one of the sources."""

    @pytest.mark.parametrize("name", ["page.partial.txt", "page.txt.journal"])
    def test_a_source_with_a_name_of_ours(self, tmp_path, name):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
        done = translate(tmp_path, name, "-o", "page.txt", "--format", "text", "--force")
        refused(done, f"{name} would overwrite a source")
        assert (tmp_path / name).read_text(encoding="utf-8") == TEXT


class TestE4LinksAndFilesOfTheUser:
    """A link with a name of ours is not followed, and a file of the user's is not deleted."""

    @pytest.mark.parametrize("name", ["page.en.partial.txt", "page.en.txt.journal"])
    def test_a_link(self, page, name):
        (page / "precious").write_text("mine")
        (page / name).symlink_to(page / "precious")
        refused(translate(page, "page.txt"), f"{name} is not a file of Longways")
        assert (page / "precious").read_text() == "mine"
        assert (page / name).is_symlink()

    def test_a_file_that_is_no_journal_is_not_touched_even_with_force(self, page):
        (page / "page.en.txt.journal").write_text("dear diary")
        done = translate(page, "page.txt", "--force")
        refused(done, "page.en.txt.journal is not a journal of Longways")
        assert (page / "page.en.txt.journal").read_text() == "dear diary"

    def test_a_partial_file_without_a_journal_needs_force(self, page):
        (page / "page.en.partial.txt").write_text("mine")
        refused(translate(page, "page.txt"), "no journal says that an interrupted job wrote it")
        assert (page / "page.en.partial.txt").read_text() == "mine"
        assert translate(page, "page.txt", "--force").returncode == 0

    def test_a_target_that_is_a_link_stays_a_link(self, page):
        (page / "shelf").mkdir()
        (page / "shelf" / "book.txt").write_text("old")
        (page / "page.en.txt").symlink_to(page / "shelf" / "book.txt")
        assert translate(page, "page.txt", "--force").returncode == 0
        assert (page / "page.en.txt").is_symlink()
        assert "terminal" in (page / "shelf" / "book.txt").read_text()


class TestE5OneOutputOneProcess:
    def test_two_jobs_from_standard_input_do_not_mix(self, tmp_path):
        first, second = (WholeFile(tmp_path / "out.txt") for _ in range(2))
        first.append("one\n")
        with pytest.raises(LongwaysError, match="another process runs the same translation"):
            second.append("two\n")
        second.discard()
        first.append("three\n")
        first.finish()
        assert (tmp_path / "out.txt").read_text() == "one\nthree\n"


class TestE7JournalChecksums:
    def lines(self, path, count=3):
        journal = Journal(path, ABOUT)
        for number in range(count):
            journal.record(0, number, FOUND)
        journal.close()
        return path.read_bytes().splitlines(keepends=True)

    def recalled(self, path):
        journal = Journal(path, ABOUT)
        found = [journal.recall(0, number) for number in range(3)]
        journal.close()
        return found

    def test_no_flipped_bit_of_a_sentence_is_taken_for_a_translation(self, tmp_path):
        path = tmp_path / "a.journal"
        lines = self.lines(path)
        for place in range(len(lines[2])):
            for bit in range(8):
                damaged = bytearray(lines[2])
                damaged[place] ^= 1 << bit
                path.write_bytes(b"".join([*lines[:2], bytes(damaged), lines[3]]))
                assert self.recalled(path)[0] == FOUND
                assert self.recalled(path)[1] in (None, FOUND)

    @pytest.mark.parametrize(
        "value",
        [
            [0, 1, "ab", 0.0, 0.0, 2], [0, 1, [7], "x", 0.0, 2], [0, 1, [7.5], 0.0, 0.0, 2],
            [0, 1, [7], 0.0, None, 2], [0, 1, [7], 0.0, 0.0, "end"], {"a": 1}, "abcdef",
            [[0], 1, [7], 0.0, 0.0, 2], [0, 1, [True], 0.0, 0.0, 2], [0, 1, [7], 0.0, 0.0, 2, 5],
            [0, 1, [7], 0.0, 0.0, 2, [[1]]], [], None, 12, [0, 1, None, 0.0, 0.0, 2],
        ],
    )  # fmt: skip
    def test_a_line_made_by_hand_ends_the_journal_without_a_traceback(self, tmp_path, value):
        path = tmp_path / "a.journal"
        lines = self.lines(path, 1)
        path.write_bytes(b"".join(lines) + json.dumps(value).encode() + b"\n")
        assert self.recalled(path) == [FOUND, None, None]


class TestE11Permissions:
    def test_a_private_source_has_a_private_translation(self, page):
        (page / "page.txt").chmod(0o600)
        (page / "page.md").write_text(TEXT, encoding="utf-8")
        (page / "page.md").chmod(0o640)
        assert translate(page, "page.txt", "page.md").returncode == 0
        modes = [stat.S_IMODE((page / f"page.en.{end}").stat().st_mode) for end in ("txt", "md")]
        assert modes == [0o600, 0o640]


class TestE12SeveralFilesNeedAFolder:
    def test_the_name_of_a_file_is_refused(self, page):
        (page / "b.txt").write_text(TEXT, encoding="utf-8")
        refused(translate(page, "page.txt", "b.txt", "-o", "out.txt"), "2 texts need a folder")
        assert not (page / "out.txt").exists()


class TestE13OneTranslationForTwoSources:
    def test_both_sources_are_named(self, tmp_path):
        for name in ("README.md", "README.zh-CN.md"):
            (tmp_path / name).write_text(TEXT, encoding="utf-8")
        done = translate(tmp_path, ".")
        refused(done, "README.md and README.zh-CN.md would have the same translation")


class TestE14DevicesAndPipes:
    def test_a_pipe_is_written_to_and_not_replaced(self, page):
        os.mkfifo(page / "pipe")
        read = []
        reader = threading.Thread(target=lambda: read.append((page / "pipe").read_bytes()))
        reader.start()
        assert translate(page, "page.txt", "-o", "pipe").returncode == 0
        reader.join(timeout=60)
        assert b"terminal" in read[0]
        assert stat.S_ISFIFO((page / "pipe").stat().st_mode)
        assert sorted(path.name for path in page.iterdir()) == ["page.txt", "pipe"]

    def test_a_device_is_a_stream(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        reader = threading.Thread(target=(tmp_path / "pipe").read_bytes)
        reader.start()
        output = open_output(tmp_path / "pipe")
        assert isinstance(output, Stream)
        output.finish()
        reader.join(timeout=60)
