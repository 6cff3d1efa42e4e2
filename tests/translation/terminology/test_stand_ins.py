"""Stand-ins for kept parts: names in, kept parts out."""

import random
from itertools import pairwise

import pytest

from longways.formats.placeholders import kept_parts
from longways.translation.terminology.stand_ins import SCHEMES, mask

ODD = "点击{{+docx}}按钮、{a}{b}选择 v{c}、{d}/{e} 吧 %d%% my_var。"


def masked(text, **options):
    return mask(text, kept_parts(text), **options)


def test_the_model_reads_names_and_the_parts_come_back():
    found = masked("点击{{+docx}}按钮。")
    assert found.text == "点击 XA 按钮。"
    assert found.restore("Click the XA button.") == "Click the {{+docx}} button."


def test_parts_without_a_word_between_them_share_a_name():
    texts = [part.text for part in masked(ODD).parts]
    assert texts == ["{{+docx}}", "{a}{b}", "v{c}", "{d}/{e}", "%d%% my_var"]


def test_a_name_that_the_sentence_has_is_not_used():
    assert [part.name for part in masked("XA 和 {0}。").parts] == ["XB"]


def test_plain_words_stay_unless_it_is_asked_otherwise():
    keep = [(3, 7)]
    assert mask("运行 make 命令", keep).text == "运行 make 命令"
    assert mask("运行 make 命令", keep, SCHEMES[1], plain=False).text == "运行 T1 命令"


@pytest.mark.parametrize(
    ("translation", "damaged"),
    [
        ("Copy XA to XB.", False),
        ("Copy XA.", True),
        ("Copy XA to XB and XB.", True),
        ("Copy XAB.", True),
    ],
)
def test_a_name_must_be_there_once(translation, damaged):
    assert masked("把 {a} 复制到 {b} 去。").damaged(translation) is damaged


@pytest.mark.parametrize(
    ("source", "translation", "lacks"),
    [
        ("数量{{goods}}", "XA", True),
        ("数量{{goods}}", "{{goods}}.", True),
        ("数量{{goods}}", "Amount XA", False),
        ("共{n}个", "{n} XA", True),
        ("第{n}", "XA", False),
        ("{a}-{b}", "XA", False),
        ("数量", "{{goods}}", False),
    ],
)
def test_the_words_beside_a_part_are_not_lost(source, translation, lacks):
    found = masked(source)
    assert found.lacks_words(translation) is lacks
    assert found.damaged(translation) >= lacks


def test_constraints_name_each_stand_in_once():
    found = masked("把 {a} 复制到 {a} 去。").constraints()
    assert [(one.target, one.times, one.is_term) for one in found] == [
        ("XA", 1, False),
        ("XB", 1, False),
    ]


def test_a_sentence_is_never_split_inside_a_part():
    draw, found = random.Random(1), masked(ODD)
    for _ in range(300):
        cuts = [0, *sorted(draw.sample(range(1, len(found.text)), 4)), len(found.text)]
        split = [found.text[a:b] for a, b in pairwise(cuts)]
        parts = found.split_source(ODD, split)
        assert "".join(parts) == ODD
        assert all(any(kept.text in part for part in parts) for kept in found.parts)


def test_a_name_that_is_in_a_longer_name_has_a_stand_in():
    text = "`my-box` 在 `my-box-group` 中,`size` 与 `my` 除外。"
    found = mask(text, [(1, 7), (12, 24), (29, 33), (38, 40)])
    assert [part.is_plain for part in found.parts] == [False, False, True, False]
    assert found.restore("XA XB size XC") == "my-box my-box-group size my"
    apart = mask("用 `a-b` 或 `b c` 或 `ab-c`。", [(3, 6), (11, 14), (19, 23)])
    assert all(part.is_plain for part in apart.parts)
