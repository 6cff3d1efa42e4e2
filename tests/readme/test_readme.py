"""The README says only what is true."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_example_runs_as_written():
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code is not None
    done = subprocess.run(
        [sys.executable, "-c", code[1]], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("torch.Size([4, 20000]) ")


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
        assert list(ROOT.glob(f"src/**/{name}")) + list(ROOT.glob(f"tools/{name}")), name
