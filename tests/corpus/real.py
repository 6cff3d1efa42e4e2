"""The real corpora, if they are available: in LONGWAYS_DATA, or beside the project."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("LONGWAYS_DATA", Path(__file__).parents[3] / "shared" / "data"))

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real corpora are not here")
