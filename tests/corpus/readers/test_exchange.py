"""TMX and XLIFF as corpora: pairs, documents, and bad files."""

import gzip

import pytest

from longways.corpus.document import Document
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.exchange import read_tmx, read_xliff
from longways.corpus.readers.units import Unit, documents_of
from longways.errors import CorpusError

PAIR = ("en", "de")


def tmx(*units: str) -> str:
    body = "".join(units)
    return f'<?xml version="1.0"?>\n<tmx version="1.4"><header/>\n<body>\n{body}</body></tmx>\n'


def unit(en: str, de: str, props: str = "") -> str:
    return (
        f'<tu>{props}<tuv xml:lang="en-US"><seg>{en}</seg></tuv>'
        f'<tuv xml:lang="de_DE"><seg>{de}</seg></tuv></tu>\n'
    )


def xliff(body: str, target: str = 'target-language="de"') -> str:
    return (
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">'
        f'<file original="a.html" source-language="en" {target}><body>{body}</body></file></xliff>'
    )


def trans(source: str, target: str, attributes: str = "") -> str:
    return (
        f'<trans-unit id="1"><source>{source}</source>'
        f"<target {attributes}>{target}</target></trans-unit>"
    )


@pytest.fixture
def write(tmp_path):
    def write(name: str, content: str | bytes):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


class TestTmx:
    def test_units_are_pairs_in_the_wanted_order(self, write):
        path = write("a.tmx", tmx(unit("Save", "Speichern"), unit("Close", "Schließen")))
        inspector = BadInputPolicy()
        assert [u[:2] for u in read_tmx(path, PAIR, inspector)] == [
            ("Save", "Speichern"), ("Close", "Schließen"),
        ]  # fmt: skip
        assert next(read_tmx(path, PAIR[::-1], inspector))[:2] == ("Speichern", "Save")

    def test_a_compressed_file_is_read_without_unpacking(self, write):
        path = write("a.tmx.gz", gzip.compress(tmx(unit("Save", "Speichern")).encode()))
        assert len(list(read_tmx(path, PAIR, BadInputPolicy()))) == 1

    def test_machine_translations_are_left_out_and_counted(self, write):
        machine = '<prop type="x-origin">machine</prop>'
        path = write("a.tmx", tmx(unit("A", "B", machine), unit("C", "D")))
        inspector = BadInputPolicy()
        assert [u.source for u in read_tmx(path, PAIR, inspector)] == ["C"]
        assert inspector.dropped == {"machine translation": 1}
        assert len(list(read_tmx(path, PAIR, BadInputPolicy(), machine=True))) == 2

    def test_documents_that_units_name_stand_together(self, write):
        first, second = (f'<prop type="x-document">{name}</prop>' for name in ("p1", "p2"))
        units = [unit("A", "B", first), unit("C", "D", first), unit("E", "F", second)]
        path = write("a.tmx", tmx(*units))
        found = documents_of(read_tmx(path, PAIR, BadInputPolicy()), "a", PAIR, "apart")
        assert list(found) == [
            Document("a/p1", ["A", "C"], ["B", "D"]), Document("a/p2", ["E"], ["F"]),
        ]  # fmt: skip

    def test_broken_xml_is_named_with_its_line_or_counted(self, write):
        path = write("a.tmx", tmx(unit("Save", "Speichern"), "<tu><tuv>&broken</tuv>\n"))
        with pytest.raises(CorpusError, match=r"a\.tmx, line 5: .* not well-formed .*Correct it"):
            list(read_tmx(path, PAIR, BadInputPolicy()))
        inspector = BadInputPolicy(skip_bad=True)
        assert len(list(read_tmx(path, PAIR, inspector))) == 1
        assert inspector.dropped == {"damaged file": 1}

    def test_a_file_without_the_languages_lists_the_ones_it_has(self, write):
        path = write("a.tmx", tmx(unit("Save", "Speichern")))
        with pytest.raises(CorpusError, match=r"no pairs from en to fr.* en-US, de_DE"):
            list(read_tmx(path, ("en", "fr"), BadInputPolicy(skip_bad=True)))


