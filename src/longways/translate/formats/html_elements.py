"""Which elements of HTML stand in a line of text, which end it, and which no reader reads."""

from __future__ import annotations


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


VOID = _names(
    "area base basefont bgsound br col command embed frame hr img input keygen link meta param "
    "source track wbr"
)
"""They have no content and no end tag."""

UNREAD = _names("noembed noframes plaintext pre script style template xmp")
"""What is in them is for machines, or must keep each of its spaces."""

TABLE_PARTS = _names("caption col colgroup tbody td tfoot th thead tr")

ENDS_P = _names(
    "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext "
    "pre search section summary table ul xmp"
)
"""An open paragraph ends before they begin."""

BLOCKS = (
    UNREAD
    | TABLE_PARTS
    | ENDS_P
    | _names(
        "audio base body button canvas datalist frame frameset head html label legend link marquee "
        "meta noscript object optgroup option select textarea title video"
    )
)
"""Their tags end a passage. Any other element, also one that HTML does not know, stands in it."""

KEPT = _names("code kbd samp var")
"""They stand in a line of text, and what is in them is as it is in any language."""

RAW = _names("iframe noembed noframes script style textarea title xmp")
"""There are no tags in them but their own end tag."""

ESCAPABLE = _names("textarea title")
"""Those of them in which character references are read."""

ISLANDS = _names("iframe math svg")
"""They stand in a line of text as an image does: whole, and not for us to read."""

PLAIN = _names("option title")
"""Blocks in which there can be no tags."""

BREAKS_OUT = _names(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)
"""HTML that cannot be in a drawing or a formula: if it begins there, that was never ended."""

HOLDS_HTML = _names("annotation-xml desc foreignobject mi mn mo ms mtext title")
"""Elements of drawings and formulas in which there may be HTML."""

IMPLIED_END = (
    {
        "li": (_names("li"), _names("dir menu ol ul")),
        "tr": (_names("tr"), _names("table")),
        "option": (_names("option"), _names("datalist select")),
        "optgroup": (_names("optgroup"), _names("select")),
    }
    | dict.fromkeys(("dd", "dt"), (_names("dd dt"), _names("dl")))
    | dict.fromkeys(("td", "th"), (_names("td th"), _names("table")))
    | dict.fromkeys(
        ("tbody", "tfoot", "thead"),
        (_names("caption colgroup tbody tfoot thead"), _names("table")),
    )
)
"""By the name of an element that begins: which open ones end there, unless one of the others is
between."""
