"""The share of kept parts that arrive intact, over generated Markdown and the bundled model.

A part is intact if it stands in the translated file exactly as often as in the source: a
placeholder, formula or template tag as text, a code span with its backticks, a link with its
address behind a text in brackets, an emoji with its joiners.
"""

from __future__ import annotations

import random
import re
from collections import Counter

from longways.formats.markdown.format import Markdown
from longways.results import Report, report
from longways.translation.markup.alignment import Aligner
from longways.translation.markup.passages import Passages
from longways.translation.translator import load

TEMPLATES = (
    "点击 {} 按钮以后打开 {} 文件。",
    "请把 {} 替换为 {}。",
    "如果{}不存在, 系统会返回 {}。",
    "节点数为 {}, 时间复杂度为 {}。",
    "运行 {} 命令可以查看集群的状态 {}。",
    "你好, {}! 你有 {} 条新消息。",
    "更多内容参见{}和{}。",
    "{}: 升级完成以后, 重新启动 {} 服务。",
)
"""Sentences of our own; each pair of braces is the place of a kept part."""

PARTS = {
    "placeholder": ("{{+docx}}", "{{作者}}", "{0}", "%s", "%1$s", "${名称}", "#{x}", "<%= y %>"),
    "formula": (r"$O(\log{n})$", "$n$", "$$x^2$$", r"$\sum_{i=1}^{k} a_i$", r"$\text{最大}_i$"),
    "code": ("`my_var`", "`--force`", "`main()`", "``a`b``", "`kubectl get pods -n 默认`"),
    "tag": ('{{< ref "x" >}}', "{% if 用户 %}", ":ref:`x`", "{{ site.name }}"),
    "link": (
        "[文档](https://example.org/a?b=1&c=2)",
        "[安装指南](../guide/install.md#第一步)",
        "[**网络**策略](<a b.md>)",
        "![示意图](img/图.png)",
    ),
    "emoji": ("🚀", "✅", "👩‍👩‍👧", "🇨🇳", "1️⃣", "⚠️", "👍🏽"),
}
"""Kept parts by kind."""

_ADDRESS = re.compile(r"!?\[.*\](\(.*\))$", re.DOTALL)
"""A link; of its text and its address only the address is kept."""


def measure(sentences: int, seed: int, beam: int, threads: int | None) -> Report:
    """Translate a page of seeded sentences, each of which is a paragraph."""
    translator, draw = load(threads=threads), random.Random(seed)
    texts = [_sentence(draw) for _ in range(sentences)]
    document = Markdown().read("\n\n".join(texts).encode(), translator.source_language)
    languages = translator.source_language, translator.target_language
    aligner = Aligner(translator.runtime, translator.model.text)
    found = Passages(document.passages, *languages, aligner)
    for ready in translator.segments([found.segments()], beam=beam):
        found.add(ready)
    written = document.write(found.finish(), translator.target_language).decode()
    pairs = list(zip(texts, written.split("\n\n"), strict=True))
    rows = [_row(kind, pairs) for kind in PARTS]
    settings = {"sentences": sentences, "seed": seed, "beam": beam, "threads": threads}
    return report("kept-parts", "The share of kept parts that are intact", settings, rows, "cpu")


def _sentence(draw: random.Random) -> str:
    template = draw.choice(TEMPLATES)
    kinds = draw.sample(list(PARTS), 2)
    return template.format(*(draw.choice(PARTS[kind]) for kind in kinds))


def _row(kind: str, pairs: list[tuple[str, str]]) -> dict[str, object]:
    """The number of parts of a kind, and how many occur as often as in the source."""
    counts = Counter[bool]()
    for source, translation in pairs:
        for part in PARTS[kind]:
            kept = match[1] if (match := _ADDRESS.match(part)) else part
            times = source.count(part)
            counts[times == 0 or translation.count(kept) == times] += times
    total = counts[True] + counts[False]
    return {"kind": kind, "parts": total, "intact": counts[True], "share": counts[True] / total}
