"""Readers: documents from every format, and bad input in each."""

import json

import pytest

from longways.corpus.document import ConsistencyItem, Document
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.iwslt import read_iwslt
from longways.corpus.readers.opensubtitles import read_consistency, read_groups
from longways.corpus.readers.plain_text import read_folder, read_plain
from longways.corpus.readers.tsv import read_tsv
from longways.errors import CorpusError


@pytest.fixture
def write(tmp_path):
    def write(name: str, content: str):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    return write


def strict() -> BadInputPolicy:
    return BadInputPolicy()


def skipping() -> BadInputPolicy:
    return BadInputPolicy(skip_bad=True)


class TestTsv:
    def test_a_document_is_a_run_of_lines_with_one_id(self, write):
        path = write("a.tsv", "d1\ta\tA\nd1\tb\tB\nd2\tc\tC\n")
        assert list(read_tsv(path, strict())) == [
            Document("d1", ["a", "b"], ["A", "B"]),
            Document("d2", ["c"], ["C"]),
        ]

    @pytest.mark.parametrize(
        ("line", "kind", "words"),
        [
            ("d1\tb", "missing side", "2 columns, but there must be 3"),
            ("d1\tb\tB\tx", "too many columns", "4 columns"),
            ("d1\t \tB", "empty sentence", "the sentence is empty"),
            ("d1\tb\t", "empty sentence", "the sentence is empty"),
        ],
    )
    def test_bad_lines_are_named_or_dropped(self, write, line, kind, words):
        path = write("a.tsv", f"d1\ta\tA\n{line}\nd1\tc\tC\n")
        with pytest.raises(CorpusError, match=words) as caught:
            list(read_tsv(path, strict()))
        assert f"{path}, line 2:" in str(caught.value)
        inspector = skipping()
        assert list(read_tsv(path, inspector)) == [Document("d1", ["a", "c"], ["A", "C"])]
        assert inspector.dropped == {kind: 1}

    def test_a_document_with_separated_lines_is_named_or_dropped(self, write):
        path = write("a.tsv", "d1\ta\tA\nd2\tb\tB\nd1\tc\tC\nd1\td\tD\nd3\te\tE\n")
        with pytest.raises(CorpusError, match="line 3: document 'd1' ended earlier"):
            list(read_tsv(path, strict()))
        inspector = skipping()
        assert [d.name for d in read_tsv(path, inspector)] == ["d1", "d2", "d3"]
        assert inspector.dropped == {"document comes back": 2}


class TestPlain:
    def test_lines_blank_on_both_sides_separate_documents(self, write):
        source, target = write("x.zh", "a\nb\n\n\nc\n"), write("x.en", "A\nB\n \n\nC\n")
        assert list(read_plain(source, target, strict())) == [
            Document("x.1", ["a", "b"], ["A", "B"]),
            Document("x.2", ["c"], ["C"]),
        ]

    def test_a_starts_file_separates_documents(self, write):
        source, target = write("x.zh", "a\nb\nc\n"), write("x.en", "A\nB\nC\n")
        starts = write("x.starts", "1\n3\n")
        assert [d.source for d in read_plain(source, target, strict(), starts)] == [
            ["a", "b"],
            ["c"],
        ]

    @pytest.mark.parametrize("content", ["2\n", "1\n1\n", "1\nx\n", "0\n"])
    def test_bad_starts_are_named(self, write, content):
        source, target = write("x.zh", "a\nb\n"), write("x.en", "A\nB\n")
        with pytest.raises(CorpusError, match=r"x.starts, line \d: .* there must be the line"):
            list(read_plain(source, target, strict(), write("x.starts", content)))

    def test_a_start_beyond_the_file_is_named(self, write):
        source, target = write("x.zh", "a\n"), write("x.en", "A\n")
        with pytest.raises(CorpusError, match="starts on line 5, but"):
            list(read_plain(source, target, strict(), write("x.starts", "1\n5\n")))

    def test_different_line_counts_are_named_or_counted(self, write):
        source, target = write("x.zh", "a\nb\nc\n"), write("x.en", "A\nB\n")
        with pytest.raises(CorpusError, match=r"x.en ends after line 2, but .*x.zh has more lines"):
            list(read_plain(source, target, strict()))
        inspector = skipping()
        assert [len(d) for d in read_plain(source, target, inspector)] == [2]
        assert inspector.dropped == {"different line counts": 1}

    def test_a_sentence_empty_on_one_side_is_named(self, write):
        source, target = write("x.zh", "a\nb\n"), write("x.en", "A\n\n")
        with pytest.raises(CorpusError, match="line 2: the sentence is empty"):
            list(read_plain(source, target, strict()))


class TestFolder:
    def test_files_that_differ_in_the_language_are_one_document(self, write, tmp_path):
        write("d/one.zh.txt", "a\n\nb\n")
        write("d/one.en.txt", "A\n\nB\n")
        write("d/sub/two.zh", "c\n")
        write("d/sub/two.en", "C\n")
        found = list(read_folder(tmp_path / "d", "zh", "en", strict()))
        assert [(d.source, d.target) for d in found] == [(["a", "b"], ["A", "B"]), (["c"], ["C"])]

    def test_a_file_without_its_counterpart_is_named_or_counted(self, write, tmp_path):
        write("d/one.zh.txt", "a\n")
        write("d/one.en.txt", "A\n")
        write("d/two.en.txt", "B\n")
        with pytest.raises(CorpusError, match=r"two.en.txt has no counterpart in language 'zh'"):
            list(read_folder(tmp_path / "d", "zh", "en", strict()))
        inspector = skipping()
        assert len(list(read_folder(tmp_path / "d", "zh", "en", inspector))) == 1
        assert inspector.dropped == {"missing side": 1}

    def test_a_folder_with_nothing_to_read_is_named(self, tmp_path):
        with pytest.raises(CorpusError, match="no file of language 'zh'"):
            list(read_folder(tmp_path, "zh", "en", strict()))
        with pytest.raises(CorpusError, match="There is no folder"):
            list(read_folder(tmp_path / "none", "zh", "en", strict()))


