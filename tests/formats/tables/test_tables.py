# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""CSV and TSV: dialects, columns, names of columns, new text in cells."""

import csv
import io
import re
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import ConfigError, FormatError
from longways.formats.base import Passage
from longways.formats.tables.columns import Columns
from longways.formats.tables.detection import detect
from longways.formats.tables.format import Csv, Tsv
from longways.translation.files.folders.languages import Languages
from longways.translation.files.journal import fingerprint
from longways.translation.files.plan import plan_files, plan_job
from longways.translation.installed.lookup import find_model
from longways.translation.model_folder import ModelFolder
from tests.formats.resources.translating import bracketed, is_linear

FOLDER = Path(__file__).parents[1] / "files"
FILES = [*sorted((FOLDER / "csv").iterdir()), *sorted((FOLDER / "tsv").iterdir())]
LANGUAGES = Languages("zh", "en")
TABLE = "id,名称,说明\n1,终端,打开终端。\n2,按钮,点击按钮。\n"


def form_of(path):
    return Tsv() if path.suffix == ".tsv" else Csv()


def read(data, *names, header=False, language="zh", form=Csv):
    data = data.encode() if isinstance(data, str) else data
    return form(Columns.of(names, header=header)).read(data, language)


def translated(data, before="[", after="]", **options):
    document = read(data, **options)
    new = [bracketed(passage, before, after) for passage in document.passages]
    return document.write(new, "en").decode()


def found(data, *names, **options):
    return [passage.text for passage in read(data, *names, **options).passages]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_table_is_written_again_to_the_byte(path):
    data = path.read_bytes()
    document = form_of(path).read(data, "zh")
    assert document.passages
    assert document.write(document.passages, "en") == data
    assert document.write(document.passages, "en", bilingual=True) == data


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_one_new_cell_changes_nothing_else(path):
    document = form_of(path).read(path.read_bytes(), "zh")
    for number, passage in enumerate(document.passages):
        new = list(document.passages)
        new[number] = bracketed(passage, "x ", "")
        again = form_of(path).read(document.write(new, "en"), "zh")
        assert [p.text for p in again.passages] == [p.text for p in new]


def test_the_style_of_a_file_is_kept():
    path = FOLDER / "csv" / "semicolon.csv"
    whole = translated(path.read_bytes(), before="<", after=";>")
    assert whole == (
        'id;名称;说明;地址\r\n1;"<终端;>";"<打开终端，然后输入""ls""。;>";https://x.cn/中\r\n'
        '2;"<按钮;>";"<第一行\n第二行；完;>";图/按钮.png\r\n\r\n3;"<终端;>";'
        '=HYPERLINK("x";"文");\r\n4;"<空;>";"  <两边有空格;>  ";"<行;> | <列;>"\r\n'
    )


def test_a_cell_gets_quotes_only_if_its_text_needs_them():
    assert translated("a,b\n终端,1\n", before="x", after="") == "a,b\nx终端,1\n"
    assert translated("a,b\n终端,1\n", before="x, ", after="") == 'a,b\n"x, 终端",1\n'
    assert translated("a,b\n终端,1\n", before='"', after='"') == 'a,b\n"""终端""",1\n'
    assert translated('a,b\n"终端",1\n', before="x", after="") == 'a,b\n"x终端",1\n'


def test_quotes_after_backslashes_are_written_so_again():
    data = (FOLDER / "csv" / "backslash.csv").read_bytes()
    assert translated(data, before='"', after='"') == (
        'id,text\n1,"\\"他说 \\"好\\"，走了。\\""\n2,"\\"路径 C:\\\\temp\\\\\\""\n'
    )


def test_a_table_without_quotes_gets_none():
    data = (FOLDER / "tsv" / "raw.tsv").read_bytes()
    whole = translated(data, before="a\t\n", after="", form=Tsv)
    assert whole.split("\n")[1:4] == ['1\t"a 你好', '2\ta 他说"走"吧', '3\t"a 完"了'] or (
        whole.split("\n")[1:4] == ['1\ta "你好', '2\ta 他说"走"吧', '3\ta "完"了']
    )
    assert all(line.count("\t") == 1 for line in whole.split("\n")[:4])


@pytest.mark.parametrize(
    ("text", "delimiter", "quoting"),
    [
        ("a,b\n1,2\n", ",", "doubled"),
        ("a;b\n1,5;2,5\n3,1;4,2\n", ";", "doubled"),
        ("1,5;2,5\n3,1;4,2\n", ";", "doubled"),
        ("甲|乙|丙\n1|x, y|2\n3|z|4\n", "|", "doubled"),
        ("a\tb\n1\t2, 3\n", "\t", "doubled"),
        ("sep=;\na,b;c\n", ";", "doubled"),
        ('a,b\n1,"x; y"\n2,"p; q"\n', ",", "doubled"),
        ('a,b\n1,"x\\"y, z"\n', ",", "backslash"),
        ("一句话。\n又一句话。\n", ",", "doubled"),
        ("", ",", "doubled"),
    ],
)
def test_the_dialect_is_the_one_that_divides_records_alike(text, delimiter, quoting):
    dialect = detect(text).dialect
    assert (dialect.delimiter, dialect.quoting) == (delimiter, quoting)


