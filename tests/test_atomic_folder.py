"""Folders are replaced atomically."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from longways import atomic_folder as module
from longways.atomic_folder import atomic_folder, exchange, recover_folder


def test_the_folder_appears_when_it_is_complete(tmp_path):
    target = tmp_path / "a" / "b"
    with atomic_folder(target) as draft:
        (draft / "file").write_text("x")
        assert not target.exists()
    assert (target / "file").read_text() == "x"


def test_an_error_leaves_nothing_behind(tmp_path):
    def interrupted() -> None:
        with atomic_folder(tmp_path / "a") as draft:
            (draft / "file").write_text("x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_the_draft_of_a_killed_process_is_deleted(tmp_path):
    (tmp_path / ".a.writing").mkdir()
    (tmp_path / ".a.writing" / "old").touch()
    with atomic_folder(tmp_path / "a") as draft:
        (draft / "new").touch()
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["new"]


def _replace(path: Path, times: int) -> None:
    for number in range(times):
        with atomic_folder(path) as draft:
            (draft / "file").write_text(str(number))


def test_a_replaced_folder_is_there_at_every_moment(tmp_path):
    path, beside = tmp_path / "a", tmp_path / "b"
    for folder in (path, beside):
        _replace(folder, 1)
    if not exchange(path, beside):
        pytest.skip("this system cannot exchange two folders in one step")
    with ThreadPoolExecutor(1) as pool:
        writer, seen = pool.submit(_replace, path, 100), 0
        while not writer.done():
            assert path.is_dir()
            seen += 1
    writer.result()
    assert seen > 100
    assert (path / "file").read_text() == "99"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


def test_a_folder_is_replaced_where_folders_cannot_be_exchanged(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "exchange", lambda *_: False)
    _replace(tmp_path / "a", 3)
    assert (tmp_path / "a" / "file").read_text() == "2"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_link_in_place_of_the_folder_is_replaced_and_what_it_names_stays(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious").touch()
    (tmp_path / "a").symlink_to("elsewhere")
    _replace(tmp_path / "a", 2)
    assert not (tmp_path / "a").is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "elsewhere"]
    assert (tmp_path / "elsewhere" / "precious").exists()


def test_folders_that_are_not_there_are_not_exchanged(tmp_path):
    (tmp_path / "a").mkdir()
    assert not exchange(tmp_path / "a", tmp_path / "b")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_after_a_kill_between_the_two_renames_the_previous_folder_is_restored(tmp_path):
    (tmp_path / ".a.previous").mkdir()
    recover_folder(tmp_path / "a")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_after_a_kill_after_the_second_rename_the_previous_folder_is_deleted(tmp_path):
    (tmp_path / ".a.previous").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "new").touch()
    recover_folder(tmp_path / "a")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a" / "new").exists()


@pytest.mark.parametrize("is_whole", [False, True])
def test_several_processes_may_recover_a_folder_at_the_same_time(tmp_path, is_whole):
    for attempt in range(20):
        path, previous = tmp_path / f"a{attempt}", tmp_path / f".a{attempt}.previous"
        for folder in (previous, path) if is_whole else (previous,):
            folder.mkdir()
            for number in range(50):
                (folder / str(number)).touch()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(recover_folder, [path] * 8))
        assert len(list(path.iterdir())) == 50
        assert not previous.exists()
