# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""`longways translate` as a user meets it: files, folders and pipes, and everything bad in them."""

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest

from longways.cli import main
from longways.translation.files.record import RECORD_FILE
from longways.translation.files.updates.store import FOLDER
from longways.translation.segments import SegmentDecoder
from tests.translation.echo import EchoRuntime, echo_translator

SOURCE = "rona velu tokim\r\nmirel soti\n\n  ze lun haverim. 123\nhttps://example.org"


def longways(*arguments, text: bytes = b"", cwd: Path | None = None, **environment: str):
    command = [sys.executable, "-m", "longways", "translate", *map(str, arguments)]
    env = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
    return subprocess.run(command, input=text, capture_output=True, cwd=cwd, check=False, env=env)


@pytest.fixture
def echo(monkeypatch, tmp_path):
    """The command in this process, with a model that says everything again."""
    translator = echo_translator("zh", "en", L=3)
    monkeypatch.setattr(
        "longways.translation.model_folder.ModelFolder.read", lambda _: translator.model
    )
    monkeypatch.setattr("longways.translation.installed.lookup.find_model", lambda *_: Path("m"))
    monkeypatch.setattr("longways.decoding.open.open_runtime", lambda *_: EchoRuntime())
    monkeypatch.chdir(tmp_path)

    def run(*arguments) -> int:
        words = ["longways", "translate", "--model", "m", "--beam", "1", *map(str, arguments)]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0)

    return run


def files(folder: Path) -> list[str]:
    """All files below a folder but the records of finished files and their pairs."""
    ours = {RECORD_FILE, FOLDER}
    found = (p for p in folder.rglob("*") if p.is_file() and not ours.intersection(p.parts))
    return sorted(str(p.relative_to(folder)) for p in found)


