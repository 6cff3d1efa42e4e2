"""The SQLite store: which translation wins, snapshots, several writers, and files of others."""

import sqlite3
import subprocess
import sys
import time

import pytest

from longways.errors import TextError
from longways.translation.memory.schema import VERSION
from longways.translation.memory.store import Store
from longways.translation.memory.units import Unit


def anything(_: str) -> bool:
    return True


def found(store, source="你", before="", fits=anything):
    match = store.find(source, before, fits)
    return match and (match.target, match.has_conflict)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "a.sqlite", "zh", "en")


def add(store, *units):
    count = store.add(units)
    store.see_all()
    return count


def test_a_person_comes_before_a_machine_and_the_newest_before_older_ones(store):
    add(store, Unit("你", "machine", "之前。", created="2026", is_machine=True))
    assert found(store, before="之前。") == ("machine", False)
    add(store, Unit("你", "new", created="2022"), Unit("你", "old", created="2021"))
    assert found(store, before="之前。") == ("new", True)


def test_the_translation_of_a_machine_counts_only_in_its_context(store):
    add(store, Unit("你", "machine", "之前。", is_machine=True))
    assert found(store, before="别的。") is None
    assert found(store, before="") is None
    assert found(store, before="之前。") == ("machine", False)
    assert found(store, before=None) == ("machine", False)


def test_the_same_sentence_before_decides_between_translations(store):
    add(store, Unit("你", "tu", "朋友。"), Unit("你", "vous", "先生。"), Unit("你", "toi"))
    assert found(store, before="朋友。") == ("tu", False)
    assert found(store, before=" 先生。 ") == ("vous", False)
    assert found(store, before="别的。") == ("toi", True)
    assert found(store, "他") is None


def test_a_translation_that_does_not_fit_gives_way_to_the_next(store):
    add(store, Unit("共{0}行", "{0} lines"), Unit("共{0}行", "many lines"))
    assert found(store, "共{0}行", fits=lambda target: "{0}" in target) == ("{0} lines", False)


def test_sources_are_found_by_their_text_without_invisible_signs_and_extra_space(store):
    add(store, Unit("打开 Save\u200b now, 再关闭。", "Hello."))
    assert found(store, "打开Save\n now,再  关闭。") == ("Hello.", False)
    assert found(store, "打开 Savenow, 再关闭。") is None


def test_a_unit_is_added_once_and_a_person_confirms_it_later(store):
    unit = Unit("你", "you", created="2020")
    assert add(store, unit, unit) == 1
    assert add(store, unit._replace(is_machine=True, created="2030")) == 0
    assert add(store, Unit("你", "thou", created="2021"), unit) == 1
    assert found(store) == ("thou", True)
    assert add(store, unit._replace(created="2022")) == 1
    assert found(store) == ("you", True)
    assert store.size == 3


def test_halves_of_characters_are_stored_as_question_marks(store):
    add(store, Unit("你\ud800", "x\udfff"))
    assert [one.target for one in store.units()] == ["x?"]


def test_a_job_sees_the_units_of_its_beginning_also_when_it_resumes(tmp_path):
    path = tmp_path / "a.sqlite"
    first = Store(path, "zh", "en")
    add(first, Unit("一", "one"))
    first.begin("job", resumed=False)
    Store(path, "zh", "en").add([Unit("二", "two")])
    assert found(first, "二") is None
    again = Store(path, "zh", "en")
    assert found(again, "二") == ("two", False)
    again.begin("job", resumed=True)
    assert found(again, "二") is None
    assert list(again.sources()) == ["一"]
    other = Store(path, "zh", "en")
    other.begin("other", resumed=True)
    assert found(other, "二") == ("two", False)
    again.end("job")
    again.begin("job", resumed=True)
    assert found(again, "二") == ("two", False)


WRITER = """
import sys
from longways.translation.memory.store import Store
from longways.translation.memory.units import Unit
store = Store({path!r}, "zh", "en")
for part in range(20):
    store.add(Unit(f"{{sys.argv[1]}}-{{part}}-{{n}}", "x") for n in range(50))
    print(part, flush=True)
"""


def test_two_writers_at_once_lose_nothing_and_a_killed_one_leaves_whole_batches(tmp_path):
    path = str(tmp_path / "a.sqlite")
    command = [sys.executable, "-c", WRITER.format(path=path)]
    writers = [
        subprocess.Popen([*command, name], stdout=subprocess.PIPE) for name in ("a", "b", "killed")
    ]
    assert writers[2].stdout
    writers[2].stdout.readline()
    writers[2].kill()
    for writer in writers:
        writer.communicate(timeout=120)
    assert [writer.returncode for writer in writers[:2]] == [0, 0]
    store = Store(tmp_path / "a.sqlite", "zh", "en")
    sources = list(store.sources())
    assert sum(source.startswith(("a-", "b-")) for source in sources) == 2_000
    assert len(sources) % 50 == 0
    (check,) = store.database.execute("PRAGMA integrity_check").fetchone()
    assert check == "ok"


def test_a_full_disk_is_one_sentence_and_leaves_the_units_before(store):
    add(store, Unit("一", "one"))
    store.database.execute("PRAGMA max_page_count = 20")
    with pytest.raises(TextError, match=r"the disk is full\. Free some space"):
        store.add(Unit(f"第{n}句", "x" * 100) for n in range(2_000))
    store.see_all()
    assert (store.size, found(store, "一")) == (1, ("one", False))


def test_another_pair_of_languages_is_refused_by_name(tmp_path):
    Store(tmp_path / "a.sqlite", "zh", "en").close()
    with pytest.raises(TextError, match=r"is a memory from zh to en, but .* from en to zh"):
        Store(tmp_path / "a.sqlite", "en", "zh")


def test_files_that_are_no_store_are_refused(tmp_path):
    text, foreign, later = (tmp_path / name for name in ("text", "foreign", "later"))
    text.write_text("no database " * 100)
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE x (y)")
    Store(later, "zh", "en").close()
    with sqlite3.connect(later) as database:
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
    for path, said in (
        (text, "it is no SQLite file"),
        (foreign, "is a SQLite file of another program"),
        (later, "has format version 2"),
        (tmp_path, "cannot be opened"),
        (tmp_path / "no" / "folder.sqlite", "cannot be opened"),
    ):
        before = path.read_bytes() if path.is_file() else b""
        with pytest.raises(TextError, match=said):
            Store(path, "zh", "en")
        assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_damaged_store_is_one_sentence(tmp_path):
    path = tmp_path / "a.sqlite"
    store = Store(path, "zh", "en")
    store.add(Unit(f"第{n}句", "x" * 100) for n in range(2_000))
    store.close()
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    path.write_bytes(data)
    with pytest.raises(TextError, match=r"cannot be used: .* Restore it"):
        found(Store(path, "zh", "en"), "第1句")


def test_thirty_thousand_units_with_one_source_take_no_quadratic_time(store):
    began = time.process_time()
    add(store, *(Unit("你", f"you {n}") for n in range(30_000)))
    for _ in range(100):
        assert found(store) == ("you 29999", True)
    assert time.process_time() - began < 15
