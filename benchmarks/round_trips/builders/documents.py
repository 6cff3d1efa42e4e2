"""Pages in AsciiDoc, Org and LaTeX, with lists in lists, tables, notes, code and comments."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.round_trips.builders.lists import Item, dressed, lists, tree
from benchmarks.round_trips.texts import HEADINGS, LINK, Block, Run, grouped

_ADOC_LOOKS = {
    "": "{}", "b": "**{}**", "i": "__{}__", "bi": "**__{}__**", "c": "``{}``",
    "a": f"link:{LINK}[{{}}]",
}  # fmt: skip
_ORG_LOOKS = {
    "b": " *{}* ", "i": " /{}/ ", "bi": " */{}/* ", "c": " ={}= ", "a": f"[[{LINK}][{{}}]]"
}  # fmt: skip
_LATEX_LOOKS = {
    "": "{}", "b": "\\textbf{{{}}}", "i": "\\emph{{{}}}", "bi": "\\textbf{{\\emph{{{}}}}}",
    "c": "\\texttt{{{}}}", "a": "\\href{{" + LINK + "}}{{{}}}",
}  # fmt: skip
_LATEX_SIGNS = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "\\": "\\textbackslash{}",
        "~": "\\textasciitilde{}",
        "^": "\\textasciicircum{}",
        "<": "\\textless{}",
        ">": "\\textgreater{}",
    }
)
_SECTIONS = ("section", "subsection", "subsubsection")


def asciidoc(blocks: Sequence[Block], number: int) -> bytes:
    """A page with attributes, titles, tables, admonitions and notes."""
    head = f"= {blocks[0].text}\n:product: App\n:description: 一份文档\n"
    parts = [_adoc_part(kind, group, number) for kind, group in grouped(blocks[1:])]
    return dressed("\n\n".join([head.rstrip(), *parts]) + "\n", number)


def _adoc_part(kind: str, group: Sequence[Block], number: int) -> str:
    block = group[0]
    text = _looks(block.runs, _ADOC_LOOKS)
    match kind:
        case "title" | "heading":
            return f"== {text}"
        case "subheading":
            return f"[[part-{number}]]\n=== {text}"
        case "list":
            return "\n".join(_adoc_list(tree(group), 1, number))
        case "table":
            rows = ["\n".join(f"|{cell}" for cell in row.cells) for row in group]
            return ".表格的标题\n[%header]\n|===\n" + "\n\n".join(_adoc_first(rows)) + "\n|==="
        case "quote":
            return f"NOTE: {text}" if number % 2 else f"[quote,某人]\n____\n{text}\n____"
        case "code":
            return f".命令\n[source,sh]\n----\n{block.source}\n----"
        case "comment":
            return f"// {block.source}"
    return f"{text}footnote:[脚注的文字。]" if len(text) > 60 else text


def _adoc_first(rows: Sequence[str]) -> list[str]:
    """The rows; the header is on one line."""
    return [rows[0].replace("\n", " "), *rows[1:]]


def _adoc_list(items: Sequence[Item], depth: int, number: int) -> list[str]:
    found = list[str]()
    for is_step, group in lists(items):
        for item in group:
            text = _looks(item.block.runs, _ADOC_LOOKS)
            found.append(("." if is_step else "*") * depth + f" {text}")
            found += _adoc_list(item.inner, depth + 1, number)
        if number % 2 and depth == 1:
            found += ["+", "----", "code  # 代码", "----", "+", "项目的第二段。"]
        found += ["", "//-", ""] if depth == 1 else []
    return found


def org(blocks: Sequence[Block], number: int) -> bytes:
    """An outline with tasks, tags, drawers, tables, notes and blocks."""
    parts = [_org_part(kind, group, number) for kind, group in grouped(blocks)]
    head = f"#+TITLE: {blocks[0].text}\n#+OPTIONS: toc:nil\n#+TODO: TODO | DONE\n"
    note = "正文里有脚注[fn:1]。\n\n[fn:1] 脚注的文字。"
    return dressed("\n\n".join([head, *parts, note]) + "\n", number)


def _org_part(kind: str, group: Sequence[Block], number: int) -> str:
    block = group[0]
    text = _looks(block.runs, _ORG_LOOKS).strip()
    match kind:
        case "title" | "heading" | "subheading":
            stars = "*" * (1 + HEADINGS.index(block.kind))
            extra = "\n:PROPERTIES:\n:ID: a\n:END:" if number % 2 else " :note:"
            return f"{stars} {'TODO ' * (kind == 'heading')}{text}{extra}"
        case "list":
            return "\n".join(_org_list(tree(group)))
        case "table":
            rows = ["| " + " | ".join(row.cells) + " |" for row in group]
            line = "|" + "+".join("---" for _ in block.cells) + "|"
            return "\n".join(["#+CAPTION: 表格的标题", rows[0], line, *rows[1:]])
        case "quote":
            return f"#+begin_quote\n{text}\n#+end_quote"
        case "code":
            return (
                f"#+begin_src sh\n{block.source}\n#+end_src" if number % 2 else f": {block.source}"
            )
        case "comment":
            return f"# {block.source}"
    return text


def _org_list(items: Sequence[Item]) -> list[str]:
    found = list[str]()
    for is_step, group in lists(items):
        for place, item in enumerate(group, 1):
            marker = f"{place}. " if is_step else "- "
            found.append(marker + _looks(item.block.runs, _ORG_LOOKS).strip())
            found += [" " * len(marker) + line for line in _org_list(item.inner)]
    return found


def latex(blocks: Sequence[Block], number: int) -> bytes:
    """A document with sections, floats, lists, notes and code, for XeTeX."""
    head = (
        "\\documentclass{ctexart}\n\\usepackage{hyperref}\n\\newcommand{\\name}[1]{\\textsc{#1}}\n"
        f"\\title{{{_latex_plain(blocks[0].text)}}}\n\\author{{A}}\n\\begin{{document}}\n\\maketitle\n"
    )
    parts = [_latex_part(kind, group, number) for kind, group in grouped(blocks)]
    return dressed("\n\n".join([head, *parts, "\\end{document}"]) + "\n", number % 2)


def _latex_part(kind: str, group: Sequence[Block], number: int) -> str:
    block = group[0]
    text = _looks([(_latex_plain(said), look) for said, look in block.runs], _LATEX_LOOKS)
    match kind:
        case "title" | "heading" | "subheading":
            section = _SECTIONS[HEADINGS.index(block.kind)]
            return f"\\{section}{'*' * (number % 2)}{{{text}}}\\label{{s{number}:{len(text)}}}"
        case "list":
            return "\n".join(_latex_list(tree(group)))
        case "table":
            rows = [" & ".join(map(_latex_plain, row.cells)) + " \\\\" for row in group]
            columns = "l" * len(block.cells)
            inner = (
                f"\\begin{{tabular}}{{{columns}}}\n\\hline\n{chr(10).join(rows)}\n\\end{{tabular}}"
            )
            return f"\\begin{{table}}\n\\caption{{表格的标题}}\n{inner}\n\\end{{table}}"
        case "quote":
            return f"\\begin{{quote}}\n{text}\n\\end{{quote}}"
        case "code":
            return f"\\begin{{verbatim}}\n{block.source}\n\\end{{verbatim}}"
        case "comment":
            return f"% {block.source}"
    return f"{text}\\footnote{{脚注\n有两行。}} $a_i < b$" if len(text) > 60 else text


def _latex_list(items: Sequence[Item]) -> list[str]:
    found = list[str]()
    for is_step, group in lists(items):
        name = "enumerate" if is_step else "itemize"
        found.append(f"\\begin{{{name}}}")
        for item in group:
            runs = [(_latex_plain(text), look) for text, look in item.block.runs]
            found += [f"  \\item {_looks(runs, _LATEX_LOOKS)}", *_latex_list(item.inner)]
        found.append(f"\\end{{{name}}}")
    return found


def _latex_plain(text: str) -> str:
    return text.translate(_LATEX_SIGNS)


def _looks(runs: Sequence[Run], looks: dict[str, str]) -> str:
    return "".join(looks.get(look, "{}").format(text) for text, look in runs)
