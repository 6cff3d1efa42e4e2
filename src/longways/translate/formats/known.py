"""The formats that are known, by their names and by the ends of file names."""

from __future__ import annotations

from pathlib import Path

from longways.translate.formats.protocol import Format


def format_of(path: Path) -> Format | None:
    """The format of a file, by its name; None is plain text."""
    suffix = path.suffix.lower()
    return next((form for form in known_formats() if suffix in form.suffixes), None)


def known_formats() -> tuple[Format, ...]:
    """All of them; each is loaded only here."""
    from longways.translate.formats.docx import Docx
    from longways.translate.formats.html import Html
    from longways.translate.formats.markdown import Markdown
    from longways.translate.formats.po import Po
    from longways.translate.formats.srt import Srt
    from longways.translate.formats.vtt import WebVtt

    return Markdown(), Html(), Docx(), Srt(), WebVtt(), Po()


SUFFIXES = (".md", ".markdown", ".html", ".htm", ".xhtml", ".docx", ".srt", ".vtt", ".po", ".pot")
"""Ends of the names of files in these formats, known without loading them."""
