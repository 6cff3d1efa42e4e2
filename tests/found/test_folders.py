"""Defects of jobs over folders: what is translated, copied, resumed, locked, and said."""

import io
import json
import stat
import subprocess
import sys
import time
import zipfile

import pytest

from longways.errors import LongwaysError, TextError
from longways.folder_lock import locked_folder
from longways.formats.contents import likely_format
from longways.translation.files.folders.languages import Languages
from longways.translation.files.folders.selection import Selection, read_folder
from longways.translation.files.job import Job
from longways.translation.files.job_lock import Lock
from longways.translation.files.journal import Journal
from longways.translation.files.output import WholeFile, draft_path, journal_path, partial_path
from longways.translation.files.plan import plan_job
from longways.translation.files.record import RECORD_FILE, FinishedFiles
from longways.translation.files.updates.store import FOLDER
from tests.translation.echo import echo_translator

COMMAND = [sys.executable, "-m", "longways", "translate", "--beam", "1", "--threads", "1"]
CHINESE = Languages("zh", "en")


class Killed(BaseException):
    """The process is killed here."""


def command(folder, *words, text=b""):
    words = [*COMMAND, *map(str, words)]
    return subprocess.run(words, cwd=folder, input=text, capture_output=True, check=False)


def refused(done, words):
    (line,) = done.stderr.decode().splitlines()
    assert done.returncode == 2
    assert words in line


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")


def echo(folder, out=None, selection=None, **options):
    """Run a job on a folder with a model that repeats; the number of windows that it translated."""
    translator, record = echo_translator(L=2), FinishedFiles()
    chosen = {"selection": selection} if selection else {}
    plan = plan_job([folder], out, CHINESE, record=record, **chosen, **options)
    job = Job(translator.model, translator.runtime, {"beam": 1}, record=record)
    job.run(plan.files, plan.copies)
    return translator.runtime.windows


def files_of(folder):
    ours = {RECORD_FILE, FOLDER}
    found = (p for p in folder.rglob("*") if p.is_file() and not ours.intersection(p.parts))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def archive():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("mimetype", "x")
    return data.getvalue()


class TestC1OtherFormats:
    PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"

    @pytest.mark.parametrize("name", ["a.mobi", "a.txt", "a.md", "a"])
    def test_an_archive_is_refused_with_the_known_suffixes_and_no_encodings(self, tmp_path, name):
        (tmp_path / name).write_bytes(archive())
        with pytest.raises(TextError, match=f"{name} is a zip archive") as error:
            echo_translator().translate_file(tmp_path / name)
        assert ".html, .htm" in str(error.value)
        assert "encoding" not in str(error.value)

    @pytest.mark.parametrize("words", [["a.pdf", "--format", "text"], ["-"], ["a.txt"]])
    def test_a_pdf_is_no_text(self, tmp_path, words):
        for name in ("a.pdf", "a.txt"):
            (tmp_path / name).write_bytes(self.PDF)
        done = command(tmp_path, *words, text=self.PDF)
        refused(done, "is a PDF document, and no text.")
        assert b"--format pdf" in done.stderr

    def test_a_damaged_pdf_is_refused_in_one_sentence(self, tmp_path):
        (tmp_path / "a.pdf").write_bytes(self.PDF)
        refused(command(tmp_path, "a.pdf"), "a.pdf: This file is damaged, or it is no PDF")

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("# 标题\n\n- 打开 **终端**。\n", "markdown"),
            ("打开。\n\n```sh\nls\n```\n", "markdown"),
            ("<!DOCTYPE html><p>打开。</p>\n", "html"),
            ("1\n00:00:01,000 --> 00:00:02,000\n打开。\n", "srt"),
            ("WEBVTT\n\n00:01.000 --> 00:02.000\n打开。\n", "vtt"),
            ('# 注\nmsgid "打开"\nmsgstr ""\n', "po"),
        ],
    )
    def test_formats_are_known_by_their_beginning(self, text, name):
        assert likely_format(text) == name

    def test_plain_text_is_no_markdown(self):
        assert likely_format("第 1 章 * 打开。\n# 1 号节点\n{x} [1] a_b_c\n") is None

    def test_markup_on_standard_input_is_told(self, tmp_path):
        text = "# 标题\n\n- 打开 **终端**。\n".encode()
        done = command(tmp_path, "-", text=text)
        assert "standard input looks like markdown" in done.stderr.decode()
        assert command(tmp_path, "-", "--format", "text", text=text).stderr == b""


