# ruff: noqa: RUF001 - full-width signs are what the files have
"""Glossary terms that the model finds unlikely: D9 of what real files have shown."""

import pytest

import longways
from longways.formats.base import Mark, Passage
from longways.translation.terminology.english_forms import like, plural, with_article
from tests.translation.markup.passages import translate_passages


@pytest.fixture(scope="module")
def translator():
    return longways.load(threads=1)


class TestD9UnlikelyTerms:
    @pytest.mark.parametrize("beam", [1, 4])
    def test_the_word_that_a_term_replaces_is_not_beside_it(self, translator, beam):
        for text in ("创建节点", "该命令会创建两个节点。", "控制节点负责管理集群的状态。"):
            found = translator.translate([text], glossary={"节点": "knot"}, beam=beam)[0]
            assert "knots" in found
            assert "node" not in found.lower()
        found = translator.translate(
            ["一个副本不可用。"], glossary={"副本": "instance"}, beam=beam
        )[0]
        assert found == "An instance is not available."

    @pytest.mark.parametrize("beam", [1, 4])
    def test_the_article_before_a_term_fits_it(self, translator, beam):
        text = "如果某个副本没有启动，请检查它的日志。"
        found = translator.translate([text], glossary={"副本": "instance"}, beam=beam)[0]
        assert "an instance" in found.lower()

    @pytest.mark.parametrize(
        ("before", "term", "wanted"),
        [
            ("If a ", "instance", "If an "),
            ("An ", "node", "A "),
            ("use a ", "API", "use an "),
            ("use an ", "URL", "use a "),
            ("is an ", "user", "is a "),
            ("is a ", "hour", "is an "),
            ("is an ", "uniform", "is a "),
            ("is a ", "uninstaller", "is an "),
            ("the ", "instance", "the "),
            ("Plan ", "instance", "Plan "),
            ("a ", "节点", "a "),
            ("", "node", ""),
        ],
    )
    def test_a_or_an(self, before, term, wanted):
        assert with_article(before, term) == wanted

    @pytest.mark.parametrize(
        ("term", "replaced", "wanted"),
        [
            ("knot", "nodes", "knots"),
            ("policy", "rules", "policies"),
            ("class", "types", "classes"),
            ("knot", "node", "knot"),
            ("knot", "status", "knot"),
            ("knot", "class", "knot"),
            ("settings", "options", "settings"),
            ("API", "interfaces", "API"),
            ("节点", "nodes", "节点"),
        ],
    )
    def test_a_term_is_plural_where_the_replaced_word_is(self, term, replaced, wanted):
        assert like(term, replaced) == wanted

    def test_plurals(self):
        assert [plural(one) for one in ("key", "box", "branch")] == ["keys", "boxes", "branches"]

    def test_a_mark_on_a_term_encloses_its_translation(self, translator):
        text = "你还需要安装一个容器运行时。"
        passage = Passage(text, (Mark(8, 13, 0),))
        (found,) = translate_passages(
            translator, [passage], glossary={"容器运行时": "container engine"}
        )
        (mark,) = found.marks
        assert found.text[mark.start : mark.end] == "container engine"
