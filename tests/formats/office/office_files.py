"""Office packages for tests: parts with relations, and changed copies of a file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping

import pytest

from longways.errors import FormatError
from longways.formats.base import Format, Mark, Passage
from tests.formats.docx.docx_files import HEAD, PACKAGE, R, zipped

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
KINDS = {"core-properties": f"{PACKAGE}/relationships/metadata"}
Parts = dict[str, str | bytes]


def relations(*targets: tuple[str, str]) -> str:
    """A part of relations rId1, rId2, ... by target and kind."""
    inner = "".join(
        f'<Relationship Id="rId{n}" Type="{KINDS.get(kind, R)}/{kind}" Target="{target}"/>'
        for n, (target, kind) in enumerate(targets, 1)
    )
    return f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{inner}</Relationships>'


def content_types(overrides: Mapping[str, str]) -> str:
    """The list of content types, by part."""
    core = "application/vnd.openxmlformats-package.core-properties+xml"
    overrides = {**overrides, "docProps/core.xml": core}
    inner = "".join(
        f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in overrides.items()
    )
    return (
        f'{HEAD}<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{inner}</Types>'
    )


def parts_of(data: bytes) -> Parts:
    """All parts of a file in their order."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


def changed(data: bytes, name: str, old: str, new: str) -> bytes:
    """A copy of a file with a text of a part replaced."""
    parts = parts_of(data)
    whole = parts[name]
    assert isinstance(whole, bytes)
    assert old.encode() in whole
    return zipped({**parts, name: whole.replace(old.encode(), new.encode())})


def different(one: bytes, other: bytes) -> set[str]:
    """Names of the parts in which two files differ; their order must be the same."""
    first, second = parts_of(one), parts_of(other)
    assert list(first) == list(second)
    return {name for name in first if first[name] != second[name]}


def reworded(passage: Passage) -> Passage:
    """A translation with a mark of each kind on other words: all text new, escapes in it."""
    text = f"<{passage.text.encode('unicode_escape').decode()}> & end"
    size = len(text)
    marks = (
        Mark(1, size - 2, mark.tag) if mark.start < mark.end else Mark(size - 3, size - 3, mark.tag)
        for mark in passage.marks
    )
    return Passage(text, tuple(sorted(marks, key=lambda mark: mark.start)))


def without_spaces(passages: Iterable[Passage]) -> list[str]:
    return ["".join(passage.text.split()) for passage in passages]


def refused(form: Format, data: bytes, words: str) -> None:
    """A file is refused in one sentence with these words."""
    with pytest.raises(FormatError, match=words) as caught:
        form.read(data, "zh")
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def try_damaged(form: Format, data: bytes) -> None:
    """A damaged file is read and written, or refused in one sentence."""
    try:
        document = form.read(data, "zh")
    except FormatError as error:
        message = str(error)
    else:
        new = document.write([reworded(p) for p in document.passages], "en")
        message = f"There are {len(form.read(new, 'zh').passages)} passages."
    assert message.endswith(".")
    assert "\n" not in message