SHORT = {"a.md": "# 一二三\n\n一。二。三。\n", "b.txt": "一。二。\n三。\n"}


class TestE1AnotherFolderOfTheSameNames:
    def test_translations_of_another_source_are_never_overwritten(self, tmp_path):
        for folder, text in (("one", "一。\n"), ("two", "二。\n")):
            write(tmp_path / folder, {"a.txt": text, "b.png": text})
        out = tmp_path / "out"
        echo(tmp_path / "one", out, copy=True)
        before = files_of(out)
        with pytest.raises(LongwaysError, match=r"a\.en\.txt was made from .*one/a\.txt, not from"):
            echo(tmp_path / "two", out)
        (tmp_path / "two" / "a.txt").rename(tmp_path / "two" / "c.txt")
        with pytest.raises(LongwaysError, match=r"b\.png was made from .*one/b\.png, not from"):
            echo(tmp_path / "two", out, copy=True)
        assert files_of(out) == before
        (tmp_path / "two" / "c.txt").rename(tmp_path / "two" / "a.txt")
        assert echo(tmp_path / "two", out, copy=True, force=True) == 1
        assert (out / "a.en.txt").read_text(encoding="utf-8") == "二。\n"

    def test_a_folder_that_was_renamed_resumes(self, tmp_path):
        write(tmp_path / "one", {"a.txt": "一。\n", "b.txt": "乙。\n"})
        echo(tmp_path / "one", tmp_path / "out")
        (tmp_path / "one").rename(tmp_path / "two")
        write(tmp_path / "two", {"b.txt": "二。\n"})
        assert echo(tmp_path / "two", tmp_path / "out") == 1
        assert (tmp_path / "out" / "b.en.txt").read_text(encoding="utf-8") == "二。\n"

    def test_a_record_without_sources_resumes(self, tmp_path):
        write(tmp_path / "one", {"a.txt": "一。\n"})
        echo(tmp_path / "one", tmp_path / "out")
        record = tmp_path / "out" / RECORD_FILE
        entry = json.loads(record.read_text())
        assert entry.pop("source") == "../one/a.txt"
        record.write_text(json.dumps(entry) + "\n")
        assert echo(tmp_path / "one", tmp_path / "out") == 0


class TestE1AtEveryMoment:
    @pytest.mark.parametrize(
        ("kind", "method"), [(FinishedFiles, "add"), (WholeFile, "finish"), (Journal, "remove")]
    )
    def test_a_kill_while_a_file_appears_translates_nothing_twice(
        self, tmp_path, monkeypatch, kind, method
    ):
        write(tmp_path / "in", SHORT)
        whole = echo(tmp_path / "in", tmp_path / "whole")
        own = getattr(kind, method)

        def killed(*_):
            raise Killed

        monkeypatch.setattr(kind, method, killed)
        with pytest.raises(Killed):
            echo(tmp_path / "in", tmp_path / "out")
        monkeypatch.setattr(kind, method, own)
        journals = list((tmp_path / "out").glob("*.journal"))
        ready = sum(journal.read_bytes().count(b"\n") - 1 for journal in journals)
        assert ready
        assert echo(tmp_path / "in", tmp_path / "out") == whole - ready
        assert files_of(tmp_path / "out") == files_of(tmp_path / "whole")

    def test_a_record_that_a_full_disk_cut_off_is_written_on(self, tmp_path):
        write(tmp_path / "in", SHORT)
        echo(tmp_path / "in", tmp_path / "out")
        record = tmp_path / "out" / RECORD_FILE
        lines = record.read_bytes().splitlines(keepends=True)
        record.write_bytes(lines[0] + lines[1][:40])
        lost = json.loads(lines[1])["file"]
        (tmp_path / "out" / lost).unlink()
        assert echo(tmp_path / "in", tmp_path / "out") > 0
        assert echo(tmp_path / "in", tmp_path / "out") == 0

    def test_the_draft_of_a_killed_job_is_not_left(self, tmp_path):
        write(tmp_path / "in", SHORT)
        out = tmp_path / "out"
        out.mkdir()
        draft_path(partial_path(out / "a.en.md")).write_text("half a preview")
        echo(tmp_path / "in", out)
        assert set(files_of(out)) == {"a.en.md", "b.en.txt"}