def test_equal_cells_are_translated_once_and_alike():
    data = "id,状态\n1,已启用\n2,已停用\n3,已启用\n"
    assert found(data) == ["已启用", "已停用"]
    assert translated(data) == "id,状态\n1,[已启用]\n2,[已停用]\n3,[已启用]\n"


def test_columns_are_chosen_by_name_or_number():
    assert found(TABLE, "说明") == found(TABLE, "3") == found(TABLE, 3)
    assert found(TABLE, "说明") == ["打开终端。", "点击按钮。"]
    assert found(TABLE, "名称,3") == found(TABLE, 2, "说明")
    assert found('"甲,乙",丙\n你好,再见\n', "甲,乙") == ["你好"]
    assert found("a,b,a\n你好,好的,再见\n", "a") == ["你好", "再见"]
    assert found("Name,Text\n你好,再见\n", "text") == ["再见"]


@pytest.mark.parametrize("name", ["备注", "0", "4", "-1", "²"])
def test_an_unknown_column_is_refused_with_the_known_ones(name):
    with pytest.raises(FormatError, match=r"no column .*: 1 'id', 2 '名称', 3 '说明'\. Choose"):
        read(TABLE, name)


@pytest.mark.parametrize("names", ["说明", [0], [""], [True], [1.5]])
def test_columns_in_python_are_a_list_of_names_and_numbers(names):
    with pytest.raises(ConfigError, match="must be a list of names and of numbers from 1"):
        Columns.of(names, header=False)


def test_names_of_columns_stay_with_a_warning_unless_they_are_asked_for():
    document = read(TABLE)
    (warning,) = document.warnings
    assert warning.startswith("Line 1: the names of the columns stay")
    assert translated(TABLE).startswith("id,名称,说明\n")
    assert translated(TABLE, header=True).startswith("id,[名称],[说明]\n")
    assert found(TABLE, "说明", header=True)[0] == "说明"
    assert not read(TABLE, header=True).warnings


@pytest.mark.parametrize(
    ("first", "is_header"),
    [
        ("编号,名称", True),
        ("id,text", True),
        ("甲类,1", False),
        ("你好。,再见", False),
        ("苹果,香蕉", False),
        ("你好,", False),
    ],
)
def test_a_first_record_is_names_only_by_a_sign(first, is_header):
    whole = translated(f"{first}\n梨子,橘子\n李子,杏子\n")
    assert whole.startswith(first) == is_header or first.isascii()


def test_titles_above_the_names_are_translated():
    whole = translated((FOLDER / "csv" / "report.csv").read_bytes())
    assert whole == (
        '[设备清单]\n\n编号,名称,备注,数量\nA1,[服务器],"[用 ""双"" 引号]",3\n'
        "A2,[交换机],,4,[多一格]\nA3,[路由器]\n"
    )


def test_columns_of_other_languages_stay():
    whole = translated((FOLDER / "csv" / "languages.csv").read_bytes())
    assert whole.splitlines()[1:] == [
        "GREET,Hello,[你好],保存",
        'BYE,"Bye, all",[再见],終了',
    ]


def test_in_latin_letters_columns_have_sentences():
    data = "code,state,note\nA-1,open,Please restart the server.\nB-2,closed,It works now again.\n"
    assert found(data, language="en") == ["Please restart the server.", "It works now again."]
    assert found(data, "state", language="en") == ["open", "closed"]
    assert not read("code,state\nA-1,open\nB-2,closed\n", language="en").warnings


@pytest.mark.parametrize(
    "cell", ["1,2", "2024-01-02", "https://x.cn/中文", "图片/按钮.png", '"{""a"": ""文""}"',
             '"[""文"", 1]"', "['动作', '喜剧']", '"=CONCAT(""文"",A1)"', "{{姓名}}"]
)  # fmt: skip
def test_what_programs_read_stays(cell):
    cell = cell if cell.startswith('"') else f'"{cell}"'
    assert found(f"{cell},文\n{cell},字\n", "1") == []


def test_new_text_is_never_taken_for_a_formula():
    assert translated("x,终端\n", before="=1+", after="") == 'x," =1+终端"\n'
    assert translated("x,负五度\n", before="-", after="") == 'x," -负五度"\n'
    assert translated("x,- 负五度\n", before="- ", after="") == "x,- - 负五度\n"


def test_both_languages_are_in_one_cell():
    document = read('a,b\n1,终端\n2,"一\n二"\n')
    new = [bracketed(passage) for passage in document.passages]
    assert document.write(new, "en", bilingual=True).decode() == (
        'a,b\n1,终端 / [终端]\n2,"一\n二\n[一\n二]"\n'
    )


