"""The zip package of a .docx: which parts hold text, and how parts are replaced.

Every part is unpacked once when the file is read, within size limits. A damaged part or a zip bomb
is therefore found before translation starts.
"""

from __future__ import annotations

import copy
import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from longways.errors import FormatError
from longways.text.charset import split_mark
from longways.text.encodings import has_states, text_codec

MAX_PART_BYTES = 200 << 20
"""Bytes that one part may unpack to."""
MAX_FILE_BYTES = 512 << 20
"""Bytes that all parts may unpack to together."""
RATIO_MIN_BYTES = 10 << 20
"""Larger parts and files must not exceed `MAX_COMPRESSION_RATIO` times their packed size."""
MAX_COMPRESSION_RATIO = 200

_CHUNK = 1 << 20
_KINDS = ("header", "footer", "footnotes", "endnotes", "comments")
_DRAWINGS = ("chart", "chartEx", "diagramData", "diagramDrawing")
_NUMBERING = ("numbering",)
_PROPERTIES = ("core-properties",)
_FOREIGN = ("aFChunk", "subDocument")
_ENCODING = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([\w.-]+)[\"']", re.ASCII)
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_AGAIN = "Open it in a word processor and save it again as .docx."


@dataclass(frozen=True)
class TextParts:
    """Names of the parts of a document that hold readable text, and of its styles."""

    main: str
    others: tuple[tuple[str, str], ...]
    """Name and kind of each, headers first and comments last."""
    beside: tuple[tuple[str, str], ...]
    """Name and kind of optional parts: lists, charts, properties."""
    styles: str | None
    missing: tuple[str, ...]
    """Parts that the document refers to but does not contain."""
    foreign: tuple[str, ...]
    """Parts that are whole files of another kind, which a word processor shows as text."""


class Package:
    """The parts of a file, each by its name."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._zip = _opened(data)
        infos = self._zip.infolist()
        _check_sizes(infos, len(data))
        self.names = {info.filename for info in infos}
        if len(self.names) < len(infos):
            raise FormatError(f"This .docx has two parts of the same name in it. {_AGAIN}")
        for info in infos:
            self._unpacked(info, keep=False)

    def read(self, name: str) -> bytes:
        """The bytes of a part."""
        return self._unpacked(self._zip.getinfo(name), keep=True)

    def exchanged(self, parts: Mapping[str, bytes]) -> bytes:
        """The file with these parts replaced; all other parts keep their bytes and order."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as written:
            written.comment = self._zip.comment
            for info in self._zip.infolist():
                new = parts.get(info.filename)
                data = self._unpacked(info, keep=True) if new is None else new
                written.writestr(copy.copy(info), data, info.compress_type)
        return out.getvalue()

    def _unpacked(self, info: zipfile.ZipInfo, *, keep: bool) -> bytes:
        """Unpack a part within the size limits; its bytes are returned only with `keep`."""
        chunks, size = list[bytes](), 0
        try:
            with self._zip.open(info) as part:
                while chunk := part.read(_CHUNK):
                    size += len(chunk)
                    _check_size(info.filename, size, info.compress_size)
                    chunks += [chunk] if keep else []
        except NotImplementedError as error:
            raise FormatError(
                f"The part {info.filename} of this .docx is packed in a way that is not known "
                f"here. {_AGAIN}"
            ) from error
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise FormatError(
                f"The part {info.filename} of this .docx is damaged and cannot be unpacked. "
                "Get the file once more from where it came."
            ) from error
        return b"".join(chunks)


def as_utf8(name: str, data: bytes) -> tuple[bytes, bytes, str]:
    """A part as UTF-8 without its byte order mark, the mark, and the encoding that it has."""
    bom, marked = split_mark(data)
    said = _ENCODING.match(data)
    encoding = marked or _unmarked(data) or (said[1].decode() if said else "utf-8")
    codec = text_codec(encoding)
    if codec in ("utf-8", "utf-8-sig", "ascii"):
        return data[len(bom) :], bom, "utf-8"
    try:
        if codec and not has_states(codec):
            return data[len(bom) :].decode(codec).encode(), bom, codec
    except UnicodeError:
        pass
    raise FormatError(
        f"The part {name} of this .docx is not in its encoding, {encoding}. Open it in a word "
        "processor and save it again."
    )


def _unmarked(data: bytes) -> str | None:
    """UTF-16 without a byte order mark, which an XML parser knows by the first bytes."""
    return {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}.get(data[:2])


