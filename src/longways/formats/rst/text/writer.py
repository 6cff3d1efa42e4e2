r"""Writes inline text of reStructuredText, verified by reading the result.

A sign of markup that touches a word is separated from it with `\ `, which stands for nothing. Text
is escaped as little as possible: if the result is read as other markup than intended, every sign is
escaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from longways.formats.base import Passage
from longways.formats.rst.text.inline import are_quotes, may_follow, may_precede
from longways.formats.rst.text.passages import Inline, MarkKind, Markup, Reader
from longways.formats.rst.text.runs import PLAIN, WORD, Run, runs

_SIGNS = re.compile(r"(?<!\w)[*`|]|[*`|](?!\w)|_(?![^\W_])")
_ANY_SIGN = re.compile(r"[\\*`|_\[\r\n\t\v\f\x00-\x1f\x7f\x85\u2028\u2029]")
_SIGNS_IN_QUOTES = re.compile(r"[\\`]|<(?=[^<>]*>\Z)")
_SPACES = re.compile(r"[\s\x00]+")
_CLASS: Mapping[MarkKind, str] = {"link": "ref", "term": "quoted"}
"""Markup that may be written as other markup."""


@dataclass
class Names:
    """The names of a file by which references find their targets, as it is written."""

    addresses: dict[str, str] = field(default_factory=dict)
    """The target of each name that a link with an address defines."""
    terms: dict[str, str] = field(default_factory=dict)
    """The new text of each term of a glossary."""
    notes: dict[int, str] = field(default_factory=dict)
    """The new references to footnotes that have no name, by the identity of their markup."""

    def is_free(self, name: str, target: str) -> bool:
        """Whether a name can have this target; it has it from now on."""
        return self.addresses.setdefault(name, target) == target


@dataclass(frozen=True)
class InlineWriter:
    """Writes passages of one file."""

    reader: Reader
    names: Names = field(default_factory=Names)

    def write(self, own: Inline, new: Passage) -> str:
        """A new passage with the markup of its own one, on one line."""
        if not own.markups and not own.words and not _ANY_SIGN.search(new.text):
            return new.text
        passage = _flattened(new)
        found = runs(passage, own.markups, own.words)
        meant = outline(found, own.markups)
        written = ""
        for strict in (False, True):
            written = "".join(self._joined(found, own, strict=strict))
            again = self.reader.read(written)
            if not again.problems and self._outline(again) == meant:
                break
        return written

    def _outline(self, read: Inline) -> str:
        return outline(runs(read.passage, read.markups, read.words), read.markups)

    def _joined(self, found: Sequence[Run], own: Inline, *, strict: bool) -> list[str]:
        """The runs with separators between markup and words."""
        parts, last, after_markup = list[str](), "", False
        for at, run in enumerate(found):
            text = self._run(run, own, strict=strict)
            if not text:
                continue
            is_markup = run.tag != PLAIN
            spaces = own.markups[run.tag].spaced if self._is_note(run, own) else (False, False)
            before = found[at - 1] if at else None
            if is_markup and last:
                if not may_follow(last) or are_quotes(last, run.text[:1]) or after_markup:
                    parts.append(" " if spaces[0] else "\\ ")
                elif spaces[0] and not last.isspace():
                    parts.append(" ")
            elif after_markup and before and not may_precede(text[0]):
                spaced = self._is_note(before, own) and own.markups[before.tag].spaced[1]
                parts.append(" " if spaced else "\\ ")
            parts.append(text)
            last, after_markup = text[-1], is_markup
        return parts

    def _is_note(self, run: Run, own: Inline) -> bool:
        return run.tag >= 0 and own.markups[run.tag].kind == "note"

    def _run(self, run: Run, own: Inline, *, strict: bool) -> str:
        if run.tag == PLAIN:
            return escape(run.text, strict=strict)
        if run.tag <= WORD:
            return run.text
        markup = own.markups[run.tag]
        if markup.kind == "note":
            return self.names.notes.get(id(markup), markup.source)
        if run.text == own.own_text(run.tag):
            return markup.source
        if markup.kind in ("em", "strong"):
            inner = escape(run.text, strict=strict)
            return f"{markup.opening}{inner}{markup.closing}" if run.text else ""
        if not run.text:
            return markup.source
        if markup.kind == "code":
            return f"``{run.text}``"
        inner = _SIGNS_IN_QUOTES.sub(r"\\\g<0>", run.text)
        return f"{markup.opening}{inner}{self._closing(markup, run.text)}"

    def _closing(self, markup: Markup, text: str) -> str:
        """What follows the text of a reference, so that it finds the target of the own one."""
        name = " ".join(text.split()).lower()
        closing = markup.closing
        if name == markup.name or closing == "`__":
            return closing
        if markup.kind == "ref":
            target = self.names.addresses.get(markup.name)
            own = markup.source.removesuffix("_").strip("`")
            return target.removesuffix("_") + "__" if target else f" <{own}_>`__"
        if markup.kind == "link" and not closing.endswith("__"):
            return closing if self.names.is_free(name, closing) else f"{closing}_"
        if markup.kind == "term":
            own = markup.source.strip("`").rpartition("`")[2]
            return f" <{self.names.terms.get(markup.name, own)}>`"
        return closing


def escape(text: str, *, strict: bool) -> str:
    """Plain text with its backslashes escaped, and all signs of markup if strict."""
    text = text.replace("\\", "\\\\")
    return _SIGNS.sub(r"\\\g<0>", text) if strict else text


def outline(found: Sequence[Run], markups: Mapping[int, Markup]) -> str:
    """A key that is equal for texts that are rendered equally, whitespace aside."""
    parts = list[str]()
    for run in found:
        if run.tag == PLAIN or (run.tag <= WORD and "://" in run.text[:8]):
            parts.append(run.text)
        elif run.tag <= WORD:
            parts.append(f"\x02\x03{run.text}\x04")
        elif run.text or markups[run.tag].kind == "note":
            kind = markups[run.tag].kind
            parts.append(f"\x02{_CLASS.get(kind, kind)}\x03{run.text}\x04")
    return _SPACES.sub("", "".join(parts))


def _flattened(passage: Passage) -> Passage:
    """The passage on one line; all line ends become spaces of the same length."""
    text = re.sub(r"[\r\n\t\v\f\x00-\x1f\x7f\x85\u2028\u2029]", " ", passage.text)
    return Passage(text, passage.marks)
