"""What is written is valid TMX 1.4, and is read again as it was."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from longways.translation.memory.tmx_reader import read_tmx
from longways.translation.memory.tmx_writer import TmxWriter
from longways.translation.memory.units import Unit, normal

DTD = """
<!ELEMENT tmx (header, body)>
<!ATTLIST tmx version CDATA #FIXED "1.4">
<!ELEMENT header (note | prop | ude)*>
<!ATTLIST header creationtool CDATA #REQUIRED creationtoolversion CDATA #REQUIRED
    segtype (block | paragraph | sentence | phrase) #REQUIRED o-tmf CDATA #REQUIRED
    adminlang CDATA #REQUIRED srclang CDATA #REQUIRED datatype CDATA #REQUIRED
    creationdate CDATA #IMPLIED>
<!ELEMENT body (tu*)>
<!ELEMENT tu ((note | prop)*, tuv+)>
<!ATTLIST tu creationdate CDATA #IMPLIED>
<!ELEMENT tuv ((note | prop)*, seg)>
<!ATTLIST tuv xml:lang CDATA #REQUIRED>
<!ELEMENT seg (#PCDATA)>
<!ELEMENT prop (#PCDATA)>
<!ATTLIST prop type CDATA #REQUIRED>
<!ELEMENT note (#PCDATA)>
<!ELEMENT ude EMPTY>
"""
"""The rules of the TMX 1.4 specification for the elements that are written, in our own words."""


def write(path, units):
    writer = TmxWriter(path, "zh", "en")
    writer.begin()
    writer.add(units[:1], "a & <b>.md")
    writer.add(units[1:], "")
    writer.finish()
    return path


def is_valid(path) -> bool:
    parser = etree.XMLParser(load_dtd=False, no_network=True, resolve_entities=False)
    with (path.parent / "rules.dtd").open("w+") as rules:
        rules.write(DTD)
        rules.seek(0)
        return etree.DTD(rules).validate(etree.parse(path, parser))


text = st.text(min_size=1, max_size=40)


@settings(max_examples=30)
@given(units=st.lists(st.builds(Unit, text, text, text, st.just("20200101T000000Z"))))
def test_all_texts_are_valid_and_come_back(tmp_path_factory, units):
    path = write(tmp_path_factory.mktemp("x") / "out.tmx", units)
    assert is_valid(path)
    known = [one for one in units if normal(one.source) and normal(one.target)]
    exact = [one for one in known if all(map(_is_plain, one[:3]))]
    if len(exact) == len(known) == len(units) and units:
        found = list(read_tmx(path, "zh", "en"))
        assert [one[:2] for one in found] == [(a.strip(), b.strip()) for a, b, *_ in units]
        assert {one.created for one in found} == {"20200101T000000Z"}


def _is_plain(value: str) -> bool:
    return value.isprintable() and not {"<", ">"} & set(value) and value.isascii()


def test_the_context_the_origin_and_the_problems_are_properties(tmp_path):
    unit = Unit("你", "you", "之前。", "", True, ("numbers", "names"))
    path = write(tmp_path / "out.tmx", [unit])
    assert is_valid(path)
    (found,) = read_tmx(path, "zh", "en")
    assert (found.before, found.is_machine) == ("之前。", True)
    whole = path.read_text()
    assert '<prop type="x-problems">numbers, names</prop>' in whole
    assert '<prop type="x-document">a &amp; &lt;b&gt;.md</prop>' in whole


def test_an_empty_memory_is_valid(tmp_path):
    assert is_valid(write(tmp_path / "out.tmx", []))


def test_the_file_appears_when_it_is_finished_and_a_discarded_one_leaves_nothing(tmp_path):
    path = tmp_path / "out.tmx"
    writer = TmxWriter(path, "zh", "en")
    writer.begin()
    writer.add([Unit("你", "you")])
    assert not path.exists()
    writer.discard()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("bad", ["\x00", "\x1b", "\ud800", "\ufffe"])
def test_characters_that_xml_cannot_have_are_replaced(tmp_path, bad):
    path = write(tmp_path / "out.tmx", [Unit(f"你{bad}好", "x")])
    assert is_valid(path)
    assert [one.source for one in read_tmx(path, "zh", "en")] == ["你\ufffd好"]
