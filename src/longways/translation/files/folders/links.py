"""Links between the pages of a job: `index.md` becomes `index.en.md` in the pages that link to it.

Only the address of a file that the same job translates changes; queries and anchors stay. All other
links stay as they are, since `--copy` takes the other files to the same places.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from longways.errors import TextError
from longways.formats.registry import link_editor

_PLACE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|[#?]|\Z")
"""The beginning of an address that names no file of the folder."""


@dataclass(frozen=True)
class Page:
    """A file of a folder, its translation, and their folders."""

    source: Path
    target: Path
    source_root: Path
    target_root: Path


class Pages:
    """All pages of a job, by their absolute paths."""

    def __init__(self, pages: Mapping[Path, Page]) -> None:
        self.pages = {_absolute(path): page for path, page in pages.items()}

    def edited(self, source: Path, data: bytes, form: str, encoding: str | None) -> bytes:
        """The bytes of a page with its links to other pages as they will be named.

        A page that cannot be parsed stays the same: its reader says what is wrong.
        """
        page, edit = self.pages.get(_absolute(source)), link_editor(form)
        if page is None or edit is None:
            return data
        try:
            return edit(data, encoding, lambda own, plain: self._new(page, own, plain))
        except TextError:
            return data

    def _new(self, page: Page, own: str, plain: Callable[[str], str]) -> str | None:
        """The new address for an address of a page; None if it is no page of the job."""
        if _PLACE.match(own):
            return None
        path = re.split("[?#]", own, maxsplit=1)[0]
        named = unquote(plain(path))
        base = page.source_root if named.startswith("/") else page.source.parent
        linked = self.pages.get(_absolute(base / named.lstrip("/")))
        if linked is None:
            return None
        return _renamed(page, linked, path, named) + own[len(path) :]


def _renamed(page: Page, linked: Page, path: str, named: str) -> str:
    """A path with the name of the translation; its folders change only if they must."""
    folders, slash, name = path.rpartition("/")
    base = page.target_root if named.startswith("/") else page.target.parent
    if _absolute(base / named.lstrip("/")).parent != _absolute(linked.target).parent:
        return quote(os.path.relpath(_absolute(linked.target), _absolute(page.target).parent))
    return folders + slash + _edited_name(name, linked.source, linked.target.name)


def _edited_name(name: str, source: Path, new: str) -> str:
    """The new name of a page in an address; only what differs is written anew.

    `%E6%8C%87.md` becomes `%E6%8C%87.en.md`, since the author chose how to write the rest.
    """
    stem, suffix = source.name.removesuffix(source.suffix), source.suffix
    if new.startswith(stem) and new.endswith(suffix) and name.endswith(suffix):
        return name.removesuffix(suffix) + new[len(stem) :]
    return quote(new)


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links between folders stay, `..` goes
