"""The parts of a Markdown page that tests run: fenced blocks and console sessions."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


def blocks(page: str, language: str) -> list[str]:
    """The contents of all fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Command:
    """One command of a console session, and the output that the page shows for it."""

    line: str
    output: str


def commands(session: str) -> list[Command]:
    """The commands of a console session: lines after `$`, continued after a backslash."""
    found = []
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        line, _, output = re.sub(r"\\\n", "", part).partition("\n")
        found.append(Command(line, output))
    return found


class Shell:
    """Runs commands in a folder, with `longways` and `python` from this checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        programs = folder / ".bin"
        programs.mkdir()
        for name, arguments in (("longways", "-m longways"), ("python", "")):
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec {sys.executable} {arguments} "$@"\n', "utf-8")
            program.chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "COLUMNS": "80",
        }

    def run(self, line: str) -> str:
        """What a command prints to standard output; it must succeed."""
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        return done.stdout