def test_a_table_of_an_older_office_program_is_read_and_written_in_its_encoding():
    data = (FOLDER / "csv" / "gb18030.csv").read_bytes()
    document = Csv().read(data, "zh")
    assert any("it is read in gb18030" in warning for warning in document.warnings)
    new = [bracketed(passage) for passage in document.passages]
    assert "[研发部]" in document.write(new, "en").decode("gb18030")
    with pytest.raises(FormatError, match="--encoding"):
        Csv().read(b"a,\xff\xfe\xfd\n" * 9, "zh")


def test_a_quote_that_is_never_closed_is_refused_with_its_line():
    with pytest.raises(FormatError, match=r"^Line 3: a cell begins with a quotation mark"):
        read('a,b\n1,文\n2,"字\n3,词\n')


def test_text_behind_a_closing_quote_stays_with_a_warning():
    data = 'a,b\n1,"文"字\n2,词\n'
    document = read(data)
    assert document.warnings == [
        "Line 2: text follows the closing quotation mark of a cell; the cell stays as it is."
    ]
    assert translated(data) == 'a,b\n1,"文"字\n2,[词]\n'


def test_a_job_without_tables_refuses_columns(tmp_path):
    (tmp_path / "a.txt").write_text("你好。\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"none of the files is a \.csv or \.tsv"):
        plan_files([tmp_path / "a.txt"], None, LANGUAGES, columns=Columns(("a",)))


def test_columns_go_to_the_tables_of_a_job(tmp_path):
    for name in ("a.txt", "b.csv", "c.tsv"):
        (tmp_path / name).write_text(TABLE, encoding="utf-8")
    files = [tmp_path / name for name in ("a.txt", "b.csv", "c.tsv")]
    plan = plan_job(files, None, LANGUAGES, columns=Columns(("3",)))
    assert [getattr(file.format, "columns", None) for file in plan.files] == [
        None,
        Columns(("3",)),
        Columns(("3",)),
    ]


def test_a_job_is_resumed_only_with_the_same_columns(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE, encoding="utf-8")
    model = ModelFolder.read(find_model(None))
    prints = [
        fingerprint(
            plan_files([path], tmp_path / "o.csv", LANGUAGES, columns=columns), model, "", {}
        )
        for columns in (Columns(), Columns(("3",)), Columns((3,)), Columns(("3",), header=True))
    ]
    assert "columns" not in prints[0]
    assert prints[1]["columns"] == prints[2]["columns"] == ["3"]
    assert prints[3]["columns"] == ["3", "with header"]


CELL = st.text(
    st.sampled_from(["文", "字", "a", '"', ",", ";", "\t", "|", "\n", "\r", " ", "=", "1"]),
    max_size=6,
)


@given(
    st.lists(st.lists(CELL, min_size=2, max_size=4), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["[{}]", '"{}', "{}\n,", "={};", "{}\t|"]),
)
@settings(max_examples=150, deadline=None)
def test_the_csv_module_reads_the_same_shape_with_the_new_texts(
    rows, delimiter, quoting, end, shape
):
    out = io.StringIO()
    out.write(f"sep={delimiter}\n")
    csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(rows)
    data = out.getvalue().encode()
    document = read(data)
    assert document.write(document.passages, "en") == data
    new = [Passage(shape.format(p.text), p.marks) for p in document.passages]
    written = document.write(new, "en").decode()
    shapes = [
        list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        for text in (out.getvalue(), written)
    ]
    assert [len(row) for row in shapes[0]] == [len(row) for row in shapes[1]]
    for own, cell in zip(chain(*shapes[0]), chain(*shapes[1]), strict=True):
        assert re.sub(r"[^文字a1]", "", own) == re.sub(r"[^文字a1]", "", cell)


@given(st.lists(st.sampled_from(['"', "文", ",", "\t", ";", "\n", "\r", "\\", "a", " ", '""']),
                max_size=20), st.booleans())  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_any_text_is_written_again_to_the_byte_or_refused_in_a_sentence(parts, tabs):
    form, data = (Tsv() if tabs else Csv()), "".join(parts).encode()
    try:
        document = form.read(data, "zh")
    except FormatError as error:
        said = str(error)
        assert "\n" not in said
        return
    assert document.write(document.passages, "en") == data
    document.write([bracketed(passage, "\"'\n,") for passage in document.passages], "en")


@pytest.mark.parametrize(
    "part", ['"', '"a,', '"",', ",", "文,", "\n", '"文"x,', '\\"', ' "', "\t", "[", "文 | ",
             "甲,乙\n", '"甲\n"', "={"]
)  # fmt: skip
@pytest.mark.parametrize("form", [Csv(), Tsv()], ids=["csv", "tsv"])
def test_time_is_linear(form, part):
    for whole in ("{}", "a,b\n1,{}\n", 'a\tb\n"{}"\n'):
        assert is_linear(form, lambda n, w=whole, p=part: w.format(p * n).encode())
