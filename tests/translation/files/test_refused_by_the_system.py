"""What the system refuses: sources, folders, records and streams that cannot be used."""

import os
import socket
import stat
import subprocess
import sys

import pytest

from longways.errors import FormatError, LongwaysError, TextError
from longways.translation.files.folders.languages import Languages
from longways.translation.files.job import Job
from longways.translation.files.output import Stream, WholeFile, journal_path, partial_path
from longways.translation.files.output_styles import Bilingual, PlainText
from longways.translation.files.plan import plan_job
from longways.translation.files.record import RECORD_FILE, FinishedFiles
from tests.translation.echo import echo_translator

CHINESE = Languages("zh", "en")
COMMAND = [sys.executable, "-m", "longways", "translate", "--beam", "1", "--threads", "1"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("a.txt", "deep/b.md", "c.txt"):
        (tmp_path / "in" / name).write_text("一。二。\n", encoding="utf-8")
    return tmp_path


def planned(folder, **options):
    record = FinishedFiles()
    return plan_job([folder / "in"], folder / "out", CHINESE, record=record, **options), record


def run(folder, style=PlainText, broken=None, **options):
    """Run a job, with something broken between its plan and its run; the translated windows."""
    translator, (plan, record) = echo_translator(L=2), planned(folder, **options)
    if broken:
        broken()
    job = Job(translator.model, translator.runtime, {"beam": 1}, style, record=record)
    job.run(plan.files, plan.copies)
    return translator.runtime.windows


def translate(folder, *words):
    done = subprocess.run([*COMMAND, *words], cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stderr.decode()


class TestE1OtherStyles:
    def test_a_bilingual_file_is_not_a_plain_one(self, folder):
        assert run(folder)
        plain = (folder / "out" / "a.en.txt").read_text()
        assert run(folder, Bilingual)
        assert (folder / "out" / "a.en.txt").read_text() != plain
        assert run(folder, Bilingual) == 0
        assert run(folder)
        assert (folder / "out" / "a.en.txt").read_text() == plain

    @pytest.mark.parametrize("kind", ["folder", "link", "diary"])
    def test_a_record_that_is_none_is_refused_before_any_work(self, folder, kind):
        (folder / "out").mkdir()
        record = folder / "out" / RECORD_FILE
        if kind == "folder":
            record.mkdir()
        elif kind == "link":
            (folder / "mine").write_text("mine")
            record.symlink_to(folder / "mine")
        else:
            record.write_text("dear diary\n")
        with pytest.raises(LongwaysError, match="is not a record of Longways"):
            planned(folder)
        assert list((folder / "out").iterdir()) == [record]
        assert kind != "diary" or record.read_text() == "dear diary\n"

    @pytest.mark.parametrize("start", [b"", b"\n", b'{"fi', b'{"file": "a'])
    def test_the_start_of_a_record_is_written_on(self, folder, start):
        (folder / "out").mkdir()
        (folder / "out" / RECORD_FILE).write_bytes(start)
        assert run(folder)
        assert run(folder) == 0

    def test_damaged_lines_of_a_record_are_ignored(self, folder):
        run(folder)
        record = folder / "out" / RECORD_FILE
        bad = b'{"file": 5, "job": [], "sha256": {}}\n' + b"[" * 200_000 + b"\n\xff\xfe\n"
        record.write_bytes(bad + record.read_bytes())
        assert run(folder) == 0


class TestE4LinksToOtherPlaces:
    def test_the_files_of_a_job_lie_on_the_disk_of_its_target(self, tmp_path):
        (tmp_path / "shelf").mkdir()
        (tmp_path / "link.txt").symlink_to(tmp_path / "shelf" / "book.txt")
        assert partial_path(tmp_path / "link.txt") == tmp_path / "shelf" / "book.partial.txt"
        assert journal_path(tmp_path / "link.txt") == tmp_path / "shelf" / "book.txt.journal"
        output = WholeFile(tmp_path / "link.txt")
        output.append("text")
        output.finish()
        assert (tmp_path / "shelf" / "book.txt").read_text() == "text"
        assert (tmp_path / "link.txt").is_symlink()


class TestE8OneUnreadableFile:
    @pytest.mark.parametrize("name", ["a.txt", "deep/b.md"])
    def test_a_source_that_vanishes_does_not_end_the_job(self, folder, name):
        with pytest.raises(FormatError, match="1 of 3 files were not translated"):
            run(folder, broken=(folder / "in" / name).unlink)
        assert len(list((folder / "out").rglob("*.en.[tm]*[td]"))) == 2

    def test_a_copy_that_vanishes_does_not_end_the_job(self, folder):
        (folder / "in" / "p.png").write_bytes(b"x")
        (folder / "in" / "q.png").write_bytes(b"x")
        with pytest.raises(FormatError, match="0 of 3 files were not translated and 1 not copied"):
            run(folder, broken=(folder / "in" / "p.png").unlink, copy=True)
        assert (folder / "out" / "q.png").exists()
        assert len(list((folder / "out").rglob("*.en.[tm]*[td]"))) == 3

    def test_a_folder_that_cannot_be_read_is_named(self, folder, monkeypatch):
        own = os.scandir

        def scandir(path):
            if os.fspath(path).endswith("deep"):
                raise PermissionError(13, "Permission denied", os.fspath(path))
            return own(path)

        monkeypatch.setattr(os, "scandir", scandir)
        with pytest.raises(TextError, match="deep cannot be read: Permission denied"):
            planned(folder)

    def test_a_socket(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)  # the path of a socket must be short
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("s.txt")
            code, said = translate(tmp_path, "s.txt", "-o", "t.txt")
        assert (code, said.count("\n")) == (2, 1)
        assert "s.txt cannot be read: " in said

    def test_a_pipe_has_no_file_beside_it(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(LongwaysError, match=r"is a pipe or a device.*with -o"):
            plan_job([tmp_path / "pipe"], None, CHINESE)


class TestE13FilesNamedTwice:
    def test_the_message_says_so(self, folder):
        with pytest.raises(LongwaysError, match=r"a\.txt is named twice\. Name it once"):
            plan_job([folder / "in", folder / "in" / "a.txt"], folder / "out", CHINESE)


class TestE14StreamsThatRefuse:
    def test_a_device_that_is_full(self, tmp_path):
        path = tmp_path / "full"
        try:
            os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 7))
            path.open("wb").close()
        except OSError:
            pytest.skip("only root may make devices")
        stream = Stream(path)
        with pytest.raises(LongwaysError, match="full cannot be written: No space left"):
            stream.append("text")
        stream.finish()

    def test_a_path_that_cannot_be_opened(self, tmp_path):
        with pytest.raises(LongwaysError, match="nix cannot be written"):
            Stream(tmp_path / "no" / "nix")
