"""Translated documents in LibreOffice: all that was translated is there, and nothing else.

Every document is converted once, with all others, to PDF and to LibreOffice's own format as XML.
"""

from __future__ import annotations

import codecs
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from longways.formats.base import Mark, Passage

from .docx_files import read
from .docx_rich import RICH, rich
from .docx_samples import SAMPLES, build

pytestmark = pytest.mark.skipif(not shutil.which("soffice"), reason="needs LibreOffice")

NAMES = [*SAMPLES, *RICH]
names = pytest.mark.parametrize("name", NAMES)
both = pytest.mark.parametrize("kind", ["plain", "bilingual"])

_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "en", "on")]
_CHINESE = re.compile("[\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e]")
_NO_TEXT = frozenset(
    [
        *("方框里的提示", "两季招生的柱形图", "滤芯的位置", "打开网页", "登记表", "两列的表格"),
        *("上午", "招生年报", "统计资料", "这里是否应写明年份。", "语气太重了。", "内部草稿"),
    ]
)
"""Passages that a page does not show: descriptions, other choices, properties, comments."""
_COMPUTED = frozenset(["去年十月、我们走访了四十户居民、结果见表 1。"])
"""A reference, for which LibreOffice shows the current text of its target."""
_UNKNOWN = frozenset(["两列的表格", "两季招生的柱形图", "打开网页"])
"""Passages that LibreOffice does not read."""
_STAYS = {"changes": "三十审校", "comments": "审校编", "letters": "秘密"}
"""Text that is not a passage: deleted and hidden text, names of people."""
_ELSEWHERE = frozenset(["notes", "comments", "boxes", "chart", "controls"])
"""Documents in which some passages are inside of others."""


@dataclass(frozen=True)
class Case:
    """A document, its translation, and the files that LibreOffice made from both."""

    own: Sequence[Passage]
    new: Sequence[Passage]
    pdf: dict[str, Path]
    xml: dict[str, Path]


def translated(passage: Passage) -> Passage:
    """A passage with a syllable for each character, and its marks in reverse order."""
    words = [_word(character) for character in passage.text]
    text, length = "".join(words), len(passage.text)
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    marks = [
        Mark(starts[length - mark.end], starts[length - mark.start], mark.tag)
        for mark in passage.marks
    ]
    return Passage(text, tuple(sorted(marks, key=lambda mark: (mark.start, -mark.end))))


def _word(character: str) -> str:
    if not _CHINESE.match(character):
        return codecs.encode(character, "rot13")
    number = ord(character)
    if not character.isalpha():
        return ". "
    return _SYLLABLES[number % len(_SYLLABLES)] + _SYLLABLES[number // 97 % len(_SYLLABLES)] + " "


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    folder = tmp_path_factory.mktemp("office")
    made = {name: _written(name, folder) for name in NAMES}
    for kind in ("pdf", "fodt"):
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        files = sorted(map(str, folder.glob("*.docx")))
        command = ["soffice", profile, "--headless", "--convert-to", kind, "--outdir", str(folder)]
        subprocess.run([*command, *files], check=True, timeout=300, capture_output=True)
    return made


def _written(name: str, folder: Path) -> Case:
    document = read(build(name) if name in SAMPLES else rich(name))
    new = [translated(passage) for passage in document.passages]
    paths = {kind: folder / f"{name}-{kind}.docx" for kind in ("plain", "bilingual")}
    for kind, path in paths.items():
        path.write_bytes(document.write(new, "en", bilingual=kind == "bilingual"))
    pdf, xml = (
        {kind: path.with_suffix(suffix) for kind, path in paths.items()}
        for suffix in (".pdf", ".fodt")
    )
    return Case(document.passages, new, pdf, xml)


def pieces(name: str, passage: Passage) -> Iterator[str]:
    """The text between the ends of marks, where there may be a footnote's number, without spaces.

    A large first letter is by itself too, and so is what is before and after the number of a list.
    """
    ends = {place for mark in passage.marks for place in (mark.start, mark.end)}
    places = sorted({0, len(passage.text), *ends, *([1] if name == "letters" else [])})
    texts = (bare(passage.text[start:end]) for start, end in pairwise(places))
    return (piece for text in texts for piece in text.split("%1") if piece)


def bare(text: str) -> str:
    return re.sub(r"\s", "", text)


def shown(path: Path) -> str:
    """The text of a PDF, without spaces."""
    pypdf = pytest.importorskip("pypdf")
    return bare("".join(page.extract_text() for page in pypdf.PdfReader(path).pages))


def known(path: Path) -> str:
    """All text that LibreOffice reads: body, comments, descriptions and title."""
    root = ElementTree.parse(path).getroot()
    return bare("\n".join([*root.itertext(), *_attributes(root)]))


def body(path: Path) -> str:
    """The text of a document without headers and footers."""
    found = ElementTree.parse(path).getroot().find("{*}body")
    assert found is not None
    return bare("".join(found.itertext()))


def _attributes(root: ElementTree.Element) -> Iterator[str]:
    wanted = ("title", "value", "string-value", "display-text", "num-list-format")
    for element in root.iter():
        yield from (v for key, v in element.attrib.items() if key.rpartition("}")[2] in wanted)


@both
@names
def test_every_translated_passage_is_on_a_page(cases, name, kind):
    case = cases[name]
    text = shown(case.pdf[kind])
    for own, new in zip(case.own, case.new, strict=True):
        if own.text not in _NO_TEXT | _COMPUTED:
            assert [piece for piece in pieces(name, new) if piece not in text] == []


@both
@names
def test_every_translated_passage_is_in_the_document_as_libreoffice_has_it(cases, name, kind):
    case = cases[name]
    text = known(case.xml[kind])
    for own, new in zip(case.own, case.new, strict=True):
        if own.text not in _UNKNOWN:
            assert [piece for piece in pieces(name, new) if piece not in text] == []


def test_the_numbers_of_a_list_are_in_digits_between_translated_words(cases):
    text = shown(cases["lists"].pdf["plain"])
    before, after = pieces("lists", translated(Passage("第%1步")))
    assert f"{before}1{after}" in text
    assert f"{before}2{after}" in text


@names
def test_nothing_of_the_old_text_is_left(cases, name):
    case = cases[name]
    assert set(_CHINESE.findall(known(case.xml["plain"]))) <= set(_STAYS.get(name, ""))


@both
@pytest.mark.parametrize("name", [name for name in NAMES if name not in _ELSEWHERE])
def test_the_body_is_in_order_and_each_old_paragraph_below_its_translation(cases, name, kind):
    case, place = cases[name], 0
    text = body(case.xml[kind])
    for own, new in zip(case.own, case.new, strict=True):
        if own.text in _NO_TEXT or any(piece not in text for piece in pieces(name, new)):
            continue
        for passage in (new, own) if kind == "bilingual" and new != own else (new,):
            for piece in pieces(name, passage):
                assert piece in text[place:]
                place = text.index(piece, place) + len(piece)


@names
def test_a_bilingual_document_has_every_old_passage_too(cases, name):
    case = cases[name]
    text = known(case.xml["bilingual"])
    for own in case.own:
        if own.text not in _UNKNOWN:
            assert [piece for piece in pieces(name, own) if piece not in text] == []
