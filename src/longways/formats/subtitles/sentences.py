# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Grouping speaker turns into sentences that run over several cues.

A sentence continues in the next cue unless

- it ends with . ! ? … and the like, with or without closing quotes after them;
- the next cue begins more than two seconds later, or while this one is still being read;
- the next turn is a text in another script; a single word is one where a cue has several turns, or
  the times of the cue beside it, as in subtitles in two languages;
- another speaker begins: with a dash, a NAME:, another <v Speaker>, or another style or name;
- the text of a cue is complete in itself: a sound in brackets, a line of a song;
- there are six cues already.

Many subtitles have no full stops. Then a sentence continues only after a comma or a similar mark.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from longways.formats.resources.readable import has_letters
from longways.formats.subtitles.turns import BILINGUAL_WORDS, OTHER_WORDS, SpeakerTurn
from longways.text.scripts import are_apart
from longways.text.sentences.boundaries import CLOSING

MAX_GAP_MILLISECONDS = 2_000
"""Longest pause between two cues of a sentence."""
MAX_CUES = 6
"""Cues of one sentence."""
MIN_FULL_STOP_SHARE = 0.1
"""Below this share of turns with a final full stop, a file counts as unpunctuated."""
_END_CHARACTERS = 40
"""Characters at the end of a turn that are searched for a full stop and closing marks."""

_FULL_STOP = re.compile(rf"[.。｡؟۔।॥։።។။][{CLOSING}]*$")
_END = re.compile(rf"[.!?…。！？；｡؟۔।॥։።។။♪♫][{CLOSING}♪♫]*$")
_CONTINUES = re.compile(r"[,，、：:;—–-]$")
_BY_ITSELF = re.compile(r"[\[(（【♪♫].*[\])）】♪♫]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cue:
    """A subtitle: text and the time at which it is shown."""

    line: int
    """Number of the line with its times, from 1."""
    start: int
    end: int
    """End time; both times are in milliseconds."""
    text: tuple[int, int]
    """Range of its text in the file, without the last line end."""
    is_cut_off: bool = False
    """Whether the blank line after it is missing."""
    voice: str = ""
    """Its style and speaker, where the file names them."""

    @property
    def duration(self) -> int:
        """Duration in milliseconds, never negative."""
        return max(0, self.end - self.start)


def sentences(
    turns: Sequence[SpeakerTurn], cues: Sequence[Cue], language: str
) -> list[list[SpeakerTurn]]:
    """Group the turns by sentence, in order; full stops count in the turns in a language."""
    own = [turn for turn in turns if has_letters(turn.text, language)]
    continues, divided = _rule(own), _divided(turns, cues)
    found = list[list[SpeakerTurn]]()
    for turn in turns:
        last = found[-1] if found else []
        joined = last and len(last) < MAX_CUES and _follows(last[-1], turn, cues)
        if joined and continues(last[-1]) and not _is_other_language(last[-1], turn, divided):
            last.append(turn)
        else:
            found.append([turn])
    return found


def _divided(turns: Sequence[SpeakerTurn], cues: Sequence[Cue]) -> set[int]:
    """The cues with several turns, or with the times of the cue before or after them."""
    counts = Counter(turn.cue for turn in turns)
    times = [(cue.start, cue.end) for cue in cues]
    pairs = (n for n, (this, other) in enumerate(pairwise(times)) if this == other)
    return {cue for cue in counts if counts[cue] > 1}.union(*((n, n + 1) for n in pairs))


def _is_other_language(turn: SpeakerTurn, following: SpeakerTurn, divided: set[int]) -> bool:
    """Whether two turns are in different scripts; a single word is enough in divided cues."""
    shared = turn.cue in divided or following.cue in divided
    words = BILINGUAL_WORDS if shared else OTHER_WORDS
    return are_apart(turn.text, following.text, words)


def _rule(turns: Sequence[SpeakerTurn]) -> Callable[[SpeakerTurn], bool]:
    """The test whether a sentence continues after a turn."""
    stops = sum(bool(_FULL_STOP.search(turn.text[-_END_CHARACTERS:])) for turn in turns)
    if stops < MIN_FULL_STOP_SHARE * len(turns):
        return lambda turn: bool(_CONTINUES.search(turn.text))
    return lambda turn: not _END.search(turn.text[-_END_CHARACTERS:])


def _follows(turn: SpeakerTurn, following: SpeakerTurn, cues: Sequence[Cue]) -> bool:
    """Whether a turn can continue the previous one, by speakers and times."""
    if following.begins or following.voice != turn.voice or following.cue != turn.cue + 1:
        return False
    if _BY_ITSELF.fullmatch(turn.text) or _BY_ITSELF.fullmatch(following.text):
        return False
    this, other = cues[turn.cue], cues[following.cue]
    if this.voice != other.voice:
        return False
    return this.end - this.duration / 2 <= other.start <= this.end + MAX_GAP_MILLISECONDS
