"""What other software sees in a file: its structure, and the texts that people read.

No reader uses the formats of longways. Structure is anything that may be compared: keys, tags,
times, places of cells, and how often each kind of inline markup occurs in a block. In a catalogue,
the texts are the translations.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.round_trips.readers import markup, messages, packages, pages, timed
from benchmarks.round_trips.readers.seen import Seen

READERS: dict[str, Callable[[bytes], Seen]] = {
    **{"text": pages.text, "markdown": pages.markdown, "html": pages.html},
    **{"ipynb": pages.notebook, "eml": pages.message, "pdf": pages.markdown},
    **{"rst": markup.rst, "asciidoc": markup.asciidoc, "org": markup.org, "latex": markup.latex},
    **dict.fromkeys(("docx", "pptx", "xlsx", "odt", "odp", "ods", "epub"), packages.package),
    **{"srt": timed.srt, "vtt": timed.vtt, "ass": timed.ass},
    **{"json": messages.json, "arb": messages.json, "yaml": messages.yaml},
    **{"properties": messages.properties, "strings": messages.strings},
    **{"stringsdict": messages.plist, "android": messages.android},
    **{"po": messages.po, "ts": messages.ts, "xliff": messages.xliff},
    **{"csv": messages.table(","), "tsv": messages.table("\t")},
}
"""The reader of each format; a PDF document is written as Markdown."""


def read(name: str, data: bytes) -> Seen:
    """A file of this format."""
    return READERS[name](data)
