"""The benchmarks of formats, glossaries and killed jobs, on tiny files."""

import pytest
from benchmarks.files import (
    formats,
    fuzz,
    glossary,
    hostile,
    kept_parts,
    kills,
    memory,
    overhead,
    resume,
)
from benchmarks.files.generated import WRITERS
from benchmarks.updates import update

from longways.errors import FormatError, LongwaysError

PAGE = "# 集群\n\n打开 **终端**, 运行 `make`。\n\n- 节点停止了。\n- 容器没有启动。\n"


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.zh.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_the_time_of_a_format_is_a_share_of_the_whole(page):
    found = formats.measure(page, 8, 1, 2, 1)
    assert found.settings["sentences"] == 8
    assert len(found.rows) == 2
    for row in found.rows:
        assert 0 <= row["of which the format"] < row[".md"]


def test_the_overhead_of_formats_is_a_share_of_their_jobs():
    found = overhead.measure(4, 1, ["po", "csv"])
    assert [row["format"] for row in found.rows] == ["po", "csv"]
    for row in found.rows:
        assert row["sentences"] >= 4
        assert 0 <= row["of which the format"] < row["CPU s"]


def test_a_glossary_raises_the_share_of_its_terms(tmp_path):
    (tmp_path / "terms.tsv").write_text("终端\tconsole\n", encoding="utf-8")
    lines = ["a\t打开终端。\tOpen the console.", "a\t今天很好。\tToday is good."]
    (tmp_path / "a.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = glossary.measure(tmp_path / "terms.tsv", tmp_path / "a.tsv", "", tmp_path, None, 1)
    before, after = found.rows
    assert (before["terms"], after["terms"], after["used"]) == (1, 1, 1)
    assert before["used"] == 0


def test_a_job_killed_twice_gives_the_same_file(page):
    found = resume.measure(page, 40, 2, 1, 1)
    assert found.settings["same file"]
    assert found.settings["sentences"] == 40
    assert found.rows[-1]["killed after"] == "not" or len(found.rows) < 3
    assert all(row["twice"] == 0 for row in found.rows)


def test_an_update_translates_what_has_changed_and_all_corrections_survive():
    found = update.measure(2, 4, 1, 1, [".md"])
    assert [row["format"] for row in found.rows] == [".md", "all"]
    for row in found.rows:
        assert row["translated"] == row["new or changed"] < row["sentences"] / 4
        assert row["survived"] == row["corrections"] > 0


def test_plain_text_has_no_format_to_measure(tmp_path):
    plain = tmp_path / "page.txt"
    plain.write_text("好。", encoding="utf-8")
    with pytest.raises(FormatError, match="is plain text"):
        formats.measure(plain, 8, 1, 1, 1)
    with pytest.raises(FormatError, match="is plain text"):
        resume.measure(plain, 8, 1, 1, 1)


def test_every_kept_part_of_generated_sentences_is_intact():
    found = kept_parts.measure(60, 2, 1, 1)
    assert all(row["intact"] == row["parts"] > 0 for row in found.rows)


def test_a_folder_job_killed_twice_and_with_a_full_disk_gives_the_same_files():
    found = kills.measure(6, 2, 8, 1, 1)
    assert [row["identical"] for row in found.rows] == [2 * 6] * len(found.rows), "with pairs"
    assert found.rows[1]["interruptions"] == 2


def test_a_file_that_differs_from_the_undisturbed_one_is_an_error(tmp_path):
    places = [kills.Places.below(tmp_path, tmp_path / name) for name in ("one", "two")]
    for place in places:
        place.out.mkdir()
        (place.out / "a.en.txt").write_text(place.out.parent.name)
    with pytest.raises(LongwaysError, match="0 of 1 files are identical"):
        kills._row("killed", *places, 1, 1)


def test_mutated_files_of_every_format_are_read_and_written(monkeypatch):
    name = "quotes in quotes"
    monkeypatch.setattr(hostile, "PATTERNS", {name: hostile.PATTERNS[name]})
    found = fuzz.measure(12, 1, 1, 1, None)
    assert [row["files"] for row in found.rows] == [12] * len(WRITERS)
    assert all(row["refused"] < 12 for row in found.rows)
    assert [row["pattern"] for row in found.settings["times"]] == [name]


def test_fuzzing_sees_lost_text_and_tracebacks(tmp_path, monkeypatch):
    def lossy(data):
        raise fuzz.Defect("lost") if len(data) % 2 else KeyError(1)

    monkeypatch.setattr(fuzz, "_checker", lambda _: lossy)
    monkeypatch.setattr(fuzz, "slopes", lambda _: ([], []))
    with pytest.raises(LongwaysError, match=f"{4 * len(WRITERS)} defects"):
        fuzz.measure(4, 0, 1, 1, tmp_path)
    assert len(list(tmp_path.iterdir())) == 4 * len(WRITERS)


def test_a_memory_saves_the_time_of_the_sentences_that_are_taken(tmp_path):
    sentences = ["打开终端。", "今天很好。", "节点停止了。", "容器没有启动。", "运行安装命令。"]
    lines = [f"{name}\t{text}\tSentence {n}." for name in "ab" for n, text in enumerate(sentences)]
    lines.append("c\t别的句子。\tAnother sentence.")
    (tmp_path / "a.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = memory.measure(tmp_path / "a.tsv", "", tmp_path, documents=2, units=10, beam=1, seed=1)
    none, _, most = found.rows
    assert (none["taken"], none["others unchanged"], none["sentences"]) == (0, 1.0, 10)
    assert 0 < most["taken"] < 10
    assert most["taken"] + most["others"] == 10
