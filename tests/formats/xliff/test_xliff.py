# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""XLIFF 1.2 and 2.x."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.xliff.format import Xliff
from tests.formats.resources.translating import bracketed, is_linear, kept, read, texts, translated

FOLDER = Path(__file__).parents[1] / "files" / "xliff"
FILES = sorted(FOLDER.iterdir())
OLD, NEW = (path.read_text(encoding="utf-8") for path in FILES)
MT = {"state": "needs-review-translation", "state-qualifier": "mt-suggestion"}
STATES = 'state="needs-review-translation" state-qualifier="mt-suggestion"'
LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def file_of(units, attributes='source-language="zh"'):
    return f'<xliff version="1.2"><file {attributes}><body>{units}</body></file></xliff>'


def targets(text):
    """The text and the attributes of the target of each unit, as another reader finds them."""
    root, found = ElementTree.fromstring(text), {}
    for unit in root.iter("{urn:oasis:names:tc:xliff:document:1.2}trans-unit"):
        target = unit.find("{urn:oasis:names:tc:xliff:document:1.2}target")
        if target is not None:
            found[unit.get("id")] = "".join(target.itertext()), target.attrib
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_written_again_to_the_byte(path):
    document = read(Xliff(), path.read_bytes())
    assert document.passages
    assert document.warnings == []
    assert document.write(document.passages, "en") == path.read_bytes()
    assert document.write(document.passages, "en", bilingual=True) == path.read_bytes()


def test_missing_empty_and_new_targets_are_filled_and_their_state_is_set():
    found = targets(translated(Xliff(), OLD))
    assert found == {
        "open": ("[打开文件，共 {0} 个。]", MT),
        "new": ("[新建]", {**MT, LANG: "en"}),
        "empty": ("[保存]", MT),
        "done": ("Close", {"state": "translated"}),
        "plain": ("Quit", {}),
        "cut": ("[第一句。] [第二<b>句</b>。]", MT),
        "keep": ("[用 长路 翻译 & 保存\n第二行]", MT),
    }


def test_sources_notes_and_alternatives_stay():
    new = translated(Xliff(), OLD)
    for tag in ("source", "note", "seg-source", "alt-trans"):
        name = f"{{urn:oasis:names:tc:xliff:document:1.2}}{tag}"
        before, after = (ElementTree.fromstring(text).iter(name) for text in (OLD, new))
        for old, now in zip(before, after, strict=True):
            assert "".join(old.itertext()) == "".join(now.itertext())
    assert '</source>\n        <target state="needs-review' in new
    assert "<alt-trans><source>旧的</source><target>Old</target></alt-trans>" in new


def test_inline_codes_are_marks_and_protected_text_is_kept():
    passages = read(Xliff(), OLD).passages
    assert passages[0] == Passage(
        "打开文件，共 {0} 个。", (Mark(2, 4, 0), Mark(4, 4, 1)), ((7, 10),)
    )
    assert kept(passages[-1]) == ["长路"]
    assert passages[-1].breaks == (12,)
    assert '打开<g id="1">文件</g><x id="2"/>，共 <ph id="3">{0}</ph> 个。]</target>' in translated(
        Xliff(), OLD
    )


@pytest.mark.parametrize(
    ("item", "word"),
    [
        ('<x id="INTERPOLATION" equiv-text="{{ name }}"/>', "{{ name }}"),
        ("<ph id='1'>%1$s</ph>", "%1$s"),
        ('<ph id="1" equiv="${x}"/>', "${x}"),
        ('<x id="LINE_BREAK" equiv-text="&lt;br/>"/>', ""),
        ('<x id="2"/>', ""),
    ],
)
def test_items_that_are_words_are_kept_parts_of_the_text(item, word):
    text = file_of(f"<trans-unit><source>你好 {item}。</source></trans-unit>")
    (passage,) = read(Xliff(), text).passages
    assert passage.text == f"你好 {word}。"
    assert kept(passage) == [word] * bool(word)
    assert f"<target {STATES}>[你好 {item}。]</target>" in translated(Xliff(), text)
    document = read(Xliff(), text)
    lost = document.write([Passage("Hello", passage.marks)], "en").decode()
    assert lost.count(item) == 2


def test_two_items_with_the_same_words_are_told_apart():
    item = '<x id="a" equiv-text="{a}"/>'
    other = '<x id="b" equiv-text="{a}"/>'
    text = file_of(f"<trans-unit><source>甲{item}乙{other}丙{{a}}</source></trans-unit>")
    (passage,) = read(Xliff(), text).passages
    assert passage.text == "甲{x_0_}乙{x_1_}丙{a}"
    assert f">[甲{item}乙{other}丙{{a}}]</target>" in translated(Xliff(), text)


