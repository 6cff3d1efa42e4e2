"""Journals: what was written down before a crash is there after it, and no other job goes on."""

import subprocess
import sys

import pytest

from longways.decoding.hypothesis import Hypothesis
from longways.errors import LongwaysError
from longways.text.tokenizers.special_tokens import EOS, SEP
from longways.translation.files.journal import Journal

ABOUT = {"journal": 1, "text": "a" * 64, "window": 2}
FOUND = [
    Hypothesis([7, 8], -1.25, -0.625, EOS),
    Hypothesis([], -1e-300, -0.1, SEP),
    Hypothesis([5] * 300, -123.456789012345, -0.4, None),
]


def written(path, found=FOUND):
    journal = Journal(path, ABOUT)
    for number, best in enumerate(found):
        journal.record(0, number, [best])
    journal.close()


def recalled(path, about=ABOUT, **options):
    journal = Journal(path, about, **options)
    found = [journal.recall(0, number) for number in range(4)]
    journal.close()
    return [best[0] for best in found if best]


def test_what_is_recorded_is_recalled_to_the_last_digit_and_once(tmp_path):
    written(tmp_path / "a.journal")
    journal = Journal(tmp_path / "a.journal", ABOUT)
    assert [journal.recall(0, number) for number in range(3)] == [[best] for best in FOUND]
    assert journal.recall(0, 0) is None
    assert journal.recall(1, 0) is None
    journal.remove()
    assert not (tmp_path / "a.journal").exists()


def test_several_hypotheses_of_a_sentence_are_recalled(tmp_path):
    journal = Journal(tmp_path / "a.journal", ABOUT)
    journal.record(0, 0, FOUND)
    journal.close()
    journal = Journal(tmp_path / "a.journal", ABOUT)
    assert journal.recall(0, 0) == FOUND
    journal.close()


def test_a_journal_cut_anywhere_keeps_its_whole_lines_and_can_be_written_on(tmp_path):
    path = tmp_path / "a.journal"
    written(path)
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        lines = whole[:size].count(b"\n")
        assert recalled(path) == FOUND[: max(0, lines - 1)], size
        journal = Journal(path, ABOUT)
        journal.record(0, max(0, lines - 1), [FOUND[2]])
        journal.close()
        assert recalled(path) == [*FOUND[: max(0, lines - 1)], FOUND[2]], size


@pytest.mark.parametrize("rubbish", [b"\x00" * 40, b"[1, 2]\n", b"null\n[0, 2, [9], 0, 0, 4]\n"])
def test_rubbish_after_a_power_cut_is_dropped(tmp_path, rubbish):
    path = tmp_path / "a.journal"
    written(path, FOUND[:1])
    path.write_bytes(path.read_bytes() + rubbish)
    assert recalled(path) == FOUND[:1]


def test_another_job_does_not_go_on_unless_it_begins_again(tmp_path):
    path = tmp_path / "a.journal"
    written(path)
    before = path.read_bytes()
    with pytest.raises(LongwaysError, match=r"text differs, window is 2 there and 4 here"):
        Journal(path, {**ABOUT, "text": "b" * 64, "window": 4})
    assert path.read_bytes() == before
    assert recalled(path, {**ABOUT, "window": 4}, force=True) == []
    with pytest.raises(LongwaysError, match="window is 4 there and 2 here"):
        Journal(path, ABOUT)


def test_two_processes_do_not_write_the_same_journal(tmp_path):
    journal = Journal(tmp_path / "a.journal", ABOUT)
    code = (
        "from pathlib import Path; from longways.translation.files.journal import Journal;"
        f"Journal(Path({str(tmp_path / 'a.journal')!r}), {ABOUT!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert b"another process runs the same translation" in done.stderr
    journal.close()
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LongwaysError, match=r"a\.journal cannot be written"):
        Journal(tmp_path / "file" / "a.journal", ABOUT)
