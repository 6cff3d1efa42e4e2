"""Optional dependencies: imported when a pipeline needs them, never by `import longways`."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

from longways.errors import TextError


def import_optional(name: str) -> Any:
    """Import an optional module; a `TextError` says how to install a missing one.

    Warnings of the module itself (jieba: old escapes, pkg_resources) are suppressed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0].replace("_", "-")
        raise TextError(
            f"This text pipeline needs the package {package}, which cannot be loaded ({error}). "
            "Install it with `pip install 'longways[train]'`."
        ) from error
