"""The most memory that this process has had, since it was started or since it was asked."""

from __future__ import annotations

import resource
from pathlib import Path


def peak_memory() -> int:
    """Bytes, since the program was started or since `forget_peak`.

    What `getrusage` says can be that of the process it was started from; Linux knows better.
    """
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    found = [1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return found[0] if found else 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def forget_peak() -> bool:
    """Let the peak be what is held now, and say whether that is possible: Linux can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True
