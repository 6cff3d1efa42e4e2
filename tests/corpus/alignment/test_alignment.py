"""Alignment finds the sentences that belong together, and leaves out what has no counterpart."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.corpus.alignment.blocks import Block, blocks_of
from longways.corpus.alignment.lengths import length_cost, match_cost, measured
from longways.corpus.alignment.pages import aligned_page, aligned_share
from longways.corpus.alignment.search import PRIORS, best_beads
from longways.corpus.alignment.sentences import aligned_sentences, sentence_pairs
from longways.formats.registry import format_named

EN_DE = ("en", "de")


def as_pairs(found):
    return [(one.source, one.target) for one in found]


class TestLengths:
    def test_equal_lengths_cost_nothing_and_others_more_and_more(self):
        costs = [length_cost(100, length) for length in (100, 120, 160, 300)]
        assert costs[0] == 0
        assert costs == sorted(costs)
        assert costs[-1] < 21

    def test_a_chinese_character_counts_as_three_letters(self):
        assert measured("保存文件").length == 12
        assert measured("日本語 file").length == 14

    def test_shared_names_and_numbers_make_a_pair_likelier(self):
        source, other = measured("Version 3.11 of nginx"), measured("3.11 版本的 nginx")
        assert match_cost(source, other, 1) < match_cost(source, measured("3.12 版本的 apache"), 1)


class TestSearch:
    def test_the_cheapest_beads_are_found(self):
        """Equal to trying all alignments, for short sequences."""
        source, target = [3, 9, 4, 20], [12, 4, 8, 11]

        def cost(i, j, k, last):
            return abs(sum(source[i:j]) - sum(target[k:last])) / 2

        def cheapest(i, k):
            if (i, k) == (len(source), len(target)):
                return 0.0
            found = []
            for (m, n), prior in PRIORS.items():
                if i + m <= len(source) and k + n <= len(target):
                    one = cost(i, i + m, k, k + n) if m and n else 0
                    found.append(prior + one + cheapest(i + m, k + n))
            return min(found)

        beads = best_beads(4, 4, cost)
        total = 0.0
        for bead in beads:
            sizes = bead.source[1] - bead.source[0], bead.target[1] - bead.target[0]
            total += PRIORS[sizes] + (cost(*bead.source, *bead.target) if all(sizes) else 0)
        assert total == pytest.approx(cheapest(0, 0))

    @given(st.integers(0, 40), st.integers(0, 40))
    @settings(max_examples=30, deadline=None)
    def test_every_item_is_in_one_bead(self, source, target):
        beads = best_beads(source, target, lambda *_: 1.0)
        assert [n for bead in beads for n in range(*bead.source)] == list(range(source))
        assert [n for bead in beads for n in range(*bead.target)] == list(range(target))

    def test_long_texts_take_linear_time(self):
        began = time.process_time()
        best_beads(1500, 1600, lambda *_: 1.0)
        assert time.process_time() - began < 20


class TestSentences:
    def test_joined_and_divided_sentences_become_one_pair(self):
        source = "Open the file that you want to change. It is in the folder. Then save everything."
        target = (
            "Öffnen Sie die Datei, die Sie ändern möchten; sie liegt im Ordner. "
            "Speichern Sie danach alles."
        )
        assert as_pairs(aligned_sentences(source, target, EN_DE)) == [
            (
                "Open the file that you want to change. It is in the folder.",
                "Öffnen Sie die Datei, die Sie ändern möchten; sie liegt im Ordner.",
            ),
            ("Then save everything.", "Speichern Sie danach alles."),
        ]

    def test_chinese_sentences_are_joined_without_a_space(self):
        source = "The server listens on port 8080 and writes one line to the log for each request."
        target = "服务器在 8080 端口监听。每个请求都会在日志中写入一行。"
        assert as_pairs(aligned_sentences(source, target, ("en", "zh"))) == [(source, target)]

    def test_line_ends_inside_a_paragraph_do_not_end_sentences(self):
        source, target = "Save the\nfile now.", "保存\n文件。"
        assert as_pairs(sentence_pairs(source, target, ("en", "zh"))) == [
            ("Save the file now.", "保存文件。")
        ]

    @given(st.text(max_size=80), st.text(max_size=80))
    @settings(max_examples=60, deadline=None)
    def test_nothing_of_a_unit_is_lost(self, source, target):
        found = sentence_pairs(source, target, EN_DE)
        for side, text in ((0, source), (1, target)):
            kept = "".join("".join(pair[side] for pair in found).split())
            assert kept == "".join(text.split())


PAGE = """# Installation

Download the package first. It has 12 MB.

- Open the folder
- Run `setup.sh` with the option 64

```sh
make install
```

## Next steps

Read the manual for all other questions that you may have.
"""
SEITE = """# Installation

Laden Sie zuerst das Paket herunter. Es hat 12 MB.

Dieser Hinweis steht nur in der deutschen Fassung, und er ist ziemlich lang, damit er auffällt.

- Öffnen Sie den Ordner
- Starten Sie `setup.sh` mit der Option 64

```sh
make install
```

## Nächste Schritte

Lesen Sie das Handbuch, wenn Sie weitere Fragen haben.
"""


class TestPages:
    def test_blocks_have_the_kinds_of_their_markup(self):
        blocks = blocks_of(PAGE.encode(), format_named("markdown"), "en")
        assert [block.kind for block in blocks] == ["#", "", "-", "-", "##", ""]

    @pytest.mark.parametrize(
        ("name", "text", "kinds"),
        [
            ("html", "<h1>A b</h1><p>C <b>d</b></p><ul><li>E</li></ul>", ["h1", "p", "li"]),
            ("rst", "Title one\n=========\n\nText here.\n\n* Item\n", ["_=", "", "*"]),
            ("latex", "\\begin{document}\n\\section{Title}\n\nText.\n\\end{document}\n",
             ["section", ""]),
            ("asciidoc", "= Title\n\nText here.\n\n* Item\n", ["=", "", "*"]),
        ],
    )  # fmt: skip
    def test_kinds_are_known_in_every_markup(self, name, text, kinds):
        assert [b.kind for b in blocks_of(text.encode(), format_named(name), "en")] == kinds

    def test_a_block_that_one_side_lacks_is_left_alone(self):
        form = format_named("markdown")
        sides = [blocks_of(text.encode(), form, code)
                 for text, code in ((PAGE, "en"), (SEITE, "de"))]  # fmt: skip
        found = list(aligned_page(*sides, EN_DE))
        alone = [one for one in found if not one.is_pair]
        assert [one.target[:14] for one in alone] == ["Dieser Hinweis"]
        pairs = dict(as_pairs(found))
        assert pairs["It has 12 MB."] == "Es hat 12 MB."
        assert pairs["Open the folder"] == "Öffnen Sie den Ordner"
        assert pairs["Next steps"] == "Nächste Schritte"
        assert aligned_share(found) > 0.7

    def test_strange_pages_have_little_in_common(self):
        long = [Block("Completely other text with a very different number of words " * 9)] * 3
        found = list(aligned_page([Block("Short.")] * 20, long, EN_DE))
        assert aligned_share(found) < 0.5


def test_a_unit_with_very_many_sentences_takes_seconds():
    """Also where the two sides have different numbers of sentences."""
    began = time.process_time()
    found = sentence_pairs("Save it now. " * 400, "Speichern Sie es. " * 300, EN_DE)
    assert time.process_time() - began < 15
    assert "".join(pair.source for pair in found).count("Save") == 400
