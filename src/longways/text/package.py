"""Packages that only some pipelines need: loaded when one is used, never by `import longways`."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

from longways.errors import TextError


def load_package(name: str) -> Any:
    """The module, or an error that says how to install it.

    What it warns of while loading (jieba: old escapes, pkg_resources) is not for our users.
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
