"""JSONL as a corpus."""

import pytest

from longways.corpus.document import Document
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.jsonl import read_jsonl
from longways.errors import CorpusError

PAIR = ("en", "de")


@pytest.fixture
def read(tmp_path):
    def read(content: str, skip_bad: bool = False, order="apart"):
        path = tmp_path / "a.jsonl"
        path.write_text(content, encoding="utf-8")
        inspector = BadInputPolicy(skip_bad)
        return list(read_jsonl(path, PAIR, inspector, order)), inspector.dropped

    return read


@pytest.mark.parametrize(
    "line",
    [
        '{"translation": {"en": "Save", "de": "Sichern"}}',
        '{"source": "Save", "target": "Sichern"}',
        '{"src": "Save", "tgt": "Sichern", "id": 3}',
        '{"de_DE": "Sichern", "en": "Save", "score": 0.5}',
        '{"deu": "Sichern", "eng": "Save"}',
        '{"source": "Save", "translation": "Sichern"}',
    ],
)
def test_keys_are_languages_or_sides(read, line):
    assert read(line + "\n")[0] == [Document("a/1", ["Save"], ["Sichern"])]


def test_a_list_is_a_document(read):
    found, _ = read('{"doc": "p", "en": ["A", "B"], "de": ["X", "Y"]}\n{"en": ["C"], "de": ["Z"]}')
    assert found == [Document("p", ["A", "B"], ["X", "Y"]), Document("a/2", ["C"], ["Z"])]


def test_lines_with_the_same_document_stand_together(read):
    line = '{{"document": {}, "source": "{}", "target": "X"}}\n'
    found, _ = read(line.format(1, "A") + line.format(1, "B") + line.format('"p"', "C"))
    assert [(d.name, d.source) for d in found] == [("a/1", ["A", "B"]), ("a/p", ["C"])]


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        ('{"en": "A"', "invalid JSON", "line 2: not valid JSON"),
        ('["A"]', "invalid JSON", "not a JSON object"),
        ('{"en": "A", "fr": "B"}', "missing side", "the keys are en, fr"),
        ('{"en": "A", "de": 3}', "missing side", "no text in en with one in de"),
        ('{"en": "A", "de": ""}', "empty sentence", "line 2: the sentence is empty"),
        ('{"en": ["A"], "de": ["B", "C"]}', "different sentence counts", "1 sentences on one side"),
        ("[" * 100_000, "invalid JSON", "not valid JSON"),
    ],
)
def test_bad_lines_are_named_or_counted(read, line, kind, words):
    content = '{"en": "A", "de": "B"}\n' + line + "\n"
    with pytest.raises(CorpusError, match=words):
        read(content)
    found, dropped = read(content, skip_bad=True)
    assert len(found) == 1
    assert dropped == {kind: 1}


def test_one_json_list_says_how_to_convert_it(read):
    with pytest.raises(CorpusError, match="jq -c"):
        read('[{"en": "A", "de": "B"}]', skip_bad=True)