TAGS = """<url>http://x/{n}</url>
<keywords>talks</keywords>
<speaker>S</speaker>
<talkid>{n}</talkid>
<title>T</title>
<description>D</description>
{lines}
<reviewer></reviewer>
<translator></translator>
"""
XML = """<?xml version="1.0" encoding="UTF-8"?>
<mteval><refset setid="iwslt2015-dev2010" srclang="chinese">
<doc docid="7" genre="lectures"><title>T</title>
<seg id="1"> one </seg>
<seg id="2"> two &amp; three </seg>
</doc>
<doc docid="8"><seg id="1">four</seg></doc>
</refset></mteval>
"""


class TestIwslt:
    def test_training_talks_start_at_their_url(self, write):
        content = TAGS.format(n=1, lines="a\nb <i>c</i>") + TAGS.format(n=2, lines="d")
        paths = write("train.tags.zh-en.zh", content), write("train.tags.zh-en.en", content.upper())
        paths[1].write_text(content)
        found = list(read_iwslt(*paths, strict()))
        assert [(d.name, d.source) for d in found] == [
            ("train.talk1", ["a", "b <i>c</i>"]),
            ("train.talk2", ["d"]),
        ]

    def test_test_talks_are_the_segments_of_a_doc(self, write):
        paths = write("IWSLT.zh.xml", XML), write("IWSLT.en.xml", XML)
        found = list(read_iwslt(*paths, strict()))
        assert [(d.name, d.target) for d in found] == [
            ("dev2010.talk7", ["one", "two & three"]),
            ("dev2010.talk8", ["four"]),
        ]

    def test_truncated_xml_is_named_or_read_up_to_the_error(self, write):
        cut = XML[: XML.index("four")]
        paths = write("IWSLT.zh.xml", cut), write("IWSLT.en.xml", cut)
        with pytest.raises(
            CorpusError, match=r"IWSLT.zh.xml, line 7, column .*: the XML is broken"
        ):
            list(read_iwslt(*paths, strict()))
        inspector = skipping()
        assert [d.name for d in read_iwslt(*paths, inspector)] == ["dev2010.talk7"]
        assert inspector.dropped == {"broken XML": 2}

    def test_talks_of_different_lengths_are_named_or_dropped(self, write):
        other = XML.replace('<seg id="2"> two &amp; three </seg>\n', "")
        paths = write("IWSLT.zh.xml", XML), write("IWSLT.en.xml", other)
        with pytest.raises(CorpusError, match=r"talk dev2010.talk7, has 2 sentences, but .* has 1"):
            list(read_iwslt(*paths, strict()))
        inspector = skipping()
        assert [d.name for d in read_iwslt(*paths, inspector)] == ["dev2010.talk8"]

    def test_a_side_that_ends_early_is_named(self, write):
        other = XML.replace('<doc docid="8"><seg id="1">four</seg></doc>\n', "")
        paths = write("IWSLT.zh.xml", XML), write("IWSLT.en.xml", other)
        with pytest.raises(CorpusError, match="ends after talk 1"):
            list(read_iwslt(*paths, strict()))


class TestGroups:
    def test_each_line_is_a_document(self, write):
        source, target = (
            write("en", "a _eos b _eos c _eos d\ne _eos f\n"),
            write("ru", "A _eos B _eos C _eos D\nE _eos F\n"),
        )
        assert [(d.source, d.target) for d in read_groups(source, target, strict())] == [
            (["a", "b", "c", "d"], ["A", "B", "C", "D"]),
            (["e", "f"], ["E", "F"]),
        ]

    def test_groups_of_different_sizes_are_named_or_dropped(self, write):
        source, target = write("en", "a _eos b\nc\n"), write("ru", "A\nC\n")
        with pytest.raises(CorpusError, match="line 1: 2 sentences on one side, but 1"):
            list(read_groups(source, target, strict()))
        inspector = skipping()
        assert len(list(read_groups(source, target, inspector))) == 1
        assert inspector.dropped == {"different sentence counts": 1}

    def test_consistency_items(self, write):
        item = {"src": "a _eos b", "dst": ["A _eos B", "A _eos C"], "true_ind": 1, "ctx_dist": 1}
        path = write("set.json", json.dumps([item]))
        assert list(read_consistency(path)) == [
            ConsistencyItem(["a", "b"], [["A", "B"], ["A", "C"]], 1, 1)
        ]

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            ("[", "not valid JSON"),
            ("{}", "must be a JSON list"),
            ('[{"src": "a"}]', "item 1: needs src"),
            ('[{"src": "a", "dst": "ab", "true_ind": 0}]', "item 1: needs src"),
            ('[{"src": "a", "dst": ["A"], "true_ind": 1}]', "true_ind is 1, but dst has 1"),
            ('[{"src": "a", "dst": ["A _eos B"], "true_ind": 0}]', "another number"),
        ],
    )
    def test_bad_consistency_sets_are_named(self, write, content, words):
        with pytest.raises(CorpusError, match=words):
            list(read_consistency(write("set.json", content)))
