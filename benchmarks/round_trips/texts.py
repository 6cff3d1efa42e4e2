"""Ten texts written by hand, as blocks from which files of every format are built.

`#` and `##` begin a heading, `-` a list item, `|` a row of a table; **bold** and *italic* are runs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["title", "heading", "item", "row", "text"]
Run = tuple[str, str]
"""A text and its look: b, i, or nothing."""

FOLDER = Path(__file__).parent / "texts"
_KINDS: dict[str, Kind] = {"#": "title", "##": "heading", "-": "item", "|": "row"}
_RUN = re.compile(r"\*\*(.+?)\*\*|\*(.+?)\*|([^*]+)")


@dataclass(frozen=True)
class Block:
    """A heading, list item, row or paragraph."""

    kind: Kind
    source: str
    """The text with its marks of runs."""

    @property
    def runs(self) -> list[Run]:
        """Its runs, each with its look."""
        found = _RUN.findall(self.source)
        return [(b or i or plain, "b" * bool(b) + "i" * bool(i)) for b, i, plain in found]

    @property
    def text(self) -> str:
        """The text without its looks."""
        return "".join(text for text, _ in self.runs)

    @property
    def cells(self) -> list[str]:
        """The cells of a row."""
        return [cell.strip() for cell in self.source.strip("|").split("|")]


def documents() -> dict[str, list[Block]]:
    """The ten texts by name; the last is all of them, so one file of each format is long."""
    names = sorted(path.stem for path in FOLDER.glob("*.txt"))
    texts = {name: _blocks((FOLDER / f"{name}.txt").read_text("utf-8")) for name in names}
    return {**texts, names[-1]: [block for text in texts.values() for block in text]}


def _blocks(text: str) -> list[Block]:
    found = list[Block]()
    for line in text.splitlines():
        sign = line.split()[0]
        kind = _KINDS.get("|" if sign.startswith("|") else sign, "text")
        found.append(
            Block(kind, line if kind in ("text", "row") else line.removeprefix(sign).strip())
        )
    return found
