"""Interrupted jobs resume: the same files in the end, and nothing is translated twice."""

import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from longways.decoding.shortlist.shortlist import Shortlist
from longways.errors import FormatError, LongwaysError
from longways.formats.registry import format_of
from longways.translation.files.job import Job, Listener
from longways.translation.files.output_styles import Bilingual, JsonLines, PlainText, SideBySide
from longways.translation.files.plan import Languages, plan_files
from longways.translation.files.record import FinishedFiles
from longways.translation.report import Report
from tests.translation.echo import EchoRuntime, echo_translator

SENTENCES = [f"第{number}个港口的灯熄灭了。" for number in range(40)]
PAGE = "# 标题\n\n" + "\n\n".join(
    f"{sentence}{sentence[:3]}。\n\n- `code_{number}` {sentence}"
    for number, sentence in enumerate(SENTENCES)
)


class _Killed(BaseException):
    """What no handler of the job expects."""


class _Killer(Listener):
    def __init__(self, after: int) -> None:
        self.left = after

    def advance(self, ready) -> None:
        self.left -= 1
        if not self.left:
            raise _Killed


def job(folder: Path, style=PlainText, listener=None, names=("a.txt", "b.md", "c.srt"), **options):
    """Run a job in a folder, until it ends or is killed; how many windows were translated."""
    translator = echo_translator(L=3)
    languages = Languages("zh", "en")
    paths = [folder / name for name in names]
    files = plan_files(
        paths, folder / "all.json" if style is JsonLines else None, languages, force=True,
        together=style is JsonLines,
    )  # fmt: skip
    model, runtime = translator.model, translator.runtime
    with suppress(_Killed):
        Job(model, runtime, {"beam": 1, **options}, style, listener).run(files)
    assert isinstance(translator.runtime, EchoRuntime)
    return translator.runtime.windows


def write_sources(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("\n".join(SENTENCES) + "\n")
    (folder / "b.md").write_text(PAGE)
    cues = (f"{i + 1}\n00:00:{i:02},000 --> 00:00:{i:02},900\n{s}\n" for i, s in
            enumerate(SENTENCES))  # fmt: skip
    (folder / "c.srt").write_text("\n".join(cues))
    return folder


def contents(folder: Path) -> dict[str, list[bytes]]:
    """All files by their names; lines of JSON come in any order, each with its place."""
    found = {
        path.name: path.read_bytes().replace(bytes(folder), b"").splitlines()
        for path in folder.iterdir()
    }
    return {name: sorted(x) if name.endswith("json") else x for name, x in found.items()}


@pytest.mark.parametrize("style", [PlainText, Bilingual, JsonLines])
def test_a_job_killed_many_times_gives_the_same_and_translates_nothing_twice(tmp_path, style):
    whole, killed = tmp_path / "1" / "texts", tmp_path / "2" / "texts"
    windows = job(write_sources(whole), style)
    write_sources(killed)
    total = 0
    for after in (1, 2, 7, 30, 31, 55, 90, 10_000):
        total += job(killed, style, _Killer(after))
        for path in killed.glob("*.partial.*"):
            if style is not JsonLines and (kind := format_of(path)):
                assert not kind.read(path.read_bytes(), "zh").warnings
    assert total == windows
    assert contents(killed) == contents(whole)


def test_the_report_says_what_was_taken_from_the_journal(tmp_path):
    write_sources(tmp_path / "a")
    job(tmp_path / "a", listener=_Killer(30), names=["a.txt"])
    report = Report()
    job(tmp_path / "a", names=["a.txt"], report=report)
    assert (report.sentences, report.recalled) == (40, 30)
    assert "30 taken from the journal" in str(report)


def test_sentences_of_a_formatted_file_as_json_and_side_by_side(tmp_path):
    write_sources(tmp_path / "a")
    job(tmp_path / "a", JsonLines, names=["b.md"])
    lines = (tmp_path / "a" / "all.json").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    assert [line["index"] for line in found] == list(range(len(found)))
    assert found[0]["source"] == found[0]["translation"] == "标题"
    assert sum("code_39" in line["translation"] for line in found) == 1
    job(tmp_path / "a", SideBySide, names=["b.md"])
    assert "标题".encode() in (tmp_path / "a" / "b.en.md").read_bytes()


def test_a_broken_file_among_others_is_told_of_and_the_others_are_translated(tmp_path):
    write_sources(tmp_path / "a")
    (tmp_path / "a" / "b.docx").write_bytes(b"no zip")
    told = []

    class Hears(Listener):
        def warn(self, message):
            told.append(message)

    with pytest.raises(FormatError, match=r"1 of 3 files were not translated.*All others were"):
        job(tmp_path / "a", listener=Hears(), names=["a.txt", "b.docx", "b.md"])
    assert [f"{tmp_path / 'a' / 'b.docx'}: " in line for line in told] == [True]
    names = set(contents(tmp_path / "a"))
    assert {"a.en.txt", "b.en.md"} <= names
    assert not {name for name in names if "journal" in name or "partial" in name}


def test_an_interrupted_job_with_several_hypotheses_resumes_with_all_of_them(tmp_path):
    options = {"names": ["a.txt"], "beam": 3, "nbest": 3}
    whole, killed = tmp_path / "1" / "texts", tmp_path / "2" / "texts"
    job(write_sources(whole), JsonLines, **options)
    job(write_sources(killed), JsonLines, _Killer(15), **options)
    job(killed, JsonLines, **options)
    assert contents(killed) == contents(whole)
    first = json.loads((whole / "all.json").read_text().splitlines()[0])
    assert first["nbest"][0] == {"translation": first["translation"], "score": first["score"]}
    assert len(first["nbest"]) > 1


class _ListedRuntime(EchoRuntime):
    """Says that it searches with a shortlist."""

    shortlist = Shortlist(np.arange(4000), np.zeros(0, np.int64), np.zeros(4001, np.int64), 4000)

    def limit(self, memory, words):
        return memory


def test_a_job_without_a_shortlist_is_not_resumed_with_one(tmp_path):
    folder = write_sources(tmp_path / "texts")
    job(folder, listener=_Killer(15), names=["a.txt"])
    files = plan_files([folder / "a.txt"], None, Languages("zh", "en"), force=True)
    with pytest.raises(LongwaysError, match="shortlist"):
        Job(echo_translator(L=3).model, _ListedRuntime(), {"beam": 1}).run(files)


def test_a_source_that_changes_during_the_job_is_translated_again(tmp_path):
    """The record has the source as it was read, not as it is when the file is finished."""
    folder = write_sources(tmp_path / "a")

    class Editor(Listener):
        def advance(self, ready):
            (folder / "a.txt").write_text("新的句子。\n")

    def run(listener):
        translator, record = echo_translator(L=3), FinishedFiles()
        languages, paths = Languages("zh", "en"), [folder / "a.txt", folder / "b.md"]
        files = plan_files(paths, None, languages, record=record)
        made = Job(translator.model, translator.runtime, {"beam": 1}, listener=listener,
                   record=record)  # fmt: skip
        made.run(files)
        return made.skipped

    assert [run(Editor()), run(None), run(None)] == [0, 1, 2]
    assert (folder / "a.en.txt").read_text() == "新的句子。\n"
