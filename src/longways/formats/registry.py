"""Registry of file formats by name and by file suffix; a format is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from longways.errors import ConfigError
from longways.formats.base import Format

if TYPE_CHECKING:
    from longways.formats.html.links import Change
    from longways.formats.tables.columns import Columns

    _LinkEditor = Callable[[bytes, str | None, Change], bytes]

TEXT = "text"
"""Name of plain text, which has no format class."""


class _Known(NamedTuple):
    """The module and class of a format, and the suffixes of its files."""

    module: str
    type: str
    suffixes: tuple[str, ...]


_KNOWN = {
    "markdown": _Known("markdown.format", "Markdown", (".md", ".markdown", ".mdx")),
    "ipynb": _Known("notebook.format", "Notebook", (".ipynb",)),
    "latex": _Known("latex.format", "Latex", (".tex", ".ltx")),
    "rst": _Known("rst.format", "Rst", (".rst", ".rest")),
    "asciidoc": _Known("asciidoc.format", "AsciiDoc", (".adoc", ".asciidoc", ".asc")),
    "org": _Known("org.format", "Org", (".org",)),
    "html": _Known("html.format", "Html", (".html", ".htm", ".xhtml")),
    "docx": _Known("docx.format", "Docx", (".docx", ".docm")),
    "pptx": _Known("pptx.format", "Pptx", (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm")),
    "xlsx": _Known("xlsx.format", "Xlsx", (".xlsx", ".xlsm", ".xltx", ".xltm")),
    "odt": _Known("odf.format", "Odt", (".odt", ".ott")),
    "odp": _Known("odf.format", "Odp", (".odp", ".otp")),
    "ods": _Known("odf.format", "Ods", (".ods", ".ots")),
    "epub": _Known("epub.format", "Epub", (".epub",)),
    "pdf": _Known("pdf.format", "Pdf", (".pdf",)),
    "csv": _Known("tables.format", "Csv", (".csv",)),
    "tsv": _Known("tables.format", "Tsv", (".tsv", ".tab")),
    "srt": _Known("subtitles.srt", "Srt", (".srt",)),
    "vtt": _Known("subtitles.vtt", "WebVtt", (".vtt",)),
    "ass": _Known("subtitles.ass", "Ass", (".ass", ".ssa")),
    "eml": _Known("mail.format", "Eml", (".eml", ".mht", ".mhtml")),
    "po": _Known("po.catalogue", "Po", (".po", ".pot")),
    "json": _Known("resources.json_file", "Json", (".json",)),
    "arb": _Known("resources.json_file", "Arb", (".arb",)),
    "properties": _Known("resources.properties", "Properties", (".properties",)),
    "strings": _Known("resources.apple_strings", "AppleStrings", (".strings",)),
    "stringsdict": _Known("resources.stringsdict", "Stringsdict", (".stringsdict",)),
    "yaml": _Known("yaml.format", "Yaml", (".yml", ".yaml")),
    "xliff": _Known("xliff.format", "Xliff", (".xlf", ".xliff")),
    "ts": _Known("qt.format", "QtLinguist", (".ts",)),
    "android": _Known("resources.android", "Android", (".xml",)),
}
"""Formats by the name that `--format` takes."""

_LINKS = {
    "markdown": ("markdown.links", "edit_markdown_links"),
    "ipynb": ("notebook.links", "edit_notebook_links"),
    "rst": ("rst.links", "edit_rst_links"),
    "asciidoc": ("asciidoc.links", "edit_asciidoc_links"),
    "latex": ("latex.links", "edit_latex_links"),
    "org": ("org.links", "edit_org_links"),
    "html": ("html.links", "edit_html_links"),
}
"""The module and function that change the links of a format."""

PACKAGES = frozenset(["docx", "pptx", "xlsx", "odt", "odp", "ods", "epub", "pdf"])
"""Formats whose files are zip packages or PDF documents, not text."""

WRITTEN = {"pdf": ".md"}
"""The suffix of translations, of formats that are written as another one."""

NAMES = (TEXT, *_KNOWN)
"""Valid values of `--format`."""

SUFFIXES = {suffix: name for name, known in _KNOWN.items() for suffix in known.suffixes}
"""Format name by file suffix."""

TABLES = frozenset(["csv", "tsv"])
"""Formats of tables, whose columns `--columns` chooses."""

SHARED_SUFFIXES = frozenset(
    [".json", ".yml", ".yaml", ".properties", ".xml", ".csv", ".tsv", ".tab"]
)
"""Suffixes that texts share with settings and data; in a folder, `--include` must name them."""


def format_of(path: Path) -> Format | None:
    """The format of a file, by its suffix; None means plain text."""
    name = SUFFIXES.get(path.suffix.lower())
    return None if name is None else format_named(name)


def format_named(name: str) -> Format | None:
    """The format with this name, as in `--format NAME`; None is plain text."""
    if name == TEXT:
        return None
    if name not in _KNOWN:
        raise ConfigError(f"There is no format {name!r}. Known are {', '.join(NAMES)}.")
    module = import_module(f"longways.formats.{_KNOWN[name].module}")
    return cast("Format", getattr(module, _KNOWN[name].type)())


def with_columns(form: Format | None, columns: Columns) -> Format | None:
    """A format of tables with the columns that the user chooses; any other format as it is."""
    if form is None or form.name not in TABLES or not columns:
        return form
    table = import_module("longways.formats.tables.format")
    return cast("Format", type(form)(columns)) if isinstance(form, table.Csv) else form


def columns_of(form: Format | None) -> list[str]:
    """The choice of columns of a format of tables; empty for all columns and for other formats."""
    columns = getattr(form, "columns", None)
    return columns.described() if columns and form and form.name in TABLES else []


def link_editor(name: str) -> _LinkEditor | None:
    """The function that changes the addresses of links in a format; None if it has no links."""
    if name not in _LINKS:
        return None
    module, function = _LINKS[name]
    return cast("_LinkEditor", getattr(import_module(f"longways.formats.{module}"), function))


def known_formats() -> tuple[Format, ...]:
    """All formats except plain text."""
    return tuple(form for name in _KNOWN if (form := format_named(name)))
