"""What environments of LaTeX are: formulas, code, tables or text."""

from __future__ import annotations

import re

from longways.formats.latex.commands import names

MATHS_ENVIRONMENTS = names(
    "equation displaymath align aligned alignat flalign gather gathered multline eqnarray math"
    " dmath split array cases IEEEeqnarray dgroup empheq mathpar tikzcd"
    " prooftree"
)
"""Environments of formulas, without a star."""

HIDDEN_ENVIRONMENTS = names(
    "verbatim Verbatim BVerbatim LVerbatim SaveVerbatim lstlisting minted comment alltt"
    " filecontents tikzpicture pgfpicture pspicture picture circuitikz forest tabbing"
    " thebibliography python sageblock luacode asy axis shell dot gnuplot pycode"
    " tcblisting VerbatimOut"
)
"""Environments that are not read as text, without a star."""

TABLE_ENVIRONMENTS = names(
    "tabular tabularx tabulary longtable longtabu tabu supertabular xltabular NiceTabular"
    " tblr longtblr tabular* array algorithm algorithmic algorithm2e"
)
"""Environments in which a paragraph would break the layout."""

PLAIN_ENVIRONMENTS = names(
    "document center flushleft flushright quote quotation verse abstract itemize enumerate"
    " description small large footnotesize titlepage sloppypar figure table figure* table*"
    " landscape appendix"
)
"""Environments without arguments in braces."""

_CODE_NAME = re.compile(
    r"(?i: (?! pseudo ) \w* (?: verb | code | listing | console | terminal | minted ) \w* | \w+ lst"
    r"| tikz \w* | latex | bash | shell | cmd | cpp | java | json | sql | xml | html | matlab"
    r"| javascript )",
    re.VERBOSE,
)


def is_hidden(environment: str) -> bool:
    """Whether an environment is not read as text, by its name without a star."""
    return environment in HIDDEN_ENVIRONMENTS or bool(_CODE_NAME.fullmatch(environment))


OPTIONS_KEPT = names(
    "figure table tabular tabularx longtable minipage enumerate itemize description wrapfigure"
    " wraptable subfigure subtable document algorithm algorithmic center multicols"
)
"""Environments whose argument in brackets is no text, but may have keys."""
