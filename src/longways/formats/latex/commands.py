# ruff: noqa: RUF001 - signs as they are printed
r"""What commands and environments of LaTeX mean for a reader of their text.

block        ends a sentence; some of its arguments are texts of their own: \section{x}
pair         markup around words: \emph{x}
code         markup around words that stay: \texttt{x}
note         an item with a text of its own: \footnote{x}
alone        an item between words: \label{x}
word         a word that stays: \ref{x}
declaration  markup up to the end of the group: {\bf x}
definition   a macro whose body may have text: \newcommand{\x}{text}
settings     keys, of which some have texts: \hypersetup{pdftitle=text}
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Role = Literal[
    "block", "pair", "code", "note", "alone", "word", "declaration", "definition", "settings"
]


class Command(NamedTuple):
    """What a command means."""

    role: Role
    arguments: str = ""
    """A letter for each argument in braces: `t` is a text, `k` is kept.

    `*` stands for any number of kept ones, `?` for the arguments of a condition.
    """
    reads_option: bool = False
    """Whether the argument in brackets is a text."""


def names(text: str) -> frozenset[str]:
    """The names in a text."""
    return frozenset(text.split())


def _named(text: str, command: Command) -> dict[str, Command]:
    return dict.fromkeys(text.split(), command)


COMMANDS: dict[str, Command] = {
    **_named(
        "part chapter section subsection subsubsection paragraph subparagraph title subtitle"
        " frametitle framesubtitle caption subcaption captionabove captionbelow addchap addsec"
        " lecture subject titlehead",
        Command("block", "t", reads_option=True),
    ),
    **_named(
        "institute affiliation affil keywords abstract markright note makecell thead shortstack"
        " dedication intertext shortintertext If ElsIf While For ForAll Until Procedure Function"
        " IF ELSIF WHILE FOR FORALL UNTIL KwIn KwOut KwData KwResult minisec frame",
        Command("block", "t", reads_option=True),
    ),
    "parbox": Command("block", "kt"),
    "pdfbookmark": Command("block", "tk"),
    "texorpdfstring": Command("block", "tt"),
    **_named("markboth bicaption", Command("block", "tt")),
    "fancypagestyle": Command("block", "kt"),
    "addcontentsline": Command("block", "kkt"),
    **_named("captionof captionof* newtheorem newtheorem* declaretheorem", Command("block", "kt")),
    **_named("multicolumn multirow", Command("block", "kkt")),
    "ifthenelse": Command("block", "ktt"),
    **_named(
        "item par newline tabularnewline cr State Statex STATE Require REQUIRE Ensure ENSURE Else"
        " ELSE EndIf ENDIF EndFor ENDFOR EndWhile ENDWHILE Repeat REPEAT EndProcedure EndFunction"
        " hline toprule midrule bottomrule maketitle tableofcontents newpage clearpage"
        " cleardoublepage smallskip medskip bigskip appendix frontmatter mainmatter backmatter"
        " endhead endfirsthead endfoot endlastfoot centering raggedright raggedleft titlepage"
        " listoffigures listoftables pause else fi or",
        Command("block", reads_option=True),
    ),
    **_named("cline cmidrule column", Command("block", "k")),
    **_named(
        "emph textbf textit textsl textsc textrm textsf textmd textup textnormal underline uline"
        " uuline uwave sout xout dashuline dotuline hl st ul so mbox fbox text enquote alert"
        " structure textsuperscript textsubscript CJKunderline CJKunderdot CJKunderwave CJKsout"
        " CJKunderdblline makebox framebox uppercase MakeUppercase lowercase MakeLowercase"
        " centerline leftline rightline hyperref textquote only uncover visible onslide"
        " invisible alt newterm important",
        Command("pair", "t"),
    ),
    **_named(
        "textcolor colorbox hyperlink hypertarget raisebox scalebox rotatebox foreignlanguage"
        " adjustbox",
        Command("pair", "kt"),
    ),
    **_named("fcolorbox resizebox", Command("pair", "kkt")),
    **_named("texttt code lstinline", Command("code", "t")),
    **_named(
        "footnote footnotetext thanks marginpar marginnote sidenote todo endnote tablefootnote"
        " sidefootnote",
        Command("note", "t"),
    ),
    **_named(
        "label index vspace vspace* hspace hspace* phantom hphantom vphantom pagestyle"
        " thispagestyle bibliography bibliographystyle nocite includegraphics input include"
        " subfile documentclass hyphenation glsadd"
        " newcounter counterwithin numberwithin graphicspath addbibresource author date email",
        Command("alone", "k"),
    ),
    **_named(
        "setcounter addtocounter setlength addtolength settowidth definecolor colorlet rule"
        " newcolumntype DeclareMathOperator DeclareMathOperator* newglossarystyle",
        Command("alone", "kk"),
    ),
    **_named(
        "noindent indent leavevmode hfill hfil vfill vfil hss quad qquad enspace thinspace"
        " draw path node fill filldraw coordinate put kill linebreak nolinebreak"
        " pagebreak nopagebreak phantomsection protect relax xspace null"
        " printbibliography printindex makeindex footnotemark strut ignorespaces unskip begingroup"
        " endgroup bgroup egroup allowbreak obeylines sloppy fussy onecolumn twocolumn flushbottom"
        " raggedbottom dotfill hrulefill space nobreak goodbreak filbreak the"
        " makeatletter makeatother ExplSyntaxOn ExplSyntaxOff",
        Command("alone"),
    ),
    **_named(
        "bf it sl sc rm sf tt em bfseries itshape slshape scshape rmfamily sffamily ttfamily"
        " mdseries upshape normalfont tiny scriptsize footnotesize small normalsize large Large"
        " LARGE huge Huge songti heiti kaishu fangsong lishu youyuan yahei song hei kai fs kaiti"
        " selectfont boldmath unboldmath displaystyle singlespacing onehalfspacing doublespacing"
        " CJKnospace",
        Command("declaration"),
    ),
    **_named(
        "color zihao CJKfamily fontfamily fontseries fontshape linespread setstretch",
        Command("declaration", "k"),
    ),
    **_named("fontsize", Command("declaration", "kk")),
    **_named(
        "newcommand renewcommand providecommand newcommand* renewcommand* providecommand*"
        " DeclareRobustCommand NewDocumentCommand RenewDocumentCommand def gdef edef xdef"
        " newenvironment renewenvironment NewDocumentEnvironment",
        Command("definition"),
    ),
    **_named("hypersetup captionsetup usepackage RequirePackage", Command("settings")),
    **_named("newglossaryentry longnewglossaryentry", Command("settings", "k")),
    **_named("lstinputlisting inputminted", Command("settings")),
}
"""Commands that are known by name, without a star unless it changes the meaning."""

CHARACTERS = {
    "textbackslash": "\\", "textasciitilde": "~", "textasciigrave": "`",
    "textasciicircum": "^", "textless": "<",
    "textgreater": ">", "textbar": "|", "textbraceleft": "{", "textbraceright": "}",
    "textunderscore": "_", "textdollar": "$", "ldots": "…", "dots": "…", "textellipsis": "…",
    "textendash": "–", "textemdash": "—", "textquotedblleft": "“", "textquotedblright": "”",
    "textquoteleft": "‘", "textquoteright": "’", "S": "§", "P": "¶", "copyright": "©",
    "textcopyright": "©", "textregistered": "®", "texttrademark": "™", "pounds": "£", "euro": "€",
    "texteuro": "€", "textdegree": "°", "degree": "°", "textmu": "µ", "ss": "ß", "o": "ø",
    "O": "Ø", "aa": "å", "AA": "Å", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "l": "ł", "L": "Ł",
    "i": "ı", "j": "ȷ", "dh": "ð", "th": "þ", "textbullet": "•", "textperiodcentered": "·",
    "guillemotleft": "«", "guillemotright": "»", "lq": "‘", "rq": "’",
    "textquotesingle": "'", "textquotedbl": '"', "slash": "/", "textvisiblespace": "␣",
}  # fmt: skip
"""Commands that print a character."""

LOGOS = names("LaTeX TeX LaTeXe XeTeX XeLaTeX LuaTeX LuaLaTeX pdfTeX pdfLaTeX BibTeX")
"""Words at the start of a group, where other commands without arguments are declarations."""

BREAKING = frozenset(
    name for name, command in COMMANDS.items() if command.role in ("block", "definition")
) | {"chapter*", "section*", "subsection*", "subsubsection*", "paragraph*", "title*", "caption*"}
"""Commands at which a sentence ends."""

_KEPT_NAME = re.compile(
    r"(?i: .*font.* | .*file.* | .*path | (?:sub)?(?:import|include).* | .*input.* "
    r"| .*cit(?:e|ation).* | \w*ref\*? | .*label.* | .*bib.* | .*colou?r.* | use\w+ | require\w* "
    r"| document.* | tikz.* | pgf.* "
    r"| lst.* | .*counter | .*length | \w*style | \w*date | \w*author\w* | \w*email | \w*index\w* "
    r"| gls\w* | ac[lsp]* | .*keys | equal | cjk\w* | ctex.* | \w*format\*? | hyphen\w* "
    r"| graphics\w* | geometry | setmain\w* | setcjk\w* | declare\w* | \w*language "
    r"| \w*theme\w* | \w*logo | addplot | gls\w* | pgf\w* | num | si | ang | ce | bibitem )",
    re.VERBOSE,
)
_WORD_NAME = re.compile(
    r"(?i: \w*cit(?:e|ation)\w* | \w*ref | gls\w* | ac[lsp]* | num | si | ang | ce )\*?", re.VERBOSE
)
_SETTINGS_NAME = re.compile(r"(?i: \w* (?: setup | set | info | config ) )", re.VERBOSE)
_NO_SETTINGS = names("ctexset lstset tikzset pgfplotsset xeCJKsetup geometryset tcbset")

READABLE_KEY = re.compile(
    r"(?i: [\w-]* (?<! short) title [\w-]* | (?:pdf)? (?: subject | keywords ) | caption"
    r"| keywords? | abstract | description | degree [\w-]* | discipline | speciali?ty | department"
    r"| institute | major | school | [\w-]+ -field | secret-level | note | text )\*?",
    re.VERBOSE,
)
"""Keys whose values are read: `pdftitle`, `caption`."""
_ENTRY_KEYS = frozenset(["name", "first", "plural", "long"])


def is_readable_key(key: str, command: str) -> bool:
    """Whether the value of a key is a text."""
    key = key.rpartition("/")[2].strip()
    entry = command in ("newglossaryentry", "longnewglossaryentry")
    if command == "captionsetup":
        return key == "name"
    return bool(READABLE_KEY.fullmatch(key)) or (entry and key in _ENTRY_KEYS)


def command_named(name: str) -> Command | None:
    """What a command means; None for an unknown one, whose arguments show what it is."""
    known = COMMANDS.get(name) or COMMANDS.get(name.removesuffix("*"))
    if known:
        return known
    if _SETTINGS_NAME.fullmatch(name) and name not in _NO_SETTINGS:
        return Command("settings")
    if name.startswith("if"):
        return Command("block", "?")
    if _WORD_NAME.fullmatch(name):
        return Command("word")
    return Command("alone", "*") if _KEPT_NAME.fullmatch(name) else None
