"""Longways translates whole documents in linear time. Nothing heavy is loaded here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from longways.errors import LongwaysError

if TYPE_CHECKING:
    from longways.translation.report import Report
    from longways.translation.results import TranslationResult
    from longways.translation.translator import Translator, load

__version__ = "0.1.0"

__all__ = ["LongwaysError", "Report", "TranslationResult", "Translator", "__version__", "load"]

_WHERE = {
    "Report": "longways.translation.report",
    "TranslationResult": "longways.translation.results",
    "Translator": "longways.translation.translator",
    "load": "longways.translation.translator",
}


def __getattr__(name: str) -> Any:
    """Names that need more than this file are loaded when they are first used."""
    if name not in _WHERE:
        raise AttributeError(f"module 'longways' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
