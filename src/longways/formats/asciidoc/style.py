"""The style of a block: what the lines in brackets above it say."""

from __future__ import annotations

from dataclasses import dataclass

from longways.formats.asciidoc.attributes import Attribute

_CODE = """
    source listing literal pass stem latexmath asciimath comment plantuml ditaa mermaid
    graphviz blockdiag seqdiag vega d2 tikz bytefield wavedrom a2s svgbob nomnoml pikchr erd
"""
_CODE_STYLES = frozenset(_CODE.split())
_LINE_STYLES = frozenset(["verse"])


@dataclass(frozen=True)
class Style:
    """What is said above a block."""

    name: str = ""
    attributes: tuple[Attribute, ...] = ()

    @property
    def is_code(self) -> bool:
        """Whether the block is code, a formula or a drawing."""
        return self.name in _CODE_STYLES

    @property
    def is_by_line(self) -> bool:
        """Whether line ends are shown."""
        options = ",".join(a.value for a in self.attributes if a.name in ("", "options", "opts"))
        return self.name in _LINE_STYLES or "hardbreaks" in options
