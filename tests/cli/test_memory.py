"""`--memory` and `--export-memory` of `longways translate`, as a user meets them."""

import json
import sys

import pytest

from longways.cli import main
from longways.translation.memory.store import Store
from longways.translation.memory.tmx_reader import read_tmx
from longways.translation.memory.tmx_writer import TmxWriter
from tests.cli.test_translate import echo
from tests.translation.memory.files import write_tmx

__all__ = ["echo"]  # a fixture

PAGE = "# 标题\n\n点击**保存**按钮。海风很冷。\n"


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.fixture
def memory(tmp_path):
    return write_tmx(tmp_path / "team.tmx", [("点击保存按钮。", "Press Save.")])


def test_sentences_are_taken_exported_and_stored(echo, page, memory, tmp_path, capfd):
    options = ("--memory", memory, "--memory", "ours.sqlite", "--export-memory", "job.tmx")
    assert echo(page, *options) == 0
    assert "Press **Save**." in (tmp_path / "page.en.md").read_text(encoding="utf-8")
    assert capfd.readouterr().out == f"{tmp_path / 'page.en.md'}\n"
    pairs = {one.source: one.target for one in read_tmx(tmp_path / "job.tmx", "zh", "en")}
    assert list(pairs) == ["标题", "点击保存按钮。", "海风很冷。"]
    assert pairs["点击保存按钮。"] == "Press Save."
    stored = {one.source for one in Store(tmp_path / "ours.sqlite", "zh", "en").units()}
    assert stored == {"标题", "海风很冷。"}


def test_json_says_what_was_found(echo, page, memory, capfd):
    page.write_text("点击保存按钮。点击保存按键。海风很冷。\n", encoding="utf-8")
    assert echo(page, "--json", "--memory", memory) == 0
    found = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [line.get("memory") for line in found] == ["exact", "fuzzy", None]
    assert (found[0]["score"], found[0]["confidence"]) == (None, None)
    assert found[1]["fuzzy_match"]["score"] == 86
    assert found[1]["fuzzy_match"]["translation"] == "Press Save."


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--memory", "none.tmx"], "none.tmx cannot be read"),
        (["--memory", "page.md"], "a translation memory is a .tmx or a .sqlite file"),
        (["--memory", "german.tmx"], "german.tmx has no pairs from zh to en"),
        (["--memory", "other.sqlite"], "other.sqlite is a memory from en to zh"),
        (["--export-memory", "out.xml"], "which is a .tmx file"),
        (["--export-memory", "team.tmx"], "team.tmx exists. Overwrite it with --force"),
        (["--export-memory", "no/folder/page.md.tmx", "--memory", "x/y.sqlite"], "x/y.sqlite"),
    ],
)
def test_what_cannot_be_used_is_one_sentence_before_any_work(
    echo, page, memory, tmp_path, capfd, options, said
):
    Store(tmp_path / "other.sqlite", "en", "zh").close()
    whole = memory.read_text(encoding="utf-8").replace("zh-CN", "de").replace("en-US", "fr")
    (tmp_path / "german.tmx").write_text(whole, encoding="utf-8")
    before = memory.read_bytes()
    assert echo(page, *options) == 2
    error = capfd.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "page.en.md").exists()
    assert not (tmp_path / "page.en.md.journal").exists()
    assert memory.read_bytes() == before


def test_an_export_without_the_files_that_were_finished_before_says_so(echo, tmp_path, capfd):
    (tmp_path / "docs").mkdir()
    for name in ("a.md", "b.md"):
        (tmp_path / "docs" / name).write_text(PAGE, encoding="utf-8")
    assert echo("docs", "-o", "out", "--export-memory", "one.tmx") == 0
    assert "lacks" not in capfd.readouterr().err
    assert echo("docs", "-o", "out", "--export-memory", "two.tmx") == 0
    assert "two.tmx lacks the sentences of files that were translated before" in (
        capfd.readouterr().err
    )


