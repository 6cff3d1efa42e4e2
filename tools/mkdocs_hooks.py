"""Hooks of the documentation site: generated pages, links that leave docs/, tables of results.

Pages in docs/ link to other files of the repository by relative paths, so that the links work on
GitHub and in an editor. On the site, an image outside docs/ is copied into `figures/`, and every
other file is linked at GitHub.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File
from reference import PAGES  # mkdocs puts the folder of its hooks on the path

ROOT = Path(__file__).parents[1]
REPOSITORY = "https://github.com/longways/longways"
LINK = re.compile(r"(!?)(\[[^\]]*\])\((\.\./[^)#\s]+)(#[^)\s]*)?\)")
"""Groups: `!` of an image, the text in brackets, the path, the anchor."""

TABLE = re.compile(r"<!-- results/[^>]*-->\n(.*?)<!-- end -->\n", re.DOTALL)
"""A table that is generated from results/; it gets a class of its own."""


def on_files(files: Any, config: Any) -> Any:
    """Add the generated reference pages, and the images outside docs/ that pages show."""
    for name, page in PAGES.items():
        files.append(File.generated(config, f"reference/{name}.md", content=page()))
    for path in sorted(_images(Path(config["docs_dir"]))):
        files.append(File.generated(config, _figure(path), abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Rewrite the links of a page that leave docs/, and mark its tables of results."""
    source = Path(page.file.src_uri)

    def rewrite(link: re.Match[str]) -> str:
        path = _outside(Path(config["docs_dir"]) / source.parent / link[3])
        if path is None:
            return link[0]
        if link[1]:
            target = os.path.relpath(_figure(path), source.parent).replace(os.sep, "/")
        else:
            kind = "tree" if path.is_dir() else "blob"
            target = f"{REPOSITORY}/{kind}/main/{path.relative_to(ROOT).as_posix()}{link[4] or ''}"
        return f"{link[1]}{link[2]}({target})"

    return TABLE.sub(r'<div class="results" markdown>\n\n\1\n</div>\n', LINK.sub(rewrite, markdown))


def _images(docs: Path) -> set[Path]:
    found = set()
    for page in docs.rglob("*.md"):
        for link in LINK.finditer(page.read_text(encoding="utf-8")):
            path = _outside(page.parent / link[3])
            if link[1] and path is not None:
                found.add(path)
    return found


def _outside(path: Path) -> Path | None:
    """The file that a link leads to, if it is in the repository and not in docs/."""
    whole = path.resolve()
    if whole.is_relative_to(ROOT / "docs") or not whole.is_relative_to(ROOT):
        return None
    return whole if whole.exists() else None


def _figure(path: Path) -> str:
    """Where the site has an image: its path below results/ with dashes, in `figures/`."""
    return "figures/" + "-".join(path.relative_to(ROOT).parts[1:])
