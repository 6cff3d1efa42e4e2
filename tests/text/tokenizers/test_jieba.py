# ruff: noqa: RUF001 - Chinese and Russian have letters and marks that look like Latin ones
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.text.tokenizers.jieba import Chinese


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("我们不知道船长的信。", ["我们", "不", "知道", "船长", "的", "信", "。"]),
        ("使用 Kubernetes 集群", ["使用", "Kubernetes", "集群"]),
        ("他说 café Привет 好", ["他", "说", "café", "Привет", "好"]),
        ("版本3.14和50%", ["版本", "3.14", "和", "50%"]),
        ("", []),
    ],
)
def test_words_are_those_of_jieba_and_other_scripts_stay_whole(sentence, words):
    assert Chinese().split(sentence) == words


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["我们", "知道", "。"], "我们知道。"),
        (["使用", "Kubernetes", "集群"], "使用Kubernetes集群"),
        (["Visual", "Studio", "2022", "版本"], "Visual Studio 2022版本"),
        (["Привет", "мир", "！"], "Привет мир！"),
        (["日本", "カメラ"], "日本カメラ"),
        ([], ""),
    ],
)
def test_only_words_of_other_scripts_are_kept_apart(words, text):
    assert Chinese().join(words) == text


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("我们知道。，“a1Zé я_-.@%+ \t\u3000カ한😀"), max_size=30))
def test_joining_what_was_split_gives_the_normalised_text(sentence):
    chinese = Chinese()
    assert chinese.join(chinese.split(sentence)) == chinese.normalise(sentence)
