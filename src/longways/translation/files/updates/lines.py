"""Plain text as passages: each line with words is one, without the whitespace at its ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from longways.formats.base import Passage
from longways.formats.placeholders import code_spans, kept_parts
from longways.formats.text_file import read_text
from longways.text.sentences.joiner import Joiner
from longways.text.sentences.splitter import BLOCK, LINE_END, Segment
from longways.translation.files.updates.kept import KeptPassage, KeptSentence

_LINE = re.compile(rf"\S(?:(?!{LINE_END.pattern}).)*", re.DOTALL)


class TextLines:
    """Plain text, as `--format text` reads it."""

    name, suffixes = "text", ()

    def read(self, data: bytes, language: str, encoding: str | None = None) -> LinesOfText:
        """The lines of a file."""
        return LinesOfText(read_text(data, language, encoding).text)


class LinesOfText:
    """A text with the places of its lines; it is written in UTF-8."""

    warnings: Sequence[str] = ()

    def __init__(self, text: str) -> None:
        self.text = text
        found = ((one.start(), one[0].rstrip()) for one in _LINE.finditer(text))
        self.lines = [(start, line) for start, line in found]
        self.passages = [line_passage(line) for _, line in self.lines]

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The text with these lines. See `FormattedDocument`."""
        parts, place = list[str](), 0
        for (start, line), passage in zip(self.lines, passages, strict=True):
            parts += [self.text[place:start], LINE_END.sub(" ", passage.text)]
            place = start + len(line)
        return "".join([*parts, self.text[place:]]).encode("utf-8", "surrogatepass")


TEXT_LINES = TextLines()


def line_passage(line: str) -> Passage:
    """A line with its placeholders."""
    is_long = len(line) > BLOCK
    return Passage(line, keep=() if is_long else tuple(kept_parts(line, code_spans(line))))


class LinePairs:
    """Collects the segments of a text that is translated in a stream as pairs of lines."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.passages = list[KeptPassage]()
        self.line = list[tuple[Segment, str]]()

    def add(self, segment: Segment, translation: str) -> None:
        """Take the next segment."""
        self.line.append((segment, translation))
        if LINE_END.search(segment.after):
            self._end()

    def finish(self) -> list[KeptPassage]:
        """The pairs of all lines."""
        self._end()
        return self.passages

    def _end(self) -> None:
        line, self.line = self.line, []
        if not any(segment.text for segment, _ in line):
            return
        source = "".join(segment.text + segment.after for segment, _ in line).strip()
        joiner = Joiner(self.language)
        target = "".join(joiner.add(segment, text) for segment, text in line).strip()
        sentences = tuple(_sentences(line, self.language))
        self.passages.append(KeptPassage(line_passage(source), Passage(target), sentences))


def _sentences(line: Iterable[tuple[Segment, str]], language: str) -> Iterable[KeptSentence]:
    """The sentences of a line; the segments of a long one are joined."""
    source, target, joiner = "", "", Joiner(language)
    for segment, text in line:
        if segment.text:
            source += segment.text + ("" if segment.ends else segment.after)
            target += joiner.add(segment, text)
        if segment.ends and source:
            yield KeptSentence(source.strip(), target.strip())
            source, target, joiner = "", "", Joiner(language)
    if source:
        yield KeptSentence(source.strip(), target.strip())
