"""`--update`: the files of a job are translated again only where their sources have changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from longways.errors import FormatError
from longways.formats.base import FormattedDocument
from longways.translation.files.formatted_file import read_formatted
from longways.translation.files.output import is_stream
from longways.translation.files.plan import File
from longways.translation.files.record import FinishedFiles
from longways.translation.files.updates.base import Base, adopted, open_base
from longways.translation.files.updates.collect import (
    collect,
    options_of,
    read_output,
    text_of,
    written_form,
)
from longways.translation.files.updates.edits import Edits, spaced
from longways.translation.files.updates.kept import Head, Kept, KeptPassage
from longways.translation.files.updates.lines import TEXT_LINES
from longways.translation.files.updates.report import FileUpdate, State, UpdateReport
from longways.translation.files.updates.reuse import Conflict, Reuse, find_reuse
from longways.translation.files.updates.store import (
    all_heads,
    read_kept,
    settle,
    take_next,
    write_next,
)
from longways.translation.markup.passages import unwrap

MOST_WARNINGS = 10
"""The most conflicts that are named on the terminal."""

Fingerprint = Mapping[str, Any]


class Updates:
    """The old translations of a job's files, and the report on what became of them."""

    def __init__(
        self,
        source: str,
        target: str,
        record: FinishedFiles,
        warn: Callable[[str], None],
        roots: Iterable[Path] = (),
    ) -> None:
        """`source` and `target` are languages; `roots` the folders of the translations."""
        self.source, self.target, self.record, self.warn = source, target, record, warn
        self.roots = [root for root in roots if root.is_dir()]
        self.report = UpdateReport()
        self.bases: dict[Path, Base] = {}
        self.states: dict[Path, State] = {}
        self.renamed: dict[Path, Path] = {}
        """Old translations by the new ones that take their place."""
        self.gone = dict[Path | None, list[tuple[Path, Head]]]()
        """Translations whose source is gone, by the folder in which they were looked for."""
        self.told_of_options = False
        self.conflicts = 0

    def is_done(self, file: File, fingerprint: Fingerprint, job: str) -> bool:
        """Whether nothing is to be done for a file: its translation is that of its source.

        `job` is the hash under which the translation would be recorded.
        """
        assert file.target is not None, "it is standard output"
        if is_stream(file.target):
            return False
        settle(file.target)
        kept = read_kept(file.target)
        if not file.target.is_file():
            return False
        if self.record.state(file.target, job) == "finished":
            self._add(file, "unchanged")
            return True
        if kept is None:
            return self._adopts(file, fingerprint, job)
        self._compare_options(kept.head, fingerprint)
        if kept.head.text != text_of(fingerprint):
            return False
        self._add(file, "unchanged")
        return True

    def _compare_options(self, head: Head, fingerprint: Fingerprint) -> None:
        now = options_of(fingerprint)
        if dict(head.options) == now or self.told_of_options:
            return
        self.told_of_options = True
        names = sorted(k for k in head.options.keys() | now if head.options.get(k) != now.get(k))
        self.warn(
            f"{', '.join(names)} differ from the ones before. --update keeps old "
            "sentences as they are; --force translates all sentences again."
        )

    def _base(self, file: File, fingerprint: Fingerprint) -> Base | None:
        """The old translation of a file, if pairs of it are kept."""
        assert file.target is not None, "it is standard output"
        kept, old = read_kept(file.target), file.target
        state: State = "updated"
        if kept is None and not file.target.is_file():
            old, kept = self._renamed(file.target, text_of(fingerprint))
            state = "renamed"
        if kept is None:
            return None
        form = file.format or TEXT_LINES
        base = open_base(old, kept, form, self.target, file.encoding)
        self.states[file.target], self.bases[file.target] = state, base
        return base

    def _renamed(self, target: Path, text: str) -> tuple[Path, Kept | None]:
        """The translation of a source with the same text that is there no more."""
        for old, head in self._gone_in(None if self.roots else target.parent):
            if head.text == text and old.is_file() and old not in self.renamed.values():
                self.renamed[target] = old
                return old, read_kept(old)
        return target, None

    def _gone_in(self, folder: Path | None) -> list[tuple[Path, Head]]:
        """Translations in a folder, or below all roots, whose source is there no more."""
        if folder not in self.gone:
            heads = [all_heads(root) for root in self.roots] if folder is None else []
            heads += [all_heads(folder, below=False)] if folder else []
            found = dict(one for some in heads for one in some)
            places = ((old, head, old.parent / head.source) for old, head in found.items())
            self.gone[folder] = [(old, head) for old, head, place in places if not place.exists()]
        return self.gone[folder]

    def _adopts(self, file: File, fingerprint: Fingerprint, job: str) -> bool:
        """Whether a translation without pairs was taken as it is.

        One that a job has made and nobody has edited is made anew. One that may be a person's work
        and does not fit its source is refused.
        """
        assert file.target is not None, "it is standard output"
        assert file.source is not None, "it is standard input"
        if self.record.state(file.target, job) == "outdated":
            self.warn(
                f"{file.target} has no pairs of sentences that could be kept, so it is translated "
                "anew."
            )
            self.states[file.target] = "anew"
            return False
        found = None
        if self.record.last_job(file.target) in (None, job):
            found = self._fitting(file, read_source(file, self.source))
        if found is None:
            raise FormatError(
                f"{file.target} is there already, but it is not known from which sentences it was "
                f"translated, and its paragraphs do not fit {file.name}. Translate it anew with "
                "--force, or use -o."
            )
        form = file.format or TEXT_LINES
        kept = collect(found, file.target, file, form, fingerprint, self.target)
        self.record.add(file.target, job, file.target, file.source)
        write_next(file.target, kept, file.target.stat().st_mode & 0o666)
        take_next(file.target)
        self.warn(
            f"{file.target} is there already, and its {len(found)} passages fit {file.name}: they "
            "are kept as its translation."
        )
        self._add(file, "adopted")
        return True

    def _fitting(self, file: File, document: FormattedDocument) -> list[KeptPassage] | None:
        """The passages of an existing translation, if they fit its source."""
        assert file.target is not None, "it is standard output"
        form = written_form(file.format or TEXT_LINES)
        old = read_output(file.target.read_bytes(), form, self.target, file.encoding)
        return adopted(document, old, self.source, self.target) if old else None

    def open(self, file: File, fingerprint: Fingerprint) -> tuple[FormattedDocument, Reuse] | None:
        """A file with what its translation has of the old one; None if pairs of it are not kept."""
        is_file = file.target is not None and not is_stream(file.target)
        base = self._base(file, fingerprint) if is_file else None
        if base is None:
            return None
        document = read_source(file, self.source)
        base.reuse = find_reuse(base.edits.passages, document.passages, self.source)
        return document, base.reuse

    def digest(self, file: File) -> dict[str, str]:
        """What the journal of a file depends on, beside its source and the options."""
        base = self.bases.get(file.target) if file.target else None
        return {"update": base.digest} if base else {}

    def finish(self, file: File, kept: Kept) -> None:
        """Add a file that is about to appear to the report, and keep edits that it lacks."""
        assert file.target is not None, "it is standard output"
        base = self.bases.get(file.target)
        entry = self._add(file, self.states.get(file.target, "new"))
        if base is None or base.reuse is None:
            entry.translated = sum(len(one.sentences) for one in kept.passages)
            return
        reuse, edits = base.reuse, base.edits
        entry.kept, entry.corrected, entry.moved = reuse.kept, reuse.corrected, reuse.moved
        entry.translated, entry.gone = reuse.new, reuse.gone
        entry.conflicts = [self._conflict(one, kept) for one in reuse.conflicts]
        entry.added, entry.removed = list(edits.added), list(edits.removed)
        entry.edited_elsewhere = edits.elsewhere or self._lacks(edits, reuse, kept)
        if entry.conflicts or entry.edited_elsewhere or not edits.is_all_kept:
            entry.edited_version = base.back_up()
        self._tell(entry)

    def _lacks(self, edits: Edits, reuse: Reuse, kept: Kept) -> bool:
        """Whether a corrected passage reads otherwise once it is written."""
        read = {spaced(unwrap(passage, self.target).text) for passage in kept.read_again}
        return edits.corrected > 0 and any(
            known.whole and any(known.corrected) and spaced(known.whole.text) not in read
            for known in reuse.known
        )

    def _conflict(self, conflict: Conflict, kept: Kept) -> dict[str, str]:
        entry = {"source": conflict.source, "correction": conflict.correction}
        if conflict.now is None:
            return entry
        sentences = kept.passages[conflict.now.passage].sentences
        if conflict.now.sentence >= len(sentences):  # a memory has the whole passage
            return entry
        pair = sentences[conflict.now.sentence]
        return entry | {"source_now": pair.source, "translation_now": pair.target}

    def _tell(self, entry: FileUpdate) -> None:
        """Name what of a person's work is not in a new translation."""
        for conflict in entry.conflicts:
            self.conflicts += 1
            if self.conflicts <= MOST_WARNINGS:
                self.warn(
                    f"{entry.translation}: the source of a corrected sentence has changed. "
                    f"{conflict['correction']!r:.200} was its translation."
                )
        if self.conflicts > MOST_WARNINGS >= self.conflicts - len(entry.conflicts):
            self.warn("More corrections are in conflict; --report FILE names them all.")
        if entry.edited_version:
            self.warn(
                f"{entry.translation} had changes of a person that the new translation lacks. The "
                f"edited version is kept as {entry.edited_version}."
            )

    def failed(self, file: File, reason: str) -> None:
        """Add a file that was not updated to the report."""
        self._add(file, "failed").reason = reason

    def end(self) -> None:
        """Report the translations whose sources are gone."""
        for old, head in self._gone_in(None):
            source = str((old.parent / head.source).resolve())
            if old.is_file() and old not in self.renamed.values():
                self.report.gone.append({"source": source, "translation": str(old)})
                self.warn(f"{source} is there no more; its translation {old} is left as it is.")
        for new, old in self.renamed.items():
            self.warn(f"{new} has the sentences of {old}, whose source was renamed. Delete {old}.")

    def _add(self, file: File, state: State) -> FileUpdate:
        entry = FileUpdate(file.name, str(file.target), state)
        self.report.files.append(entry)
        return entry


def read_source(file: File, language: str) -> FormattedDocument:
    """The passages of a source; a line of plain text is one."""
    return read_formatted(replace(file, format=file.format or TEXT_LINES), language)
