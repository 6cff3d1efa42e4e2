"""Translations with terms in them, by the model that comes along."""

import pytest

import longways
from longways.decoding.batching import decode
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.runtime import pad_rows
from longways.decoding.windows import sliding_window
from longways.formats.base import Passage
from longways.text.tokenizers.special_tokens import EOS
from longways.translation.report import Report
from longways.translation.terminology.constrained import Request, TermConstrainedSearch, _around
from longways.translation.terminology.glossary import Constraint, Terms
from tests.translation.markup.passages import translate_passages

TEXT = ["打开终端。", "控制节点负责管理集群的状态。", "今天天气很好。"]


@pytest.fixture(scope="module")
def translator():
    return longways.load(threads=1)


def asked(translator, sentence, glossary):
    """A sentence translated without its terms."""
    text, runtime = translator.model.text, translator.runtime
    how = TranslateConfig(L=1, search=SearchConfig(beams=4))
    window = sliding_window([], text.source.encode([sentence])[0], how.length, runtime.positions)
    ((best,),) = decode(runtime, [window], how)
    return Request(sentence, Terms(glossary).find(sentence), window, best), how


def test_terms_are_in_the_translation_and_other_sentences_are_the_same(translator):
    report = Report()
    plain = translator.translate(TEXT, beam=1, window=1)
    glossary = {"终端": "console", "状态": "condition"}
    found = translator.translate(TEXT, beam=1, window=1, glossary=glossary, report=report)
    assert "console" in found[0].lower()
    assert "condition" in found[1]
    assert found[2] == plain[2]
    assert (report.terms, report.missed) == (2, 0)
    assert "2 of 2 terms used" in str(report)


def test_terms_that_are_there_anyway_change_nothing(translator):
    plain = translator.translate(TEXT, beam=4)
    assert translator.translate(TEXT, beam=4, glossary={"集群": "cluster"}) == plain


def test_what_is_kept_comes_back_each_time(translator):
    (found,) = translator.translate(["节点和节点之间没有 网络。"], keep=["节点"], beam=2)
    assert found.count("节点") == 2


def test_several_terms_of_a_sentence_are_all_put_in(translator):
    sentence = "控制节点负责管理集群的状态。"
    glossary = {"控制": "steering", "集群": "fleet", "状态": "condition"}
    one, how = asked(translator, sentence, glossary)
    search = TermConstrainedSearch(translator.runtime, translator.model.text, how)
    (found,) = search.constrain([one])
    text = translator.model.text.target.decode([found.tokens])[0]
    assert all(wanted.is_in(text) for wanted in one.constraints), text
    assert len(one.constraints) == 3


def test_the_score_is_what_the_model_gives_the_new_tokens(translator):
    one, how = asked(translator, TEXT[0], {"终端": "console"})
    (found,) = TermConstrainedSearch(translator.runtime, translator.model.text, how).constrain(
        [one]
    )
    assert found.tokens != one.found.tokens
    target = pad_rows([[*found.tokens, EOS]])
    scores = translator.runtime.score(pad_rows([one.window.source]), target)
    assert found.stop == EOS
    assert found.score == pytest.approx(float(scores.sum()), rel=1e-5)
    assert found.rank == pytest.approx(found.score / (len(found.tokens) + 1))


def test_sentences_are_constrained_together_as_alone(translator):
    glossary = {"终端": "console", "集群": "fleet", "天气": "climate"}
    pairs = [asked(translator, sentence, glossary) for sentence in TEXT]
    search = TermConstrainedSearch(translator.runtime, translator.model.text, pairs[0][1])
    together = search.constrain([one for one, _ in pairs])
    alone = [search.constrain([one])[0] for one, _ in pairs]
    assert [found.tokens for found in together] == [found.tokens for found in alone]


def test_a_term_that_does_not_fit_is_told_and_the_translation_stays(translator):
    """A target that is longer than the model has positions."""
    glossary = {"天气": "very " * 600 + "good"}
    report = Report()
    plain = translator.translate(TEXT[2:], beam=1)
    found = translator.translate(TEXT[2:], beam=1, glossary=glossary, report=report)
    assert found == plain
    assert (report.terms, report.missed) == (1, 1)


def test_the_parts_a_format_keeps_are_found_by_search(translator):
    text = "运行 qzx_9_vv 以后打开窗口。"
    (found,) = translate_passages(translator, [Passage(text, keep=((3, 11),))], beam=1)
    assert found.text.count("qzx_9_vv") == 1


def test_later_sentences_see_the_terms_of_earlier_ones(translator):
    """The context is the translation that was chosen."""
    lines = ["我们使用集群。", "它很大。"]
    seen = []
    score = TermConstrainedSearch.constrain

    def spy(self, given):
        seen.extend(one.window.prefix for one in given)
        return score(self, given)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TermConstrainedSearch, "constrain", spy)
        translator.translate(lines, beam=1, window=2, glossary={"集群": "fleet"})
    decoded = translator.model.text.target.decode(seen)
    assert "fleet" in decoded[-1]


def test_wanted_is_counted_once_for_each_span():
    (wanted,) = Terms({}, ["a"]).find("a a")
    assert isinstance(wanted, Constraint)
    assert wanted.found_in("a b a") == 2


@pytest.mark.parametrize(
    ("left", "term", "right", "wanted"),
    [
        ("See the [[", "[[page]]", "]] now.", ("See the ", "[[page]]", " now.")),
        ("See ", "page", " now.", ("See ", "page", " now.")),
        ("See", "page.", ".", ("See", "page.", "")),
        ("Use $", "${x}", "} here", ("Use $", "${x}", " here")),
    ],
)
def test_marks_beside_a_term_that_it_has_itself_are_not_said_twice(left, term, right, wanted):
    assert _around(left, term, right) == wanted