class TestLearned:
    """With a model that has learned something, in a process of its own."""

    def test_a_file_and_a_pipe_give_the_same_in_the_shape_of_the_source(self, learned, tmp_path):
        (tmp_path / "page.toy.txt").write_bytes(SOURCE.encode())
        done = longways("page.toy.txt", "--model", learned, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"page.en.txt\n", b"")
        found = (tmp_path / "page.en.txt").read_bytes()
        assert found.startswith(b"Ana reads books\r\nrain falls\n\n  ")
        assert found.endswith(b" 123\nhttps://example.org")
        piped = longways("--model", learned, text=SOURCE.encode())
        assert (piped.stdout, piped.stderr) == (found, b"")

    def test_json_and_bilingual(self, learned, tmp_path):
        (tmp_path / "a.txt").write_text(SOURCE)
        done = longways("a.txt", "-", "--json", "--model", learned, text=b"rona", cwd=tmp_path)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        mine = [row for row in rows if row["document"] == "a.txt"]
        assert [row["index"] for row in mine] == list(range(5))
        assert mine[0]["source"] == "rona velu tokim"
        assert mine[0]["translation"] == "Ana reads books"
        assert mine[0]["score"] < 0
        assert mine[3] == {**mine[3], "source": "123", "translation": "123", "score": None}
        assert {row["document"] for row in rows} == {"a.txt", "standard input"}
        done = longways("--bilingual", "--model", learned, text=b"rona velu tokim")
        assert done.stdout == b"rona velu tokim\nAna reads books\n\n"

    def test_a_job_from_a_pipe_that_is_ended_leaves_nothing_behind(self, learned, tmp_path):
        command = [sys.executable, "-m", "longways", "translate", "--model", str(learned)]
        draft = tmp_path / "page.partial.txt"
        with subprocess.Popen(
            [*command, "-", "-o", str(tmp_path / "page.txt")], stdin=subprocess.PIPE
        ) as process:
            assert process.stdin
            process.stdin.write(b"rona velu tokim\n")
            process.stdin.flush()
            while not draft.exists() and process.poll() is None:
                time.sleep(0.05)
            process.terminate()
            assert process.wait(timeout=300) == 128 + signal.SIGTERM
        assert list(tmp_path.iterdir()) == []

    def test_sentences_are_on_standard_output_as_soon_as_they_are_ready(self, learned):
        command = [sys.executable, "-m", "longways", "translate", "--model", str(learned)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin
            assert process.stdout
            process.stdin.write(b"rona velu tokim\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"Ana reads books\n"
            assert process.poll() is None
            process.stdin.close()

    def test_a_damaged_model_and_one_without_torch(self, learned, tmp_path):
        broken = tmp_path / "broken"
        shutil.copytree(learned, broken)
        weights = (broken / "weights.safetensors").read_bytes()
        (broken / "weights.safetensors").write_bytes(weights[:1000])
        done = longways("-", "--model", broken, text=b"rona")
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"is cut short or damaged" in done.stderr
        (tmp_path / "torch.py").write_text("raise ModuleNotFoundError(name='torch')")
        done = longways("-", "--model", learned, text=b"rona", PYTHONPATH=f"{tmp_path}")
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"Run: pip install 'longways[train]'" in done.stderr
        assert len(done.stderr.splitlines()) == 1

    def test_a_terminal_sees_a_bar_and_a_summary(self, learned, tmp_path):
        (tmp_path / "a.txt").write_text("rona velu tokim\n" * 5)
        master, slave = pty.openpty()
        command = [sys.executable, "-m", "longways", "translate", "a.txt", "--model", str(learned)]
        with subprocess.Popen(command, cwd=tmp_path, stderr=slave, stdin=slave) as process:
            os.close(slave)
            seen = b""
            while process.poll() is None or b"a second" not in seen:
                try:
                    seen += os.read(master, 4096)
                except OSError:
                    break
        os.close(master)
        assert process.returncode == 0
        assert b"5 sentences" in seen
        assert b"/s" in seen


class TestFiles:
    def test_names_carry_the_target_language(self, echo, tmp_path):
        for name in ("a.zh.txt", "b.txt", "c", "d.zh-CN.md", "e.zh"):
            (tmp_path / name).write_text("好。")
        assert echo("a.zh.txt", "b.txt", "c", "d.zh-CN.md", "e.zh") == 0
        assert [n for n in files(tmp_path) if "en" in n.split(".")] == [
            "a.en.txt", "b.en.txt", "c.en", "d.en.md", "e.en"
        ]  # fmt: skip

    def test_folders_are_translated_beside_or_into_a_mirror(self, echo, tmp_path):
        for name in ("in/a.zh.txt", "in/sub/b.txt", "in/sub/c.png", "in/.hidden/d.txt"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text("好。走。\r\n")
        assert echo("in", "-o", "out") == 0
        assert files(tmp_path / "out") == ["a.en.txt", "sub/b.en.txt"]
        assert (tmp_path / "out/sub/b.en.txt").read_bytes() == "好。 走。\r\n".encode()
        assert echo("in/sub", "-o", "one") == 0
        assert files(tmp_path / "one") == ["b.en.txt"]
        assert echo("in") == 0
        assert "in/sub/b.en.txt" in files(tmp_path)
        assert echo("in", "--force") == 0  # translations are not translated again
        assert not [name for name in files(tmp_path) if "en.en" in name]

    def test_more_files_than_stand_side_by_side(self, echo, tmp_path):
        for number in range(150):
            (tmp_path / f"{number}.txt").write_text(f"句子{number}。\n" * (number % 7))
        assert echo(*(f"{number}.txt" for number in range(150))) == 0
        for number in range(150):
            assert (tmp_path / f"{number}.en.txt").read_text() == f"句子{number}。\n" * (number % 7)

    def test_encodings(self, echo, tmp_path):
        for encoding in ("utf-8-sig", "utf-16", "gb18030"):
            (tmp_path / "a.txt").write_bytes("好。\r\n走".encode(encoding))
            options = ["--encoding", encoding] if encoding == "gb18030" else []
            assert echo("a.txt", "--force", *options) == 0
            assert (tmp_path / "a.en.txt").read_bytes() == "好。\r\n走".encode()

    def test_an_empty_file_gives_an_empty_file_and_says_so(self, echo, tmp_path, capsys):
        (tmp_path / "a.txt").touch()
        assert echo("a.txt") == 0
        assert (tmp_path / "a.en.txt").read_bytes() == b""
        assert capsys.readouterr().err == "longways: a.txt is empty, and so is its translation.\n"

    def test_a_line_of_megabytes(self, echo, tmp_path):
        text = "我们不知道船长的信，为什么丢了，" * 4_000  # the full 5 MB take minutes
        (tmp_path / "a.txt").write_text(text)
        assert echo("a.txt") == 0
        assert (tmp_path / "a.en.txt").read_text().replace(" ", "") == text

    def test_another_language_is_translated_with_one_warning(self, echo, tmp_path, capsys):
        for name in "ab":
            (tmp_path / f"{name}.txt").write_text("The lamps in the harbour went out.\n")
        assert echo("a.txt", "b.txt") == 0
        (warning,) = capsys.readouterr().err.splitlines()
        assert "a.txt is hardly in the language that this model translates from, 'zh'" in warning
        assert (tmp_path / "b.en.txt").read_text() == "The lamps in the harbour went out.\n"

    def test_an_interrupted_job_keeps_its_partial_file_and_overwrites_nothing(
        self, echo, tmp_path, monkeypatch, capsys
    ):
        text = "".join(f"好{number}。\n" for number in range(50))
        (tmp_path / "a.txt").write_text(text)
        (tmp_path / "a.en.txt").write_text("old")
        events, next_event = count(), SegmentDecoder.next

        def interrupted(self):
            if next(events) == 20:
                raise KeyboardInterrupt
            return next_event(self)

        with monkeypatch.context() as patched:
            patched.setattr(SegmentDecoder, "next", interrupted)
            assert echo("a.txt", "--force") != 0
        left = ["a.en.partial.txt", "a.en.txt", "a.en.txt.journal", "a.txt"]
        assert files(tmp_path) == left
        assert (tmp_path / "a.en.partial.txt").read_text() == text[: text.index("好20")]
        assert (
            "the partial translation is a.en.partial.txt. Run the same command"
            in capsys.readouterr().err
        )
        assert (tmp_path / "a.en.txt").read_text() == "old"
        assert echo("a.txt", "--force", "--window", "1") == 0  # another job, begun again
        assert files(tmp_path) == ["a.en.txt", "a.txt"]
        assert (tmp_path / "a.en.txt").read_text() == text


BAD = [
    (["nowhere.txt"], "There is no file nowhere.txt."),
    (["good.txt", "--nbest", "2"], "--nbest needs --json"),
    (["good.txt", "--json", "--nbest", "5"], "nbest is 5"),
    (["folder"], "has nothing to translate"),
    (["binary.txt"], "is not plain text: there is a NUL character"),
    (["gb.txt"], "name its encoding with --encoding gb18030"),
    (["gb.txt", "--encoding", "utf-8"], "is not in the encoding utf-8"),
    (["good.txt", "--encoding", "utf9"], "There is no encoding 'utf9'"),
    (["there.txt"], "there.en.txt exists. Overwrite it with --force"),
    (["good.txt", "-o", "there.txt"], "there.txt exists."),
    (["good.txt", "-o", "good.txt", "--force"], "good.txt would overwrite a source."),
    (
        ["good.txt", "good.zh.txt"],
        "good.txt and good.zh.txt would have the same translation",
    ),
    (["good.txt", "there.txt", "-o", "-"], "cannot be separated on standard output"),
    (["good.txt", "there.txt", "-o", "gb.txt"], "gb.txt is a file, but 2 texts need a folder."),
    (["good.txt", "-o", "gb.txt/a.txt"], "gb.txt is not a folder"),
    (["good.txt", "-o", "/proc/nothing/a.txt"], "/proc/nothing/a.txt cannot be written"),
    (["good.txt", "--json", "--bilingual"], "Use one of them."),
    (["good.txt", "--window", "9"], "longer than the 3 this model was trained on"),
    (["good.txt", "--beam", "0"], "beams is 0, but it must be from 1 to 1,024."),
    (["binary.txt"], "binary.txt is not plain text"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD)
def test_bad_input_is_one_sentence_exit_code_2_and_nothing_written(
    echo, tmp_path, capsys, arguments, words
):
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary.txt").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00"[4:])
    (tmp_path / "gb.txt").write_bytes("夜里，港口的灯熄灭了。".encode("gb18030"))
    for name in ("good.txt", "good.zh.txt", "there.txt", "there.en.txt"):
        (tmp_path / name).write_text("好。")
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
    assert echo(*(["--beam", "1", *arguments])) == 2
    shown = capsys.readouterr()
    assert words in shown.err
    assert shown.err.startswith("longways: ")
    assert len(shown.err.splitlines()) == 1
    assert shown.out == ""
    assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == before


def test_the_verb_explains_itself():
    done = longways("--help")
    assert done.returncode == 0
    assert b"--bilingual" in done.stdout


def test_a_named_pipe_is_read_once(echo, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", "printf '好。' > pipe"], cwd=tmp_path):
        assert echo("pipe", "-o", "out.txt") == 0
    assert (tmp_path / "out.txt").read_text() == "好。"


def test_no_model_and_a_missing_one(tmp_path):
    done = longways("--model", tmp_path / "nowhere", text=b"x")
    assert done.returncode == 2
    assert b"There is no model folder at" in done.stderr


def test_a_pipe_with_bytes_that_are_no_text(echo, capsys, monkeypatch):
    class Standard:
        buffer = __import__("io").BytesIO("好。\n".encode() + b"\xff\n")

        @staticmethod
        def isatty() -> bool:
            return False

    monkeypatch.setattr(sys, "stdin", Standard)
    assert echo() == 2
    assert "standard input is binary or in another encoding" in capsys.readouterr().err
