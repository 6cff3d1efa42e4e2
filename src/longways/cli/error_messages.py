"""One sentence for each error that a user can fix; None for our own mistakes."""

from __future__ import annotations

from longways.errors import LongwaysError, is_out_of_memory

EXTRAS = {"torch": "train", "matplotlib": "train", "onnx": "export"}
"""Optional packages, and the extra that installs each."""


def explanation(error: Exception) -> str | None:
    """What is wrong and how to fix it."""
    if isinstance(error, LongwaysError):
        return str(error)
    if isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
        return (
            f"this needs {error.name}, which is not installed. "
            f"Run: pip install 'longways[{EXTRAS[error.name]}]'"
        )
    if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
        return _of_system(error)
    return _no_memory(error) if is_out_of_memory(error) else None


def _of_system(error: OSError) -> str:
    """What the system refuses, where no message of ours says it: disks, permissions, devices."""
    said = error.strerror or str(error)
    if error.filename is None:
        return f"the system reports an error: {said}. Check where the output goes."
    return f"{error.filename}: {said}. Check that it exists and that you may use it."


def _no_memory(error: Exception) -> str:
    """The first two sentences of an allocator: which memory, and how much was requested."""
    said = ". ".join(str(error).strip().split(". ")[:2]).rstrip(".") or "none is left"
    return (
        f"there is not enough memory: {said}. Close other programs, or process less at once: a "
        "smaller batch, fewer windows, one model after the other."
    )
