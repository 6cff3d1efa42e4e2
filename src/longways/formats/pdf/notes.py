"""Footnotes: small text at the end of a page that begins with a raised number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from longways.formats.pdf.layout.blocks import Block
from longways.formats.pdf.layout.lines import Run

_NUMBER = re.compile(r"[\[(\uff08]?(\d{1,3}|[*†‡§¶①-⑳])[\])\uff09.]?\Z")
_START = re.compile(r"(\d{1,3})(?=[^\d.,:%)\uff09、年月日/\-])\s*")


def take_notes(blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a page; footnotes become notes, and their references point to them."""
    texts = [block for block in blocks if block.kind == "text"]
    marks = {
        mark for block in texts for line in block.lines for run in line[1:] if (mark := _mark(run))
    }
    notes = list[tuple[str, Block]]()
    for block in reversed(texts):
        number = _note_mark(block, marks)
        if number is not None:
            notes.append((number, block))
        elif notes or block is not texts[-1]:
            break
    labels = {
        mark: f"p{block.page}-{number}" for number, (mark, block) in enumerate(reversed(notes), 1)
    }
    for mark, block in notes:
        _make_note(block, labels[mark])
    for block in texts:
        if block.kind == "text":
            block.lines = [[_reference(run, labels) for run in line] for line in block.lines]
    return list(blocks)


def _mark(run: Run) -> str:
    """The number of a raised run; empty if it is no number of a note."""
    found = _NUMBER.match(run.text.strip()) if run.raised else None
    return found[1] if found else ""


def _note_mark(block: Block, marks: set[str]) -> str | None:
    """The number with which a footnote begins; None if the block is no footnote."""
    first = block.lines[0] if block.lines else []
    mark = _mark(first[0]) if first else ""
    return mark if mark in marks else None


def _make_note(block: Block, label: str) -> None:
    block.kind, block.label = "note", label
    first = block.lines[0][1:]
    block.lines[0] = [replace(first[0], text=first[0].text.lstrip()), *first[1:]] if first else []


def _reference(run: Run, labels: dict[str, str]) -> Run:
    mark = _mark(run)
    return replace(run, note=labels[mark]) if mark in labels else run