def parse(data: bytes, name: str) -> Element:
    """The root of a small part that is not text: relations, styles. A document type is refused."""
    tree, parser = TreeBuilder(), expat.ParserCreate("utf-8", namespace_separator="}")

    def refuse(*_: object) -> None:
        raise declared(name)

    def start(tag: str, attributes: dict[str, str]) -> None:
        tree.start(_qualified(tag), {_qualified(key): value for key, value in attributes.items()})

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: tree.end(_qualified(tag))
    try:
        parser.Parse(as_utf8(name, data)[0], True)
    except (expat.ExpatError, ValueError) as error:
        raise FormatError(
            f"The part {name} of this .docx is not well-formed XML ({error}). {_AGAIN}"
        ) from error
    return tree.close()


def _qualified(name: str) -> str:
    return "{" + name if "}" in name else name


def declared(name: str) -> FormatError:
    """The error for a part that declares a document type."""
    return FormatError(
        f"The part {name} of this .docx declares a document type or entities, which no word "
        "processor writes; such files are refused, as they may be made to do harm."
    )


def text_parts(package: Package) -> TextParts:
    """The parts with text, in reading order."""
    whole = _relations(package, "")
    main = next((target for kind, target in whole if kind == "officeDocument"), "")
    if main not in package.names:
        raise FormatError(f"This is a zip file, but there is no document in it. {_AGAIN}")
    relations = _relations(package, main)
    texts = _ordered(relations, _KINDS)
    beside = _ordered(relations, _NUMBERING)
    drawn = [r for of in [main, *(name for name, _ in texts)] for r in _relations(package, of)]
    beside += [*_ordered(drawn, _DRAWINGS), *_ordered(whole, _PROPERTIES)]
    styles = (target for kind, target in relations if kind == "styles")
    return TextParts(
        main,
        tuple(part for part in texts if part[0] in package.names),
        tuple(part for part in beside if part[0] in package.names),
        next((name for name in styles if name in package.names), None),
        tuple(name for name, _ in texts if name not in package.names),
        tuple(target for kind, target in relations if kind in _FOREIGN),
    )


def _ordered(relations: list[tuple[str, str]], kinds: tuple[str, ...]) -> list[tuple[str, str]]:
    """Name and kind of each part that is of one of these kinds, once, in the order of the kinds."""
    found = [(kinds.index(kind), _numbers(name), name) for kind, name in relations if kind in kinds]
    return list(dict.fromkeys((name, kinds[order]) for order, _, name in sorted(found)))


def _relations(package: Package, of: str) -> list[tuple[str, str]]:
    """Kind and name of each part that a part refers to; the file itself is the part ""."""
    folder, name = posixpath.split(of)
    path = posixpath.join(folder, "_rels", f"{name}.rels")
    if path not in package.names:
        return []
    relations = list[tuple[str, str]]()
    for element in parse(package.read(path), path).findall(".//{*}Relationship"):
        if element.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, element.get("Target") or ""))
            relations.append(((element.get("Type") or "").rpartition("/")[2], target.lstrip("/")))
    return relations


def _numbers(name: str) -> list[tuple[int, str]]:
    """A key that puts header2 before header10."""
    return [(int(digits or 0), text) for text, digits in re.findall(r"(\D+)(\d{0,9})", name)]


def _opened(data: bytes) -> zipfile.ZipFile:
    if data.startswith(_OLD_OFFICE):
        raise _old_office(data)
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, EOFError, OSError, NotImplementedError) as error:
        raise FormatError(
            "This is not a .docx, or a damaged one: it cannot be opened as a zip file. Get it once "
            "more from where it came."
        ) from error


def _old_office(data: bytes) -> FormatError:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return FormatError(
            "This .docx is protected with a password. Open it in a word processor, remove the "
            "password, and save it again."
        )
    return FormatError(
        "This is a document of the older kind, .doc, whatever its name says. Open it in a word "
        "processor and save it as .docx."
    )


def _check_sizes(infos: list[zipfile.ZipInfo], packed: int) -> None:
    """Raise if the headers say that there is something that should not be unpacked."""
    for info in infos:
        if info.flag_bits & 1:
            raise FormatError(f"Parts of this .docx are protected with a password. {_AGAIN}")
        _check_size(info.filename, info.file_size, info.compress_size)
    size = sum(info.file_size for info in infos)
    if size > MAX_FILE_BYTES or _is_bomb(size, packed):
        raise FormatError(
            f"This .docx has {packed:,} bytes, but would unpack to {size:,}. If it is no trap, cut "
            "it into several files."
        )


def _check_size(name: str, size: int, packed: int) -> None:
    if size > MAX_PART_BYTES or _is_bomb(size, packed):
        raise FormatError(
            f"The part {name} of this .docx is {packed:,} bytes that would unpack to {size:,} or "
            "more. If it is no trap, cut the document into several files."
        )


def _is_bomb(size: int, packed: int) -> bool:
    return size > RATIO_MIN_BYTES and size > MAX_COMPRESSION_RATIO * packed
