"""Messages are one line each, and closed or full streams give a sentence and no traceback."""

import os
import stat
import subprocess
import sys

import pytest

from longways.cli.error_messages import explanation
from longways.cli.standard_streams import printable

COMMAND = f"{sys.executable} -m longways"
TRANSLATE = f"{COMMAND} translate --beam 1 --threads 1"


def shell(folder, command):
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def refused(done, words):
    code, _, said = done
    assert (code, said.count("\n")) == (2, 1)
    assert words in said


@pytest.fixture
def page(tmp_path):
    (tmp_path / "a.txt").write_text("打开终端。\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("lat\udce9.txt", r"lat\xe9.txt"),
        ("\udce8\udcaf\udcb4.txt", "说.txt"),
        ("half \ud83d", r"half \ud83d"),
        ("\u202etxt.exe", r"\u202etxt.exe"),
        ("说明 “好” 🙂\u3000é", "说明 “好” 🙂\u3000é"),
    ],
)
def test_a_message_is_one_line_that_does_nothing_to_a_terminal(text, shown):
    assert printable(text) == shown


def test_names_in_messages_are_printable(tmp_path):
    refused(shell(tmp_path, f"{TRANSLATE} \"$(printf 'a\\033[31m\\nb').txt\""), r"a\x1b[31m\nb.txt")


class TestClosedStreams:
    def test_standard_output(self, page):
        refused(shell(page, f"{TRANSLATE} a.txt -o - >&-"), "Standard output cannot be written")

    def test_standard_input(self, page):
        refused(shell(page, f"{TRANSLATE} - <&-"), "standard input cannot be read")
        refused(shell(page, f"{TRANSLATE} <&-"), "standard input cannot be read")

    def test_no_file_takes_their_numbers(self, page):
        code, _, said = shell(page, f"{TRANSLATE} a.txt -o b.txt <&- 2>&-")
        assert (code, said) == (0, "")
        assert (page / "b.txt").read_text() == "Open the terminal.\n"


@pytest.mark.parametrize("words", ["translate a.txt -o -", "info", "--version", "info --help"])
def test_a_full_disk_behind_standard_output(page, words):
    try:
        os.mknod(page / "full", stat.S_IFCHR | 0o600, os.makedev(1, 7))
        (page / "full").open("wb").close()
    except OSError:
        pytest.skip("only root may make devices")
    refused(shell(page, f"{COMMAND} {words} > full"), "No space left on device")


def test_errors_of_the_system_have_a_sentence_and_closed_pipes_none():
    said = explanation(PermissionError(13, "Permission denied", "secret"))
    assert said == "secret: Permission denied. Check that it exists and that you may use it."
    assert "No space left" in explanation(OSError(28, "No space left on device"))
    assert explanation(BrokenPipeError(32, "Broken pipe")) is None


@pytest.mark.parametrize("words", ["translate ''", "translate a.txt -o ''", "info ''"])
def test_an_empty_argument_is_not_the_current_folder(page, words):
    refused(shell(page, f"{COMMAND} {words}"), "One of the arguments is empty.")
    assert [path.name for path in page.iterdir()] == ["a.txt"]


def test_help_on_a_narrow_terminal(page):
    code, said, _ = shell(page, f"COLUMNS=10 {COMMAND} translate --help")
    assert code == 0
    assert max(map(len, said.decode().splitlines())) < 60


def test_a_bundled_model_is_found_by_its_name(page):
    assert shell(page, f"{TRANSLATE} a.txt -o - --model zh-en-docs")[:2] == (
        0,
        b"Open the terminal.\n",
    )
