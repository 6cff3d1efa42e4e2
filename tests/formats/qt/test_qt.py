"""Translation sources of Qt Linguist."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from longways.errors import FormatError
from longways.formats.qt.format import QtLinguist
from tests.formats.resources.translating import bracketed, is_linear, kept, read, texts, translated

PATH = Path(__file__).parents[1] / "files" / "ts" / "app.ts"
TEXT = PATH.read_text(encoding="utf-8")


def messages(text):
    """The translation of each source and its type, as another reader finds them."""
    found = {}
    for message in ElementTree.fromstring(text).iter("message"):
        node = message.find("translation")
        if node is not None:
            found["".join(message.find("source").itertext())] = node
    return {
        source: ([form.text for form in node] or node.text, node.get("type"))
        for source, node in found.items()
    }


def test_a_file_is_written_again_to_the_byte():
    document = read(QtLinguist(), PATH.read_bytes())
    assert document.warnings == []
    assert len(document.passages) == 4
    assert document.write(document.passages, "en") == PATH.read_bytes()
    assert document.write(document.passages, "en", bilingual=True) == PATH.read_bytes()


def test_messages_without_a_translation_get_one_and_stay_unfinished():
    found = messages(translated(QtLinguist(), TEXT))
    assert found['打开(&O) "%1"…'] == ('[打开(&O) "%1"…]', "unfinished")
    assert found["保存"] == ("[保存]", "unfinished")
    assert found["共 %n 个文件"] == (["[共 %n 个文件]"] * 2, "unfinished")
    assert found["关闭"] == ("Close", None)
    assert found["猜的"] == ("Guess", "unfinished")
    assert found["旧的"] == (None, "vanished")
    assert found["OK"] == (None, None)


def test_escapes_codes_and_line_ends_are_written_as_in_the_file():
    new = translated(QtLinguist(), TEXT, "it's ", "")
    assert "[" not in new
    assert (
        '<translation type="unfinished">it&apos;s 打开(&amp;O) &quot;%1&quot;…</translation>' in new
    )
    assert (
        '<translation type="unfinished">it&apos;s 第一行\n&lt;b>第二行&lt;/b><byte value="x1b"/>'
        "</translation>"
    ) in new
    assert '<source>保存</source>\n        <translation type="unfinished">' in new
    assert "\n            <numerusform>it&apos;s 共 %n 个文件</numerusform>\n        </tr" in new


def test_all_else_stays():
    old, new = ElementTree.fromstring(TEXT), ElementTree.fromstring(translated(QtLinguist(), TEXT))
    for tag in ("source", "name", "location", "comment"):
        rows = [[(e.attrib, "".join(e.itertext())) for e in t.iter(tag)] for t in (old, new)]
        assert rows[0] == rows[1]


def test_accelerators_and_numbers_are_kept():
    passages = read(QtLinguist(), TEXT).passages
    assert kept(passages[0]) == ["(&O)", "%1"]
    assert kept(passages[2]) == ["%n"]


@pytest.mark.parametrize(("language", "forms"), [("en", 2), ("ja", 1), ("ru", 3)])
def test_plurals_have_the_forms_of_the_target(language, forms):
    found = messages(translated(QtLinguist(), TEXT, to=language))
    assert len(found["共 %n 个文件"][0]) == forms


def test_the_target_language_is_set_unless_translations_are_kept():
    assert '<TS version="2.1" sourcelanguage="zh_CN" language="en_GB">' in translated(
        QtLinguist(), TEXT, to="en-GB"
    )
    one = '<TS language="fr_FR"><context><message><source>甲</source></message>{}</context></TS>'
    kept_one = "<message><source>乙</source><translation>B</translation></message>"
    assert 'language="en"' in translated(QtLinguist(), one.format(""))
    assert 'language="fr_FR"' in translated(QtLinguist(), one.format(kept_one))


def test_a_file_is_translated_once():
    assert texts(QtLinguist(), translated(QtLinguist(), TEXT)) == []


def test_only_new_passages_change_anything():
    document = read(QtLinguist(), TEXT)
    new = [document.passages[0], bracketed(document.passages[1]), *document.passages[2:]]
    old, found = messages(TEXT), messages(document.write(new, "en").decode())
    assert found == old | {"保存": ("[保存]", "unfinished")}


def test_a_source_in_another_language_is_warned_of():
    (warning,) = read(QtLinguist(), '<TS sourcelanguage="en"/>').warnings
    assert warning.startswith("Line 1: sourcelanguage is 'en'")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("export default { a: '甲' }", "TypeScript, which has the same suffix, is not translated"),
        ("", "TypeScript, which has the same suffix"),
        ("<xliff/>", "The root of the file is <xliff>"),
        ("<TS><context>", "not well-formed XML"),
        ('<!DOCTYPE TS [<!ENTITY a "b">]><TS/>', "declares entities"),
    ],
)
def test_what_is_wrong_is_named(text, said):
    with pytest.raises(FormatError) as error:
        read(QtLinguist(), text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "part", ["<message><source>甲</source></message>", "<context>", "\n", "甲&"]
)
def test_time_is_linear(part):
    assert is_linear(QtLinguist(), lambda n: f"<TS><context>{part * n}</context></TS>".encode())
