"""The software that opens translated files; a program that is missing is named in the results."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.round_trips.readers import READERS, read
from benchmarks.round_trips.samples import converted
from longways.errors import LongwaysError

SCHEMAS = Path("/usr/share/php/Symfony/Component/Translation/Resources/schemas")
"""Where Debian's php-symfony-translation has the schemas of XLIFF by OASIS."""
Files = Mapping[str, bytes]
Check = Callable[[str, Files], None]
"""Opens the files of a format; raises `LongwaysError` with the file that cannot be opened."""

_FLAT = {
    "docx": "fodt",
    "odt": "fodt",
    "pptx": "fodp",
    "odp": "fodp",
    "xlsx": "fods",
    "ods": "xlsx",  # flat XML has no comments of cells
}


def opened(name: str, files: Files) -> str:
    """The software that opened all files, and what was missing."""
    found = list[str]()
    for label, needed, check in PROGRAMS.get(name, ()):
        if is_there(needed):
            check(name, files)
            found.append(label)
        else:
            found.append(f"({label} is not installed)")
    return ", ".join(found)


def is_there(needed: str) -> bool:
    """Whether a program, a module or a file is installed."""
    if "/" in needed:
        return Path(needed).exists()
    try:
        return bool(shutil.which(needed)) or bool(import_module(needed))
    except ImportError:
        return False


def _office(name: str, files: Files) -> None:
    """LibreOffice reads all words of the files, as it writes them in another format."""
    flat = converted(dict(files), _FLAT[name])
    for key, data in files.items():
        plain = _plain(_FLAT[name], flat[f"{Path(key).stem}.{_FLAT[name]}"])
        words = {
            word for text in read(name, data).texts for word in re.findall(r"[A-Za-z]{4,}", text)
        }
        if missing := sorted(word for word in words if word not in plain):
            raise LongwaysError(f"{key}: LibreOffice does not read {missing[:5]}.")


def _plain(kind: str, data: bytes) -> str:
    """All text of a file that LibreOffice wrote, without whitespace."""
    if kind in READERS:
        return "".join("".join(read(kind, data).texts).split())
    return re.sub(r"<[^>]*>", "", "".join(data.decode().split()))


def _library(load: Callable[[Any, io.BytesIO], object], module: str) -> Check:
    def check(_: str, files: Files) -> None:
        for data in files.values():
            load(import_module(module), io.BytesIO(data))

    return check


def _command(*words: str, suffix: str) -> Check:
    """A program that must end without an error; FILE is the path of a file."""

    def check(_: str, files: Files) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"file{suffix}"
            for key, data in files.items():
                path.write_bytes(data)
                command = [str(path) if word == "FILE" else word for word in words]
                _done(key, command, Path(folder))

    return check


def _schema(_: str, files: Files) -> None:
    """The files are valid by the schema of their version: 1.2 strict or 2.0."""
    from lxml import etree

    for key, data in files.items():
        root = etree.fromstring(data)
        name = "xliff-core-1.2-strict.xsd" if "1.2" in root.tag else "xliff-core-2.0.xsd"
        schema = xliff_schema(name)
        if not schema.validate(root):
            raise LongwaysError(f"{key}: it is not valid by {name}: {schema.error_log[0]}")


@cache
def xliff_schema(name: str) -> Any:
    """A schema of XLIFF, with the one of `xml:lang` beside it."""
    from lxml import etree

    tree = etree.fromstring((SCHEMAS / name).read_bytes())
    for element in tree.iter("{*}import"):
        element.set("schemaLocation", (SCHEMAS / "xml.xsd").as_uri())
    return etree.XMLSchema(tree)


def _aapt(_: str, files: Files) -> None:
    """The build tool of Android compiles the files and links them as the strings of an app."""
    manifest = '<manifest xmlns:android="{}" package="a.b"/>'
    for key, data in files.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "values").mkdir()
            (folder / "values" / "strings.xml").write_bytes(data)
            (folder / "a.xml").write_text(manifest.format(ANDROID))
            for words in (
                ("compile", "-o", ".", "values/strings.xml"),
                ("link", "-o", "a.apk", "--manifest", "a.xml", "values_strings.arsc.flat"),
            ):
                _done(key, ["aapt2", *words], folder)


def _xelatex(_: str, files: Files) -> None:
    """XeTeX typesets the files."""
    words = ["xelatex", "-interaction=nonstopmode", "-halt-on-error", "file.tex"]
    for key, data in files.items():
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "file.tex").write_bytes(data)
            _done(key, words, Path(name))


def _done(key: str, words: list[str], folder: Path) -> None:
    """Run a program that must end without an error."""
    done = subprocess.run(words, capture_output=True, check=False, cwd=folder)
    if done.returncode:
        said = (done.stdout + done.stderr).decode(errors="replace")
        raise LongwaysError(f"{key}: {words[0]} says: {said[-500:]}")


LRELEASE = next(
    (path for path in ("/usr/lib/qt6/bin/lrelease",) if Path(path).exists()), "lrelease"
)
ANDROID = "http://schemas.android.com/apk/res/android"
EPUBCHECK = "/usr/bin/epubcheck"
"""Debian's file, a program for Java."""
_LIBREOFFICE = ("LibreOffice", "soffice", _office)
_ODFPY = ("odfpy", "odf.opendocument", _library(lambda m, f: m.load(f), "odf.opendocument"))
PROGRAMS: dict[str, tuple[tuple[str, str, Check], ...]] = {
    "docx": (
        _LIBREOFFICE,
        ("python-docx", "docx", _library(lambda m, f: m.Document(f).tables, "docx")),
    ),
    "pptx": (
        _LIBREOFFICE,
        ("python-pptx", "pptx", _library(lambda m, f: m.Presentation(f).slides, "pptx")),
    ),
    "xlsx": (
        _LIBREOFFICE,
        ("openpyxl", "openpyxl", _library(lambda m, f: m.load_workbook(f), "openpyxl")),
    ),
    **dict.fromkeys(("odt", "odp", "ods"), (_LIBREOFFICE, _ODFPY)),
    "epub": (
        (
            "epubcheck",
            EPUBCHECK,
            _command("java", "-jar", EPUBCHECK, "--error", "FILE", suffix=".epub"),
        ),
    ),
    "po": (
        (
            "msgfmt",
            "msgfmt",
            _command("msgfmt", "--check", "-o", "/dev/null", "FILE", suffix=".po"),
        ),
    ),
    "xliff": (("schemas of OASIS", str(SCHEMAS), _schema),),
    "android": (("aapt2", "aapt2", _aapt),),
    "latex": (("XeTeX", "xelatex", _xelatex),),
    "ts": (("lrelease", LRELEASE, _command(LRELEASE, "FILE", suffix=".ts")),),
}
"""For each format: a name, the program or module that must be there, and the check."""
READ_BY = {
    "markdown": "markdown-it",
    "ipynb": "nbformat",
    "html": "html5lib",
    "rst": "docutils",
    "asciidoc": "Asciidoctor",
    "org": "Org in Emacs",
    "latex": "pylatexenc",
    "eml": "Python's email",
    "pdf": "markdown-it",
    "ass": "pysubs2",
    "srt": "srt",
    "vtt": "webvtt-py",
    "json": "Python's json",
    "arb": "Python's json",
    "properties": "javaproperties",
    "stringsdict": "Python's plistlib",
    "android": "lxml",
    "yaml": "PyYAML",
    "xliff": "lxml",
    "csv": "Python's csv",
    "tsv": "Python's csv",
    "po": "polib",
}
"""The reader that sees the structure of a format, where it is software of others."""
