"""Pages in Markdown and reStructuredText, with lists in lists, tables, notes, code and comments."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from benchmarks.round_trips.builders.lists import Item, dressed, lists, tree
from benchmarks.round_trips.texts import LINK, Block, Run, grouped

_MARKDOWN_SIGNS = re.compile(r"[\\`*<\[\]|~]|^[+#>-](?=\s)")
_MARKDOWN_LOOKS = {
    "": "{}", "b": "**{}**", "i": "*{}*", "bi": "***{}***", "c": "`{}`", "a": f"[{{}}]({LINK})"
}  # fmt: skip
_RST_LOOKS = {
    "b": "**{}**", "i": "*{}*", "bi": "**{}**", "c": "``{}``", "a": f"`{{}} <{LINK}>`__"
}  # fmt: skip


def markdown(blocks: Sequence[Block], number: int) -> bytes:
    """A page with front matter, and what a page may contain."""
    head = f'---\ntitle: "{blocks[0].text}"\ntags: [甲, 乙]\n---\n\n'
    return dressed(head + markdown_body(blocks, number), number)


def markdown_body(blocks: Sequence[Block], number: int) -> str:
    """The page without its front matter."""
    return (
        "\n\n".join(_markdown_part(kind, group, number) for kind, group in grouped(blocks)) + "\n"
    )


def _markdown_part(kind: str, group: Sequence[Block], number: int) -> str:
    block = group[0]
    text = _markdown_runs(block.runs)
    match kind:
        case "title" | "heading" if number % 2 and text:
            return f"{text}\n{'=-'[kind == 'heading'] * 3}"
        case "title" | "heading" | "subheading":
            return f"{'#' * (1 + ('title', 'heading', 'subheading').index(kind))} {text}"
        case "list":
            return "\n".join(_markdown_list(tree(group), number))
        case "table":
            rows = ["| " + " | ".join(map(_markdown_plain, row.cells)) + " |" for row in group]
            return "\n".join([rows[0], "| --- " * len(block.cells) + "|", *rows[1:]])
        case "quote":
            return f"> {text}\n>\n> > {_markdown_plain('引用里的引用。')}\n> > - 和列表"
        case "code":
            return f"~~~sh\n{block.source}\n~~~" if number % 2 else f"    {block.source}"
        case "comment":
            return f"<!-- {block.source} -->"
    return text or "   "


def _markdown_list(items: Sequence[Item], number: int) -> list[str]:
    found = list[str]()
    for is_step, group in lists(items):
        for place, item in enumerate(group, 1):
            marker = f"{place}. " if is_step else "-+*"[number % 3] + " "
            found.append(marker + _markdown_runs(item.block.runs))
            inner = _markdown_list(item.inner, number)
            if not inner and place == len(group) and number % 2:
                inner = ["", "```", "code  # 代码", "```", "", "项目的第二段。"]
            found += [" " * len(marker) * bool(line) + line for line in inner]
    return found


def _markdown_runs(runs: Sequence[Run]) -> str:
    return "".join(
        _MARKDOWN_LOOKS[look].format(text if look == "c" else _markdown_plain(text))
        for text, look in runs
    )


def _markdown_plain(text: str) -> str:
    return _MARKDOWN_SIGNS.sub(r"\\\g<0>", text)


def rst(blocks: Sequence[Block], number: int) -> bytes:
    """A page with titles, grid and list tables, directives, notes and a substitution."""
    parts = [_rst_part(kind, group, number) for kind, group in grouped(blocks)]
    note = ".. [#注] 脚注的文字,\n   有两行。\n\n.. |品名| replace:: 产品"
    more = ["正文里有脚注 [#注]_ 和 |品名| 。", note]
    return dressed("\n\n".join([*parts, *more]) + "\n", number)


def _rst_part(kind: str, group: Sequence[Block], number: int) -> str:
    block = group[0]
    text = _rst_runs(block.runs)
    match kind:
        case "title" | "heading" | "subheading":
            sign = "=-~"[("title", "heading", "subheading").index(kind)]
            line = sign * max(4, _width(text))
            return f"{line}\n{text}\n{line}" if kind == "title" else f"{text}\n{line}"
        case "list":
            return "\n".join(_rst_list(tree(group)))
        case "table":
            return (_list_table if number % 2 else _grid)([row.cells for row in group])
        case "quote":
            return f".. note:: {text}" if number % 2 else f"   {text}\n\n   -- 某人"
        case "code":
            lead = ".. code-block:: sh" if number % 2 else "命令如下::"
            return f"{lead}\n\n   {block.source}"
        case "comment":
            return f".. {block.source}"
    return text


def _rst_list(items: Sequence[Item]) -> list[str]:
    found = list[str]()
    for is_step, group in lists(items):
        found += [""] if found else []
        for item in group:
            marker = "#. " if is_step else "- "
            found.append(marker + _rst_runs(item.block.runs))
            if item.inner:
                inner = ["", *_rst_list(item.inner), ""]
                found += [" " * len(marker) * bool(line) + line for line in inner]
        found += ["", ".. 注释", ""]
    return found


def _list_table(rows: Sequence[Sequence[str]]) -> str:
    cells = (
        f"   {'* ' if not place else '  '}- {_rst_plain(cell)}".rstrip()
        for row in rows
        for place, cell in enumerate(row)
    )
    return ".. list-table:: 表格的标题\n   :header-rows: 1\n\n" + "\n".join(cells)


def _grid(rows: Sequence[Sequence[str]]) -> str:
    texts = [[_rst_plain(cell) for cell in row] for row in rows]
    widths = [max(4, *(_width(row[x]) for row in texts)) for x in range(len(rows[0]))]
    lines = list[str]()
    for number, row in enumerate(texts):
        sign = "=" if number == 1 else "-"
        lines.append("+" + "+".join(sign * (width + 2) for width in widths) + "+")
        padded = (
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        )
        lines.append("| " + " | ".join(padded) + " |")
    return "\n".join([*lines, lines[0]])


def _width(text: str) -> int:
    """The columns of a text on a screen, as docutils counts them."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(unicodedata.combining(sign) > 0 for sign in text)


def _rst_runs(runs: Sequence[Run]) -> str:
    """The runs; markup is separated from letters beside it."""
    parts = list[str]()
    for text, look in runs:
        parts.append(_RST_LOOKS[look].format(text) if look else _rst_plain(text))
    return "\\ ".join(parts)


def _rst_plain(text: str) -> str:
    return text.replace("\\", "\\\\")
