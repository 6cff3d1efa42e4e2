"""Jobs with translation memories: what is taken, with its markup, and what stays as it was."""

import json
from contextlib import suppress
from pathlib import Path

import pytest

from longways.errors import ConfigError, LongwaysError, TextError
from longways.text.sentences.splitter import Segment
from longways.translation.files.job import Job, Listener
from longways.translation.files.output_styles import JsonLines, PlainText
from longways.translation.files.plan import Languages, plan_files
from longways.translation.files.record import FinishedFiles
from longways.translation.memory.lookup import TranslationMemory
from longways.translation.memory.opened import open_memory
from longways.translation.memory.recorder import PairRecorder
from longways.translation.memory.store import Store
from longways.translation.memory.tmx_reader import read_tmx
from longways.translation.memory.tmx_writer import TmxWriter
from longways.translation.memory.units import Unit
from longways.translation.report import Report
from longways.translation.segments import TranslatedSegment
from tests.translation.echo import echo_translator
from tests.translation.memory.files import write_tmx


class _Killed(BaseException):
    """What no handler of the job expects."""


class _Killer(Listener):
    def __init__(self, after: int) -> None:
        self.left = after

    def advance(self, ready) -> None:
        self.left -= 1
        if not self.left:
            raise _Killed


def memory_of(*units: Unit) -> TranslationMemory:
    store = Store(None, "zh", "en")
    store.add(units)
    store.see_all()
    return TranslationMemory([store], identity="test")


def job(paths, memory=None, style=PlainText, *, out=None, export=None, listener=None, **options):
    """Translate files; returns the windows that were searched, and the report."""
    translator, report = echo_translator(L=3), Report()
    together = style is JsonLines
    record = None if together else FinishedFiles()
    files = plan_files(
        paths, out, Languages("zh", "en"), force=together, together=together, record=record
    )
    writer = TmxWriter(export, "zh", "en") if export else None
    with suppress(_Killed):
        Job(
            translator.model, translator.runtime,
            {"beam": 1, "memory": memory, "report": report, **options}, style, listener,
            record=record if len(files) > 1 else None,
            pairs=PairRecorder(memory, writer, "en"),
        ).run(files)  # fmt: skip
    return translator.runtime.windows, report


def translate(tmp_path: Path, name: str, text: str, memory, **options) -> str:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    target = path.with_name(f"{path.stem}.en{path.suffix}")
    target.unlink(missing_ok=True)
    job([path], memory, **options)
    return target.read_text(encoding="utf-8")


def lines(tmp_path: Path, name: str, text: str, memory, **options) -> list[dict]:
    path, out = tmp_path / name, tmp_path / "out.json"
    path.write_text(text, encoding="utf-8")
    job([path], memory, JsonLines, out=out, **options)
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def test_taken_sentences_are_not_searched_and_all_others_are(tmp_path):
    text = "灯塔在港口。海风很冷。天空是蓝的。\n"
    path = tmp_path / "a.txt"
    path.write_text(text)
    windows, report = job([path], memory_of(Unit("海风很冷。", "The wind is cold.")))
    assert windows == 2
    assert (report.taken, report.sentences, report.untranslated) == (1, 3, 0)
    assert "1 taken from the translation memory" in str(report)
    assert (tmp_path / "a.en.txt").read_text() == "灯塔在港口。 The wind is cold. 天空是蓝的。\n"


