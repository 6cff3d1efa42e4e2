"""Folders are replaced atomically."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from longways.atomic_folder import atomic_folder, recover_folder


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
