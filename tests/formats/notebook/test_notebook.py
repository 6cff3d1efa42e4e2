# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Jupyter notebooks: the Markdown cells of a JSON file."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.contents import likely_format
from longways.formats.notebook.cells import lines_of
from longways.formats.notebook.format import Notebook
from longways.formats.notebook.links import edit_notebook_links
from tests.formats.resources.translating import bracketed, is_linear, read, texts, translated

FORM = Notebook()
TEXT = "# 数据 **分析**\n\n先读入 `df`，见[下一章](two.ipynb)。\n![图](attachment:a.png)\n"


def cell(source, kind="markdown", **more):
    return {"cell_type": kind, "metadata": {"name": "名称"}, **more, "source": source}


def code(source, output):
    shown = {"output_type": "stream", "name": "stdout", "text": [output]}
    return cell(source, "code", execution_count=1, outputs=[shown])


def notebook(*cells, version=4, **how):
    """A notebook as Jupyter writes it, or with other settings of `json.dumps`."""
    head = {
        "metadata": {"title": "标题"},
        "nbformat": version,
        "nbformat_minor": 2 if version == 4 else 0,
    }
    body = {"cells": cells} if version == 4 else {"worksheets": [{"cells": cells}]}
    how = {"indent": 1, "ensure_ascii": False} | how
    return json.dumps(body | head, **how) + "\n"


def sources(data):
    """The sources of the cells of a notebook, each as one text."""
    whole = json.loads(data)
    cells = whole["cells"] if "cells" in whole else whole["worksheets"][0]["cells"]
    return ["".join(found.get("source", "")) for found in cells]


