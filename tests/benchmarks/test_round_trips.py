"""The benchmark of round trips: the files that it builds, and what it sees."""

import shutil
from pathlib import Path
from typing import get_args

import pytest
from benchmarks.files import sizes
from benchmarks.files.generated import WRITERS, sentences
from benchmarks.round_trips import measure, programs, reading
from benchmarks.round_trips.readers import READERS, read
from benchmarks.round_trips.samples import BUILDERS, samples
from benchmarks.round_trips.texts import Block, Kind, documents

from longways.errors import LongwaysError
from longways.formats.base import Passage
from longways.formats.registry import format_named
from longways.results import table

LIBRARIES = {
    "pptx": "pptx",
    "xlsx": "openpyxl",
    "ipynb": "nbformat",
    "properties": "javaproperties",
    "ass": "pysubs2",
    "latex": "pylatexenc",
    "rst": "docutils",
}
"""Libraries that build or read files and are only there for development."""


@pytest.fixture(params=BUILDERS)
def name(request):
    if request.param in LIBRARIES:
        library = LIBRARIES[request.param]
        pytest.importorskip(library, reason=f"needs {library}")
    program = {"asciidoc": "asciidoctor", "org": "emacs"}.get(request.param)
    if program and not shutil.which(program):
        pytest.skip(f"needs the program {program}")
    return request.param


def test_there_are_ten_texts_and_one_of_them_is_long():
    texts = documents()
    assert len(texts) == 10
    assert max(map(len, texts.values())) > 250
    kinds = {block.kind for block in texts["manual"]}
    assert kinds == set(get_args(Kind))


def test_files_keep_bytes_structure_and_placeholders_and_nothing_is_left(name):
    counts, (suffix, build) = measure.Counts(name), BUILDERS[name]
    texts = documents()
    for number, key in enumerate(("cluster", "contract", "letter")):
        data = build(texts[key], number)
        counts.untouched(f"{key}{suffix}", data)
        counts.translated(f"{key}{suffix}", data, measure.invented(name, data))
    assert counts.same == counts.kept_structure == 3
    assert counts.kept == counts.placeholders >= 5
    assert counts.texts > 30
    assert counts.left == 0


def test_a_pdf_document_is_compared_with_its_markdown_and_with_what_it_was_made_of():
    data = WRITERS["pdf"][1](sentences(8, 1))
    counts = measure.Counts("pdf")
    counts.translated("a.pdf", data, measure.invented("pdf", data))
    assert (counts.kept_structure, counts.texts, counts.left) == (1, 8, 0)
    blocks = [
        Block("title", "甲"),
        Block("item", "*乙*丙"),
        Block("row", "|丁|"),
        Block("text", "戊"),
    ]
    page = "# 甲\n\n- 乙丙\n\n丁\n\n戊\n\n己\n".encode()
    found = reading.measured({"a.pdf": page}, {"a": blocks})
    assert found == {"texts": 4, "read in their order": 4, "as what they are": 3}


@pytest.mark.parametrize("name", ["xliff", "android"])
def test_real_schemas_and_tools_take_translations_and_refuse_broken_ones(name):
    label, needed, check = programs.PROGRAMS[name][0]
    if not programs.is_there(needed):
        pytest.skip(f"{label} is not installed")
    fixtures = Path(__file__).parents[1] / "formats" / "files" / name
    files = {path.name: path.read_bytes() for path in fixtures.iterdir()} | samples(name)
    files = {key: data.replace(b"@string/tuesday", b"a") for key, data in files.items()}
    check(name, {key: measure.invented(name, data) for key, data in files.items()})
    broken = samples(name)["letter" + BUILDERS[name][0]].replace(b"</", b"<x/></", 1)
    with pytest.raises(LongwaysError, match="letter"):
        check(name, {"letter": broken.replace(b"<string name", b"<string names", 1)})


def test_text_that_is_left_and_placeholders_that_are_lost_are_counted():
    data = b'{"a": "\xe4\xbd\xa0 {name}", "b": "x"}'
    counts = measure.Counts("json")
    counts.translated("a.json", data, data.replace(b"{name}", b"name"))
    assert (counts.placeholders, counts.kept, counts.left) == (1, 0, 1)


def test_another_structure_is_an_error():
    with pytest.raises(LongwaysError, match="another structure"):
        measure.Counts("json").translated("a.json", b'{"a": "b"}', b'{"c": "b"}')


def test_an_empty_translation_of_a_catalogue_is_left_untranslated():
    data = samples("po")["letter.po"]
    counts = measure.Counts("po")
    counts.translated("letter.po", data, data)
    assert counts.left > 10


def test_invented_translations_have_signs_that_formats_must_escape():
    form = format_named("json")
    new = form.read(measure.invented("json", samples("json")["cluster.json"]), "ko").passages
    assert any(passage.text.endswith(measure.SIGNS.strip()) for passage in new)


def test_a_program_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(programs.PROGRAMS, "po", (("nothing", "no_such_program", None),))
    assert programs.opened("po", {}) == "(nothing is not installed)"


def test_a_file_that_a_program_refuses_is_an_error():
    pytest.importorskip("docx")
    check = programs.PROGRAMS["docx"][1][2]
    with pytest.raises(Exception, match="zip"):
        check("docx", {"a.docx": b"no zip file"})


def test_every_built_format_has_a_reader():
    assert BUILDERS.keys() <= READERS.keys()
    assert read("csv", b"id,text\n1,a\n").texts == ["1", "a"]


def test_sizes_are_measured_for_every_format_and_two_large_files(monkeypatch):
    monkeypatch.setattr(sizes, "TEXTS_OF_A_WORKBOOK", 100)
    monkeypatch.setattr(sizes, "SENTENCES_OF_A_SMALL_FILE", 2)
    monkeypatch.setattr(sizes, "WRITERS", {name: WRITERS[name] for name in ("json", "po")})
    found = sizes.measure(4, 0, 3)
    assert [row["file"] for row in found.rows][-2:] == ["xlsx of 0 MB", "epub of 3 pages"]
    assert table(found).row_count
    assert all(row["writing"] > 0 < row["reading"] for row in found.rows)
    assert all(row["writing of a small file"] > row["writing"] for row in found.rows[:2])
    assert all(row["MB"] >= 0 for row in found.rows)


def test_a_large_workbook_and_a_large_book_have_all_their_texts():
    form = format_named("epub")
    assert len(form.read(sizes.book(5), "zh").passages) >= 5 * 20
    workbook = format_named("xlsx").read(sizes.workbook(10, 200), "zh")
    assert len(workbook.passages) == 200
    assert all(isinstance(passage, Passage) for passage in workbook.passages[:3])
