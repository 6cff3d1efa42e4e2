"""Translations from files beside their references, and messages where they differ."""

import json

import pytest

from longways.errors import CorpusError
from longways.evaluation.reference import read_hypothesis, read_reference

PLAIN = "one\ntwo\n\nthree\nfour\n"
TSV = "x\tone\nx\ttwo\ny\tthree\ny\tfour\n"


@pytest.fixture
def read(tmp_path):
    """Translations and references of these texts; a TSV file if there is a tab in it."""

    def written(name, text):
        suffix = "json" if text[0] == "{" else "tsv" if "\t" in text else "txt"
        path = tmp_path / f"{name}.{suffix}"
        path.write_text(text, encoding="utf-8")
        return path

    def both(hypothesis, reference):
        return read_hypothesis(
            written("hyp", hypothesis), read_reference(written("ref", reference))
        )

    return both


@pytest.mark.parametrize("reference", [PLAIN, TSV])
@pytest.mark.parametrize(
    ("hypothesis", "wanted"),
    [
        ("1\n2\n\n3\n4\n", [["1", "2"], ["3", "4"]]),
        ("1\n2\n\n\n\n3\n4", [["1", "2"], ["3", "4"]]),
        ("x\t1\nx\t2\ny\t3\ny\t4\n", [["1", "2"], ["3", "4"]]),
        ("x\t1\nx\t\ny\t3\ny\t4\n", [["1", ""], ["3", "4"]]),
        ("\n2\n\n3\n\n", [["", "2"], ["3", ""]]),
        ("\n\n\n\n4\n", [["", ""], ["", "4"]]),
    ],
)
def test_any_two_kinds_of_files_go_together(read, hypothesis, reference, wanted):
    assert read(hypothesis, reference).output == wanted


def test_a_saved_output_has_its_provenance(read):
    saved = {"name": "m", "L": 2, "output": [["1", "2"], ["3", "4"]], "losses": None, "beam": 4}
    found = read(json.dumps(saved), PLAIN)
    assert (found.name, found.provenance) == ("m", {"L": 2, "beam": 4})


@pytest.mark.parametrize(
    ("hypothesis", "reference", "message"),
    [
        (
            "1\n\n3\n4\n", PLAIN,
            r"at document 1: it has 1 and 2 sentences, so sentence 2 of the latter \(line 2\)",
        ),
        (
            "1\n2\n\n3\n4\n5\n", PLAIN,
            r"at document 2: it has 3 and 2 sentences, so sentence 3 of the former \(line 6\)",
        ),
        ("1\n2\n", PLAIN, "differ at document 2: only the latter has it, from line 4 on"),
        ("1\n2\n\n3\n4\n\n5\n", PLAIN, "differ at document 3: only the former has it, from line 7"),
        ("1\n2\n3\n4\n", PLAIN, "document 1: it has 4 and 2 sentences, so sentence 3 of the"),
        ("1\n2\n\n3\n", TSV, r"differ at document 2 \('y'\): it has 1 and 2 .* latter \(line 4\)"),
        ("x\t1\nx\t2\nz\t3\nz\t4\n", TSV, "document 2: it is 'z' in the former, but 'y' in the"),
        (
            '{"name": "m", "L": 2, "output": [["1", "2"], ["3"]], "losses": null}', PLAIN,
            r"hyp.json and .*ref.txt differ at document 2: it has 1 and 2 sentences",
        ),
    ],
)  # fmt: skip
def test_the_first_difference_is_reported(read, hypothesis, reference, message):
    with pytest.raises(CorpusError, match=message):
        read(hypothesis, reference)


def test_sources_come_from_a_file_of_their_own_or_from_the_references(tmp_path):
    reference, source, both = (tmp_path / name for name in ("ref.txt", "src.txt", "both.tsv"))
    reference.write_text(PLAIN)
    source.write_text("eins\nzwei\n\ndrei\nvier\n")
    both.write_text("x\teins\tone\nx\tzwei\ttwo\ny\tdrei\tthree\ny\tvier\tfour\n")
    assert read_reference(reference).sources is None
    wanted = [["eins", "zwei"], ["drei", "vier"]]
    assert read_reference(reference, source).sources == wanted
    assert read_reference(both).sources == wanted
    assert read_reference(reference, both).sources == wanted


def test_references_are_text(tmp_path):
    with pytest.raises(CorpusError, match="is a JSON file, but references must be"):
        read_reference(tmp_path / "saved.json")
