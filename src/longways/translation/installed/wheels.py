"""Wheels with models: what is in them, and how one is written.

A wheel is a zip archive. Its `entry_points.txt` names the models; see `found`.
"""

from __future__ import annotations

import base64
import configparser
import hashlib
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from longways import __version__
from longways.errors import CheckpointError, ConfigError
from longways.model.manifest import CARD_FILE
from longways.translation.installed.found import GROUP
from longways.translation.model_folder import ModelFolder

_DATE = (1980, 1, 1, 0, 0, 0)
_VERSION = re.compile(r"\d+(?:\.\d+)*(?:(?:a|b|rc|\.post|\.dev)\d+)?")
_INIT = '"""A model for Longways."""\n'


def models_in(wheel: Path) -> dict[str, str]:
    """The names of the models in a wheel, each with its folder in the archive."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            points = [n for n in names if re.fullmatch(r"[^/]+\.dist-info/entry_points\.txt", n)]
            text = archive.read(points[0]).decode("utf-8") if points else ""
        parser = configparser.ConfigParser(delimiters=("=",), interpolation=None)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_string(text)
    except (OSError, zipfile.BadZipFile, UnicodeDecodeError, configparser.Error) as error:
        raise CheckpointError(f"{wheel} is no whole wheel ({error}). Copy it again.") from error
    found = dict(parser[GROUP]) if parser.has_section(GROUP) else {}
    if not found:
        raise CheckpointError(
            f"{wheel} has no model of Longways: it names none under {GROUP}. Install other "
            "packages with pip."
        )
    return {name: module.strip().replace(".", "/") + "/" for name, module in found.items()}


def unpack(wheel: Path, inside: str, folder: Path) -> None:
    """Copy the files of a folder in a wheel into a folder, without code."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            path = PurePosixPath(member.filename)
            rest = member.filename.removeprefix(inside)
            is_inside = rest != member.filename and rest and not member.is_dir()
            if (
                not is_inside
                or ".." in path.parts
                or "\\" in rest
                or path.suffix in (".py", ".pyc")
            ):
                continue
            target = folder / rest
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, target.open("wb") as out:
                shutil.copyfileobj(source, out)


def pack_model(folder: Path, out: Path, name: str | None = None, version: str = "1.0") -> Path:
    """Write a wheel with a model, which pip installs; the same folder gives the same bytes."""
    model = ModelFolder.read(folder)
    name = name or folder.resolve().name
    if not re.fullmatch(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*", name):
        raise ConfigError(
            f"{name!r} cannot be the name of a package: it has letters and digits, with single "
            "hyphens between. Choose one with --name."
        )
    if not _VERSION.fullmatch(version):
        raise ConfigError(f"--version is {version!r}, but it must be like 1.0 or 2.1.3.")
    package = f"longways-model-{name.lower()}"
    module = re.sub(r"[-_.]+", "_", package)
    wheel = out / f"{module}-{version}-py3-none-any.whl"
    info = f"{module}-{version}.dist-info"
    out.mkdir(parents=True, exist_ok=True)
    pair = f"{model.text.source_language} to {model.text.target_language}"
    texts = {
        f"{module}/__init__.py": _INIT,
        f"{info}/METADATA": _metadata(package, version, pair, folder),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: longways\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[{GROUP}]\n{name} = {module}\n",
    }
    files = {f"{module}/{path.relative_to(folder).as_posix()}": path for path in _files(folder)}
    partial = wheel.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        record = [_write(archive, name, path.read_bytes()) for name, path in files.items()]
        record += [_write(archive, name, text.encode()) for name, text in texts.items()]
        _write(archive, f"{info}/RECORD", "".join([*record, f"{info}/RECORD,,\n"]).encode())
    partial.replace(wheel)
    return wheel


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (".py", ".pyc"):
            yield path


def _write(archive: zipfile.ZipFile, name: str, data: bytes) -> str:
    """Add a file to an archive; its line in RECORD."""
    member = zipfile.ZipInfo(name, _DATE)
    member.external_attr = 0o644 << 16
    archive.writestr(member, data, zipfile.ZIP_DEFLATED)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def _metadata(package: str, version: str, pair: str, folder: Path) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {package}",
        f"Version: {version}",
        f"Summary: A model for Longways: {pair}",
        f"Requires-Dist: longways>={__version__}",
        "Description-Content-Type: text/markdown",
    ]
    card = folder / CARD_FILE
    text = card.read_text(encoding="utf-8", errors="replace") if card.is_file() else ""
    return "\n".join(lines) + "\n\n" + text
