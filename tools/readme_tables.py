"""Write the tables of our documents from the JSON files under results/; `--check` only compares.

A table stands between `<!-- results/....json: column, column -->` and `<!-- end -->`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCUMENTS = ("README.md", "docs/*.md", "src/longways/models/*/README.md")
MARK = re.compile(r"(<!-- (results/\S+\.json): ([^>]*?) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(path: Path, columns: list[str]) -> str:
    """The chosen columns of a result as a Markdown table, and the machine it came from."""
    result = json.loads(path.read_text(encoding="utf-8"))
    lines = [columns, ["---"] * len(columns)]
    lines += [[_show(row[column]) for column in columns] for row in result["rows"]]
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"{text}\n\n*{result['machine']['device']}, {result['date']}.*\n"


def _show(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else str(value)


def filled(text: str) -> str:
    """The README with every marked table written anew."""
    return MARK.sub(
        lambda m: m[1] + table(ROOT / m[2], [c.strip() for c in m[3].split(",")]) + m[4], text
    )


def main() -> int:
    """Write the documents, or with --check say which are not up to date."""
    old = []
    for path in sorted(path for pattern in DOCUMENTS for path in ROOT.glob(pattern)):
        before = path.read_text(encoding="utf-8")
        after = filled(before)
        if before != after:
            old.append(str(path.relative_to(ROOT)))
        if "--check" not in sys.argv:
            path.write_text(after, encoding="utf-8")
    if "--check" not in sys.argv:
        return 0
    print(f"run `make readme` for {', '.join(old)}" if old else "all tables are up to date")
    return int(bool(old))


if __name__ == "__main__":
    sys.exit(main())
