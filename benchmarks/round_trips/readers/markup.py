"""Markup languages, as docutils, Asciidoctor, Org in Emacs and pylatexenc read them."""

from __future__ import annotations

import atexit
import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from benchmarks.round_trips.readers.pages import html
from benchmarks.round_trips.readers.seen import Seen, decoded, outline

RUBY = (
    "ruby", "-r", "asciidoctor", "-r", "json", "-e",
    "$stdout.sync = true; while line = $stdin.gets; page = Asciidoctor.convert(JSON.parse(line)[0],"
    " standalone: true, attributes: {'linkcss' => '', 'last-update-label' => '',"
    " 'nofooter' => ''}); puts JSON.generate([page]); end",
)  # fmt: skip
EMACS = ("emacs", "--batch", "-Q", "--eval", """
(progn
  (require 'ox-html)
  (setq org-export-with-broken-links t org-html-postamble nil org-html-htmlize-output-type nil
        org-html-head-include-default-style nil)
  (let (line)
    (while (setq line (ignore-errors (read-from-minibuffer "")))
      (setq line (decode-coding-string (base64-decode-string line) 'utf-8))
      (princ (json-encode (vector (condition-case wrong (org-export-string-as line 'html t)
                                    (error (error-message-string wrong))))))
      (terpri))))
""")  # fmt: skip


class _Converter:
    """A program that stays open: a line in, a line with JSON out."""

    def __init__(self, words: tuple[str, ...]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, encoding="utf-8"
        )
        atexit.register(self.close)

    def convert(self, line: str) -> str:
        """What the program makes of a text."""
        assert self.process.stdin, "it is a pipe"
        assert self.process.stdout, "it is a pipe"
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return str(json.loads(self.process.stdout.readline())[0])

    def close(self) -> None:
        """End the program."""
        self.process.communicate()


@cache
def _converter(words: tuple[str, ...]) -> _Converter:
    return _Converter(words)


def asciidoc(data: bytes) -> Seen:
    """The page that Asciidoctor makes of a file."""
    return html(_converter(RUBY).convert(json.dumps([decoded(data)])).encode())


def org(data: bytes) -> Seen:
    """The page that Org exports."""
    import base64

    line = base64.b64encode(decoded(data).encode()).decode()
    return html(_converter(EMACS).convert(line).encode())


def rst(data: bytes) -> Seen:
    """The nodes and complaints of docutils."""
    from docutils import nodes
    from docutils.core import publish_doctree

    settings = {
        "report_level": 5, "halt_level": 6, "file_insertion_enabled": False, "raw_enabled": False
    }  # fmt: skip
    tree = publish_doctree(decoded(data), settings_overrides=settings)
    complaints = Counter(node["level"] for node in tree.findall(nodes.system_message))
    complaints.update(node["level"] for node in tree.transform_messages)
    kept = (nodes.literal_block, nodes.comment, nodes.raw)
    code = [node.astext() for node in tree.findall(lambda n: isinstance(n, kept))]
    texts = [
        node.astext()
        for node in tree.findall(nodes.Text)
        if not isinstance(node.parent, (*kept, nodes.literal, nodes.system_message))
        and not isinstance(node.parent.parent, kept)
    ]
    return Seen((outline(_nodes(tree)), code, complaints), texts)


def _nodes(tree: Any) -> Iterator[tuple[str, bool]]:
    from docutils import nodes

    passed = (nodes.Text, nodes.target, nodes.system_message, nodes.problematic)
    for node in tree.findall():
        if not isinstance(node, passed):
            yield type(node).__name__, isinstance(node, nodes.Inline)


_BLOCKS = frozenset(
    [
        *("section", "subsection", "subsubsection", "caption", "title", "author", "maketitle"),
        *("item", "hline", "multicolumn", "\\"),
    ]
)
_INLINE = frozenset(
    [
        *("ref", "cite", "textbf", "emph", "texttt", "href", "footnote", "bf", "verb", "name"),
        "label",
    ]
)
_NO_TEXT = frozenset(
    ["label", "ref", "cite", "documentclass", "usepackage", "newcommand", "begin", "end"]
)
_SYMBOLS = frozenset("&%$#_{}")


def latex(data: bytes) -> Seen:
    """The environments, commands and formulas that pylatexenc finds."""
    from pylatexenc.latexwalker import LatexWalker, get_default_latex_context_db
    from pylatexenc.macrospec import std_macro

    known = get_default_latex_context_db()
    known.add_context_category("hyperref", macros=[std_macro("href", "{{")], prepend=True)
    walker = LatexWalker(decoded(data), latex_context=known)
    found = list(_walk(walker.get_latex_nodes()[0]))
    elements = [(name, kind == "inline") for kind, name in found if kind in ("block", "inline")]
    code = [name for kind, name in found if kind == "code"]
    texts = "".join(
        name if kind == "text" else "\0" * (kind != "inline") for kind, name in found
    ).split("\0")
    return Seen((outline(elements), code), [text for text in texts if text.strip()])


def _walk(nodes: Any) -> Iterator[tuple[str, str]]:
    """Blocks, inline commands, code and texts in their order."""
    for node in filter(None, nodes or ()):
        kind, name = type(node).__name__, getattr(node, "macroname", "")
        if kind == "LatexCharsNode":
            yield "text", node.chars
        elif kind == "LatexMathNode":
            yield "inline", node.latex_verbatim()
        elif kind == "LatexEnvironmentNode" and node.environmentname == "verbatim":
            yield "code", node.latex_verbatim()
        else:
            if kind == "LatexEnvironmentNode":
                yield "block", node.environmentname
            elif name in _BLOCKS or name in _INLINE:
                yield ("block" if name in _BLOCKS else "inline"), name
            elif name in _SYMBOLS:
                yield "text", name
            inner = _inner(node)
            if name == "href":
                yield "inline", inner.pop(0).latex_verbatim()
            yield from () if name in _NO_TEXT else _walk(inner)


def _inner(node: Any) -> list[Any]:
    """The nodes in the arguments of a command, or inside of an environment or a group."""
    arguments = getattr(node, "nodeargd", None)
    return [*((arguments and arguments.argnlist) or []), *(getattr(node, "nodelist", None) or [])]
