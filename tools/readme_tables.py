"""Write the tables of README.md from the JSON files under results/; `--check` only compares.

A table stands between `<!-- results/....json: column, column -->` and `<!-- end -->`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
MARK = re.compile(r"(<!-- (results/\S+\.json): ([^>]*?) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(path: Path, columns: list[str]) -> str:
    """The chosen columns of a result as a Markdown table, and the machine it came from."""
    result = json.loads(path.read_text(encoding="utf-8"))
    lines = [columns, ["---"] * len(columns)]
    lines += [[_show(row[column]) for column in columns] for row in result["rows"]]
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"{text}\n\n*{result['machine']['device']}, {result['date']}.*\n"


def _show(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def filled(text: str) -> str:
    """The README with every marked table written anew."""
    return MARK.sub(
        lambda m: m[1] + table(ROOT / m[2], [c.strip() for c in m[3].split(",")]) + m[4], text
    )


def main() -> int:
    """Write README.md, or with --check say whether it is up to date."""
    before = README.read_text(encoding="utf-8")
    after = filled(before)
    if "--check" in sys.argv:
        print("README.md is up to date" if before == after else "README.md: run `make readme`")
        return int(before != after)
    README.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
