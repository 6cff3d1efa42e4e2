"""TMX files of other tools are read in a stream; broken and hostile ones are one sentence each."""

import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import TextError
from longways.text.languages.codes import best_code, main_language
from longways.translation.memory.tmx_reader import read_tmx
from tests.translation.memory.files import tmx, unit

TEXTS = ("你好。", "Hello.")


def read(tmp_path: Path, content: str | bytes, source: str = "zh", target: str = "en"):
    path = tmp_path / "memory.tmx"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(read_tmx(path, source, target))


def pairs(tmp_path, content, source="zh", target="en"):
    return [(one.source, one.target) for one in read(tmp_path, content, source, target)]


def test_units_are_read_in_both_directions(tmp_path):
    content = tmx(unit(*TEXTS))
    assert pairs(tmp_path, content) == [TEXTS]
    assert pairs(tmp_path, content, "en", "zh") == [TEXTS[::-1]]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings_that_tools_write(tmp_path, encoding):
    mark = {"utf-16-le": "\ufeff", "utf-16-be": "\ufeff"}.get(encoding, "")
    assert pairs(tmp_path, (mark + tmx(unit(*TEXTS))).encode(encoding)) == [TEXTS]


def test_encodings_that_files_declare(tmp_path):
    for encoding in ("gb2312", "GBK", "gb18030", "big5", "windows-1252", "shift_jis"):
        source = "Café." if encoding == "windows-1252" else "中文。"
        declaration = f'<?xml version="1.0" encoding="{encoding}"?>'
        content = tmx(unit(source, "x"), declaration=declaration).encode(encoding)
        assert pairs(tmp_path, content) == [(source, "x")], encoding
    wider = tmx(unit("镕", "x"), declaration='<?xml version="1.0" encoding="gb2312"?>')
    assert pairs(tmp_path, wider.encode("gbk")) == [("镕", "x")]


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ('点击<bpt i="1">&lt;b&gt;</bpt>保存<ept i="1">&lt;/b&gt;</ept>。', "点击保存。"),
        ('共<ph x="1">{0}</ph>行<it pos="begin">&lt;b&gt;</it>。', "共{0}行。"),
        ("共<ph>%s</ph>行<ph>&lt;br/&gt;</ph>。", "共%s行。"),
        ("看<hi>这<hi>里</hi></hi><ut>\\b</ut>。", "看这里。"),
        ("看<ph>&lt;img alt='<sub>内层<ph>x</ph></sub>'&gt;</ph>图。", "看图。"),
        ("看<g id='1'>这里</g><x id='2'/>。", "看这里。"),
        ("a <ph>&lt;x&gt;</ph> b", "a b"),
        ("a  b", "a  b"),
        ("<![CDATA[<b>&amp;]]>&lt;&#x4f60;", "<b>&amp;<你"),
    ],
)
def test_the_text_of_a_segment_is_without_codes_but_with_placeholders(tmp_path, inner, text):
    assert pairs(tmp_path, tmx(unit(inner, "x"))) == [(text, "x")]


def test_tags_that_omegat_writes_as_text_are_left_out(tmp_path):
    content = tmx(
        unit("&lt;x0/&gt;点击&lt;f1&gt;保存&lt;/f1&gt;。", "Press &lt;f1&gt;Save&lt;/f1&gt;.")
    )
    of_omegat = content.replace('creationtool="x"', 'creationtool="OmegaT"')
    assert pairs(tmp_path, of_omegat) == [("点击保存。", "Press Save.")]
    assert pairs(tmp_path, content)[0][1] == "Press <f1>Save</f1>."


def test_the_first_text_of_the_best_variant_counts(tmp_path):
    variants = (("zh-TW", "繁"), ("EN_gb", "colour"), ("ZH_cn", "简"), ("en-US", "color"))
    whole = "".join(f'<tuv xml:lang="{c}"><seg>{t}</seg></tuv>' for c, t in variants)
    assert pairs(tmp_path, tmx(f"<tu>{whole}</tu>")) == [("简", "colour")]
    assert pairs(tmp_path, tmx(f"<tu>{whole}</tu>"), "zh-Hant", "en-US") == [("繁", "color")]


@pytest.mark.parametrize("code", ["zh", "zh-CN", "ZH_cn", "chi", "zho", "cmn-Hans", " zh-Hans-CN "])
def test_aliases_of_a_language(code):
    assert main_language(code) == "zh"
    assert best_code(["de", code], "zh") == code


def test_old_files_name_languages_without_a_prefix(tmp_path):
    old = '<tu><tuv lang="ZH"><seg>你</seg></tuv><tuv lang="EN"><seg>you</seg></tuv></tu>'
    assert pairs(tmp_path, tmx(old)) == [("你", "you")]


