"""Ten files of every format, built from ten texts."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.round_trips.builders import (
    books,
    catalogues,
    mail,
    markup,
    messages,
    office,
    subtitles,
)
from benchmarks.round_trips.builders import (
    documents as papers,
)
from benchmarks.round_trips.texts import Block, documents

BUILDERS: dict[str, tuple[str, Callable[[Sequence[Block], int], bytes]]] = {
    "markdown": (".md", markup.markdown),
    "rst": (".rst", markup.rst),
    "asciidoc": (".adoc", papers.asciidoc),
    "org": (".org", papers.org),
    "latex": (".tex", papers.latex),
    "ipynb": (".ipynb", books.ipynb),
    "html": (".html", books.html),
    "docx": (".docx", office.docx),
    "pptx": (".pptx", office.pptx),
    "xlsx": (".xlsx", office.xlsx),
    "epub": (".epub", books.epub),
    "srt": (".srt", subtitles.srt),
    "vtt": (".vtt", subtitles.vtt),
    "ass": (".ass", subtitles.ass),
    "po": (".po", catalogues.po),
    "json": (".json", messages.json),
    "arb": (".arb", messages.arb),
    "properties": (".properties", messages.properties),
    "strings": (".strings", messages.strings),
    "stringsdict": (".stringsdict", messages.stringsdict),
    "android": (".xml", messages.android),
    "yaml": (".yml", messages.yaml),
    "ts": (".ts", catalogues.ts),
    "xliff": (".xlf", catalogues.xliff),
    "csv": (".csv", messages.csv),
    "tsv": (".tsv", messages.tsv),
    "eml": (".eml", mail.eml),
}
"""The suffix and the builder of each format."""
CONVERTED = {"odt": "docx", "odp": "pptx", "ods": "xlsx", "pdf": "docx"}
"""Formats whose files LibreOffice makes from others."""


def samples(name: str) -> dict[str, bytes]:
    """The ten files of a format by name; none where LibreOffice is missing and needed."""
    if name in CONVERTED:
        return converted(samples(CONVERTED[name]), name)
    if name not in BUILDERS:
        return {}
    suffix, build = BUILDERS[name]
    texts = documents().items()
    return {f"{key}{suffix}": build(blocks, n) for n, (key, blocks) in enumerate(texts)}


def converted(files: dict[str, bytes], kind: str) -> dict[str, bytes]:
    """Files as LibreOffice saves them in another format; none without LibreOffice."""
    if not shutil.which("soffice") or not files:
        return {}
    with tempfile.TemporaryDirectory() as name:
        folder, out = Path(name), Path(name) / "out"
        for key, data in files.items():
            (folder / key).write_bytes(data)
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        words = ["soffice", profile, "--headless", "--convert-to", kind, "--outdir", str(out)]
        paths = [str(folder / key) for key in files]
        subprocess.run([*words, *paths], check=True, timeout=600, capture_output=True)
        return {path.name: path.read_bytes() for path in sorted(out.glob(f"*.{kind}"))}
