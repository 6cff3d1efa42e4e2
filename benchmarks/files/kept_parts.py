"""The share of kept parts that arrive intact, over generated sentences and the bundled model."""

from __future__ import annotations

import random
from collections import Counter

from longways.formats.base import Passage
from longways.formats.placeholders import kept_parts
from longways.results import Report, report
from longways.translation.markup.alignment import Aligner
from longways.translation.markup.passages import Passages
from longways.translation.translator import load

TEMPLATES = (
    "点击 {} 按钮以后打开 {} 文件。",
    "请把 {} 替换为 {}。",
    "如果{}不存在, 系统会返回 {}。",
    "节点数为 {}, 时间复杂度为 {}。",
    "运行 {} 命令可以查看集群的状态。",
    "你好, {}! 你有 {} 条新消息。",
)
"""Sentences of our own; each pair of braces is the place of a kept part."""

PARTS = {
    "placeholder": ("{{+docx}}", "{{作者}}", "{0}", "%s", "%1$s", "${名称}", "#{x}", "<%= y %>"),
    "formula": (r"$O(\log{n})$", "$n$", "$$x^2$$", r"\(a_i\)", r"$\text{最大}_i$"),
    "code": ("my_var", "--force", "main()", "a_b_c()"),
    "tag": ("[[页面]]", '{{< ref "x" >}}', "{% if 用户 %}", ":ref:`x`", "&nbsp;"),
}
"""Kept parts by kind."""


def measure(sentences: int, seed: int, beam: int, threads: int | None) -> Report:
    """Translate seeded sentences; a part is intact if it occurs exactly as often as before."""
    translator, draw = load(threads=threads), random.Random(seed)
    texts = [_sentence(draw) for _ in range(sentences)]
    given = [Passage(text, (), kept_parts(text)) for text in texts]
    languages = translator.source_language, translator.target_language
    found = Passages(given, *languages, Aligner(translator.runtime, translator.model.text))
    for ready in translator.segments([found.segments()], beam=beam):
        found.add(ready)
    pairs = list(zip(texts, [passage.text for passage in found.finish()], strict=True))
    rows = [_row(kind, pairs) for kind in PARTS]
    settings = {"sentences": sentences, "seed": seed, "beam": beam, "threads": threads}
    return report("kept-parts", "The share of kept parts that are intact", settings, rows, "cpu")


def _sentence(draw: random.Random) -> str:
    template = draw.choice(TEMPLATES)
    every = [part for parts in PARTS.values() for part in parts]
    return template.format(*draw.sample(every, 2))


def _row(kind: str, pairs: list[tuple[str, str]]) -> dict[str, object]:
    """The number of parts of a kind, and how many occur as often as in the source."""
    counts = Counter[bool]()
    for source, translation in pairs:
        for part in PARTS[kind]:
            times = source.count(part)
            counts[translation.count(part) == times] += times
    total = counts[True] + counts[False]
    return {"kind": kind, "parts": total, "intact": counts[True], "share": counts[True] / total}
