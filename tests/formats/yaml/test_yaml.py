# ruff: noqa: E501, RUF001 - lists of parts; Chinese marks look like ASCII ones
"""YAML files of texts."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.yaml.format import Yaml
from tests.formats.resources.translating import bracketed, is_linear, read, texts, translated

PATH = Path(__file__).parents[1] / "files" / "yaml" / "zh-CN.yml"
TEXT = PATH.read_text(encoding="utf-8")


def loaded(text):
    """The documents that another reader finds, with tags of their own as text."""
    yaml = pytest.importorskip("yaml", reason="PyYAML reads the files a second time")

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!ruby/symbol", lambda loader, node: loader.construct_scalar(node))
    return list(yaml.load_all(text, Loader=Loader))


def one(style, new, value="甲"):
    """A file after its only passage was exchanged, and what another reader finds in it."""
    document = read(Yaml(), style.format(value))
    written = document.write([Passage(new, document.passages[0].marks)], "en").decode()
    return written, loaded(written)[0]


def test_a_file_is_written_again_to_the_byte():
    document = read(Yaml(), PATH.read_bytes())
    assert document.warnings == []
    assert document.write(document.passages, "en") == PATH.read_bytes()
    assert document.write(document.passages, "en", bilingual=True) == PATH.read_bytes()


def test_every_style_is_read_and_written_as_another_reader_finds_it():
    (old, second), (new, new_second) = loaded(TEXT), loaded(translated(Yaml(), TEXT, "<", ">"))
    old, new = old["zh-CN"], new["zh-CN"]
    assert list(new) == list(old)
    assert new["title"] == "<文件管理器>"
    assert new["greeting"] == "<你好，%{name}！\n第二行 保存>"
    assert new["quoted"] == "<他说'你好'， 然后走了>"
    assert new["wrapped"] == "<这是一个很长的 句子>"
    assert new["yes_no"] == {"yes": "<是>", "no": "<否>"}
    assert new["count"] == {"one": "<一个文件>", "other": "<%{count} 个文件>"}
    assert new["again"] == {**new["count"], "tag": "<标签>", "code": "符号"}
    assert new["literal"] == "<第一行\n  缩进的第二行\n\n第三行: 不是键>\n"
    assert new["folded"] == "<折叠的 文字\n第二段>"
    assert new["list"] == ["<打开>", ["<保存>", {"name": "<名字>", "size": 12}]]
    assert new["flow"] == {"a": "<甲>", "b": ["<乙>", "<丙>", "<丁>"], "c": True}
    assert (new["empty"], new["带引号的键"]) == (None, "<值>")
    assert new["plural"] == "{n, plural, one {<# 项>} other {<# 项>}}"
    assert (new["date"], new["path"]) == (old["date"], old["path"])
    assert (second, new_second) == (["第二个文档"], ["<第二个文档>"])


def test_comments_anchors_and_quotes_stay():
    new = translated(Yaml(), TEXT, "<", ">").split("\n")
    assert new[0] == "# 界面的文字"
    assert new[2] == '  title: "<文件管理器>"   # 不翻译的注释'.replace('"', "")
    assert "    <<: *count" in new
    assert '    "yes": <是>' in new
    assert "    \"no\": '<否>'" in new
    assert "    code: !ruby/symbol 符号" in new
    assert "  count: &count" in new


@pytest.mark.parametrize(
    ("new", "is_plain"),
    [
        ("Open the file", True),
        ("it's 50% (or more), http://a.b/c#d", True),
        ("Yes", False),
        ("no", False),
        ("null", False),
        ("12", False),
        ("2024-03-15", False),
        ("Note: read this", False),
        ("a #b", False),
        ("%{name} is here", False),
        ("[x]", False),
        ("- x", False),
        ("'x'", False),
        ('"x" y', False),
        ("x:", False),
        ('* \\ " \t', False),
    ],
)
def test_a_plain_text_gets_quotes_only_where_it_needs_them(new, is_plain):
    written, found = one("a: {}  # 注\n", new)
    assert found == {"a": new.strip()}
    assert (written == f"a: {new}  # 注\n") is is_plain


@pytest.mark.parametrize("new", ["a, b", "{x}", "a]", "a: b", "a:b", "?x"])
def test_in_flow_collections_more_signs_need_quotes(new):
    assert one("[{}, b]\n", new)[1] == [new, "b"]
    assert one("{{k: {}}}\n", new)[1] == {"k": new}


SIGNS = st.text(st.sampled_from("ab .:#-'\"\\%{}[],|>&*!?@`~=é\t0"), min_size=1, max_size=12)


@given(SIGNS, st.sampled_from(["k: {}\n", "k: '{}'\n", 'k: "{}"\n', "k: |\n  {}\n", "k: >\n  {}\n",
                               "[{}]\n", "- {}\n", "k:\n  {}\n", "{{k: {}}}", "k: |2-\n   {}"]))  # fmt: skip
@settings(max_examples=250, deadline=None)
def test_any_text_is_read_again_by_another_reader(new, style):
    _, found = one(style, new.strip() or "x")
    value = found["k"] if isinstance(found, dict) else found[0]
    assert value.strip() == (new.strip() or "x")


@pytest.mark.parametrize(
    ("style", "written"),
    [
        ("a: |\n    第一\n    第二\n\nb: 1\n", "a: |\n    x\n    y\n\nb: 1\n"),
        ("a: |+2\n   第一\n    第二\n\n\n", "a: |+2\n   x\n    y\n\n\n"),
        ("a: >\n  第一\n\n  第二\n", "a: >\n  x\n\n  y\n"),
        ("a: '第一\n\n  第二'\n", "a: 'x\n\ny'\n"),
        ("a: 第一\n\n  第二\n", 'a: "x\\ny"\n'),
        ('a: "第一\\n第二"\n', 'a: "x\\ny"\n'),
        ("a: |\r\n  第一\r\n  第二\r\n", "a: |\r\n  x\r\n  y\r\n"),
    ],
)
def test_line_ends_are_written_in_the_style_of_the_scalar(style, written):
    document = read(Yaml(), style)
    (passage,) = document.passages
    start = passage.marks[0].start
    assert start == 2
    new = Passage("x y", (passage.marks[0].__class__(1, 1, 0),))
    assert document.write([new], "en").decode() == written


def test_a_file_with_escapes_gets_escapes():
    assert translated(Yaml(), 'a: "\\u4FDD\\u5B58"\n', "é", "😀") == (
        'a: "\\xE9\\u4FDD\\u5B58\\U0001F600"\n'
    )


def test_a_mark_and_line_ends_stay():
    text = "\ufeffzh:\r\n  a: 甲\r\n  b:\r\n    - 乙\r\n"
    assert translated(Yaml(), text) == text.replace("甲", '"[甲]"').replace("乙", '"[乙]"')


def test_a_key_that_is_there_twice_is_named():
    text = "a:\n  b: 甲\n  c: 1\n  b: 乙\nd:\n- b: 1\n- b: 2\n"
    (warning,) = read(Yaml(), text).warnings
    assert warning.startswith("Line 4: the key 'b' is there twice")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a:\n\tb: 甲\n", "Line 2: a line is indented with a tab"),
        ('a: "甲\n', "Line 1: a quote is never closed"),
        ("a: [甲\nb: 1", "Line 1: a bracket is never closed"),
        ("a: [甲}\n", "Line 1: the bracket } closes another one"),
        ("a: '甲' b\n", "Line 1: there is more after the end of a value"),
        ("? 甲\n: 乙\n", "Line 1: a key in the form `? key` is not supported"),
        ("a: 甲\n  b: 乙\n", "Line 2: a key is inside of a text without quotes"),
        ("{{ if .x }}\na: 甲\n{{ end }} b\n", "Line 3: there is more after the end of a value"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text, said):
    with pytest.raises(FormatError) as error:
        read(Yaml(), text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text", ["", "\n\t\n", " \t", "# 注\n", "---\n", "a:\n", "a: |\n\n\n", "- \n-\n", "a: ''"]
)
def test_a_file_without_texts_is_left_as_it_is(text):
    document = read(Yaml(), text)
    assert document.passages == []
    assert document.write([], "en") == text.encode()


PIECES = st.sampled_from(["a: ", "甲", "- ", "  ", "\n", "\n", '"', "'", "|\n", ">\n", "# 注", "[",
                          "]", "{", "}", ", ", ": ", "&x ", "*x", "!t ", "---\n", "\r\n", "\\n", "''",
                          "乙: 丙"])  # fmt: skip


@given(st.lists(PIECES, max_size=14))
@settings(max_examples=300, deadline=None)
def test_any_file_is_written_again_to_the_byte_and_keeps_its_structure(parts):
    yaml = pytest.importorskip("yaml", reason="PyYAML reads the files a second time")
    text = "".join(parts)
    try:
        document = read(Yaml(), text)
    except FormatError:
        return
    assert document.write(document.passages, "en") == text.encode()
    try:
        before = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except yaml.YAMLError:
        return
    new = document.write([bracketed(p, "it's: [", "] #x") for p in document.passages], "en")
    after = list(yaml.compose_all(new, Loader=yaml.SafeLoader))
    assert [shape(node) for node in before] == [shape(node) for node in after]


def shape(node, seen=()):
    """The kinds of the nodes below one, and its keys."""
    if node is None or isinstance(node.value, str):
        return "scalar"
    if id(node) in seen:
        return "again"
    inner = [pair if isinstance(pair, tuple) else (None, pair) for pair in node.value]
    seen = (*seen, id(node))
    return [(key and getattr(key, "value", "") if key and isinstance(key.value, str) else None,
             shape(value, seen)) for key, value in inner]  # fmt: skip


@pytest.mark.parametrize(
    "part",
    ["- ", "a: ", "[", "{", '"', "'", "\n", "a: 甲\n", "a: 甲\n  \n", "a: |\n", "甲 ", "甲: ",
     "&a ", "- a: 甲\n", "  ", "a:\n", "#", "甲\n", "[甲, ", "a: >\n 甲\n", "\\", "a: '甲\n\n'\n", "---\n", "!",
     " #", " \r", "\\ ", "甲  "],
)  # fmt: skip
def test_time_is_linear(part):
    assert is_linear(Yaml(), lambda n: (part * n).encode())
    for start in ("a: |\n  ", "a: 甲", "a: '", 'a: "'):
        assert is_linear(Yaml(), lambda n, s=start: (s + part * n + s[-1]).encode())
    assert texts(Yaml(), "a: 甲") == ["甲"]
