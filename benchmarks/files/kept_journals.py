"""The command `longways` with journals that stay: each gets a second name in another folder.

    python -m benchmarks.files.kept_journals KEPT translate docs -o out

A finished file deletes its journal, so that nobody could count what was translated. A hard link
shows every line that was ever written.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from longways.cli import main
from longways.translation.files.journal import Journal


def keep_journals(folder: Path) -> None:
    """Link every journal that is opened from now on into a folder on the same disk."""
    opened = Journal.__init__

    def linked(self: Journal, path: Path, *values: Any, **options: Any) -> None:
        opened(self, path, *values, **options)
        name = folder / f"{os.fstat(self.file.fileno()).st_ino} {path.name}"
        if not name.exists():
            name.hardlink_to(path)

    Journal.__init__ = linked  # type: ignore[method-assign]


def count_sentences(folder: Path) -> Counter[tuple[str, int, int]]:
    """How often each sentence of each file was translated."""
    found = Counter[tuple[str, int, int]]()
    for path in folder.iterdir():
        name = path.name.partition(" ")[2]
        for line in path.read_bytes().split(b"\n")[1:-1]:
            document, sentence, *_ = json.loads(line.partition(b"\t")[0])
            found[name, document, sentence] += 1
    return found


if __name__ == "__main__":
    keep_journals(Path(sys.argv.pop(1)))
    main()
