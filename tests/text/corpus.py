# ruff: noqa: RUF001 - Chinese and Russian have letters and marks that look like Latin ones
"""A small corpus from which pipelines are learned in a second."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator

from longways.text.config import TextConfig
from longways.text.pipeline import TextPipeline, learn

SENTENCES = {
    "en": (
        "The {n} lamps in the harbour went out at night.",
        'She said: "Leave the {n} boats where they are!"',
        "We don't know why the captain's letter was lost (again).",
        "Open https://example.org/boats/{n} and read the notes.",
        "Nobody in Lisbon had seen so much rain since 1962.",
    ),
    "ru": (
        "Ночью в гавани погасли {n} фонарей.",
        "Она сказала: «Оставьте {n} лодок там, где они стоят!»",
        "Мы не знаем, почему письмо капитана потерялось (снова).",
        "Откройте https://example.org/boats/{n} и прочитайте заметки.",
        "Никто в Лиссабоне не видел такого дождя с 1962 года.",
    ),
    "zh": (
        "夜里，港口的{n}盏灯熄灭了。",
        "她说：“把那{n}条船留在原地！”",
        "我们不知道船长的信为什么（又）丢了。",
        "请打开 https://example.org/boats/{n} 并阅读说明。",
        "自1962年以来，里斯本没有人见过这么大的雨。",
    ),
}

HARD = (
    "",
    " ",
    "  two  spaces, and one at each end ",
    "a\ttab",
    "Он сказал: «Да», и ушёл — в 18:30.",
    "他说：“好的，Привет！”然后离开了 café。",
    "1,000.50 € or $3.14? 100%!",
    "https://example.org/a_b/c?d=1&e=2#f",
    "🙂👩‍👩‍👧 and ☃",
    "<pad> <sep> <unk> <0x41> @@ x@@ y",
    "ﬁ ½ ，。！ e\u0301 \u00a0 \u200b",
    "Ünïcödé ЁЖ 日本語 한국어 עברית",
)
"""Sentences that text pipelines easily damage."""


def pairs(source: str, target: str, count: int = 300) -> Iterator[tuple[str, str]]:
    """The sentence pairs of the corpus."""
    choose = random.Random(7)
    both = list(zip(SENTENCES[source], SENTENCES[target], strict=True))
    for _ in range(count):
        first, second = choose.choice(both)
        number = choose.randrange(1000)
        yield first.format(n=number), second.format(n=number)


@functools.cache
def pipeline(source: str, target: str, config: TextConfig) -> TextPipeline:
    """A pipeline that is learned once for all tests."""
    return learn(config, source, target, lambda: pairs(source, target))


SMALL = TextConfig(vocabulary=500)
SEPARATE = TextConfig(vocabulary=400, joint=False)
PAPER = TextConfig(kind="moses-bpe", merges=300)