LESSON = notebook(
    cell(lines_of(TEXT)),
    code(["# 注释\n", "print('中文')"], "中文\n"),
    cell("原样", "raw"),
    cell("一行，\n两行。", attachments={"a.png": {"image/png": "iVBOR"}}),
    cell(["| 列 | 值 |\n", "| --- | --- |\n", "| 甲 | 乙 |"]),
    cell([]),
    cell(""),
)
OLD = notebook(
    cell("第一节", "heading", level=2),
    cell(["正文"]),
    {"cell_type": "code", "language": "python", "input": "# 注释", "outputs": [], "metadata": {}},
    version=3,
)
FILES = {
    "indented by one": LESSON,
    "in one line": notebook(*json.loads(LESSON)["cells"], indent=None),
    "in ASCII": notebook(*json.loads(LESSON)["cells"], ensure_ascii=True),
    "with tabs": notebook(*json.loads(LESSON)["cells"], indent="\t"),
    "with a mark and other line ends": "\ufeff" + LESSON.replace("\n", "\r\n"),
    "nbformat 3": OLD,
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_a_notebook_is_written_again_to_the_byte(text):
    document = read(FORM, text)
    assert document.passages
    assert not document.warnings
    assert document.write(document.passages, "en") == text.encode()
    assert document.write(document.passages, "en", bilingual=True) == text.encode()


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_each_new_text_is_read_again_and_nothing_else_changes(text):
    document = read(FORM, text)
    for number, passage in enumerate(document.passages):
        new = [*document.passages]
        new[number] = bracketed(passage, "Note ", " end")
        written = document.write(new, "en").decode()
        assert texts(FORM, written) == [p.text for p in new]
        changed = [a != b for a, b in zip(sources_of(text), sources_of(written), strict=True)]
        assert sum(changed) == 1


def sources_of(text):
    return sources(text.removeprefix("\ufeff"))


def test_only_the_text_of_markdown_cells_is_read():
    assert texts(FORM, LESSON) == [
        "数据 分析", "先读入 df，见下一章。", "图", "一行，\n两行。", "列", "值", "甲", "乙",
    ]  # fmt: skip


def test_code_output_raw_cells_and_metadata_stay():
    old, new = json.loads(LESSON), json.loads(translated(FORM, LESSON))
    assert new["metadata"] == old["metadata"]
    for before, after in zip(old["cells"], new["cells"], strict=True):
        assert list(before) == list(after)
        is_text = before["cell_type"] == "markdown"
        assert {**before, "source": ""} == {**after, "source": ""}
        assert is_text or before == after
    assert "attachment:a.png" in sources(translated(FORM, LESSON))[0]


def test_heading_cells_are_headings_without_a_sign():
    document = read(FORM, OLD)
    assert [p.text for p in document.passages] == ["第一节", "正文"]
    new = [Passage("1. Section # one"), Passage("Text")]
    written = document.write(new, "en")
    assert sources(written)[:2] == ["1. Section # one", "Text"]
    assert json.loads(written)["worksheets"][0]["cells"][0]["level"] == 2


@pytest.mark.parametrize("kind", ["raw", "code", "heading2", "Markdown"])
def test_cells_of_other_kinds_stay(kind):
    assert texts(FORM, notebook(cell("正文", kind))) == []


def test_the_kind_of_a_cell_may_follow_its_source():
    body = '{"source": ["正文"], "cell_type": "KIND"}'
    cells = ", ".join(body.replace("KIND", kind) for kind in ("markdown", "code"))
    text = f'{{"cells": [{cells}], "nbformat": 4}}'
    assert texts(FORM, text) == ["正文"]


def test_a_source_elsewhere_in_the_file_is_no_cell():
    inner = {"cell_type": "markdown", "source": "不是"}
    text = notebook(
        cell("正文", metadata={"cells": [inner]}),
        cell([["不是"]]),
        cell({"a": "不是"}),
        cell(["不", 1, "是"]),
    )
    assert texts(FORM, text) == ["正文"]


@pytest.mark.parametrize("indent", [None, 1, "\t"])
def test_a_list_stays_a_list_of_lines_with_its_indentation(indent):
    old = notebook(cell(["甲\n", "\n", "乙"]), cell(["丙"]), indent=indent)
    document = read(FORM, old)
    new = [Passage("A"), Passage("B"), Passage("C")]
    wanted = notebook(cell(["A\n", "\n", "B"]), cell(["C"]), indent=indent)
    assert document.write(new, "en").decode() == wanted


@pytest.mark.parametrize("indent", [None, 1, "\t"])
def test_a_list_gets_the_lines_that_new_text_needs(indent):
    document = read(FORM, notebook(cell(["甲"]), indent=indent))
    written = document.write([Passage("A")], "en", bilingual=True).decode()
    assert written == notebook(cell(["A\n", "\n", "> 甲"]), indent=indent)


def test_a_string_stays_a_string():
    new = json.loads(translated(FORM, notebook(cell("甲\n\n乙"))))
    assert new["cells"][0]["source"] == "[甲]\n\n[乙]"


def test_lines_that_do_not_change_keep_their_escapes():
    text = LESSON.replace("先读入 `df`", "正文\\n").replace("# 数据", "\\u0023 \\u6570据")
    document = read(FORM, text)
    assert document.passages[0].text == "数据 分析"
    new = [*document.passages]
    new[-1] = Passage("B")
    assert document.write(new, "en").decode() == text.replace("乙", "B")


def test_an_escaped_backslash_before_an_n_is_no_line_end():
    text = '{"cells": [{"cell_type": "markdown", "source": "%s"}], "nbformat": 4}'
    source = "\\u0023 \\u6570\\n\\n乙\\\\n"
    document = read(FORM, text % source)
    new = [document.passages[0], Passage("B")]
    assert document.write(new, "en").decode() == text % source.replace("乙\\\\n", "B")


def test_new_text_is_escaped_as_in_the_file():
    written = translated(FORM, FILES["in ASCII"], "é ", "")
    assert written.isascii()
    assert sources(written)[3] == "é 一行，\n两行。"


def test_a_cell_with_half_a_character_stays_with_a_warning():
    text = notebook(cell("甲")).replace("甲", "甲\\ud83d")
    document = read(FORM, text)
    (warning,) = document.warnings
    assert warning.startswith("The cell at line 8 has half a character in it")
    assert document.write(document.passages, "en") == text.encode()


def test_a_cell_with_characters_of_no_text_stays_with_a_warning():
    text = notebook(cell("甲")).replace("甲", "甲\\u0000")
    (warning,) = read(FORM, text).warnings
    assert warning.startswith("The cell at line 8 has characters in it that no text has")


def test_a_key_that_is_there_twice_is_named():
    text = (
        '{"cells": [{"cell_type": "markdown",\n "source": "甲", "source": ["乙"]}], "nbformat": 4}'
    )
    document = read(FORM, text)
    (warning,) = document.warnings
    assert warning.startswith("Line 2: an object has the key 'source' twice")
    assert translated(FORM, text) == text.replace("甲", "[甲]").replace("乙", "[乙]")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a value should be here"),
        ("<<<<<<< HEAD\n", "Line 1, column 1: a value should be here, but there is '<<<<<<< HEAD'"),
        ("[1, 2", "or the file ends. The file is not valid JSON"),
        (LESSON[:-9], "a key in double quotes should be here, but there is '\"nbformat_min"),
        ("[]", "no Jupyter notebook, as it has no number nbformat"),
        ('{"cells": [], "nbformat": "4"}', "no Jupyter notebook"),
        ('{"app": "标题"}', "use --format json"),
        ('{"cells": [], "nbformat": 5}', "in version 5 of nbformat, and versions 3 and 4 are read"),
        ('{"worksheets": [], "nbformat": 2}', "jupyter nbconvert --to notebook"),
        ('{"cells": [], "nbformat": 44}', "version 44"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(text, said):
    with pytest.raises(FormatError) as error:
        read(FORM, text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("data", [b"\0\1\2\xff", LESSON.encode("gb18030"), b"\xff\xfe\x00", b"PK"])
def test_bytes_that_are_no_notebook_are_refused_in_a_sentence(data):
    with pytest.raises(FormatError) as error:
        FORM.read(data, "zh")
    assert "\n" not in str(error.value)


def test_a_notebook_on_standard_input_is_known_by_its_beginning():
    assert likely_format(LESSON) == "ipynb"
    assert likely_format('{"cells": "单元格"}') == "json"


def test_links_between_notebooks_change_in_text_only():
    text = notebook(
        cell(["见[二](two.ipynb)，\n", "好"]), code("[二](two.ipynb)", "[二](two.ipynb)")
    )
    new = edit_notebook_links(text.encode(), None, lambda address, _: f"en/{address}").decode()
    assert new == text.replace("two.ipynb", "en/two.ipynb", 1)


PIECES = ['"cells":', "[", "]", "{", "}", ",", '"cell_type":"markdown"', '"source":', '"甲\\n"',
          '"# 乙\\n\\n- 丙"', '"\\ud83d"', "4", '"nbformat":4', '"---\\ntitle: 丁\\n---\\n"',
          '"```\\n"', "\n", '"\\r\\n戊"', '"\\u0000己"']  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_file_is_written_again_to_the_byte_or_refused(parts, is_list):
    strings = [part for part in parts if part[0] == '"' and part[-1] == '"' and ":" not in part]
    source = f"[{','.join(strings)}]" if is_list else (strings or ['""'])[0]
    whole = f'{{"cells":[{{"cell_type":"markdown","source":{source}}}],"nbformat":4}}'
    for text in ("".join(parts), whole):
        try:
            document = read(FORM, text)
        except FormatError as error:
            said = str(error)
            assert "\n" not in said
            continue
        assert document.write(document.passages, "en") == text.encode()
        json.loads(document.write([bracketed(p) for p in document.passages], "en"))


@pytest.mark.parametrize("part", ["[", '{"cells":', '"', "\\", '{"source":["甲"]},', '"甲\\n",'])
def test_time_is_linear(part):
    for start in ("", '{"nbformat":4,"cells":[', '{"cells":[{"cell_type":"markdown","source":['):
        assert is_linear(FORM, lambda n, s=start: (s + part * n).encode())


@pytest.mark.parametrize("part", ["甲\\n", "\\\\", "\\u4fdd", "\\ud83d"])
def test_time_is_linear_in_the_length_and_the_number_of_cells(part):
    one = '{"cell_type":"markdown","source":["%s"]}\n'
    whole = '{"nbformat":4,"cells":[%s]}'
    assert is_linear(FORM, lambda n: (whole % (one % (part * n))).encode())
    assert is_linear(FORM, lambda n: (whole % ",".join([one % part] * n)).encode())


def test_another_reader_reads_the_same_cells():
    nbformat = pytest.importorskip("nbformat", reason="nbformat reads notebooks, but is not here")
    for text in (LESSON, OLD):
        written = translated(FORM, text)
        whole = nbformat.reads(written, nbformat.NO_CONVERT)
        assert re.findall("数据|正文", str(whole)) == re.findall("数据|正文", written)
