"""Which attributes of components and shortcodes hold readable text.

    <TabItem value="npm" label="Use npm">        {{% tab name="On Debian" %}}

Their names are not standardised. A common name, such as `title`, is enough; under any other name
the value must have letters that no program uses in names, and no name of machine-readable values.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from longways.formats.html.elements import names

_READ = names(
    "abstract alt buttontext caption content ctatext desc description details emptytext fallback "
    "header heading headline hint intro label linktext message note okcaption placeholder "
    "subheading subtitle summary tagline text tip title titletext tooltip"
)
"""Names of readable attributes, without hyphens and in lower case."""

_MACHINE = names(
    "action active activekey anchor as author categories category class classname code color "
    "component current data default defaultactivekey defaultvalue file filename for format from "
    "group groupid height href icon id image img include index is itemprop key keys lang language "
    "link mode name page params path pattern prop query querystring ref rel role section size "
    "slot sort src srcset style sync tag tags target term termid theme to type url user value "
    "values var variant version width xmlns"
)
"""Names of attributes that programs compare with other values, or that are addresses."""

_PREFIXES = ("v-", "data-", "on", ":", "@", "#", "x-", "xmlns:")
_ADDRESS = re.compile(r"[./#]|[A-Za-z][A-Za-z0-9+.-]*:(?=[!-~])|[\w/.-]+\.\w{1,5}$")
"""The beginning of an address or of a path, or a whole file name."""


def is_component(name: str) -> bool:
    """Whether the name of a tag, as in the file, is of a component and not of an HTML element."""
    return "-" in name or (name[:1].isupper() and not name.isupper())


def is_read(name: str, value: str, beside: Collection[str]) -> bool:
    """Whether an attribute is readable; `beside` are the names of all attributes of its tag."""
    key = name.lower().replace("-", "").replace("_", "")
    if key in _READ:
        return True
    if key == "name" and not {"label", "title", "text"} & set(beside):
        return not value.isascii() or " " in value
    if key in _MACHINE or name.lower().startswith(_PREFIXES):
        return False
    return is_prose(value)


def is_prose(value: str) -> bool:
    """Whether a text has letters beyond ASCII and is no address."""
    letters = any(char.isalpha() and not char.isascii() for char in value)
    return letters and not _ADDRESS.match(value)