class TestE4DraftsFollowNoLinks:
    def test_a_link_with_the_name_of_a_draft_is_refused(self, tmp_path):
        write(tmp_path, {"mine.txt": "mine"})
        draft = draft_path(partial_path(tmp_path / "a.en.md"))
        draft.symlink_to(tmp_path / "mine.txt")
        with pytest.raises(LongwaysError, match="cannot be written"):
            WholeFile(tmp_path / "a.en.md").replace(b"x")
        assert (tmp_path / "mine.txt").read_text() == "mine"
        assert draft.is_symlink()

    def test_links_in_a_folder_are_told_and_not_followed(self, tmp_path):
        write(tmp_path, {"in/a.txt": "打开终端。\n", "other/b.txt": "秘密。\n"})
        (tmp_path / "in" / "b.txt").symlink_to(tmp_path / "other" / "b.txt")
        (tmp_path / "in" / "more").symlink_to(tmp_path / "other")
        done = command(tmp_path, "in", "-o", "out", "--copy")
        assert "Symbolic links in a folder are not followed: 2 left out." in done.stderr.decode()
        assert set(files_of(tmp_path / "out")) == {"a.en.txt"}


class TestE5OneJobAFolder:
    def test_a_second_job_is_refused_at_once(self, tmp_path):
        write(tmp_path, {"in/a.txt": "打开终端。\n"})
        with locked_folder(tmp_path / "out", "translates into"):
            refused(command(tmp_path, "in", "-o", "out"), "Another process translates into")
        assert command(tmp_path, "in", "-o", "out").returncode == 0

    def test_a_formatted_file_from_standard_input_is_locked_too(self, tmp_path):
        lock = Lock(journal_path(tmp_path / "out.md"))
        words = ["-", "--format", "markdown", "-o", "out.md"]
        refused(command(tmp_path, *words, text="# 打开\n".encode()), "another process runs")
        lock.remove()
        assert command(tmp_path, *words, text="# 打开\n".encode()).returncode == 0
        assert set(files_of(tmp_path)) == {"out.md"}


class TestE11PermissionsOfCopies:
    def test_copies_have_those_of_their_sources(self, tmp_path):
        write(tmp_path, {"in/a.txt": "一。\n", "in/run.sh": "#!/bin/sh\n", "in/key.pem": "x"})
        (tmp_path / "in" / "run.sh").chmod(0o755)
        (tmp_path / "in" / "key.pem").chmod(0o600)
        echo(tmp_path / "in", tmp_path / "out", copy=True)
        modes = [(tmp_path / "out" / name).stat().st_mode for name in ("run.sh", "key.pem")]
        assert [stat.S_IMODE(mode) for mode in modes] == [0o755, 0o600]


