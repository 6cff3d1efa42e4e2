# ruff: noqa: RUF001 - Chinese and Russian marks look like Latin ones
"""The filter drops pairs that teach wrong things, and keeps odd ones that do not."""

import time

import pytest

from longways.corpus.filter.config import FilterConfig
from longways.corpus.filter.numbers import numbers, numbers_differ
from longways.corpus.filter.pairs import REASONS, reason
from longways.errors import ConfigError

MILD = FilterConfig()
ZH_EN, EN_DE, EN_JA, EN_RU = ("zh", "en"), ("en", "de"), ("en", "ja"), ("en", "ru")

GOOD = [
    (ZH_EN, "保存文件。", "Save the file."),
    (ZH_EN, "Kubernetes", "Kubernetes"),
    (ZH_EN, "kubectl get pods --all-name-spaces -o wide",
     "kubectl get pods --all-name-spaces -o wide"),
    (ZH_EN, "HTTP 511 Network Authentication Required 服务端错误，由Proxy_server拦截生成的。",
     "The server error HTTP 511 Network Authentication Required is made by the proxy."),
    (ZH_EN, "他有3万元。", "He has 30,000 yuan."),
    (ZH_EN, "第三章", "Chapter 3"),
    (ZH_EN, "2024年8月5日", "August 5, 2024"),
    (ZH_EN, "二十世纪九十年代", "The nineties of the last century"),
    (EN_DE, "OK", "OK"),
    (EN_DE, "Server", "Server"),
    (EN_DE, "1,000.50 euros", "1.000,50 Euro"),
    (EN_DE, "Yes", "Ja, natürlich"),
    (EN_DE, "Run `npm install --save-dev` in /usr/local/bin now, please, and wait for the end.",
     "Führen Sie nun bitte `npm install --save-dev` in /usr/local/bin aus und warten Sie."),
    (EN_DE, "It takes 8 PM to 10 PM, usually, unless nobody is there at all on that day.",
     "Es dauert von 20 bis 22 Uhr, normalerweise, wenn überhaupt jemand da ist."),
    (EN_JA, "Gender, age, languages, place, views", "性別、年齢、使用言語、居住地、政治的見解"),
    (EN_JA, "Tokyo", "東京"),
    (EN_RU, "Press Ctrl+Alt+Delete.", "Нажмите Ctrl+Alt+Delete."),
]  # fmt: skip

BAD = [
    ("copied source", EN_DE, "Please close all of the open windows first.",
     "Please close all of the  open windows first."),
    ("wrong language", ZH_EN, "Please close all of the open windows first.", "Close the windows."),
    ("wrong language", EN_DE, "Please close all of the windows before you restart the computer.",
     "Veuillez fermer toutes les fenêtres avant de redémarrer votre ordinateur."),
    ("wrong language", EN_JA, "Please close all of the windows before you restart it.",
     "请在重新启动计算机之前关闭所有打开的窗口，否则未保存的更改将会全部丢失。"),
    ("wrong language", ZH_EN, "コンピューターを再起動する前に、すべて閉じてください。",
     "Please close all windows before you restart the computer."),
    ("languages swapped", ZH_EN, "Please close all of the open windows first.",
     "请在重新启动计算机之前关闭所有打开的窗口，否则未保存的更改将会全部丢失。"),
    ("length ratio", EN_DE, "Yes, this is all.",
     "Ja, das ist alles, was ich dazu heute sagen kann, aber morgen erzähle ich noch viel mehr."),
    ("different numbers", EN_DE, "Version 3.11 is out.", "Version 3.12 ist da."),
    ("different numbers", EN_DE, "It was founded in 1987.", "Damals wurde sie gegründet."),
    ("different numbers", ZH_EN, "端口 8080 已打开", "Port 9090 is open"),
    ("empty side", EN_DE, "Close the window.", "..."),
    ("empty side", EN_DE, "", "Fenster"),
]  # fmt: skip


@pytest.mark.parametrize(("languages", "source", "target"), GOOD)
def test_good_pairs_are_kept(languages, source, target):
    assert reason(source, target, languages, MILD) == "kept"
    assert reason(target, source, languages[::-1], MILD) == "kept"


@pytest.mark.parametrize(("why", "languages", "source", "target"), BAD)
def test_bad_pairs_are_dropped_with_their_reason(why, languages, source, target):
    assert reason(source, target, languages, MILD) == why
    assert reason(target, source, languages[::-1], MILD) == why
    assert why in REASONS


def test_each_check_can_be_left_out():
    off = FilterConfig(length_ratio=0, wrong_language=False, copied_source=False, numbers=False)
    reasons = {reason(s, t, pair, off) for why, pair, s, t in BAD if why != "empty side"}
    assert reasons == {"kept"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,000.5 and 1.000,5", {"10005"}),
        ("１２３ ٣٤", {"123", "34"}),
        ("007", {"7"}),
        ("no", set()),
        ("1\u00a0000", {"1000"}),
    ],
)
def test_numbers_are_compared_by_their_digits(text, found):
    assert numbers(text) == found


def test_numbers_that_may_be_the_same_do_not_differ():
    assert not numbers_differ("2000000", "2 million")
    assert not numbers_differ("1998", "98")
    assert not numbers_differ("20 to 22", "8 to 10")
    assert numbers_differ("12 of 47", "13 of 48")


@pytest.mark.parametrize(
    ("values", "words"),
    [({"splits": ("training",)}, "splits has 'training'"), ({"length_ratio": 0.5}, "above 1")],
)
def test_settings_out_of_range_are_refused(values, words):
    with pytest.raises(ConfigError, match=words):
        FilterConfig(**values)


@pytest.mark.parametrize(
    "unit", ["a", "`", "`a ", "1 ", "a.b", "\n", '"', "中", "—", "a@b ", "12.5,"]
)
def test_long_lines_of_anything_take_linear_time(unit):
    began = time.process_time()
    for other in (unit * 50_000, "word " * 20_000):
        assert reason(unit * 200_000, other, EN_DE, MILD) in REASONS
    assert time.process_time() - began < 10
