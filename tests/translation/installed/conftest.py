"""A user folder of its own for each test."""

import pytest


@pytest.fixture(autouse=True)
def user(tmp_path, monkeypatch):
    folder = tmp_path / "user models"
    monkeypatch.setenv("LONGWAYS_MODELS", str(folder))
    return folder
