"""Classes of HTML elements: inline, block, void, raw text, and not readable."""

from __future__ import annotations


def names(words: str) -> frozenset[str]:
    """A set of names that are written in one string."""
    return frozenset(words.split())


VOID = names(
    "area base basefont bgsound br col command embed frame hr img input keygen link meta param "
    "source track wbr"
)
"""Elements without content and end tag."""

UNREAD = names("noembed noframes plaintext pre script style xmp")
"""Elements whose content is machine-readable or preformatted."""

TABLE_PARTS = names("caption col colgroup tbody td tfoot th thead tr")

ENDS_P = names(
    "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext "
    "pre search section summary table ul xmp"
)
"""Elements that end an open paragraph."""

BLOCKS = (
    UNREAD
    | TABLE_PARTS
    | ENDS_P
    | names(
        "audio base body button canvas datalist frame frameset head html label legend link marquee "
        "meta noscript object optgroup option select template textarea title video"
    )
)
"""Elements whose tags end a passage. All other elements, also unknown ones, are inline."""

KEPT = names("code kbd samp var")
"""Inline elements whose content is not translated."""

RAW = names("iframe noembed noframes script style textarea title xmp")
"""Elements whose content is raw text up to their end tag."""

ESCAPABLE = names("textarea title")
"""Raw text elements with character references."""

ISLANDS = names("iframe math svg")
"""Inline elements that are kept whole, like an image."""

PLAIN = names("option title")
"""Blocks that contain no tags."""

BREAKS_OUT = names(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)
"""HTML elements that cannot be inside a drawing or formula, and so end an unclosed one."""

HOLDS_HTML = names("annotation-xml desc foreignobject mi mn mo ms mtext title")
"""Elements of drawings and formulas that may contain HTML."""

IMPLIED_END = (
    {
        "li": (names("li"), names("dir menu ol ul")),
        "tr": (names("tr"), names("table")),
        "option": (names("option"), names("datalist select")),
        "optgroup": (names("optgroup"), names("select")),
    }
    | dict.fromkeys(("dd", "dt"), (names("dd dt"), names("dl")))
    | dict.fromkeys(("td", "th"), (names("td th"), names("table")))
    | dict.fromkeys(
        ("tbody", "tfoot", "thead"),
        (names("caption colgroup tbody tfoot thead"), names("table")),
    )
)
"""For a start tag, the open elements that it ends, and the elements between that prevent this."""
