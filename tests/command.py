"""`longways` in processes of its own, forked from one that has imported torch already.

An interpreter needs seconds to import torch, and tests start hundreds of commands. A server is
started once in each test process; it imports what commands need, computes nothing, and forks.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from subprocess import CompletedProcess

from longways.cli import main

_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(["longways.cli", "torch", "torch._dynamo", "onnxruntime"])


class Command:
    """A running command; its output goes to files."""

    def __init__(
        self, *arguments: object, cwd: Path | None = None, text: str = "", **environment: str
    ) -> None:
        self.arguments = ["longways", *map(str, arguments)]
        self._folder = Path(tempfile.mkdtemp())
        (self._folder / "0").write_text(text, encoding="utf-8")
        env = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
        given = (self.arguments, str(cwd or Path.cwd()), env, str(self._folder))
        self.process: ForkServerProcess = _CONTEXT.Process(target=_run, args=given)
        self.process.start()

    def send_signal(self, number: int) -> None:
        """Send the process a signal."""
        assert self.process.pid
        os.kill(self.process.pid, number)

    def wait(self) -> CompletedProcess[str]:
        """What the command printed, and its exit code."""
        self.process.join(600)
        if self.process.is_alive():
            self.send_signal(signal.SIGKILL)
            self.process.join()
        code = self.process.exitcode
        assert code is not None
        out, err = ((self._folder / name).read_text(encoding="utf-8") for name in "12")
        shutil.rmtree(self._folder)
        return CompletedProcess(self.arguments, code, out, err)


def longways(
    *arguments: object, cwd: Path | None = None, text: str = "", **environment: str
) -> CompletedProcess[str]:
    """Run `longways` with these arguments; `text` is its standard input."""
    return Command(*arguments, cwd=cwd, text=text, **environment).wait()


def _run(arguments: list[str], cwd: str, env: Mapping[str, str], folder: str) -> None:
    """The command in the forked process."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    for number, flags in enumerate((os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT] * 2)):
        os.dup2(os.open(f"{folder}/{number}", flags), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
    sys.argv = arguments
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else 0)
    try:
        main()
    finally:
        sys.stdout.flush()
