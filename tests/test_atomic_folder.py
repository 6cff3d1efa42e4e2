"""A folder appears whole or not at all."""

import pytest

from longways.atomic_folder import settle, whole_folder


def test_nothing_is_there_until_everything_is(tmp_path):
    target = tmp_path / "a" / "b"
    with whole_folder(target) as draft:
        (draft / "file").write_text("x")
        assert not target.exists()
    assert (target / "file").read_text() == "x"


def test_an_error_leaves_nothing_behind(tmp_path):
    def interrupted() -> None:
        with whole_folder(tmp_path / "a") as draft:
            (draft / "file").write_text("x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_a_draft_that_a_kill_left_is_thrown_away(tmp_path):
    (tmp_path / ".a.writing").mkdir()
    (tmp_path / ".a.writing" / "old").touch()
    with whole_folder(tmp_path / "a") as draft:
        (draft / "new").touch()
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["new"]


def test_a_kill_between_the_two_renames_is_mended(tmp_path):
    (tmp_path / ".a.previous").mkdir()
    settle(tmp_path / "a")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_kill_after_the_second_rename_is_tidied(tmp_path):
    (tmp_path / ".a.previous").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "new").touch()
    settle(tmp_path / "a")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a" / "new").exists()
