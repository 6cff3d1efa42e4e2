"""Writing of TMX 1.4 in a stream: one unit for each sentence, with the sentence before it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import longways
from longways.formats.exchange.tmx import MACHINE
from longways.translation.files.output import Output, open_output
from longways.translation.memory.units import Unit

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TOOL = 'creationtool="Longways"'
_START = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n'
    f'<tmx version="1.4">\n <header {_TOOL}'
).encode()
"""The first bytes of every file."""
_END = " </body>\n</tmx>\n"


class TmxWriter:
    """A TMX file that appears when it is finished."""

    def __init__(self, path: Path, source: str, target: str) -> None:
        self.path, self.source, self.target = path, source, target
        self.output: Output = open_output(path)
        self.now = now()
        self.units = 0
        """Units that are written."""

    def begin(self) -> None:
        """Begin the file."""
        self.output.append(_header(self.source, self.now))

    def add(self, units: Iterable[Unit], file: str = "") -> None:
        """Write units, which come from a file of this name."""
        found = [self._unit(unit, file) for unit in units]
        self.units += len(found)
        if found:
            self.output.append("".join(found))

    def finish(self) -> None:
        """Let the whole file appear."""
        self.output.append(_END)
        self.output.finish()

    def discard(self) -> None:
        """Remove the unfinished file."""
        self.output.discard()

    def _unit(self, unit: Unit, file: str) -> str:
        values = [
            ("x-document", file),
            ("x-context-pre", f"<seg>{unit.before}</seg>" if unit.before else ""),
            (MACHINE, "machine" if unit.is_machine else ""),
            ("x-problems", ", ".join(unit.problems)),
        ]
        date = unit.created if _DATE.fullmatch(unit.created) else self.now
        lines = [f'  <tu creationdate="{date}">\n']
        lines += [f'   <prop type="{name}">{_text(v)}</prop>\n' for name, v in values if v]
        for language, text in ((self.source, unit.source), (self.target, unit.target)):
            code = quoteattr(language)
            lines.append(f"   <tuv xml:lang={code}><seg>{_text(text)}</seg></tuv>\n")
        return "".join([*lines, "  </tu>\n"])


_DATE = re.compile(r"\d{8}T\d{6}Z")


def is_unfinished(path: Path) -> bool:
    """Whether a file is an export that a killed job has left."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(len(_START))
    return start == _START[: len(start)]


def now() -> str:
    """The time, as TMX writes it."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


def _header(source: str, date: str) -> str:
    values = {
        "creationtool": "Longways",
        "creationtoolversion": longways.__version__,
        "segtype": "sentence",
        "o-tmf": "Longways",
        "adminlang": "en",
        "srclang": source,
        "datatype": "plaintext",
        "creationdate": date,
    }
    written = " ".join(f"{name}={quoteattr(value)}" for name, value in values.items())
    return f"{_START.decode()}{written.removeprefix(_TOOL)}/>\n <body>\n"


def _text(text: str) -> str:
    """A text as XML content; a character that XML cannot have becomes U+FFFD."""
    return escape(_NOT_XML.sub("\ufffd", text), {"\r": "&#13;"})
