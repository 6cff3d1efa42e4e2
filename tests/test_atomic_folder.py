"""Folders are replaced atomically."""

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
