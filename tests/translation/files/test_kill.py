"""Kill -9 at any moment: the same command resumes, and the file is the same in the end."""

import json
import subprocess
import sys
import time

from longways.formats.markdown.format import Markdown
from longways.translation.files.record import RECORD_FILE
from longways.translation.files.updates.store import FOLDER

PAGE = "# 集群\n\n" + "".join(
    f"{number}. 节点 {number} 上的 **容器** 没有启动, 请运行 `restart_{number}` 命令。\n"
    for number in range(240)
)
COMMAND = [sys.executable, "-m", "longways", "translate", "--beam", "1", "--threads", "1"]


def journal_lines(path):
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")[:-1]
    return [json.loads(line.partition(b"\t")[0]) for line in lines[1:]]


def test_a_job_killed_three_times_ends_as_one_that_was_not(tmp_path):
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "page.md").write_text(PAGE, encoding="utf-8")
    subprocess.run([*COMMAND, tmp_path / "whole"], check=True)
    killed, journal = tmp_path / "killed", tmp_path / "killed" / "page.en.md.journal"
    shown, ready = killed / "page.en.partial.md", 0
    for more in (1, 15, 25):
        with subprocess.Popen([*COMMAND, killed]) as process:
            while len(journal_lines(journal)) < ready + more and process.poll() is None:
                time.sleep(0.01)
            while more > 1 and not shown.exists() and process.poll() is None:
                time.sleep(0.01)
            process.kill()
        assert not (killed / "page.en.md").exists()
        lines = journal_lines(journal)
        assert len(lines) >= ready + more
        assert len({(document, sentence) for document, sentence, *_ in lines}) == len(lines)
        ready = len(lines)
    partial = Markdown().read(shown.read_bytes(), "zh")
    source = Markdown().read(PAGE.encode(), "zh")
    assert len(partial.passages) == len(source.passages)
    done = subprocess.run([*COMMAND, killed], check=True, capture_output=True)
    assert done.stderr == b""
    names = {"page.md", "page.en.md", RECORD_FILE, FOLDER}
    assert {path.name for path in killed.iterdir()} == names
    ours, theirs = (tmp_path / name / "page.en.md" for name in ("killed", "whole"))
    assert ours.read_bytes() == theirs.read_bytes()
