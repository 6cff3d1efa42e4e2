"""The journal beside an output, from which a killed job resumes.

The first line is the fingerprint of the job: texts, model and options. Every further line is a
translated sentence: [document, sentence, tokens, score, rank, stop], and with several hypotheses a
list of the others, [tokens, score, rank, stop] each. A tab and the CRC-32 of the line follow; lines
of version 0.1.0 have none. A line that is cut off or damaged is dropped with all lines after it.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import longways
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.searcher import Found
from longways.errors import LongwaysError
from longways.formats.registry import columns_of
from longways.model.manifest import CONFIG_FILE, WEIGHTS_FILE
from longways.translation.files.output import (
    DEFAULT_MODE,
    JOURNAL_START,
    is_journal,
    journal_path,
    open_locked,
    write_all,
)
from longways.translation.files.plan import File
from longways.translation.model_folder import ModelFolder
from longways.translation.options import DEFAULT_BEAM, DEFAULT_LENGTH_PENALTY, Options

VERSION = 1
"""The format version of journals."""

SYNC_SECONDS = 5.0
"""Lines are on the disk after this time even if the power fails. A killed process loses none."""

Fingerprint = Mapping[str, Any]
"""All on which the translations of a job depend."""


class Journal:
    """The translated sentences of one output, by document and sentence."""

    def __init__(
        self,
        path: Path,
        fingerprint: Fingerprint,
        *,
        force: bool = False,
        mode: int = DEFAULT_MODE,
    ) -> None:
        """Open the journal at a path, with the sentences of an interrupted job.

        The journal of a job with another fingerprint is an error; with `force` it starts empty. A
        file that is no journal is never touched.
        """
        self.path, self.synced = path, time.monotonic()
        self.known: dict[tuple[int, int], Found] = {}
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self.file: BinaryIO = open_locked(path, os.O_RDWR | os.O_APPEND, mode)
        try:
            _check_ours(self.file, path)
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
        text = json.dumps(line).encode()
        with self._explained():
            write_all(self.file, text + b"\t%08x\n" % zlib.crc32(text))

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
    """The value of each line and the offset of its end, up to the first damaged line."""
    end = 0
    for line in file.read().splitlines(keepends=True):
        value = _value(line)
        if value is None or (end and not _is_sentence(value)):
            return
        end += len(line)
        yield value, end


def _value(line: bytes) -> Any:
    """The JSON value of a line; None if the line is cut off or its checksum is wrong."""
    text, tab, checksum = line.rstrip(b"\n").partition(b"\t")
    if not line.endswith(b"\n") or (tab and checksum != b"%08x" % zlib.crc32(text)):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_sentence(value: Any) -> bool:
    """Whether a value is a translated sentence."""
    if not isinstance(value, list) or len(value) not in (6, 7) or not _are(int, value[:2]):
        return False
    others = value[6] if len(value) == 7 else []
    return isinstance(others, list) and all(map(_is_hypothesis, [value[2:6], *others]))


def _is_hypothesis(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 4:
        return False
    tokens, score, rank, stop = value
    numbers = _are(float, [score, rank]) and (stop is None or _are(int, [stop]))
    return numbers and isinstance(tokens, list) and _are(int, tokens)


def _are(kind: type, values: list[Any]) -> bool:
    """Whether all values are numbers of a kind; true and false are not numbers."""
    kinds = (int, float) if kind is float else (int,)
    return all(type(value) in kinds for value in values)


def _check_ours(file: BinaryIO, path: Path) -> None:
    """Raise if a file with the name of a journal is not a journal."""
    file.seek(0)
    start = file.read(len(JOURNAL_START))
    if start != JOURNAL_START[: len(start)]:
        raise LongwaysError(
            f"{path} is not a journal of Longways, so it is not touched. Rename it, or name "
            "another place with -o."
        )


def remove_leftover(target: Path) -> None:
    """Delete the journal of a finished translation, which a killed job could not delete."""
    path = journal_path(target)
    if path.is_file() and not path.is_symlink() and is_journal(path):
        path.unlink()


def fingerprint(
    files: Sequence[File], model: ModelFolder, model_hash: str, options: Options
) -> dict[str, Any]:
    """The fingerprint of a job; only a job with the same one resumes its journal."""
    found = {
        "journal": VERSION,
        "longways": longways.__version__,
        "text": _digest_files([file.source for file in files if file.source]),
        "encoding": [file.encoding for file in files],
        "format": [file.format.name if file.format else None for file in files],
        "model": model_hash,
        "window": model.window(options.get("window")),
        "beam": options.get("beam", DEFAULT_BEAM),
        "glossary": _digest_values(options.get("glossary", {}).items()),
        "words to keep": _digest_values(options.get("keep", ())),
    }
    # Links of pages count as they are written: a page that links to a new page is done again.
    if edited := [data for file in files if (data := file.edited_links())]:
        found["links"] = hashlib.sha256(b"".join(edited)).hexdigest()
    if any(chosen := [columns_of(file.format) for file in files]):
        found["columns"] = chosen if chosen[1:] else chosen[0]
    # A library may read the text of a file in another way once it is updated.
    if any(readers := [getattr(file.format, "reader", "") for file in files]):
        found["readers"] = sorted({reader for reader in readers if reader})
    # Later options count only where they differ from their defaults, so that older journals resume.
    if memory := options.get("memory"):
        found["translation memory"] = memory.identity
    later = {"length_penalty": DEFAULT_LENGTH_PENALTY, "nbest": 1, "context": None}
    return found | {
        name.replace("_", " "): value
        for name, default in later.items()
        if (value := options.get(name, default)) != default
    }


def hash_model(folder: Path) -> str:
    """One hash for a model; its manifest has the digests of exported graphs."""
    names = (CONFIG_FILE, WEIGHTS_FILE)
    return _digest_files([path for name in names if (path := folder / name).exists()])


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
