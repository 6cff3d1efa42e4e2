"""Real corpora have the counts that their authors state."""

import pytest

from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.iwslt import read_iwslt
from longways.corpus.readers.opensubtitles import read_consistency
from longways.corpus.readers.tsv import read_tsv
from tests.corpus.real import DATA, needs_data

pytestmark = needs_data
RAW = DATA / "iwslt15.zh-en" / "raw"


@pytest.mark.parametrize(
    ("tsv", "sets", "documents", "segments"),
    [
        ("dev", ["dev2010"], 8, 887),
        ("test", ["tst2010", "tst2011", "tst2012", "tst2013"], 56, 5473),
    ],
)
def test_talks_read_from_xml_equal_the_tsv_files(tsv, sets, documents, segments):
    wanted = list(read_tsv(DATA / "iwslt15.zh-en" / f"{tsv}.tsv.xz", BadInputPolicy()))
    found = [
        document
        for name in sets
        for document in read_iwslt(
            RAW / f"IWSLT15.TED.{name}.zh-en.zh.xml.xz",
            RAW / f"IWSLT15.TED.{name}.zh-en.en.xml.xz",
            BadInputPolicy(),
        )
    ]
    assert found == wanted
    assert (len(found), sum(map(len, found))) == (documents, segments)


@pytest.mark.parametrize(
    ("name", "items"),
    [
        ("deixis_test", 2500), ("deixis_dev", 500), ("lex_cohesion_test", 1500),
        ("lex_cohesion_dev", 500), ("ellipsis_vp", 500), ("ellipsis_infl", 500),
    ],
)  # fmt: skip
def test_consistency_sets_have_their_items_of_four_sentences(name, items):
    found = list(read_consistency(DATA / "consistency.en-ru" / f"{name}.json.xz"))
    assert len(found) == items
    assert all(len(item.source) == 4 for item in found)
