"""The journal beside an output, from which a killed job resumes.

The first line is the fingerprint of the job: texts, model and options. Every further line is a
translated sentence: [document, sentence, tokens, score, rank, stop], and with several hypotheses a
list of the others, [tokens, score, rank, stop] each. A line that a crash has cut off is dropped
with all lines after it.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import longways
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.searcher import Found
from longways.errors import LongwaysError
from longways.model.manifest import CONFIG_FILE, WEIGHTS_FILE
from longways.translation.files.plan import File
from longways.translation.model_folder import ModelFolder
from longways.translation.options import DEFAULT_BEAM, DEFAULT_LENGTH_PENALTY, Options

VERSION = 1
"""The format version of journals."""

SYNC_SECONDS = 5.0
"""Lines are on the disk after this time even if the power fails. A killed process loses none."""

Fingerprint = Mapping[str, Any]
"""All on which the translations of a job depend."""


def journal_path(target: Path) -> Path:
    """The journal of an output: `page.en.md.journal` for `page.en.md`."""
    return target.with_name(f"{target.name}.journal")


class Journal:
    """The translated sentences of one output, by document and sentence."""

    def __init__(self, path: Path, fingerprint: Fingerprint, *, force: bool = False) -> None:
        """Open the journal at a path, with the sentences of an interrupted job.

        The journal of a job with another fingerprint is an error; with `force` it starts empty.
        """
        self.path, self.synced = path, time.monotonic()
        self.known: dict[tuple[int, int], Found] = {}
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self.file: BinaryIO = path.open("a+b", buffering=0)
        try:
            _lock(self.file, path)
            self._resume(fingerprint, force)
        except BaseException:
            self.file.close()
            raise

    def recall(self, document: int, sentence: int) -> Found | None:
        """The hypotheses of a sentence; they are returned once."""
        return self.known.pop((document, sentence), None)

    def record(self, document: int, sentence: int, found: Found) -> None:
        """Append a sentence at once."""
        others = [found[1:]] if found[1:] else []
        self._write([document, sentence, *found[0], *others])
        if time.monotonic() - self.synced > SYNC_SECONDS:
            os.fsync(self.file.fileno())
            self.synced = time.monotonic()

    def close(self) -> None:
        """Close the journal and leave it for a job that resumes this one."""
        self.file.close()

    def remove(self) -> None:
        """Delete the journal: the output is whole."""
        self.path.unlink(missing_ok=True)
        self.file.close()

    def _resume(self, fingerprint: Fingerprint, force: bool) -> None:
        """Read the whole lines and cut off the rest."""
        self.file.seek(0)
        size, lines = 0, _whole_lines(self.file)
        first = next(lines, None)
        differences = [] if first is None else _differences(first[0], fingerprint)
        if differences and not force:
            raise LongwaysError(_other_job(self.path, differences))
        if first is not None and not differences:
            size = first[1]
            for line, size in lines:  # noqa: B007 - the last size is used below
                self.known[line[0], line[1]] = _found(line)
        self.file.truncate(size)
        if not size:
            self._write(dict(fingerprint))

    def _write(self, line: Any) -> None:
        with self._explained():
            self.file.write((json.dumps(line) + "\n").encode())

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LongwaysError(f"{self.path} cannot be written: {error.strerror}.") from error


def _found(line: list[Any]) -> Found:
    others = line[6] if len(line) > 6 else []
    return [Hypothesis(*line[2:6]), *(Hypothesis(*other) for other in others)]


def _whole_lines(file: BinaryIO) -> Iterator[tuple[Any, int]]:
    """The value of each line and the offset of its end, up to the first line that is not whole."""
    end = 0
    for line in file.read().splitlines(keepends=True):
        try:
            value = json.loads(line) if line.endswith(b"\n") else None
        except ValueError:
            return
        if not value or (end and len(value) not in (6, 7)):
            return
        end += len(line)
        yield value, end


def fingerprint(files: Sequence[File], model: ModelFolder, options: Options) -> dict[str, Any]:
    """The fingerprint of a job; only a job with the same one resumes its journal."""
    found = {
        "journal": VERSION,
        "longways": longways.__version__,
        "text": _digest_files([file.source for file in files if file.source]),
        "encoding": [file.encoding for file in files],
        "format": [file.format.name if file.format else None for file in files],
        "model": _digest_files(_model_files(model.folder)),
        "window": model.window(options.get("window")),
        "beam": options.get("beam", DEFAULT_BEAM),
        "glossary": _digest_values(options.get("glossary", {}).items()),
        "words to keep": _digest_values(options.get("keep", ())),
    }
    # Later options count only where they differ from their defaults, so that older journals resume.
    later = {"length_penalty": DEFAULT_LENGTH_PENALTY, "nbest": 1}
    return found | {
        name.replace("_", " "): value
        for name, default in later.items()
        if (value := options.get(name, default)) != default
    }


def _model_files(folder: Path) -> list[Path]:
    """The files that identify a model: the manifest has the digests of exported graphs."""
    return [path for name in (CONFIG_FILE, WEIGHTS_FILE) if (path := folder / name).exists()]


def _digest_values(values: Iterable[object]) -> str:
    """SHA-256 of values in any order."""
    return hashlib.sha256(repr(sorted(values, key=repr)).encode()).hexdigest()


def _digest_files(paths: Sequence[Path]) -> str:
    """SHA-256 of the contents of files."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _differences(there: Any, here: Fingerprint) -> list[str]:
    """What differs between two fingerprints, in words."""
    if not isinstance(there, dict):
        return ["its first line is not a fingerprint"]
    return [
        f"{key} is {there.get(key)} there and {here.get(key)} here"
        if max(len(str(there.get(key))), len(str(here.get(key)))) < 30
        else f"{key} differs"
        for key in here.keys() | there.keys()
        if there.get(key) != here.get(key)
    ]


def _other_job(path: Path, differences: list[str]) -> str:
    return (
        f"{path} belongs to another unfinished translation: {', '.join(sorted(differences))}. "
        "Translate with the same options to resume it, or start again with --force."
    )


def _lock(file: BinaryIO, path: Path) -> None:
    """Raise if another process writes this journal. Systems without file locks are not checked."""
    try:
        import fcntl
    except ModuleNotFoundError:  # on Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise LongwaysError(
            f"{path} is being written: another process runs the same translation."
        ) from error
