"""Add a shortlist to a model folder that is being written."""

from __future__ import annotations

from pathlib import Path

from longways.decoding.onnx.session import DECODER_FILE
from longways.decoding.shortlist.folder import StoredShortlist, write_shortlist
from longways.export.shortlist.graphs import write_shortlist_graphs


def add_shortlist(draft: Path, stored: StoredShortlist) -> None:
    """Write the lists, and the graphs that search with them if the folder has graphs."""
    write_shortlist(draft, stored)
    if (draft / DECODER_FILE).is_file():
        write_shortlist_graphs(draft, stored.lists.vocabulary)