class TestE13Folders:
    def test_the_message_names_the_two_and_how_to_go_on(self, tmp_path):
        write(tmp_path, {"README.md": "# English\n", "README.zh-CN.md": "# 打开终端\n"})
        refused(command(tmp_path, "."), "leave one out, for example with --exclude README.md.")
        assert command(tmp_path, ".", "--exclude", "README.md").returncode == 0
        assert (tmp_path / "README.en.md").exists()

    def test_other_suffixes_are_told_once_and_counted(self, tmp_path):
        write(tmp_path, {"in/a.txt": "打开终端。\n", "in/LICENSE": "x", "in/.hidden": "x"})
        write(tmp_path / "in", {"b/1.png": "", "b/2.PNG": "", "c.json": "", "a.en.md": "English"})
        refused_ = command(tmp_path, "in", "-o", "out")
        settings, unknown = refused_.stderr.decode().splitlines()
        assert "since they may be settings or data: 1 .json. Name those to" in settings
        assert "as in --include '*.j" in settings
        assert "unknown: 2 .png, 1 without a suffix. --copy takes them along." in unknown

    @pytest.mark.parametrize(
        ("include", "exclude", "found"),
        [
            (["*.md"], [], "a.md b/c.md b/deep/d.md"),
            (["b/*"], [], "b/c.md b/deep/d.md"),
            (["b/*.md", "e.txt"], [], "b/c.md e.txt"),
            (["b/**.md"], [], "b/c.md b/deep/d.md"),
            ([], ["b"], "a.md e.txt"),
            ([], ["b/deep"], "a.md b/c.md e.txt"),
            ([], ["**/d.*"], "a.md b/c.md e.txt"),
            (["?.md"], ["deep/"], "a.md b/c.md"),
            ([], ["./a.md", "[*"], "b/c.md b/deep/d.md e.txt"),
        ],
    )
    def test_patterns_choose_files(self, tmp_path, include, exclude, found):
        write(tmp_path, dict.fromkeys(("a.md", "b/c.md", "b/deep/d.md", "e.txt"), "一"))
        selection = Selection(tuple(include), tuple(exclude))
        texts = read_folder(tmp_path, CHINESE, selection, None).texts
        assert " ".join(path.relative_to(tmp_path).as_posix() for path in texts) == found

    @pytest.mark.parametrize("option", [["--include", "*.md"], ["--exclude", "x"], ["--copy"]])
    def test_options_of_folders_need_one(self, tmp_path, option):
        write(tmp_path, {"a.txt": "一。\n"})
        refused(command(tmp_path, "a.txt", *option), "Name a folder")


PAGES = {
    "index.md": (
        "# 首页\r\n\r\n[指南](sub/guide.md#安装)和![图](img/a.png), "
        "[南](/sub/%E5%8D%97.md?a=1 \"南\")。"
        "`[码](sub/guide.md)`\r\n\r\n"
        "[![徽](img/a.png)](<sub/guide.md>) <a href='sub/p.html#x'>网</a>"
        " [外](https://a.b/index.md) [无](none.md) [英](e.en.md) [上](../index.md)\r\n\r\n"
        "| [表](sub/guide.md) |\r\n|---|\r\n\r\n"
        "```\r\n[码](index.md)\r\n```\r\n\r\n[g]: index.md\r\n"
    ),
    "sub/guide.md": "---\ntitle: index.md\n---\n\n"
    "[首](../index.md)\n\n[自](guide.md)\n\n[锚](#a)\n",
    "sub/南.md": "> [g]\n>\n> [g]: ../index.md '首'\n",
    "sub/p.html": "<a href=../index.md>首</a><img src='../img/a.png'><!-- <a href='p.html'> -->",
    "img/a.png": "picture",
    "e.en.md": "English [index](index.md)\n",
}  # fmt: skip