def test_a_file_whose_sentences_are_all_taken_needs_no_search(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("# 标题\n\n你好。\n")
    windows, _ = job([path], memory_of(Unit("标题", "Title"), Unit("你好。", "Hello.")))
    assert windows == 0
    assert (tmp_path / "a.en.md").read_text() == "# Title\n\nHello.\n"


def test_markup_is_projected_onto_taken_sentences(tmp_path):
    memory = memory_of(Unit("点击 Save 按钮。", "Press Save now & <here>*."))
    found = translate(tmp_path, "a.md", "点击 **Save** 按钮。\n", memory)
    assert found == "Press **Save** now & \\<here>\\*.\n"
    found = translate(tmp_path, "a.html", "<p>点击 <b>Save</b> 按钮。</p>\n", memory)
    assert found == "<p>Press <b>Save</b> now &amp; &lt;here&gt;*.</p>\n"


@pytest.mark.parametrize("text", ["共{0}行。", "共`{0}`行。", "见 https://x.org/a 吧。"])
def test_a_translation_that_lacks_a_placeholder_is_not_taken(tmp_path, text):
    plain = text.replace("`", "")
    found = lines(tmp_path, "a.md", text, memory_of(Unit(plain, "Lines.")))
    assert found[0]["memory"] == "fuzzy"
    assert found[0]["translation"] != "Lines."
    kept = plain.strip("共行见吧。 ")
    found = lines(tmp_path, "a.md", text, memory_of(Unit(plain, f"There: {kept}.")))
    assert (found[0]["memory"], found[0]["translation"]) == ("exact", f"There: {kept}.")


def test_numbers_and_signs_at_the_ends_of_a_sentence_need_not_be_in_the_memory(tmp_path):
    memory = memory_of(Unit("安装软件。", "Install it."), Unit("2、打开文件。", "Open it second."))
    found = translate(tmp_path, "a.txt", "1、安装软件。\n2、打开文件。\n// 安装软件。\n", memory)
    assert found == "1. Install it.\nOpen it second.\n// Install it.\n"


def test_a_paragraph_is_looked_up_before_its_sentences(tmp_path):
    memory = memory_of(
        Unit("打开文件。关闭文件。", "Open and close the file."),
        Unit("打开文件。", "wrong"),
        Unit("安装软件。运行软件。", "Install it. Run it."),
    )
    text = "打开文件。关闭文件。\n\n安装软件。运行软件。\n\n打开文件。\n"
    expected = "Open and close the file.\n\nInstall it. Run it.\n\nwrong\n"
    assert translate(tmp_path, "a.md", text, memory) == expected
    assert translate(tmp_path, "a.txt", text, memory) == expected
    assert translate(tmp_path, "b.md", "打开文件。\n关闭文件。\n", memory) == expected[:25]
    found = lines(tmp_path, "a.md", text, memory)
    assert [line["source"] for line in found] == [
        "打开文件。关闭文件。", "安装软件。", "运行软件。", "打开文件。",
    ]  # fmt: skip
    assert {line["memory"] for line in found} == {"exact"}


def test_marks_of_a_paragraph_that_is_taken_as_one(tmp_path):
    memory = memory_of(Unit("打开 A1 文件。关闭 B2 文件。", "Open A1, then close B2."))
    found = translate(tmp_path, "a.md", "打开 *A1* 文件。关闭 **B2** 文件。\n", memory)
    assert found == "Open *A1*, then close **B2**.\n"


def test_text_on_either_side_of_a_hard_break_stays_there(tmp_path):
    memory = memory_of(Unit("打开文件。关闭文件。", "Open and close."))
    found = translate(tmp_path, "a.md", "打开文件。\\\n关闭文件。\n", memory)
    assert found == "打开文件。\\\n关闭文件。\n"


def test_fuzzy_matches_are_shown_and_not_taken(tmp_path):
    memory = memory_of(Unit("点击保存按钮，共3次。", "Press Save 3 times."))  # noqa: RUF001
    found = lines(tmp_path, "a.txt", "点击保存按钮，共4次。\n海风很冷。\n", memory)  # noqa: RUF001
    assert found[0]["memory"] == "fuzzy"
    assert found[0]["fuzzy_match"] == {
        "score": 99,
        "source": "点击保存按钮，共3次。",  # noqa: RUF001
        "translation": "Press Save 3 times.",
    }
    assert found[0]["translation"].startswith("点击保存")
    assert "memory" not in found[1]


def test_conflicts_are_counted_and_the_sentence_before_decides(tmp_path):
    memory = memory_of(
        Unit("你好。", "Hi.", "朋友来了。", created="1"),
        Unit("你好。", "Good day.", "客人来了。", created="2"),
        Unit("你好。", "Hello.", created="3"),
        Unit("你好。", "Howdy.", "", created="2"),
    )
    path = tmp_path / "a.txt"
    path.write_text("朋友来了。你好。\n客人来了。你好。\n别人来了。你好。\n")
    _, report = job([path], memory)
    found = (tmp_path / "a.en.txt").read_text()
    assert found == "朋友来了。 Hi.\n客人来了。 Good day.\n别人来了。 Hello.\n"
    assert (report.taken, report.conflicts) == (3, 1)
    assert "1 of them with several translations there" in str(report)


def test_terms_of_a_glossary_that_a_taken_translation_lacks_are_named(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("打开灯塔。\n")
    _, report = job(
        [path], memory_of(Unit("打开灯塔。", "Open it.")), glossary={"灯塔": "lighthouse"}
    )
    assert (report.terms, report.missed) == (1, 1)
    assert (tmp_path / "a.en.txt").read_text() == "Open it.\n"


def test_a_memory_without_a_match_changes_nothing(tmp_path):
    text = "# 标题\n\n灯塔在`港口`。海风很**冷**。\n"
    plain = translate(tmp_path, "a.md", text, None)
    assert translate(tmp_path, "a.md", text, memory_of(Unit("别的", "Other"))) == plain


SENTENCES = [f"第{number}个港口的灯熄灭了。" for number in range(30)]


def write_pages(folder: Path) -> list[Path]:
    folder.mkdir(parents=True)
    for name in "ab":
        page = "\n\n".join(f"{sentence}{name}{sentence}" for sentence in SENTENCES)
        (folder / f"{name}.md").write_text(page + "\n")
    return [folder / "a.md", folder / "b.md"]


@pytest.mark.parametrize("style", [PlainText, JsonLines])
def test_a_killed_job_gives_the_same_bytes_although_its_memory_grows(tmp_path, style):
    """Each attempt stores what it has finished, and another job adds wrong translations."""
    results = []
    for name, kills in (("whole", []), ("killed", [1, 9, 40, 61, 90])):
        path, other = tmp_path / f"{name}.sqlite", tmp_path / f"{name}-other.sqlite"
        Store(path, "zh", "en").add([Unit(SENTENCES[3], "Three."), Unit(SENTENCES[4], "Four.")])
        pages = write_pages(tmp_path / name / "x")
        out = pages[0].with_name("all.json") if style is JsonLines else None
        for after in [*kills, 10_000]:
            memory = open_memory([path, other], "zh", "en")
            job(pages, memory, style, out=out, listener=_Killer(after))
            for store in (path, other):
                Store(store, "zh", "en").add(Unit(text, "wrong") for text in SENTENCES)
        left = {
            one.name: one.read_bytes() for one in (tmp_path / name / "x").iterdir() if one.is_file()
        }
        for found in left.values():
            assert b"wrong" not in found
        left.pop(".longways.jsonl", None)
        name_free = bytes(tmp_path / name)
        results.append({k: sorted(v.replace(name_free, b"").splitlines()) for k, v in left.items()})
    assert results[0] == results[1]


def test_a_journal_with_another_memory_is_refused(tmp_path):
    first = write_tmx(tmp_path / "a.tmx", [(SENTENCES[3], "Three.")])
    second = write_tmx(tmp_path / "b.tmx", [(SENTENCES[3], "3.")])
    pages = write_pages(tmp_path / "x")[:1]
    job(pages, open_memory([first], "zh", "en"), listener=_Killer(9))
    for other in (None, open_memory([second], "zh", "en")):
        with pytest.raises(LongwaysError, match="translation memory"):
            job(pages, other)
    job(pages, open_memory([first], "zh", "en"))
    assert "Three." in (tmp_path / "x" / "a.en.md").read_text()


def test_new_translations_are_stored_for_later_jobs_and_finished_files_skipped(tmp_path):
    path, pages = tmp_path / "m.sqlite", write_pages(tmp_path / "x")
    windows, first = job(pages, open_memory([path], "zh", "en"))
    assert (windows > 100, first.taken) == (True, 0)
    store = Store(path, "zh", "en")
    assert {one.is_machine for one in store.units()} == {True}
    assert store.size == sum(1 for _ in store.units()) > 30
    windows, again = job(pages, open_memory([path], "zh", "en"))
    assert (windows, again.sentences) == (0, 0)
    copies = write_pages(tmp_path / "y")
    windows, later = job(copies, open_memory([path], "zh", "en"))
    assert (windows, later.taken) == (0, later.sentences)
    assert (tmp_path / "y" / "a.en.md").read_bytes() == (tmp_path / "x" / "a.en.md").read_bytes()
    assert Store(path, "zh", "en").size == store.size


def test_translations_with_problems_are_exported_but_not_stored(tmp_path):
    path, export = tmp_path / "m.sqlite", tmp_path / "out.tmx"
    writer = TmxWriter(export, "zh", "en")
    recorder = PairRecorder(open_memory([path], "zh", "en"), writer, "en")
    recorder.begin([None], resumed=False)
    right = TranslatedSegment(0, Segment("灯塔。", ""), "A lighthouse.", -1.0)
    start = TranslatedSegment(0, Segment("二十个港口,", " ", ends=False), "A port,", -1.0)
    wrong = TranslatedSegment(
        0, Segment("三个人。", "\n"), "four people.", -1.0, problems=["numbers"]
    )
    copied = TranslatedSegment(0, Segment("123", "\n"), "123", None)
    for ready in (right, start, wrong, copied):
        recorder.add(0, ready)
    recorder.end(0, "a.txt")
    recorder.finish()
    assert [one.source for one in Store(path, "zh", "en").units()] == ["灯塔。"]
    assert [(one.source, one.target) for one in read_tmx(export, "zh", "en")] == [
        ("灯塔。", "A lighthouse."), ("二十个港口, 三个人。", "A port, four people."),
    ]  # fmt: skip
    assert '<prop type="x-problems">numbers</prop>' in export.read_text()


def test_an_export_has_all_pairs_and_is_a_memory_with_which_nothing_is_searched(tmp_path):
    export, page = tmp_path / "out.tmx", tmp_path / "a.md"
    text = "# 标题\n\n1、灯塔在**港口**，见`{x}`。海风很冷。\n\n- 123\n- {x}\n"  # noqa: RUF001
    page.write_text(text)
    job([page], memory_of(Unit("海风很冷。", "The wind.")), export=export)
    found = list(read_tmx(export, "zh", "en"))
    assert [(one.source, one.is_machine) for one in found] == [
        ("标题", True), ("1、灯塔在港口，见{x}。", True), ("海风很冷。", False),  # noqa: RUF001
    ]  # fmt: skip
    assert [one.before for one in found] == ["", "标题", "1、灯塔在港口，见{x}。"]  # noqa: RUF001
    first = (tmp_path / "a.en.md").read_bytes()
    (tmp_path / "a.en.md").unlink()
    windows, _ = job([page], open_memory([export], "zh", "en"))
    assert windows == 0
    assert (tmp_path / "a.en.md").read_bytes() == first


def test_an_interrupted_job_leaves_no_export(tmp_path):
    pages, export = write_pages(tmp_path / "x"), tmp_path / "out.tmx"
    job(pages, None, export=export, listener=_Killer(9))
    assert not export.exists()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["x"]


def test_the_first_file_that_has_a_sentence_counts_and_the_first_store_is_written(tmp_path):
    tmx = write_tmx(tmp_path / "a.tmx", [("你好。", "Hello from A.")])
    other = write_tmx(tmp_path / "b.tmx", [("你好。", "Hello from B."), ("再见。", "Bye from B.")])
    stores = [tmp_path / "c.sqlite", tmp_path / "d.db"]
    page = tmp_path / "a.txt"
    page.write_text("你好。再见。海风很冷。\n")
    job([page], open_memory([tmx, other, *stores, tmx], "zh", "en"))
    assert (tmp_path / "a.en.txt").read_text() == "Hello from A. Bye from B. 海风很冷。\n"
    assert [Store(path, "zh", "en").size for path in stores] == [1, 0]


def test_names_that_are_no_memory_are_refused(tmp_path):
    for name in ("a.tmx.gz", "memory", "a.csv"):
        with pytest.raises(ConfigError, match=r"a \.tmx or a \.sqlite file"):
            open_memory([tmp_path / name], "zh", "en")
    with pytest.raises(TextError, match="cannot be read"):
        open_memory([tmp_path / "none.tmx"], "zh", "en")
    (tmp_path / "folder.sqlite").mkdir()
    with pytest.raises(TextError, match="is not a file"):
        open_memory([tmp_path / "folder.sqlite"], "zh", "en")
    with pytest.raises(ConfigError, match=r"memory is 'a\.tmx', but it must be"):
        job([], "a.tmx")


def test_a_file_is_translated_in_python_with_a_memory(tmp_path):
    page = tmp_path / "a.txt"
    page.write_text("你好。海风很冷。\n")
    memory = write_tmx(tmp_path / "a.tmx", [("你好。", "Hello.")])
    made = echo_translator().translate_file(page, memory=[memory, str(tmp_path / "b.sqlite")])
    assert made.read_text() == "Hello. 海风很冷。\n"
    assert [one.source for one in Store(tmp_path / "b.sqlite", "zh", "en").units()] == [
        "海风很冷。"
    ]


def test_a_machine_translation_after_another_sentence_is_only_shown(tmp_path):
    memory = memory_of(Unit("你好。", "Hi there.", "朋友来了。", is_machine=True))
    found = lines(tmp_path, "a.txt", "朋友来了。你好。\n客人来了。你好。\n", memory)
    assert [line.get("memory") for line in found] == [None, "exact", None, "fuzzy"]
    assert found[3]["fuzzy_match"]["score"] == 99
    assert found[3]["translation"] == "你好。"
