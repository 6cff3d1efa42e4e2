"""gettext catalogues as corpora."""

import pytest

from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.catalogues import read_po, read_po_pair
from longways.corpus.readers.units import Unit
from longways.errors import CorpusError

HEADER = 'msgid ""\nmsgstr "Language: {}\\n"\n\n'


@pytest.fixture
def write(tmp_path):
    def write(name: str, content: str):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


def test_messages_are_pairs_and_untranslated_ones_are_counted(write):
    path = write(
        "de.po",
        HEADER.format("de_DE")
        + 'msgid "Save"\nmsgstr "Speichern"\n\nmsgid "Open"\nmsgstr ""\n\n'
        + '#, fuzzy\nmsgid "Quit"\nmsgstr "Ende"\n\n#~ msgid "Old"\n#~ msgstr "Alt"\n',
    )
    inspector = BadInputPolicy()
    assert list(read_po(path, ("en", "de"), inspector)) == [Unit("Save", "Speichern")]
    assert inspector.dropped == {"not translated": 2}


def test_the_header_says_the_direction(write):
    path = write("de.po", HEADER.format("de") + 'msgid "Save"\nmsgstr "Speichern"\n')
    assert list(read_po(path, ("de", "en"), BadInputPolicy())) == [Unit("Speichern", "Save")]
    with pytest.raises(CorpusError, match="no pairs of en and fr: it has translations into de"):
        list(read_po(path, ("en", "fr"), BadInputPolicy()))


def test_plural_forms_are_the_first_and_the_last(write):
    path = write(
        "ru.po",
        'msgid "%d file"\nmsgid_plural "%d files"\n'
        'msgstr[0] "%d файл"\nmsgstr[1] "%d файла"\nmsgstr[2] "%d файлов"\n',
    )
    found = list(read_po(path, ("en", "ru"), BadInputPolicy()))
    assert found == [Unit("%d file", "%d файл"), Unit("%d files", "%d файлов")]
    path = write("zh.po", 'msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "%d 个文件"\n')
    found = list(read_po(path, ("en", "zh"), BadInputPolicy()))
    assert found == [Unit("%d files", "%d 个文件")]


def test_messages_of_a_page_are_a_document_and_messages_of_a_program_are_not(write):
    path = write(
        "de.po",
        '#: ../../install.rst:12\nmsgid "A"\nmsgstr "B"\n\n#: src/main.c:3\nmsgid "C"\nmsgstr "D"\n'
        '\n#: man/ls.1:7\nmsgid "E"\nmsgstr "F"\n',
    )
    found = [unit.document for unit in read_po(path, ("en", "de"), BadInputPolicy())]
    assert found == ["../../install.rst", "", "man/ls.1"]


def test_two_catalogues_of_keys_are_a_pair(write):
    source = write("en.po", 'msgid "k.save"\nmsgstr "Save"\n\nmsgid "k.open"\nmsgstr "Open"\n')
    target = write("de.po", 'msgid "k.open"\nmsgstr "Öffnen"\n\nmsgid "k.save"\nmsgstr ""\n')
    inspector = BadInputPolicy()
    found = list(read_po_pair(source, target, ("en", "de"), inspector))
    assert found == [Unit("Open", "Öffnen")]
    assert inspector.dropped == {"not translated": 1}


def test_a_damaged_catalogue_is_named_or_counted(write):
    path = write("de.po", 'msgid "A"\nmsgstr "B"\nmsgstrx "C"\n')
    with pytest.raises(CorpusError, match=r"de\.po: Line 3: "):
        list(read_po(path, ("en", "de"), BadInputPolicy()))
    inspector = BadInputPolicy(skip_bad=True)
    assert list(read_po(path, ("en", "de"), inspector)) == []
    assert inspector.dropped == {"damaged file": 1}
