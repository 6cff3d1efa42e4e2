"""Ten texts written by hand, as blocks from which files of every format are built.

`#`, `##` and `###` begin a heading, `-`, `--` and `---` an item of a list in lists, `+` a step, `|`
a row of a table, `>` a quote, `!` a line of code, `//` a comment; `~` is an empty paragraph.
**bold**, *italic*, `code` and [text](address) are runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal

Kind = Literal[
    "title", "heading", "subheading", "item", "subitem", "subsubitem", "step", "row", "quote",
    "code", "comment", "empty", "text",
]  # fmt: skip
Run = tuple[str, str]
"""A text and its look: b, i, bi, c (code), a (a link), or nothing."""

PLACEHOLDER = re.compile(
    r"\{\{[^{}]*\}\}|\$?\{[A-Za-z\d_]+\}|%(?:\d\$)?[sd@]|https?://[\w./-]+\w|[\w.]+@[\w.]+\w"
)
"""A part of a text that stays."""
LINK = "https://example.org/"
"""The address of all links."""
FOLDER = Path(__file__).parent / "texts"
_KINDS: dict[str, Kind] = {
    "#": "title",
    "##": "heading",
    "###": "subheading",
    "-": "item",
    "--": "subitem",
    "---": "subsubitem",
    "+": "step",
    ">": "quote",
    "!": "code",
    "//": "comment",
    "~": "empty",
}
_RUN = re.compile(
    r"\*{3}(?P<bi>.+?)\*{3}|\*\*(?P<b>.+?)\*\*|\*(?P<i>.+?)\*|`(?P<c>.+?)`|\[(?P<a>.+?)\]\(.+?\)"
    r"|(?P<plain>(?:[^*`\[]|\*(?!.*\*))+)"
)
HEADINGS: tuple[Kind, ...] = ("title", "heading", "subheading")
ITEMS: tuple[Kind, ...] = ("item", "subitem", "subsubitem", "step")


@dataclass(frozen=True)
class Block:
    """A heading, list item, row, paragraph or another part of a page."""

    kind: Kind
    source: str
    """The text with its marks of runs."""

    @property
    def runs(self) -> list[Run]:
        """Its runs, each with its look."""
        found = ((m[m.lastgroup or ""], m.lastgroup or "") for m in _RUN.finditer(self.source))
        return [(text, "" if look == "plain" else look) for text, look in found]

    @property
    def text(self) -> str:
        """The text without its looks."""
        return self.source if self.kind == "code" else "".join(text for text, _ in self.runs)

    @property
    def cells(self) -> list[str]:
        """The cells of a row."""
        return [cell.strip() for cell in self.source.removeprefix("|").removesuffix("|").split("|")]

    @property
    def depth(self) -> int:
        """How many lists an item is in."""
        return {"item": 1, "step": 1, "subitem": 2, "subsubitem": 3}.get(self.kind, 0)

    @property
    def is_read(self) -> bool:
        """Whether people read it."""
        return self.kind not in ("code", "comment", "empty")


def documents() -> dict[str, list[Block]]:
    """The ten texts by name; the last is all of them, so one file of each format is long."""
    names = sorted(path.stem for path in FOLDER.glob("*.txt"))
    texts = {name: _blocks((FOLDER / f"{name}.txt").read_text("utf-8")) for name in names}
    return {**texts, names[-1]: [block for text in texts.values() for block in text]}


def grouped(blocks: Sequence[Block]) -> Iterator[tuple[str, list[Block]]]:
    """Runs of list items and of rows of one table, and every other block by itself."""
    kinds = ((_group(block, number), block) for number, block in enumerate(blocks))
    for (kind, _), found in groupby(kinds, key=lambda pair: pair[0]):
        yield kind, [block for _, block in found]


def _group(block: Block, number: int) -> tuple[str, int]:
    if block.kind == "row":
        return "table", len(block.cells)
    return ("list", 0) if block.depth else (block.kind, number)


def _blocks(text: str) -> list[Block]:
    found = list[Block]()
    for line in text.splitlines():
        sign = line.split()[0]
        kind: Kind = "row" if sign.startswith("|") else _KINDS.get(sign, "text")
        plain = kind in ("text", "row")
        found.append(Block(kind, line if plain else line.removeprefix(sign).strip()))
    return found
