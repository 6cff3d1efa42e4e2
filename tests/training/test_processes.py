"""Whole processes: killed, interrupted, and several at once."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from longways.folder_lock import locked_folder
from longways.training.runs.log import read_log
from tests.command import Command, longways

ROOT = Path(__file__).parents[2]
TINY = [
    *("corpus.train.documents=12", "corpus.dev.documents=3", "model.dim=16", "model.heads=2"),
    *("model.feed_forward=32", "model.encoder_layers=1", "model.decoder_layers=1", "model.pool=8"),
    *("model.cross.projection=8", "model.causal.projection=4", "model.dropout=0.1"),
    *("batches.tokens=400", "batches.shapes=4", "training.updates=50", "training.save_every=1"),
    *("training.evaluate_every=10", "training.accumulate=2"),
]


def arguments(run: Path) -> list[str]:
    settings = [word for setting in TINY for word in ("--set", setting)]
    return ["train", "recipes/toy", str(run), *settings]


def finish(run: Path) -> None:
    done = longways(*arguments(run), cwd=ROOT)
    assert done.returncode == 0, done.stderr


def by_two(run: Path) -> subprocess.Popen[str]:
    """The same command, started in two processes."""
    launcher = (
        *("-m", "torch.distributed.run", "--nproc-per-node", "2"),
        *("--master-addr", "127.0.0.1", "--master-port", str(free_port())),
    )
    return subprocess.Popen(
        [sys.executable, *launcher, "-m", "longways", *arguments(run)],
        cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def finish_by_two(run: Path) -> None:
    launcher = by_two(run)
    _, said = launcher.communicate(timeout=600)
    assert launcher.returncode == 0, said


def losses(run: Path) -> list[float]:
    return [entry["loss"] for entry in read_log(run / "log.jsonl") if "loss" in entry]


def same_files(one: Path, other: Path) -> bool:
    """Whether the last checkpoints have the same weights and optimizers, bit for bit."""
    return all(
        (load_file(one / "last" / name)[key] == value).all()
        for name in ("weights.safetensors", "optimizer.safetensors")
        for key, value in load_file(other / "last" / name).items()
    )


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_for_update(run: Path, update: int) -> None:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        log = run / "log.jsonl"
        if log.exists() and log.read_text().count('"loss"') >= update:
            return
        time.sleep(0.005)
    raise AssertionError("the run never came so far")


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A run without interruption."""
    run = tmp_path_factory.mktemp("runs") / "whole"
    finish(run)
    assert len(losses(run)) == 50
    return run


@pytest.mark.parametrize("update", [3, 17, 31])
def test_a_run_killed_at_any_update_ends_in_the_same_bits(whole, tmp_path, update):
    run = tmp_path / "run"
    process = Command(*arguments(run), cwd=ROOT)
    wait_for_update(run, update)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finish(run)
    assert losses(run) == losses(whole)
    assert same_files(run, whole)


KILLED_WHILE_SAVING = """
import os, runpy, signal, sys
from longways.training import checkpoints

save_file, calls = checkpoints.save_file, 0

def save_and_die(tensors, path):
    global calls
    calls += 1
    if calls == 9:  # the model's own files of this checkpoint are written, the optimizer's are not
        os.kill(os.getpid(), signal.SIGKILL)
    save_file(tensors, path)

checkpoints.save_file = save_and_die
runpy.run_module("longways", run_name="__main__")
"""


def test_a_run_killed_between_the_files_of_a_checkpoint_ends_in_the_same_bits(whole, tmp_path):
    run = tmp_path / "run"
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_WHILE_SAVING, *arguments(run)], cwd=ROOT, capture_output=True,
        check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert killed.returncode == -signal.SIGKILL
    assert (run / ".last.writing" / "weights.safetensors").exists()
    assert not (run / ".last.writing" / "optimizer.safetensors").exists()
    finish(run)
    assert losses(run) == losses(whole)
    assert same_files(run, whole)


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_finishes_the_update_saves_and_exits_cleanly(whole, tmp_path, asked):
    run = tmp_path / "run"
    process = Command(*arguments(run), cwd=ROOT)
    wait_for_update(run, 5)
    process.send_signal(asked)
    done = process.wait()
    assert done.returncode == 0, done.stderr
    assert "Run the same command to resume" in done.stderr.replace("\n", " ")
    assert 5 <= len(losses(run)) < 50
    finish(run)
    assert losses(run) == losses(whole)


@pytest.fixture(scope="module")
def together(tmp_path_factory) -> Path:
    """The same run by two processes."""
    run = tmp_path_factory.mktemp("runs") / "together"
    finish_by_two(run)
    return run


def test_two_processes_learn_what_one_does(whole, together):
    assert losses(together) == pytest.approx(losses(whole), rel=1e-5)


def test_two_processes_killed_go_on_to_the_same_numbers(together, tmp_path):
    run = tmp_path / "run"
    launcher = by_two(run)
    wait_for_update(run, 13)
    os.killpg(launcher.pid, signal.SIGKILL)
    launcher.communicate()
    with locked_folder(run, "trains in", patience=60):  # until the last process is gone
        pass
    finish_by_two(run)
    assert losses(run) == pytest.approx(losses(together), rel=1e-6)
    wanted = load_file(together / "last" / "weights.safetensors")
    for key, value in load_file(run / "last" / "weights.safetensors").items():
        torch.testing.assert_close(value, wanted[key], rtol=1e-6, atol=1e-6)


def test_resuming_with_another_recipe_says_which_keys_differ(whole):
    done = longways(*arguments(whole), "--set", "training.learning_rate=0.1", cwd=ROOT)
    assert done.returncode == 2
    assert "training.learning_rate: 0.002 -> 0.1" in done.stderr
