"""Write the tables of our documents from the JSON files under results/; `--check` only compares.

A table stands between `<!-- results/....json: column, column -->` and `<!-- end -->`. After the
columns there may be:

- `; rows NAME = LABEL, NAME = LABEL`: only these rows, found by their first column and renamed.
  Rows may come from several files, joined by `+`; the first file that has the name counts.
- `; across A, B`: the last column is spread over one column for each value of A and B.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCUMENTS = ("README.md", "docs/*.md", "src/longways/models/*/README.md")
FILES = r"results/\S+\.json(?: \+ results/\S+\.json)*"
MARK = re.compile(
    rf"(<!-- ({FILES}): ([^>;]*?)(?:; (rows|across) ([^>]*?))? -->\n).*?(<!-- end -->)", re.DOTALL
)


def table(paths: list[Path], columns: list[str], choice: str | None, chosen: list[str]) -> str:
    """The chosen columns and rows as a Markdown table, and the machine that measured them."""
    results = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    rows = [row for result in results for row in result["rows"]]
    if choice == "rows":
        rows = _select(rows, columns[0], chosen)
    if choice == "across":
        columns, rows = _spread(rows, columns, chosen)
    lines = [columns, ["---"] * len(columns)]
    lines += [[_show(row[column]) for column in columns] for row in rows]
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"{text}\n\n*{results[0]['machine']['device']}, {results[0]['date']}.*\n"


def _select(rows: list[dict[str, Any]], key: str, pairs: list[str]) -> list[dict[str, Any]]:
    found = {row[key]: row for row in reversed(rows)}
    labels = [[part.strip() for part in pair.split("=")] for pair in pairs]
    return [{**found[name], key: label} for name, label in labels]


def _spread(
    rows: list[dict[str, Any]], columns: list[str], axes: list[str]
) -> tuple[list[str], list[dict[str, Any]]]:
    *keys, value = columns
    spread: dict[tuple[Any, ...], dict[str, Any]] = {}
    headings = sorted({tuple(row[axis] for axis in axes) for row in rows})
    names = {
        place: ", ".join(f"{axis}={number}" for axis, number in zip(axes, place, strict=True))
        for place in headings
    }
    for row in rows:
        key = tuple(row[name] for name in keys)
        line = spread.setdefault(key, dict.fromkeys(names.values()))
        line.update(zip(keys, key, strict=True))
        line[names[tuple(row[axis] for axis in axes)]] = row[value]
    return [*keys, *names.values()], list(spread.values())


def _show(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else str(value)


def filled(text: str) -> str:
    """A document with every marked table written anew."""

    def fill(mark: re.Match[str]) -> str:
        paths = [ROOT / name for name in mark[2].split(" + ")]
        columns = [name.strip() for name in mark[3].split(",")]
        chosen = [name.strip() for name in (mark[5] or "").split(",")]
        return mark[1] + table(paths, columns, mark[4], chosen) + mark[6]

    return MARK.sub(fill, text)


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