class TestXliff:
    def test_targets_are_translations_of_sources_in_either_direction(self, write):
        path = write("a.xlf", xliff(trans("Save", "Speichern")))
        assert list(read_xliff(path, PAIR, BadInputPolicy())) == [
            Unit("Save", "Speichern", "a.html")
        ]
        assert next(read_xliff(path, PAIR[::-1], BadInputPolicy()))[:2] == ("Speichern", "Save")

    def test_inline_codes_are_dropped_and_placeholders_stay(self, write):
        path = write(
            "a.xlf",
            xliff(
                trans(
                    'Open <g id="1">file</g> <ph id="2">{0}</ph><x id="3" equiv-text="%s"/>'
                    '<bpt id="4">&lt;b></bpt>now<x id="5" ctype="lb"/>please',
                    "Datei öffnen",
                )
            ),
        )
        (found,) = read_xliff(path, PAIR, BadInputPolicy())
        assert found.source == "Open file {0}%snow please"

    def test_untranslated_and_machine_units_are_counted(self, write):
        units = [
            trans("a", ""), trans("b", "B", 'state="needs-translation"'),
            trans("c", "C", 'state-qualifier="mt-suggestion"'), trans("d", "D"),
            '<trans-unit id="2" translate="no"><source>e</source><target>E</target></trans-unit>',
            "<trans-unit id='3'><source>f</source><alt-trans><target>F</target></alt-trans>"
            "</trans-unit>",
        ]  # fmt: skip
        inspector = BadInputPolicy()
        found = list(read_xliff(write("a.xlf", xliff("".join(units))), PAIR, inspector))
        assert [u[:2] for u in found] == [("d", "D")]
        assert inspector.dropped == {"not translated": 3, "machine translation": 1}

    def test_segments_of_a_tool_are_pairs(self, write):
        body = (
            "<trans-unit id='1'><source>A. B.</source><seg-source><mrk mtype='seg' mid='0'>A.</mrk>"
            " <mrk mtype='seg' mid='1'>B.</mrk></seg-source><target><mrk mtype='seg' mid='0'>X."
            "</mrk> <mrk mtype='seg' mid='1'>Y.</mrk></target></trans-unit>"
        )
        found = list(read_xliff(write("a.xlf", xliff(body)), PAIR, BadInputPolicy()))
        assert [u[:2] for u in found] == [("A.", "X."), ("B.", "Y.")]

    def test_version_2_has_segments_with_states(self, write):
        path = write(
            "a.xlf",
            '<xliff version="2.0" srcLang="en" trgLang="de" '
            'xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f1"><unit id="1">'
            "<segment><source>A</source><target>X</target></segment>"
            '<segment state="initial"><source>B</source><target>B</target></segment>'
            '<segment><source><pc id="1">C</pc></source><target>Z</target></segment>'
            "</unit></file></xliff>",
        )
        inspector = BadInputPolicy()
        assert [u[:2] for u in read_xliff(path, PAIR, inspector)] == [("A", "X"), ("C", "Z")]
        assert inspector.dropped == {"not translated": 1}

    def test_a_file_in_other_languages_lists_them(self, write):
        path = write("a.xlf", xliff(trans("Save", "Opslaan"), 'target-language="nl"'))
        with pytest.raises(CorpusError, match="no pairs of en and de: it has en to nl"):
            list(read_xliff(path, PAIR, BadInputPolicy()))

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            ("<tmx/>", "first element is tmx"),
            ("<xliff><file>", "line 1: .*not well-formed"),
            ("<!DOCTYPE x [<!ENTITY a 'b'>]><xliff>&a;</xliff>", "entity a"),
            ("", "not well-formed"),
            ("<xliff>" + "<group>" * 300, "more than 256 deep"),
        ],
    )
    def test_files_of_another_kind_are_refused_in_words(self, write, content, words):
        path = write("a.xlf", content)
        with pytest.raises(CorpusError, match=words):
            list(read_xliff(path, PAIR, BadInputPolicy()))
        inspector = BadInputPolicy(skip_bad=True)
        assert list(read_xliff(path, PAIR, inspector)) == []
        assert inspector.dropped == {"damaged file": 1}


class TestDocuments:
    def test_units_that_name_no_document_are_strangers(self):
        units = [Unit("a", "A"), Unit("b", "B")]
        assert [len(d) for d in documents_of(units, "f", PAIR, "apart")] == [1, 1]
        assert [len(d) for d in documents_of(units, "f", PAIR, "together")] == [2]

    def test_a_unit_that_names_the_one_before_it_continues_it(self):
        units = [Unit("a", "A"), Unit("b", "B", "", "a"), Unit("c", "C", "", "x")]
        assert [len(d) for d in documents_of(units, "f", PAIR, "apart")] == [2, 1]

    def test_a_unit_of_several_sentences_becomes_several_pairs(self):
        text = Unit("Save the file. Then close it.", "Speichern Sie die Datei. Schließen Sie sie.")
        (document,) = documents_of([text], "f", PAIR, "apart")
        assert document.source == ["Save the file.", "Then close it."]
        assert document.target == ["Speichern Sie die Datei.", "Schließen Sie sie."]

    def test_no_text_of_a_unit_is_lost(self):
        text = Unit("One. Two two two two. Three.", "Eins und zwei zwei zwei zwei und drei")
        (document,) = documents_of([text], "f", PAIR, "apart")
        assert " ".join(document.source) == text.source
        assert " ".join(document.target) == text.target

    def test_a_file_in_one_order_is_given_in_parts(self, monkeypatch):
        monkeypatch.setattr("longways.corpus.readers.units.MAX_SENTENCES", 3)
        units = [Unit(str(n), str(n)) for n in range(7)]
        assert [len(d) for d in documents_of(units, "f", PAIR, "together")] == [3, 3, 1]
