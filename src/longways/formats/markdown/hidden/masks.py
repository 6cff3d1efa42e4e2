"""Masks: noncharacters of Unicode in place of text that other programs process before Markdown.

The length stays the same, so that positions in the masked text are positions in the file.
"""

from __future__ import annotations

import re

TAG, TAG_CONTINUATION = "\ufdd0", "\ufdd1"
"""Mask of a tag with an effect: `{{< figure >}}`, `{% if x %}`, `{: .wide}`, `{width=50%}`.

The first character of a tag has the first mask, all others have the second.
"""
VALUE, VALUE_CONTINUATION = "\ufdd2", "\ufdd3"
"""Mask of a tag that is replaced by a value: `{{ name }}`."""
ATTRIBUTES = "\ufdd4"
"""Mask of the attributes at the end of a heading: `{#anchor}`."""
IS_MASKED = re.compile("[\ufdd0-\ufdd4]")
NEVER_IN_TEXT = re.compile("[\ufdd0-\ufdd4\0\ud800-\udfff]")

HIDDEN = re.compile(
    f"(?P<tag>{TAG}{TAG_CONTINUATION}*(?:\n[ \t]*{TAG_CONTINUATION}+)*)"
    f"|{VALUE}{VALUE_CONTINUATION}*(?:\n[ \t]*{VALUE_CONTINUATION}+)*"
)
"""A masked tag; a tag over several lines is one match."""

_PREFIX = re.compile(r"\n[ \t>]*|[^\n]+")


def covered(text: str, mask: str) -> str:
    """The mask of a text; line ends and quote prefixes stay visible."""
    more = chr(ord(mask) + 1)
    parts = [part if part[0] == "\n" else more * len(part) for part in _PREFIX.findall(text)]
    return mask + "".join(parts)[1:]
