"""The README says only what is true."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.training.runs import train_tiny

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def run(code: str, folder: Path) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_the_example_of_translating_runs_as_written(tmp_path):
    shutil.copytree(train_tiny(tmp_path, updates=4), tmp_path / "models" / "mine")
    (tmp_path / "page.zh.txt").write_text("rona velu tokim\nmirel soti\n", encoding="utf-8")
    assert len(run(EXAMPLES[0], tmp_path).splitlines()) == 3


def test_the_example_of_the_model_runs_as_written(tmp_path):
    assert run(EXAMPLES[1], tmp_path).startswith("torch.Size([4, 20000]) ")


def test_its_first_commands_are_demo_and_test():
    commands = re.search(r"```\n(.*?)```", README, re.DOTALL)
    assert commands is not None
    assert [line.split("#")[0].strip() for line in commands[1].splitlines()] == [
        "make demo",
        "make test",
    ]


def test_its_tables_come_from_results():
    tool = [sys.executable, "tools/readme_tables.py", "--check"]
    done = subprocess.run(tool, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout


def test_every_file_the_map_names_exists():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for name in re.findall(r"\b(\w+\.py)\b", text):
        assert list(ROOT.glob(f"src/**/{name}")) + list(ROOT.glob(f"t*/**/{name}")), name
