# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Which turns belong together, because a sentence runs over several cues.

A sentence goes on in the next cue unless

- it ends with . ! ? … and the like, with or without closing quotes after them;
- the next cue begins more than two seconds later, or while this one is still being read;
- another speaker begins: with a dash, a NAME: or another <v Speaker>;
- what a cue says stands by itself: a sound in brackets, a line of a song;
- there are six cues already.

Many subtitles have no full stops. Then each cue ends what it says, unless it ends with a comma.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from longways.text.boundaries import CLOSING
from longways.translate.formats.cues_turns import Turn

LONGEST_GAP = 2_000
"""Milliseconds between two cues of a sentence."""
MOST_CUES = 6
"""Of one sentence."""
FEWEST_STOPS = 0.1
"""Of all turns those that end with a full stop, below which a file has none to speak of."""
_LONGEST_END = 40
"""Characters of a full stop and what closes after it; there are never so many."""

_FULL_STOP = re.compile(rf"[.。｡؟۔।॥։።។။][{CLOSING}]*$")
_END = re.compile(rf"[.!?…。！？；｡؟۔।॥։።។။♪♫][{CLOSING}♪♫]*$")
_GOES_ON = re.compile(r"[,，、：:;—–-]$")
_BY_ITSELF = re.compile(r"[\[(（【♪♫].*[\])）】♪♫]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cue:
    """Some text on the screen for some time."""

    line: int
    """Of its times, from 1."""
    start: int
    end: int
    """In milliseconds."""
    text: tuple[int, int]
    """Where its text is in the file, from and up to; a last line end is not part of it."""
    is_cut_off: bool = False
    """Whether there should be a blank line after it, but there is none."""

    @property
    def duration(self) -> int:
        """In milliseconds, never negative."""
        return max(0, self.end - self.start)


def sentences(turns: Sequence[Turn], cues: Sequence[Cue]) -> list[list[Turn]]:
    """The turns that belong together, in order."""
    goes_on = _rule(turns)
    found = list[list[Turn]]()
    for turn in turns:
        last = found[-1] if found else []
        if last and len(last) < MOST_CUES and _follows(last[-1], turn, cues) and goes_on(last[-1]):
            last.append(turn)
        else:
            found.append([turn])
    return found


def _rule(turns: Sequence[Turn]) -> Callable[[Turn], bool]:
    """How to tell whether what a turn says goes on."""
    stops = sum(bool(_FULL_STOP.search(turn.text[-_LONGEST_END:])) for turn in turns)
    if stops < FEWEST_STOPS * len(turns):
        return lambda turn: bool(_GOES_ON.search(turn.text))
    return lambda turn: not _END.search(turn.text[-_LONGEST_END:])


def _follows(turn: Turn, following: Turn, cues: Sequence[Cue]) -> bool:
    """Whether a turn can go on with what was said, as far as speakers and times tell."""
    if following.begins or following.voice != turn.voice or following.cue != turn.cue + 1:
        return False
    if _BY_ITSELF.fullmatch(turn.text) or _BY_ITSELF.fullmatch(following.text):
        return False
    this, other = cues[turn.cue], cues[following.cue]
    return this.end - this.duration / 2 <= other.start <= this.end + LONGEST_GAP
