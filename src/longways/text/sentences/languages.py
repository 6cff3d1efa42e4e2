"""Which languages write spaces between their words."""

from __future__ import annotations

import re

_WITHOUT_SPACES = frozenset(["zh", "ja", "yue", "wuu"])


def has_spaces(language: str) -> bool:
    """Whether a language writes spaces between its words."""
    return re.split("[-_]", language)[0].lower() not in _WITHOUT_SPACES