class TestE13CopiesAndLinks:
    def test_links_between_pages_stay_true_and_nothing_else_changes(self, tmp_path):
        write(tmp_path / "in", PAGES)
        echo(tmp_path / "in", tmp_path / "out", copy=True)
        found = {name: data.decode() for name, data in files_of(tmp_path / "out").items()}
        assert found == {
            "index.en.md": PAGES["index.md"]
            .replace("(sub/guide.md", "(sub/guide.en.md")
            .replace("<sub/guide.md>", "<sub/guide.en.md>")
            .replace("`[码](sub/guide.en.md)`", "`[码](sub/guide.md)`")
            .replace("%E5%8D%97.md", "%E5%8D%97.en.md")
            .replace("p.html", "p.en.html")
            .replace("[g]: index.md", "[g]: index.en.md"),
            "sub/guide.en.md": PAGES["sub/guide.md"]
            .replace("(../index.md", "(../index.en.md")
            .replace("(guide.md", "(guide.en.md"),
            "sub/南.en.md": PAGES["sub/南.md"].replace("index.md", "index.en.md"),
            "sub/p.en.html": PAGES["sub/p.html"].replace("../index.md", "../index.en.md"),
            "img/a.png": "picture",
            "e.en.md": PAGES["e.en.md"],
        }

    def test_beside_the_sources_links_are_true_too(self, tmp_path):
        write(tmp_path, {"a.md": "[乙](b.md)\n", "b.md": "[甲](a.md)\n"})
        echo(tmp_path, copy=True)
        assert (tmp_path / "a.en.md").read_text() == "[乙](b.en.md)\n"

    def test_a_page_is_done_again_when_one_that_it_links_to_is_new(self, tmp_path):
        write(tmp_path / "in", {"a.md": "[乙](b.md)\n", "c.md": "丙。\n"})
        echo(tmp_path / "in", tmp_path / "out", copy=True)
        assert (tmp_path / "out" / "a.en.md").read_text() == "[乙](b.md)\n"
        write(tmp_path / "in", {"b.md": "乙。\n"})
        assert echo(tmp_path / "in", tmp_path / "out", copy=True) == 2
        assert (tmp_path / "out" / "a.en.md").read_text() == "[乙](b.en.md)\n"
        assert echo(tmp_path / "in", tmp_path / "out", copy=True) == 0

    def test_two_folders_in_one_and_another_language_in_names(self, tmp_path):
        write(tmp_path, {"x/a.md": "[乙](../y/b.zh.md)\n", "y/b.zh.md": "[甲](../x/a.md#k)\n"})
        translator, record = echo_translator(L=2), FinishedFiles()
        inputs, out = [tmp_path / "x", tmp_path / "y"], tmp_path / "out"
        plan = plan_job(inputs, out, CHINESE, record=record, copy=True)
        Job(translator.model, translator.runtime, {"beam": 1}, record=record).run(plan.files)
        assert files_of(out) == {"a.en.md": "[乙](b.en.md)\n".encode(),
                                 "b.en.md": "[甲](a.en.md#k)\n".encode()}  # fmt: skip

    def test_copies_resume_and_no_file_of_the_user_is_overwritten(self, tmp_path):
        write(tmp_path / "in", {"a.txt": "一。\n", "b.png": "1", "c.png": "1", "d.png": "1"})
        out = tmp_path / "out"
        echo(tmp_path / "in", out, copy=True)
        before = (out / "d.png").stat().st_mtime_ns
        write(tmp_path / "in", {"b.png": "2", "c.png": "2"})
        write(out, {"c.png": "mine"})
        echo(tmp_path / "in", out, copy=True)
        assert [(out / f"{name}.png").read_text() for name in "bcd"] == ["2", "mine", "1"]
        assert (out / "d.png").stat().st_mtime_ns == before
        write(tmp_path / "in", {"new.png": "1"})
        write(out, {"new.png": "mine"})
        with pytest.raises(LongwaysError, match=r"new\.png exists\. Overwrite it with --force"):
            echo(tmp_path / "in", out, copy=True)

    def test_links_take_linear_time(self, tmp_path):
        times = []
        for count in (4000, 8000, 16000):
            page = "[甲](a.md \\[x](b.md) ![图](![图](a.md) <a href=a.md [x]: a.md\n" * (count // 8)
            write(tmp_path / str(count), {"a.md": page})
            began = time.process_time()
            plan = plan_job([tmp_path / str(count)], None, CHINESE, copy=True)
            assert plan.files[0].edited_links() is not None
            times.append(time.process_time() - began)
        assert times[2] < 3.2 * times[1] + 0.2


def test_long_names_are_copied(tmp_path):
    write(tmp_path / "in", {"a.txt": "一。\n", "n" * 251 + ".png": "x"})
    echo(tmp_path / "in", tmp_path / "out", copy=True)
    assert (tmp_path / "out" / ("n" * 251 + ".png")).read_text() == "x"
