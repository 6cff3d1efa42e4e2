"""Files with a format, by the command."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import longways

FILES = Path(__file__).parents[2] / "formats" / "files"
PAGE = "# 安装\n\n打开 **终端**, 运行 `make`。\n\n```\n不要翻译\n```\n"


def run(*words, cwd):
    command = [sys.executable, "-m", "longways", "translate", "--beam", "1", "--threads", "1"]
    return subprocess.run([*command, *map(str, words)], cwd=cwd, capture_output=True, check=False)


def test_a_page_of_markdown_becomes_one_of_markdown(tmp_path):
    (tmp_path / "page.zh.md").write_text(PAGE, encoding="utf-8")
    done = run("page.zh.md", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"page.en.md\n", b"")
    found = (tmp_path / "page.en.md").read_text(encoding="utf-8")
    assert found.startswith("# Install")
    assert found.endswith("```\n不要翻译\n```\n")
    assert "**" in found
    assert "`make`" in found
    assert "terminal" in found


def test_a_folder_of_all_formats_is_translated(tmp_path):
    for name in ("srt/manual.srt", "po/editor.po", "vtt/course.vtt"):
        shutil.copy(FILES / name, tmp_path)
    done = run(tmp_path, "-o", tmp_path / "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "out").glob("[!.]*")}
    assert names == {"manual.en.srt", "editor.en.po", "course.en.vtt"}


def test_both_languages_stand_together(tmp_path):
    (tmp_path / "page.md").write_text("打开终端。\n", encoding="utf-8")
    assert run("page.md", "--bilingual", cwd=tmp_path).returncode == 0
    found = (tmp_path / "page.en.md").read_text(encoding="utf-8")
    assert "打开终端。" in found
    assert "terminal" in found


def test_in_python_too(tmp_path):
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    target = longways.load(threads=1).translate_file(tmp_path / "page.md", beam=1)
    assert target == tmp_path / "page.en.md"
    assert "`make`" in target.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "data", "options", "message"),
    [
        ("a.docx", b"PK\x03\x04 no zip", [], "a.docx: "),
        ("a.srt", b"\xff\xfe\x00", [], "a.srt: "),
        ("a.md", "一。".encode("gb18030"), [], "a.md: "),
    ],
)
def test_what_is_wrong_is_one_sentence(tmp_path, name, data, options, message):
    (tmp_path / name).write_bytes(data)
    done = run(name, *options, cwd=tmp_path)
    assert done.returncode == 2
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1
    assert message in lines[0]
    assert {path.name for path in tmp_path.iterdir()} == {name}


def test_a_glossary_and_words_to_keep_are_used_in_a_file(tmp_path):
    (tmp_path / "page.md").write_text("打开 **终端**。\n\n- 集群很大。\n", encoding="utf-8")
    (tmp_path / "terms.tsv").write_text("终端\tconsole\n", encoding="utf-8")
    (tmp_path / "names.txt").write_text("集群\n", encoding="utf-8")
    done = run("page.md", "--glossary", "terms.tsv", "--keep", "names.txt", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    found = (tmp_path / "page.en.md").read_text(encoding="utf-8")
    assert "console" in found.lower()
    assert "集群" in found


def test_a_term_without_a_place_is_told_with_its_sentence(tmp_path):
    (tmp_path / "page.md").write_text("打开终端。\n\n今天很好。\n", encoding="utf-8")
    (tmp_path / "terms.tsv").write_text(f"今天\t{'very ' * 600}good\n", encoding="utf-8")
    done = run("page.md", "--glossary", "terms.tsv", cwd=tmp_path)
    assert done.returncode == 0
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("longways: page.md, sentence 2: 'very very")
    assert line.endswith("for '今天' is missing.")


def test_the_format_can_be_named_also_of_a_pipe(tmp_path):
    (tmp_path / "page").write_text(PAGE, encoding="utf-8")
    assert run("page", "--format", "markdown", "-o", "a.md", cwd=tmp_path).returncode == 0
    found = (tmp_path / "a.md").read_bytes()
    assert b"`make`" in found
    command = [sys.executable, "-m", "longways", "translate", "--beam", "1", "--threads", "1"]
    done = subprocess.run(
        [*command, "-", "--format", "markdown"],
        input=PAGE.encode(),
        capture_output=True,
        check=True,
    )
    assert done.stdout == found
    done = run("page", "--format", "mardown", cwd=tmp_path)
    assert done.returncode == 2
    assert b"There is no format 'mardown'. Known are text, markdown," in done.stderr


def test_another_encoding_can_be_named(tmp_path):
    (tmp_path / "a.md").write_bytes("# 标题\n\n打开终端。\n".encode("gb18030"))
    assert run("a.md", "--encoding", "gb18030", cwd=tmp_path).returncode == 0
    assert (tmp_path / "a.en.md").read_bytes().startswith(b"# ")
