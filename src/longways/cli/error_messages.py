"""What an error means to whoever typed the command, in one sentence; None if it is our mistake."""

from __future__ import annotations

from longways.errors import LongwaysError, is_out_of_memory

EXTRAS = {"torch": "train", "matplotlib": "train", "sacrebleu": "train", "onnx": "export"}
"""What some verbs need, and the extra that has it."""


def explanation(error: Exception) -> str | None:
    """What is wrong and how to mend it."""
    if isinstance(error, LongwaysError):
        return str(error)
    if isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
        return (
            f"this needs {error.name}, which is not installed. "
            f"Run: pip install 'longways[{EXTRAS[error.name]}]'"
        )
    return _no_memory(error) if is_out_of_memory(error) else None


def _no_memory(error: Exception) -> str:
    """Whose memory it was, and how much was asked for, is what an allocator says first."""
    said = ". ".join(str(error).strip().split(". ")[:2]).rstrip(".") or "none is left"
    return (
        f"there is not enough memory: {said}. Close what else uses it, or do less at once: a "
        "smaller batch, fewer windows, models one after the other."
    )
