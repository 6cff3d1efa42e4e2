"""What the package promises to those who import it."""

import subprocess
import sys

import pytest

import longways
from longways import errors

HEAVY = ("torch", "onnxruntime", "matplotlib", "safetensors", "numpy")


@pytest.mark.parametrize(
    "code",
    [
        "import longways",
        "import longways.model.config",
        "import sys; sys.argv = ['longways', '--help']\n"
        "from longways.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass",
    ],
)
def test_neither_import_nor_help_loads_anything_heavy(code):
    check = f"\nimport sys; print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code + check], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "[]"


def test_the_public_names_are_these():
    assert sorted(longways.__all__) == [
        "LongwaysError",
        "Report",
        "TranslationResult",
        "Translator",
        "__version__",
        "load",
    ]
    assert all(getattr(longways, name) for name in longways.__all__)


def test_every_error_is_a_longways_error_and_drawn_in_the_family_tree():
    family = [e for e in vars(errors).values() if isinstance(e, type)]
    assert all(issubclass(e, longways.LongwaysError) for e in family)
    assert all(e.__name__ in (errors.__doc__ or "") for e in family)
