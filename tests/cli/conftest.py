"""A model that has learned something, for tests in which meaning matters."""

from pathlib import Path

import pytest

from tests.translation.learned import learned_model


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned_model(tmp_path_factory)
