"""An XML file as a document: the contents of some of its elements, edited in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from longways.formats.base import Passage
from longways.formats.resources.document import Edit, edited
from longways.formats.resources.inline import Inline
from longways.formats.resources.rendering import is_new
from longways.formats.text_file import TextFile


class XmlDocument:
    """A parsed XML file. It has one language in each text: `bilingual` changes nothing."""

    def __init__(
        self,
        file: TextFile,
        contents: Iterable[Inline],
        warnings: Sequence[str] = (),
        languages: Callable[[str], Iterable[Edit]] = lambda _: (),
        write: Callable[[Inline, str], Iterable[Edit]] | None = None,
    ) -> None:
        """`languages` are the edits that name the language of a file with new text in it.

        `write` are the edits that write a new content, if it is not written in place.
        """
        self.file, self.warnings = file, warnings
        self._contents, self._languages = list(contents), languages
        self._write = write or _in_place
        self.passages = [content.passage for content in self._contents]

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages in place of its own; see `FormattedDocument`."""
        edits = list(self._edits(passages))
        if not edits:
            return self.file.data
        in_order = sorted([*edits, *self._languages(language)], key=lambda edit: edit[:2])
        return self.file.encode(edited(self.file.text, in_order))

    def _edits(self, passages: Sequence[Passage]) -> Iterator[Edit]:
        for content, new in zip(self._contents, passages, strict=True):
            if is_new(new, content.passage):
                yield from self._write(content, content.rendered(new))


def _in_place(content: Inline, new: str) -> Iterator[Edit]:
    yield content.start, content.end, new
