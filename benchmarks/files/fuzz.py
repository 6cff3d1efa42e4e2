"""Mutated files of every format: no traceback, no hang, no lost text.

Each file is read, written unchanged, which must give the same bytes, and written with a word after
each passage. No letter may be lost then: every letter of the new passages, as often as it occurs,
is in the passages of the written file; PO, XLIFF and Qt have them beside the old ones. A PDF is
written as Markdown, which must have its passages. Plain text is split into segments, which together
must be the text. A file may be refused in one sentence.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.files.generated import WRITERS
from benchmarks.files.hostile import slopes
from benchmarks.files.mutations import mutated, seeds
from longways import cli
from longways.decoding import open as opening
from longways.errors import LongwaysError
from longways.formats.base import Format, FormattedDocument, Passage
from longways.formats.mail.format import Eml
from longways.formats.markdown.format import Markdown
from longways.formats.registry import SUFFIXES, TABLES, WRITTEN, format_named
from longways.formats.subtitles.timing import Warnings
from longways.formats.tables.text import read_table_text
from longways.formats.text_file import read_text
from longways.results import Report, report
from longways.text.encodings import text_codec
from longways.text.sentences.splitter import split_text

HANG_SECONDS = 10.0
STOP_SECONDS = 600
"""After this time the benchmark ends with a traceback, also inside a regular expression."""
WORD = " 末Zq"
"""What is added to each passage."""
LANGUAGE = "zh"
_ESCAPE = re.compile(r"\\(?:[abfnrtv]|x[0-9A-Fa-f]+|[0-7]{1,3})")


BY_LANGUAGE = frozenset([*TABLES, "ass", "eml", "latex"])
"""Formats whose passages depend on the words of a language; their files are compared as texts."""


class Defect(Exception):
    """What a file may not do."""


@dataclass
class Found:
    """The outcomes of all files of one format."""

    refused: int = 0
    defects: list[str] = field(default_factory=list)
    slowest: float = 0.0

    @contextlib.contextmanager
    def watched(self, name: str) -> Iterator[None]:
        """Time a file, and collect its defect; a refusal is none."""
        began = time.process_time()
        faulthandler.dump_traceback_later(STOP_SECONDS, exit=True)
        try:
            yield
        except LongwaysError:
            self.refused += 1
        except Exception as error:
            self.defects.append(f"{name}: {type(error).__name__}: {str(error)[:200]}")
        finally:
            faulthandler.cancel_dump_traceback_later()
        seconds = time.process_time() - began
        self.slowest = max(self.slowest, seconds)
        if seconds > HANG_SECONDS:
            self.defects.append(f"{name}: it took {seconds:.1f} s")


def measure(
    files: int, commands: int, beam: int, seed: int, save: Path | None, only: Sequence[str] = ()
) -> Report:
    """Mutate files of every format; raise if one shows a defect. `save` keeps what shows one."""
    rows = [_row(name, files, commands, beam, seed, save) for name in only or WRITERS]
    defects = [defect for row in rows for defect in row.pop("defects")]
    lines, steep = slopes(only)
    if defects or steep:
        raise LongwaysError("\n".join([f"{len(defects)} defects.", *defects[:50], *steep]))
    settings = {"files": files, "commands": commands, "beam": beam, "seed": seed}
    settings |= {"model of the commands": "bundled", "times": lines}
    return report("fuzz", "Mutated files through reading, writing and the command", settings, rows,
                  "cpu")  # fmt: skip


def _row(
    name: str, files: int, commands: int, beam: int, seed: int, save: Path | None
) -> dict[str, Any]:
    own, check = seeds(name), _checker(name)
    draw, formats, command = random.Random(f"{name} {seed}"), Found(), Found()
    for number in range(files):
        data = mutated(draw.choice(own), draw)
        before = len(formats.defects)
        with formats.watched(f"{name} {number}"):
            check(data)
        _keep(save, f"{name}-{number}{WRITERS[name][0]}", data, len(formats.defects) > before)
    with tempfile.TemporaryDirectory() as folder, _one_runtime():
        for number in range(commands):
            data = mutated(draw.choice(own), draw)
            before = len(command.defects)
            with command.watched(f"{name} command {number}"):
                _translate(Path(folder) / f"{number}{WRITERS[name][0]}", data, beam, command)
            wrong = len(command.defects) > before
            _keep(save, f"{name}-command-{number}{WRITERS[name][0]}", data, wrong)
    return {
        "format": name,
        "files": files,
        "refused": formats.refused,
        "slowest s": round(formats.slowest, 2),
        "commands": commands,
        "refused by the command": command.refused,
        "slowest command s": round(command.slowest, 2),
        "tracebacks, hangs, lost text": len(formats.defects) + len(command.defects),
        "defects": formats.defects + command.defects,
    }


def _keep(save: Path | None, name: str, data: bytes, wrong: bool) -> None:
    if save and wrong:
        save.mkdir(parents=True, exist_ok=True)
        (save / name).write_bytes(data)


def _checker(name: str) -> Callable[[bytes], None]:
    form = format_named(name)
    return _check_text if form is None else lambda data: _check_formatted(form, data)


def _check_text(data: bytes) -> None:
    text = read_text(data, LANGUAGE).text
    if "".join(segment.text + segment.after for segment in split_text(text, LANGUAGE)) != text:
        raise Defect("the segments are not the text")


def _check_formatted(form: Format, data: bytes) -> None:
    document = form.read(data, LANGUAGE)
    untouched = document.write(document.passages, LANGUAGE)
    if form.name in WRITTEN:
        form = Markdown()
        if _texts(form.read(untouched, LANGUAGE)) != _texts(document):
            raise Defect("the file that is written has other passages")
    elif untouched != data:
        raise Defect("the untouched file has other bytes")
    new = [Passage(p.text + WORD, p.marks, p.keep) for p in document.passages]
    written = document.write(new, "en")
    meant = _letters(passage.text for passage in new)
    try:
        again = form.read(written, LANGUAGE if form.name in BY_LANGUAGE else "en")
    except LongwaysError as error:
        raise Defect(f"the written file is refused: {error}") from error
    if form.name == "po":
        _check_catalogue(data, written, new)
    elif form.name in ("xliff", "ts"):  # what has a translation is no passage any more
        _check_targets(again, len(new))
    elif form.name in BY_LANGUAGE:
        if lost := meant - _letters([_whole_text(written, form.name)]):
            raise Defect(f"lost: {dict(lost.most_common(8))}")
    elif meant - _letters(_texts(again)):  # a text may be a passage of one language only
        both = _letters(_texts(again)) | _letters(_texts(form.read(written, LANGUAGE)))
        if lost := meant - both:
            raise Defect(f"lost: {dict(lost.most_common(8))}")


def _texts(document: FormattedDocument) -> list[str]:
    return [passage.text for passage in document.passages]


def _check_catalogue(data: bytes, written: bytes, new: list[Passage]) -> None:
    """Each new text is in the file, except for singulars in a language without one."""
    charset = re.search(rb"charset=([\w-]+)", written)
    codec = text_codec(charset[1].decode()) if charset else None
    text = written.decode(codec or "utf-8", "replace")
    there = _only_letters(_ESCAPE.sub(" ", text))
    lost = [passage.text for passage in new if _only_letters(passage.text) not in there]
    if len(lost) > _text(data).count("msgid_plural"):
        raise Defect(f"lost: {lost[:3]}")


def _whole_text(data: bytes, name: str) -> str:
    if name == "eml":
        texts = (p.text for to in (LANGUAGE, "en") for p in Eml().read(data, to).passages)
        return " ".join(texts)
    return read_table_text(data, LANGUAGE, None, Warnings()).text


def _check_targets(written: Any, passages: int) -> None:
    """The word at the end of each new text is in the file."""
    found = written.file.text.count(WORD.strip())
    if found < passages:
        raise Defect(f"lost: {passages - found} of {passages} translations")


def _letters(texts: Any) -> Counter[str]:
    found = Counter[str]()
    for text in texts:
        found.update(char for char in text if char.isalnum())
    return found


def _only_letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _text(data: bytes) -> str:
    return read_text(data, LANGUAGE).text


@contextlib.contextmanager
def _one_runtime() -> Iterator[None]:
    """Open the model once for all commands."""
    with mock.patch.object(opening, "open_runtime", cache(opening.open_runtime)):
        yield


def _translate(path: Path, data: bytes, beam: int, found: Found) -> None:
    """Run the command on a file; it succeeds, or refuses the file in a sentence."""
    path.write_bytes(data)
    suffix = WRITTEN.get(SUFFIXES.get(path.suffix, ""), path.suffix)
    out = path.with_name(f"{path.stem}.en{suffix}")
    words = ["longways", "translate", str(path), "--beam", str(beam), "--threads", "1"]
    said, printed = io.StringIO(), io.TextIOWrapper(io.BytesIO())
    with (
        mock.patch.object(sys, "argv", words),
        contextlib.redirect_stderr(said),
        contextlib.redirect_stdout(printed),
    ):
        try:
            cli.main()
            code: Any = 0
        except SystemExit as end:
            code = end.code or 0
    if code not in (0, 2) or "Traceback" in said.getvalue():
        raise Defect(f"exit code {code}: {said.getvalue()[-300:]}")
    if out.exists() != (code == 0):
        raise Defect(
            f"exit code {code}, but the translation {'is' if out.exists() else 'is not'} there"
        )
    found.refused += code == 2
