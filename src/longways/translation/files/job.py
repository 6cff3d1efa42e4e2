"""A translation job: files are opened, translated side by side, written and closed."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from longways.decoding.runtime import AnyRuntime
from longways.decoding.shortlist.shortlist import Shortlisting
from longways.errors import FormatError, LongwaysError, unreadable
from longways.formats.contents import likely_format
from longways.text.scripts import language_warning
from longways.text.sentences.splitter import Segment
from longways.translation.documents import DocumentEnd
from longways.translation.files.content import Content, TextStream
from longways.translation.files.file_translation import Destination, FileTranslation
from longways.translation.files.folders.copies import Copy, copy_files
from longways.translation.files.formatted_file import FormattedFile, read_formatted
from longways.translation.files.job_lock import Lock, locked_targets
from longways.translation.files.journal import (
    Journal,
    fingerprint,
    hash_model,
    remove_leftover,
)
from longways.translation.files.output import (
    DEFAULT_MODE,
    is_stream,
    journal_path,
    open_output,
    source_mode,
)
from longways.translation.files.output_styles import JsonLines, OutputStyle, PlainText
from longways.translation.files.plan import File
from longways.translation.files.record import FinishedFiles, job_hash
from longways.translation.files.updates.collect import collect
from longways.translation.files.updates.lines import TEXT_LINES, LinePairs
from longways.translation.files.updates.store import settle, take_next, write_next
from longways.translation.files.updates.update import Updates
from longways.translation.markup.alignment import Aligner
from longways.translation.markup.passages import Passages
from longways.translation.memory.paragraphs import take_paragraphs
from longways.translation.memory.recorder import PairRecorder
from longways.translation.model_folder import ModelFolder
from longways.translation.options import Options, open_decoder
from longways.translation.segments import TranslatedSegment

PROBLEMS = {
    "numbers": "a number is missing or made up.",
    "names": "a name is missing or changed.",
    "repetition": "the translation repeats itself.",
    "length": "the translation is far too long or too short.",
    "context": "the translation is that of the sentence before.",
    "cut": "the translation was cut off at the length limit.",
}
"""What a warning says about a problem of a translation."""
MAX_PROBLEM_WARNINGS = 10
"""The most problems that a job names on the terminal."""


class Listener:
    """Receives the events of a job; this one ignores them."""

    def warn(self, message: str) -> None:
        """A sentence that the user should read."""

    def begin(self, file: File, characters: int | None) -> None:
        """A file was opened; its length, if it is known."""

    def advance(self, ready: TranslatedSegment) -> None:
        """A segment was written."""


class Job:
    """Translates files with one model and one set of options."""

    def __init__(
        self,
        model: ModelFolder,
        runtime: AnyRuntime,
        options: Options,
        style: type[OutputStyle] = PlainText,
        listener: Listener | None = None,
        *,
        force: bool = False,
        record: FinishedFiles | None = None,
        pairs: PairRecorder | None = None,
        updates: Updates | None = None,
    ) -> None:
        """`record` lets a job over several files skip those that are finished.

        `pairs` receives the sentences of all files as they are written. With `updates` only the
        sentences are translated that have changed.
        """
        self.pairs = pairs or PairRecorder(options.get("memory"), None, model.text.target_language)
        self.updates = updates
        self.record, self.skipped = record, 0
        self.model, self.options, self.style, self.force = model, options, style, force
        self.source = model.text.source_language
        self.target = model.text.target_language
        self.lists = runtime.shortlist if isinstance(runtime, Shortlisting) else None
        self.decoder = open_decoder(model, runtime, options)
        self.aligner = Aligner(runtime, model.text)
        self.listener = listener or Listener()
        self.language_checked = False
        self.shared: Destination | None = None
        self.opened: dict[int, FileTranslation] = {}
        self.failed: list[FormatError] = []
        self.uncopied = 0
        """Files that `--copy` could not read."""
        self.written: list[Path] = []
        """The translations that this job has finished."""
        self.problems = 0
        """Problems of translations so far."""

    def run(self, files: Sequence[File], copies: Sequence[Copy] = ()) -> None:
        """Copy and translate files, each of which appears when it is whole.

        An interrupted job can be resumed. A file that cannot be parsed is skipped with a warning,
        and is an error at the end. JSON lines of all files go to the output of the first file.
        """
        targets = [file.target for file in files] + [copy.target for copy in copies]
        with locked_targets(targets if self.record else ()):
            if self.record:
                self.record.read_again()
                warn, force = self.listener.warn, self.force
                self.uncopied = copy_files(copies, self.record, warn, force=force)
            self._run(files)

    def _run(self, files: Sequence[File]) -> None:
        try:
            self._begin_pairs(files)
            if files and self.style is JsonLines:
                self.shared = self._destination(files)
            self._translate(deque(files), len(files))
            if self.updates:
                self.updates.end()
            if self.skipped:
                what = f"{self.skipped} of {len(files)} files"
                self.listener.warn(f"{what} were translated before and have not changed.")
            if self.shared:
                self.shared.finish()
                self._note_written(files[0].target)
            self.pairs.finish()
        except BaseException:
            self._keep_partial()
            self.pairs.discard()
            raise
        self._check_failed(len(files))

    def _begin_pairs(self, files: Sequence[File]) -> None:
        """A resumed job sees the translation memory as it was when the job began."""
        targets = [file.target for file in files]
        kept = (journal_path(one) for one in targets if one and not is_stream(one))
        self.pairs.begin(targets, resumed=not self.force and any(map(Path.is_file, kept)))

    def _translate(self, waiting: deque[File], total: int) -> None:
        while True:
            while waiting and self.decoder.room:
                self._open(waiting.popleft(), total)
            event = self.decoder.next()
            if event is None:
                return
            if isinstance(event, DocumentEnd):
                self._close(event.document)
            else:
                self._add(event)

    def _open(self, file: File, total: int) -> None:
        """Parse a file and pass it to the decoder."""
        began = time.monotonic()
        try:
            if file.fault:
                raise FormatError(file.fault)
            if self._is_finished(file):
                self.listener.begin(file, 0)
                self.skipped += 1
                return
            content = self._content(file)
        except FormatError as error:
            self._fail(file, error, total)
            return
        except OSError as error:
            self._fail(file, FormatError(unreadable(file.name, error)), total)
            return
        destination = self.shared or self._destination([file])
        place = self.decoder.opened if self.shared else 0
        seconds = time.monotonic() - began
        known = self.model.confidence
        translation = FileTranslation(file, content, destination, place, seconds, known)
        number = self.decoder.open(translation.segments(), translation)
        self.opened[number] = translation

    def _is_finished(self, file: File) -> bool:
        """Whether an earlier job has translated a file in the same way."""
        if self.record is None or self.force or self.shared or file.target is None:
            return False
        found = self._fingerprint([file])
        if self.updates:
            return self.updates.is_done(file, found, self._job_hash(found))
        state = self.record.state(file.target, self._job_hash(found))
        if state == "edited":
            raise FormatError(
                f"{file.target} was edited after it was translated, so it is kept. Translate what "
                "is new with --update, or overwrite it with --force."
            )
        if state == "finished":
            remove_leftover(file.target)
            settle(file.target)
        return state == "finished"

    @cached_property
    def _model_hash(self) -> str:
        """Computed once: the weights of a model may be large, and the files many."""
        return hash_model(self.model.folder)

    def _fingerprint(self, files: Sequence[File]) -> dict[str, Any]:
        found = fingerprint(files, self.model, self._model_hash, self.options)
        return found | ({"shortlist": self.lists.identity} if self.lists else {})

    def _job_hash(self, job: dict[str, Any]) -> str:
        """One hash for a fingerprint and the style; a journal serves all styles, a file one."""
        style = {} if self.style is PlainText else {"style": self.style.__name__}
        return job_hash(job | style)

    def _add(self, ready: TranslatedSegment) -> None:
        """Write a translated segment and report terms that are missing in it."""
        file = self.opened[ready.document]
        self.pairs.add(ready.document, file.add(ready))
        self.listener.advance(ready)
        for term in ready.missed:
            what = f"{term.target!r} for {term.source!r}"
            self.listener.warn(f"{file.name}, sentence {file.sentences}: {what} is missing.")
        for problem in ready.problems:
            self._warn_of(f"{file.name}, sentence {file.sentences}: {PROBLEMS[problem]}")
        self._warn_if_unfamiliar(file, at_end=False)

    def _warn_of(self, problem: str) -> None:
        """Name a problem, unless there were many."""
        self.problems += 1
        if self.problems <= MAX_PROBLEM_WARNINGS:
            self.listener.warn(problem)
        elif self.problems == MAX_PROBLEM_WARNINGS + 1:
            self.listener.warn("More sentences have problems; --json names them all.")

    def _warn_if_unfamiliar(self, file: FileTranslation, *, at_end: bool) -> None:
        if warning := file.warning(at_end=at_end):
            self.listener.warn(warning)
            file.content.note(warning)

    def _close(self, number: int) -> None:
        """Write the end of a file; it appears, unless its output is shared."""
        file = self.opened[number]
        self._warn_if_unfamiliar(file, at_end=True)
        file.finish()
        self.pairs.end(number, file.name)
        if file.destination is not self.shared:
            self._record_finished(file)
            file.destination.finish()
            self._note_written(file.target)
        del self.opened[number]
        if file.target and self.keeps_pairs:
            take_next(file.target)

    def _note_written(self, target: Path | None) -> None:
        if target and not is_stream(target):
            self.written.append(target)

    def _record_finished(self, file: FileTranslation) -> None:
        """Record a file under the fingerprint that it had when it was opened."""
        made = file.destination
        if self.record and file.target and made.source and made.job:
            whole = made.output.whole()
            assert whole, "a stream has no journal"
            self.record.add(file.target, made.job, whole, made.source)
            if self.keeps_pairs:
                self._keep_pairs(file, whole, made)

    @property
    def keeps_pairs(self) -> bool:
        """Whether the pairs of sentences are kept, so that translations can be updated."""
        return self.record is not None and self.style is PlainText

    def _keep_pairs(self, file: FileTranslation, whole: Path, made: Destination) -> None:
        """Keep the pairs of a translation that is about to appear."""
        form = file.file.format or TEXT_LINES
        pairs, source = file.content.pairs(), made.source
        assert file.target, "standard output has no pairs"
        assert source, "a stream has no pairs"
        kept = collect(pairs, whole, file.file, form, made.fingerprint, self.target)
        write_next(file.target, kept, source_mode([source]) or DEFAULT_MODE)
        if self.updates:
            self.updates.finish(file.file, kept)

    def _content(self, file: File) -> Content:
        update = self.updates.open(file, self._fingerprint([file])) if self.updates else None
        if file.format is None and update is None:
            self.listener.begin(file, file.characters)
            style = self.style(file.name, self.target)
            lines = LinePairs(self.target) if self.keeps_pairs else None
            check = partial(self._check, file)
            return TextStream(file, self.source, style, check, self._paragraphs, lines)
        document = update[0] if update else read_formatted(file, self.source)
        known, memory = update[1].known if update else (), self.options.get("memory")
        passages = Passages(
            document.passages, self.source, self.target, self.aligner, memory, known
        )
        content = FormattedFile(document, passages, self.style, file.name, self.target)
        for warning in document.warnings:
            self.listener.warn(f"{file.name}: {warning}")
        self._check(file, content.beginning)
        self.listener.begin(file, content.characters)
        return content

    def _paragraphs(self, segments: Iterable[Segment]) -> Iterator[Segment]:
        """Segments of plain text, with the translations of whole paragraphs that are known."""
        return take_paragraphs(segments, self.options.get("memory"), self.target)

    def _destination(self, files: Sequence[File]) -> Destination:
        """The output of files that share it, with a journal if they can be read again."""
        target = files[0].target
        sources = [file.source for file in files if file.source and file.source.is_file()]
        mode = source_mode(sources)
        output = open_output(target, mode)
        if target is None or is_stream(target):
            return Destination(output, None)
        if len(sources) < len(files):
            return Destination(output, None, lock=Lock(journal_path(target)))
        job, path = self._fingerprint(files), journal_path(target)
        based = job | (self.updates.digest(files[0]) if self.updates else {})
        # A source may change again before its update is finished, which costs only what is new.
        force = self.force or self.updates is not None
        journal = Journal(path, based, force=force, mode=mode or DEFAULT_MODE)
        only = sources[0] if len(sources) == 1 else None
        return Destination(output, journal, self._job_hash(job), job, only)

    def _keep_partial(self) -> None:
        """Leave unfinished files so that the job can be resumed and the user can open them."""
        for file in self.opened.values():
            with suppress(LongwaysError):  # the disk may be full
                file.show_preview()
        files = self.opened.values()
        places = [self.shared] if self.shared else [file.destination for file in files]
        kept = [path for place in places if (path := place.keep_partial()) and path.exists()]
        if kept:
            more = f" and {len(kept) - 1} more" if kept[1:] else ""
            self.listener.warn(
                f"Not finished: the partial translation is {kept[0]}{more}. Run the same command "
                "again to resume."
            )

    def _fail(self, file: File, error: FormatError, total: int) -> None:
        self.failed.append(error)
        if self.updates:
            self.updates.failed(file, str(error))
        if total > 1:
            self.listener.warn(str(error))

    def _check_failed(self, total: int) -> None:
        """Raise if files could not be parsed."""
        if self.failed and total == 1 and not self.uncopied:
            raise self.failed[0]
        if self.uncopied:
            raise FormatError(
                f"{len(self.failed)} of {total} files were not translated and {self.uncopied} not "
                "copied, for the reasons above. All others were."
            )
        if self.failed:
            raise FormatError(
                f"{len(self.failed)} of {total} files were not translated, for the reasons above. "
                "All others were."
            )

    def _check(self, file: File, beginning: str) -> None:
        """Warn if the beginning of a text has another format; once, if another language."""
        if file.unnamed and (format_name := likely_format(beginning)):
            self.listener.warn(
                f"{file.name} looks like {format_name}, but is translated as plain text. Keep its "
                f"markup with --format {format_name}; --format text says that it is plain text."
            )
        warning = language_warning(file.name, beginning, self.source)
        if warning and not self.language_checked:
            self.language_checked = True
            self.listener.warn(warning)
