"""What is read in directives: their arguments, options and contents, by the name of the directive.

The names are of docutils, Sphinx and its common extensions. An unknown directive may be of the
project itself: its content is text unless it looks like code.
"""

from __future__ import annotations

import re


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


CODE = _names(
    """
    actdiag autosummary bibliography blockdiag bokeh-plot code
    code-block code-cell code-tab codeauthor command-output currentmodule date default-role
    digraph ditaa doctest doxygenfile embed exec fill graph graphviz highlight highlightlang
    include index inheritance-diagram ipython jupyter-execute jupyter-input jupyter-output
    katex kroki literalinclude math mermaid mermaid-js method-code module nbinput nboutput
    nwdiag packetdiag parsed-literal plantuml plot productionlist program program-output
    prompt py:currentmodule py:module rackdiag raw role
    runblock sectionauthor seqdiag shell sourcecode target-notes testcleanup testcode
    testoutput testsetup tikz uml unicode vega-lite video wavedrom youtube
    """
)
"""Directives whose content is code, or that have none that is read."""

TITLED = _names(
    """
    admonition caption card centered collapse contents csv-table details dropdown example
    exercise flat-table grid-item-card group-tab list-table md-tab-item proof rubric sidebar
    tab tab-item table theorem title topic
    """
)
"""Directives whose argument is a title."""

ADMONITIONS = _names(
    """
    attention caution compound danger epigraph error footer header highlights hint important
    note pull-quote replace seealso tip todo warn warning
    """
)
"""Directives without arguments, whose content may begin in their first line."""

OBJECTS = _names(
    """
    attribute class cmdoption command compound confval container cssclass data
    decorator describe envvar event exception figure function grid grid-item hlist ifconfig
    image interface macro member method object only option property reqmeta rst-class
    setting signal staticmethod struct tab-set tabs type union var
    """
)
"""Directives that describe a name or lay out what they contain, which is text."""

VERSIONS = _names(
    """
    deprecated deprecated-removed versionadded versionchanged versionremoved
    """
)
"""Directives whose argument is a version with text behind it."""

READ_OPTIONS = _names(
    """
    alt attribution caption description header img-alt label-text link-alt placeholder
    subtitle summary tab-label title
    """
)
"""Options with text for a reader."""
INLINE_OPTIONS = _names(
    """
    attribution caption subtitle summary title
    """
)
"""Options that may have inline markup."""

DIRECTIVE = re.compile(r"((?:[^\W_]|[-._+:])+)[ ]?::(?:\s+|\Z)")
OPTION = re.compile(r":(?![: ])((?:[^:\\]|\\.)*?):(?:\s+|\Z)")

_CODE_LINE = re.compile(
    r"""[^\n]*[;{}]\s*\Z | (?: \#(?:include|define|!) | // | /\* | <[/!?A-Za-z] | \$[ ] )
      | (?: def | class | import | from | return | function | var | let | const )[ ]
      | [\w."'\]\[]+ \s* (?: [-+*/|&]?= | -> | => | --> ) (?![=])""",
    re.VERBOSE,
)


def looks_like_code(lines: list[str]) -> bool:
    """Whether the content of an unknown directive is a program: a third of its lines are code."""
    code = sum(_CODE_LINE.match(line) is not None for line in lines)
    return 3 * code > len(lines)
