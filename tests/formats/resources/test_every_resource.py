"""What is true of every format of resource files, and of any file."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError, TextError
from longways.formats.base import Passage
from longways.formats.contents import likely_format
from longways.formats.registry import format_named
from longways.translation.files.folders.languages import Languages
from longways.translation.files.folders.selection import ALL_FILES, Selection, counted, read_folder
from longways.translation.files.plan import plan_files
from tests.formats.resources.translating import bracketed, is_linear, read, texts

FOLDER = Path(__file__).parents[1] / "files"
FORMATS = ("json", "arb", "properties", "strings", "android", "stringsdict")
FILES = [path for name in FORMATS for path in sorted((FOLDER / name).iterdir())]
PIECES = {
    "json": ['{"a": ', '"甲{n, plural, other {乙}}"', "}", ",", "[", "]", '"\\u4fdd"', ":", "1",
             "//", "/*", "*/", "\n", '"', "\\", "甲", "{n, select, a {", "}} | 丙"],
    "properties": ["甲", "=", ":", "\\", "\\u4fdd", "\\ud83d", "\n", "\r\n", "\r", "#", "!", " ",
                   "''", "'{0}'", "{0,choice,0#乙|1<丙}", "{", "}", "\\\n  ", "a.b=", "\f"],
    "strings": ['"', "甲", '"k" = "值";', "=", ";", "/*", "*/", "//", "\n", "\\", "\\U4fdd", "'",
                '"丙\\n丁"', "k", "\\0", "%@"],
    "android": ["<resources>", "</resources>", '<string name="a">', "</string>", "甲", "<b>",
                "</b>", "\n ", "\\n", "'", '"', "&lt;", "<![CDATA[", "]]>", "<!-- 乙 -->", "<br/>",
                "&#10;", "<xliff:g>", "</xliff:g>", "<i/>", "\\u4fdd", " "],
}  # fmt: skip
"""Parts of files, whole and broken; .arb is read as JSON is."""
HOSTILE = {
    "json": ["[", '{"a":', '"', "{n, plural, other {", " | ", "/*", "/", '"\\u4f', "\\",
             '["{n} | 甲",', "{n} | ", '"a":1,\n'],
    "properties": ["\\", "\\\n", "''", "'{", "a=甲{0}\n", "{0,choice,0#", " ", "=", "#\r",
                   "a=\\u4fdd"],
    "android": ["<b>", "</b>", "<!--", "<![CDATA[", "<a b='", "&amp;", "&", "\\'", "甲<b/>", "\n",
                "]"],
    "strings": ['"', "/*", "*", "\\", '"a"="甲";', "'", "/", ";", "a", "%#@",
                '"a"="b";\n'],
}  # fmt: skip


XML = "<resources><string>{}</string></resources>"


def form_of(path):
    return format_named(path.parent.name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_written_again_to_the_byte(path):
    data = path.read_bytes()
    document = read(form_of(path), data)
    assert document.passages
    assert document.write(document.passages, "en") == data
    assert document.write(document.passages, "en", bilingual=True) == data


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_new_text_is_read_again(path):
    document = read(form_of(path), path.read_bytes())
    new = [bracketed(passage) for passage in document.passages]
    again = read(form_of(path), document.write(new, "en"))
    assert [p.text for p in again.passages] == [p.text for p in new]
    assert [p.marks for p in again.passages] == [p.marks for p in new]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_one_new_passage_changes_nothing_else(path):
    document = read(form_of(path), path.read_bytes())
    for number, passage in enumerate(document.passages):
        new = list(document.passages)
        new[number] = bracketed(passage)
        again = read(form_of(path), document.write(new, "zh"))
        assert [p.text for p in again.passages] == [p.text for p in new]


@pytest.mark.parametrize("name", PIECES)
def test_any_file_is_written_again_to_the_byte_or_refused_in_a_sentence(name):
    form = format_named(name)

    @given(st.lists(st.sampled_from(PIECES[name]), max_size=14), st.booleans())
    @settings(max_examples=300, deadline=None)
    def check(parts, is_closed):
        data = ("".join(parts) + ("}" if is_closed else "")).encode()
        if name == "android" and is_closed:
            data = f"<resources><string>甲{''.join(parts)}</string></resources>".encode()
        try:
            document = form.read(data, "zh")
        except FormatError as error:
            said = str(error)
            assert "\n" not in said
            return
        assert document.write(document.passages, "en") == data
        new = [bracketed(passage) for passage in document.passages]
        again = texts(form, document.write(new, "en"))
        assert [p.text for p in new] == again

    check()


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear(name):
    for part in HOSTILE[name]:
        for whole in ("{}", '{{"a": "{}"}}', "a={}", '"a" = "{}";', XML):
            assert is_linear(
                format_named(name), lambda n, w=whole, p=part: w.format(p * n).encode()
            )


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("data", [b"\0\1\2\xff", "中文".encode("gb18030") * 20, b"\xff\xfe\x00"])
def test_bytes_that_are_no_text_are_refused_in_a_sentence(name, data):
    with pytest.raises(FormatError) as error:
        format_named(name).read(data, "zh")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", FORMATS)
def test_text_in_another_language_is_no_passage(name):
    data = (FOLDER / name).iterdir()
    document = read(format_named(name), next(data).read_bytes(), "ru")
    assert document.passages == []


def test_files_that_may_be_settings_need_include_in_a_folder(tmp_path):
    for name in ("package.json", "zh.json", "gradle.properties", "zh.strings", "_config.yml"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    (tmp_path / "strings.xml").write_text(XML, encoding="utf-8")
    (tmp_path / "pom.xml").write_text("<project/>", encoding="utf-16")
    (tmp_path / "app.ts").write_text("const a = 1", encoding="utf-8")
    (tmp_path / "qt.ts").write_text("<!DOCTYPE TS><TS></TS>", encoding="utf-8")
    found = read_folder(tmp_path, Languages("zh", "en"), ALL_FILES, None)
    assert [path.name for path in found.texts] == ["qt.ts", "zh.strings"]
    assert counted(found.settings) == "2 .json, 1 .yml, 1 .properties, 1 .xml"
    assert [path.name for path in found.others] == ["app.ts", "pom.xml"]
    chosen = Selection(include=("zh.json", "*.xml"))
    found = read_folder(tmp_path, Languages("zh", "en"), chosen, None)
    assert [path.name for path in found.texts] == ["strings.xml", "zh.json"]
    found = read_folder(tmp_path, Languages("zh", "en"), Selection(include=("**",)), None)
    assert [path.name for path in found.texts] == ["qt.ts", "zh.strings"]


def test_a_folder_of_files_that_may_be_settings_names_the_option(tmp_path):
    (tmp_path / "zh.json").write_text('{"a": "保存"}', encoding="utf-8")
    with pytest.raises(TextError, match=r"else to translate: 1 \.json\. Name those .* --include"):
        plan_files([tmp_path], None, Languages("zh", "en"))


@pytest.mark.parametrize(
    ("text", "name"),
    [('{"a": "甲"}', "json"), ('<?xml version="1.0"?>\n<xliff version="1.2">', "xliff"),
     ("<!DOCTYPE TS><TS>", "ts"), ("<resources>", "android"), ("{甲}", None)],
)  # fmt: skip
def test_the_beginning_of_a_text_shows_its_format(text, name):
    assert likely_format(text) == name


def test_a_passage_may_be_longer_than_its_source():
    document = read(format_named("json"), '{"a": "甲"}')
    assert document.write([Passage('x "' * 3)], "en") == b'{"a": "x \\"x \\"x \\""}'
