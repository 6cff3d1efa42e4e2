"""The addresses of links in the Markdown cells of a notebook."""

from __future__ import annotations

from contextlib import suppress

from longways.errors import FormatError
from longways.formats.html.links import Change
from longways.formats.markdown.links import edit_markdown_links
from longways.formats.notebook.format import NotebookFile
from longways.formats.resources.document import Edit, edited


def edit_notebook_links(data: bytes, encoding: str | None, change: Change) -> bytes:
    """The file with some addresses changed; all other bytes stay the same."""
    notebook = NotebookFile(data, "", encoding)
    edits = list[Edit]()
    for cell in notebook.cells:
        with suppress(FormatError):  # a cell that cannot be read has been reported
            new = edit_markdown_links(cell.data, "utf-8", change)
            if new != cell.data:
                edits.append(notebook.edit(cell, new))
    return notebook.file.encode(edited(notebook.file.text, edits))
