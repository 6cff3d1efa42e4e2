"""What the command line says of errors that are not ours."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from longways import cli
from longways.cli.error_messages import explanation
from longways.errors import ConfigError


def error_of(call) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011  whatever a library raises
        call()
    return caught.value


@pytest.mark.parametrize("allocate", [np.empty, torch.empty], ids=["numpy", "torch"])
def test_memory_that_cannot_be_had_is_one_sentence_with_what_was_asked_for(allocate):
    said = explanation(error_of(lambda: allocate(1 << 58)))
    assert said is not None
    assert said.startswith("there is not enough memory: ")
    assert "llocate" in said
    assert "smaller batch" in said


def test_of_a_gpu_its_name_and_the_amount_are_kept_and_advice_about_allocators_is_not():
    full = "CUDA out of memory. Tried to allocate 2 GiB. GPU 0 has a total capacity of 9 GiB. See"
    said = explanation(torch.OutOfMemoryError(full))
    assert said is not None
    assert "CUDA out of memory. Tried to allocate 2 GiB. Close" in said


def test_our_own_errors_speak_for_themselves():
    assert explanation(ConfigError("L is 0.")) == "L is 0."


def test_a_missing_package_is_named_with_the_extra_that_has_it():
    said = explanation(ModuleNotFoundError("no torch", name="torch"))
    assert said is not None
    assert "pip install 'longways[train]'" in said


def test_our_mistakes_are_not_explained_away():
    assert explanation(ModuleNotFoundError("no such", name="nowhere")) is None
    assert explanation(ValueError("shapes do not fit")) is None


def test_the_command_line_ends_with_code_2_for_lack_of_memory(monkeypatch, capsys):
    monkeypatch.setattr(cli, "app", lambda **_: np.empty(1 << 58))
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("longways: there is not enough memory: ")


def test_the_command_line_shows_our_mistakes_whole(monkeypatch):
    monkeypatch.setattr(cli, "app", lambda **_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        cli.main()