@pytest.mark.parametrize(
    "property_",
    [
        '<prop type="prev">之前。</prop>',
        '<prop type="x-context-pre">&lt;seg&gt;之前。&lt;/seg&gt;</prop>',
        '<prop type="x-context-pre"><seg>之前。</seg></prop>',
    ],
)
def test_dates_origin_and_the_sentence_before(tmp_path, property_):
    attributes = 'creationdate="20200101T000000Z" changedate="20210101T000000Z"'
    machine = '<prop type="x-origin">machine</prop>'
    (found,) = read(tmp_path, tmx(unit("你", "you", attributes, property_ + machine)))
    assert (found.before, found.created, found.is_machine) == ("之前。", "20210101T000000Z", True)


def test_units_without_both_languages_or_without_text_are_left_out(tmp_path):
    alone = '<tu><tuv xml:lang="zh"><seg>独</seg></tuv></tu>'
    content = tmx(alone + unit(" ", "x") + unit("空", "") + unit(*TEXTS) + "<tu/>")
    assert pairs(tmp_path, content) == [TEXTS]


BOMB = '<!DOCTYPE tmx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b" ", "not well-formed"),
        (b"\x00\x01\x02", "not well-formed"),
        ("{}", "not well-formed"),
        ("<xliff/>", "is not a TMX file: its first element is xliff"),
        (tmx(""), "has no translation units"),
        (tmx(unit("a", "b"))[:-20], r"line 1: the file is not well-formed XML"),
        (tmx('<tu><tuv xml:lang="de"><seg>x</seg></tuv></tu>'), "its languages are de"),
        (tmx("<tu><tuv><seg>x</seg></tuv></tu>"), "its languages are not named"),
        (tmx(unit("", "x")), "no unit with a text in zh and one in en"),
        (tmx(unit("&b;", "x"), declaration=BOMB), "the entity a"),
        (tmx(unit("&nbsp;", "x"), declaration='<!DOCTYPE tmx SYSTEM "x.dtd">'), "entity nbsp"),
        (tmx(unit("&nbsp;", "x")), "undefined entity"),
        (tmx("<a>" * 300 + "</a>" * 300), "more than 256 deep"),
        (b'<?xml version="1.0" encoding="nonsense"?><tmx/>', "encoding"),
        (tmx(unit("你", "x")).encode("gb18030"), "not well-formed"),
        (b'<?xml version="1.0" encoding="gbk"?><tmx>\xff\xff</tmx>', "not well-formed"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path, content, said):
    with pytest.raises(TextError, match=said) as error:
        read(tmp_path, content)
    assert str(tmp_path / "memory.tmx") in str(error.value)


def test_a_document_type_is_never_fetched(tmp_path):
    (tmp_path / "x.dtd").write_text("no document type")
    content = tmx(unit(*TEXTS), declaration='<!DOCTYPE tmx SYSTEM "x.dtd">')
    assert pairs(tmp_path, content) == [TEXTS]


def test_a_missing_file_and_a_folder(tmp_path):
    for path in (tmp_path / "none.tmx", tmp_path):
        with pytest.raises(TextError, match="cannot be read"):
            list(read_tmx(path, "zh", "en"))


def test_ten_thousand_units_are_read_in_about_a_second(tmp_path):
    content = tmx(
        "".join(unit(f"第{n}句话在这里。", f"Sentence {n} is here.") for n in range(10_000))
    )
    began = time.process_time()
    assert len(read(tmp_path, content)) == 10_000
    assert time.process_time() - began < 5


@pytest.mark.parametrize("part", ["&lt;", "<ph/>", "<hi>", "<prop/>", "<seg/>", "</seg><seg>"])
def test_hostile_repeats_take_linear_time(tmp_path, part):
    count = 100 if part == "<hi>" else 100_000
    end = "</hi>" * count if part == "<hi>" else ""
    began = time.process_time()
    assert len(read(tmp_path, tmx(unit("你" + part * count + end, "x")))) == 1
    assert time.process_time() - began < 5


WHOLE = tmx(
    unit(
        "点<bpt i='1'>x</bpt>击<ph>{0}</ph>。",
        "Press.",
        'changedate="2020"',
        "<prop type='prev'>a</prop>",
    )
    + unit(*TEXTS),
    declaration='<?xml version="1.0" encoding="utf-8"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">',
).encode()


@settings(max_examples=100)
@given(
    place=st.integers(0, len(WHOLE)),
    length=st.integers(0, 40),
    new=st.binary(max_size=8) | st.sampled_from([b"<", b">", b"&", b"<ph>", b"</seg>", b"]]>"]),
)
def test_any_change_gives_units_or_one_sentence(tmp_path_factory, place, length, new):
    folder = tmp_path_factory.mktemp("changed")
    with suppress(TextError):
        found = read(folder, WHOLE[:place] + new + WHOLE[place + length :])
        assert 0 < len(found) <= 2
