"""Translated Office files in LibreOffice: all new text is there, and no old text."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from longways.formats.base import Passage
from longways.formats.registry import format_of
from tests.formats.docx.docx_files import shouted
from tests.formats.odf.test_format import cells, slides
from tests.formats.odf.test_format import written_text as text
from tests.formats.pptx.test_format import full as presentation
from tests.formats.xlsx.test_format import full as workbook

pytestmark = pytest.mark.skipif(not shutil.which("soffice"), reason="needs LibreOffice")

FILES: dict[str, Callable[[], bytes]] = {
    **{"powerpoint.pptx": presentation, "excel.xlsx": workbook},
    **{"text.odt": text, "slides.odp": slides, "cells.ods": cells},
}
FLAT = {
    **{".pptx": ".fodp", ".odp": ".fodp", ".xlsx": ".fods", ".ods": ".fods", ".odt": ".fodt"},
}
"""The suffix of LibreOffice's own format as one XML file."""
UNKNOWN = frozenset(["销量", "春季", "准备", "请选择", "从列表中选择", "去看看", "表的页眉"])
"""Passages of charts and diagrams without a frame on the slide, attributes, and pages not shown."""
STAYS = {
    "powerpoint.pptx": "母版文字组合形状表格",
    "excel.xlsx": "苹果王芳框页表",
    "text.odt": "王芳删掉的代码三框表",
    "slides.odp": "页一",
    "cells.ods": "苹果斤年表一",
}
"""Text that is no passage: masters, names of shapes and people, results of formulas."""


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a translation of each file, and what LibreOffice makes of it."""
    folder = tmp_path_factory.mktemp("office")
    for name, build in FILES.items():
        document = format_of(folder / name).read(build(), "zh")
        new = document.write([shouted(p) for p in document.passages], "en")
        (folder / name).write_bytes(new)
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    for kind in sorted({FLAT[Path(name).suffix] for name in FILES}):
        files = [str(folder / name) for name in FILES if FLAT[Path(name).suffix] == kind]
        command = ["soffice", profile, "--headless", "--convert-to", kind[1:], "--outdir"]
        words = [*command, str(folder), *files]
        subprocess.run(words, check=True, timeout=200, capture_output=True)
    return folder


def known(folder: Path, name: str) -> str:
    """All text that LibreOffice reads, without spaces."""
    root = ElementTree.parse((folder / name).with_suffix(FLAT[Path(name).suffix])).getroot()
    return re.sub(r"\s", "", "".join(root.itertext()))


@pytest.mark.parametrize("name", FILES)
def test_every_translated_passage_is_there(converted, name):
    text = known(converted, name)
    passages = format_of(Path(name)).read(FILES[name](), "zh").passages
    missing = [p.text for p in passages if p.text not in UNKNOWN and not _is_in(shouted(p), text)]
    assert missing == []


def _is_in(passage: Passage, text: str) -> bool:
    """Whether the text between the marks is there, where there may be a number or a note."""
    places = sorted({0, len(passage.text), *(mark.start for mark in passage.marks)})
    parts = (passage.text[a:b] for a, b in pairwise(places))
    return all(re.sub(r"\s", "", part) in text for part in parts)


@pytest.mark.parametrize("name", FILES)
def test_no_old_text_is_left(converted, name):
    text = known(converted, name)
    old = "".join(p.text for p in format_of(Path(name)).read(FILES[name](), "zh").passages)
    new = "".join(shouted(Passage(character)).text for character in old)
    left = (set(re.findall("[\u4e00-\u9fff]", text)) & set(old)) - set(new)
    assert left <= set(STAYS.get(name, ""))