def test_segments_are_passages_of_their_own_and_keep_their_numbers():
    assert texts(Xliff(), OLD)[3:5] == ["第一句。", "第二句。"]
    assert (
        '<mrk mid="0" mtype="seg">[第一句。]</mrk> <mrk mid="1" mtype="seg">[第二<bpt id="4">'
        '&lt;b></bpt>句<ept id="4">&lt;/b></ept>。]</mrk></target>'
    ) in translated(Xliff(), OLD)


def test_a_file_is_translated_once():
    assert texts(Xliff(), translated(Xliff(), OLD)) == []
    assert texts(Xliff(), translated(Xliff(), NEW)) == []


def test_version_2_has_its_own_states_and_prefixes():
    new = translated(Xliff(), NEW)
    assert '<x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:2.0" version="2.0"' in new
    assert 'srcLang="zh" trgLang="en">' in new
    assert '<x:segment id="s1" state="translated">' in new
    assert (
        '</x:source>\n    <x:target>[打开<x:pc id="1">文件</x:pc><x:ph id="2" dataRef="d1"/>。]'
        "</x:target>"
    ) in new
    assert '<x:target>[保存<x:mrk id="m" translate="no">名</x:mrk>]</x:target></x:segment>' in new
    assert "<x:source>完成</x:source><x:target>Done</x:target>" in new
    assert "<x:segment><x:source>不</x:source></x:segment>" in new


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("", ' target-language="de"'),
        (' target-language="de-AT"', ' target-language="de-AT"'),
        (' target-language="fr"', ' target-language="de"'),
    ],
)
def test_the_target_language_is_set(said, written):
    text = file_of("<trans-unit><source>甲</source></trans-unit>", f'source-language="zh"{said}')
    assert f'<file source-language="zh"{written}><body>' in translated(Xliff(), text, to="de")


def test_the_language_of_kept_translations_stays():
    units = "<trans-unit><source>甲</source></trans-unit>" * 2 + (
        "<trans-unit><source>乙</source><target>B</target></trans-unit>"
    )
    text = file_of(units, 'source-language="zh" target-language="fr"')
    assert 'target-language="fr"' in translated(Xliff(), text, to="de")


def test_a_source_in_another_language_is_warned_of():
    text = file_of("<trans-unit><source>打开</source></trans-unit>", 'source-language="en"')
    (warning,) = read(Xliff(), text).warnings
    assert warning.startswith("Line 1: source-language is 'en', but the texts are translated from")


def test_codes_stay_inside_of_their_element_at_its_end():
    text = file_of("<trans-unit><source>甲<g>乙<x/></g>丙</source></trans-unit>")
    document = read(Xliff(), text)
    new = Passage("abc", (Mark(1, 3, 0), Mark(3, 3, 1)))
    assert b"a<g>bc<x/></g></target>" in document.write([new], "en")


def test_only_new_passages_change_anything():
    document = read(Xliff(), OLD)
    new = list(document.passages)
    new[3] = bracketed(new[3])
    found = targets(document.write(new, "en").decode())
    assert found["cut"] == ("[第一句。] 第二<b>句</b>。", MT)
    assert "open" not in found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<html/>", "The root of the file is <html>, but longways reads <xliff>"),
        ('<xliff version="3.0"/>', "with the version '3.0'"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><xliff version="1.2"/>', "declares entities"),
        ('<xliff version="1.2">', "not well-formed XML (no element found)"),
    ],
)
def test_what_is_wrong_is_named(text, said):
    with pytest.raises(FormatError) as error:
        read(Xliff(), text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "part",
    [
        "<trans-unit><source>甲</source></trans-unit>",
        "<group>",
        "<trans-unit><source>甲<g>",
        "<!--",
    ],
)
def test_time_is_linear(part):
    assert is_linear(Xliff(), lambda n: file_of(part * n).encode())


def test_one_long_source_is_read_in_linear_time():
    unit = file_of("<trans-unit><source>{}</source></trans-unit>")
    for part in ("甲<x/>", "<x/>", "<ph>{0}</ph>甲", "甲<g>乙</g>", "甲\n", "&lt;b>甲"):
        assert is_linear(Xliff(), lambda n, p=part: unit.format(p * n).encode())
