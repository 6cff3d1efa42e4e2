"""The old translation on which the update of a file is based."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from longways.errors import FormatError
from longways.formats.base import Format, FormattedDocument, Passage
from longways.text.sentences.splitter import split_text
from longways.translation.files.updates.collect import read_output, written_form
from longways.translation.files.updates.edits import Edits, find_edits, with_tags
from longways.translation.files.updates.kept import Kept, KeptPassage, KeptSentence
from longways.translation.files.updates.reuse import Reuse
from longways.translation.files.updates.store import back_up, file_hash, kept_path
from longways.translation.markup.passages import passage_segments

CATALOGUES = frozenset(["po", "xliff", "ts"])
"""Formats of which only what is not translated is read."""


@dataclass
class Base:
    """An old translation with its pairs and with what people have changed in it."""

    target: Path
    """The old translation; of a renamed source, it has another name than the new one."""
    kept: Kept
    edits: Edits
    reuse: Reuse | None = None
    """What the new translation has of it, once its source is read."""

    @property
    def digest(self) -> str:
        """On what the new translation depends; only the same base resumes its journal."""
        found = [path for path in (kept_path(self.target), self.target) if path.is_file()]
        return hashlib.sha256("".join(map(file_hash, found)).encode()).hexdigest()

    def back_up(self) -> str:
        """Keep the edited version; the path of it, or nothing if nobody has edited it."""
        is_edited = self.target.is_file() and file_hash(self.target) != self.kept.head.output
        return str(back_up(self.target)) if is_edited else ""


def open_base(target: Path, kept: Kept, form: Format, language: str, encoding: str | None) -> Base:
    """The old translation with its edits; a file that cannot be read any more is refused."""
    if not target.is_file() or file_hash(target) == kept.head.output:
        return Base(target, kept, Edits(kept.passages))
    if form.name in CATALOGUES:
        raise FormatError(
            f"{target} was edited, and of {form.name} files only texts without a translation are "
            "read, so it is kept. Merge the new source into it with the tools of its format, and "
            "translate the result; --force overwrites it."
        )
    document = read_output(target.read_bytes(), written_form(form), language, encoding)
    if document is None:
        raise FormatError(
            f"{target} was edited and cannot be read as {form.name} any more, so it is kept. "
            "Repair it, or overwrite it with --force."
        )
    return Base(target, kept, find_edits(kept, document, language))


def adopted(
    new: FormattedDocument, old: FormattedDocument, source: str, target: str
) -> list[KeptPassage] | None:
    """The passages of a translation without pairs, by their order; None if they do not fit.

    They fit if both files have as many passages, with as many marks and the same placeholders.
    """
    if len(new.passages) != len(old.passages):
        return None
    found = list[KeptPassage]()
    for one, other in zip(new.passages, old.passages, strict=True):
        if len(one.marks) != len(other.marks) or not all(
            one.text[a:b] in other.text for a, b in one.keep
        ):
            return None
        found.append(_pair(one, other, source, target))
    return found


def _pair(one: Passage, other: Passage, source: str, target: str) -> KeptPassage:
    """A passage with its translation, and their sentences if there are as many."""
    _, segments = passage_segments(one, source)
    texts = [segment.text for segment in segments if segment.text]
    others = [segment.text for segment in split_text(other.text, target) if segment.text]
    if len(texts) != len(others):
        others = [other.text] if len(texts) == 1 else [""] * len(texts)
    marks = with_tags(one.marks, one, other)
    sentences = (KeptSentence(*pair, corrected=True) for pair in zip(texts, others, strict=True))
    return KeptPassage(one, Passage(other.text, marks), tuple(sentences))
