"""Random Markdown and random translations for property tests."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from longways.formats.base import Mark, Passage

_FRAGMENTS = """# |## |> |- |1. |* |    |\t|```|`|``|*|**|_|__|~~|[|]|(|)|![|](x)|](x "t")
](<a b> 't')|<b>|</b>|<i>|<div>|<br>|<!-- c -->|</x>|<|>|\\|\\\\|&amp;|&lt;|&|{{< x >}}|{% y %}
{{ z }}|$|$a_b$|[^1]|[^1]: |:::|::: tip|---|===|<http://a.b/c>|<me@a.org>
[ref]: /u "v"|[ref]|[ref][]|![ref]
{#id}|+++|key: x|[!NOTE]|[ ] |[x] |$$|[TOC]|#|-|=|+|!|:|"|1)|...|***
`c`|**b**|*i*|~~s~~|[l](u)|![p](q "r")
!!! note "注"|??? tip|=== "签"|[[页]]|![[页]]|{.a}|{a=b}|: |*[a]: |<summary>|</summary>|</div>
<img alt="图">|<a title='题'>|</a>|<Note>|</Note>|<p translate="no">|import a from 'b'
export const a = 1|<pre>|</pre>|<i class="notranslate">|</i>"""

fragments = [part for line in _FRAGMENTS.split("\n") for part in line.split("|")]
ends = ["\n", "\n", "\n\n", "\n\n", "  \n", "\\\n", "\n> ", "\n- ", "\n  ", "\n    "]
words = [
    "文字",
    "word",
    "标题。",
    " ",
    " ",
    "\u3000",
    "\xa0",
    "a_b",
    "|",
    "| a | b |\n|---|---|\n| ",
]
odd_ends = ["\r\n", "\r", "\x0b", "\u2028"]

soup = st.lists(st.sampled_from(fragments + 3 * ends + 4 * words), max_size=25).map("".join)
odd_soup = st.lists(st.sampled_from(fragments + ends + words + 4 * odd_ends), max_size=25).map(
    "".join
)
new_text = st.lists(
    st.sampled_from(
        [
            *fragments,
            *words,
            "{{",
            "}}",
            "\n",
            "x",
            "Translation",
            "\n1. ",
            "\n# ",
            "\n---\n",
            "\n> ",
        ]
    ),
    min_size=1,
    max_size=8,
).map("".join)


def moved(passage: Passage, text: str) -> Passage:
    """A passage with the same marks around another text, in corresponding places."""
    old, new = max(len(passage.text), 1), len(text)
    marks = [Mark(m.start * new // old, m.end * new // old, m.tag) for m in passage.marks]
    return Passage(text, tuple(marks))


def seen(passage: Passage) -> tuple[str, list[tuple[int, int]]]:
    """The text of a passage without whitespace, and the places of its marks."""
    text = passage.text
    before = [len(re.sub(r"\s", "", text[:place])) for place in range(len(text) + 1)]
    marks = sorted((before[mark.start], before[mark.end]) for mark in passage.marks)
    return re.sub(r"\s", "", text), marks