def test_an_export_that_a_killed_job_has_left_is_replaced_and_other_files_are_not(
    echo, page, tmp_path, capfd
):
    partial = tmp_path / "job.partial.tmx"
    partial.write_text("mine")
    assert echo(page, "--export-memory", "job.tmx") == 2
    assert "job.partial.tmx exists" in capfd.readouterr().err
    assert partial.read_text() == "mine"
    partial.unlink()
    writer = TmxWriter(tmp_path / "job.tmx", "zh", "en")
    writer.begin()
    writer.output.keep_partial()  # closed, as a kill would leave it
    assert partial.exists()
    assert echo(page, "--export-memory", "job.tmx") == 0
    assert not partial.exists()
    assert len(list(read_tmx(tmp_path / "job.tmx", "zh", "en"))) == 3


def memory_command(monkeypatch, *arguments) -> int:
    """`longways memory`, in this process."""
    monkeypatch.setattr(sys, "argv", ["longways", "memory", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_a_store_is_filled_counted_and_written(monkeypatch, tmp_path, capfd):
    monkeypatch.chdir(tmp_path)
    first = [("你好。", "Hello."), ("再见。", "Bye.")]
    write_tmx(tmp_path / "a.tmx", first)
    write_tmx(tmp_path / "b.tmx", [("你好。", "Hi."), ("再见。", "Bye.")])
    assert memory_command(monkeypatch, "import", "a.tmx", "b.tmx", "c.sqlite") == 0
    assert capfd.readouterr().out == "a.tmx: 2 of 2 units added\nb.tmx: 1 of 2 units added\n"
    assert memory_command(monkeypatch, "info", "--json", "c.sqlite", "a.tmx") == 0
    stored, given = map(json.loads, capfd.readouterr().out.splitlines())
    counts = {"units": 3, "sources": 2, "conflicts": 1, "machine": 0}
    assert stored == {"file": "c.sqlite", "source": "zh", "target": "en", **counts}
    assert (given["units"], given["conflicts"]) == (2, 0)
    assert memory_command(monkeypatch, "info", "c.sqlite") == 0
    assert "3 units, 2 sources, 1 conflicts" in capfd.readouterr().out
    assert memory_command(monkeypatch, "export", "c.sqlite", "d.tmx") == 0
    found = [(one.source, one.target) for one in read_tmx(tmp_path / "d.tmx", "zh", "en")]
    assert found == [*first, ("你好。", "Hi.")]


def test_a_store_of_other_languages(monkeypatch, tmp_path, capfd):
    monkeypatch.chdir(tmp_path)
    write_tmx(tmp_path / "a.tmx", [("你好。", "Hello.")])
    options = ("--source", "en", "--target", "zh")
    assert memory_command(monkeypatch, "import", "a.tmx", "c.sqlite", *options) == 0
    assert memory_command(monkeypatch, "import", "a.tmx", "c.sqlite") == 0
    assert capfd.readouterr().out.splitlines()[1] == "a.tmx: 0 of 1 units added"
    assert memory_command(monkeypatch, "info", "c.sqlite") == 0
    assert capfd.readouterr().out.startswith("c.sqlite: en to zh, 1 units")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["import", "a.tmx"], "Name TMX files and then the .sqlite file"),
        (["import", "c.sqlite", "a.tmx"], "Name TMX files and then the .sqlite file"),
        (["import", "a.tmx", "none.tmx", "new.sqlite"], "none.tmx cannot be read"),
        (["info", "none.sqlite"], "none.sqlite is not a file"),
        (["info", "text.db"], "text.db is not a translation memory"),
        (["info", "a.csv"], "a .tmx or a .sqlite file"),
        (["export", "text.db", "out.tmx"], "text.db is not a translation memory"),
        (["export", "a.tmx", "a.tmx"], "a.tmx is read or written by this command already"),
    ],
)
def test_what_is_no_memory_is_one_sentence(monkeypatch, tmp_path, capfd, arguments, said):
    monkeypatch.chdir(tmp_path)
    write_tmx(tmp_path / "a.tmx", [("你好。", "Hello.")])
    (tmp_path / "text.db").write_text("text " * 200)
    assert memory_command(monkeypatch, *arguments) == 2
    error = capfd.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tmx", "text.db"]
