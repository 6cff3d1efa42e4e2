"""XLIFF 1.2 and 2.x: sources are translated into their targets.

    <trans-unit id="1"><source>打开<g id="1">文件</g></source></trans-unit>

Inline elements are marks. New targets have the state `needs-review-translation` in 1.2, with the
qualifier `mt-suggestion`, and `translated` in 2.x. Sources, notes, existing translations and
alternative ones stay. A file without a target language gets one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.resources.document import Edit, edited
from longways.formats.resources.rendering import is_new
from longways.formats.resources.tags import with_attributes
from longways.formats.resources.xml_tree import Node, line_of, read_xml
from longways.formats.text_file import TextFile
from longways.formats.xliff.units import Unit, units_of


class Version(NamedTuple):
    """What the versions write differently."""

    source: str
    """The attribute with the language of the sources."""
    target: str
    states: dict[str, str]
    """The attributes of a new translation."""


_AROUND = frozenset(
    ["xliff", "file", "header", "body", "group", "trans-unit", "unit", "segment", "alt-trans"]
)
"""Elements with no text of their own."""
V1 = Version(
    "source-language",
    "target-language",
    {"state": "needs-review-translation", "state-qualifier": "mt-suggestion"},
)
V2 = Version("srcLang", "trgLang", {"state": "translated"})


class Xliff:
    """The format of XLIFF files."""

    name = "xliff"
    suffixes = (".xlf", ".xliff")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> XliffDocument:
        """Parse a file; see `Format`."""
        file, root = read_xml(data, language, encoding, "an XLIFF file", _AROUND)
        number = root.attributes.get("version", "")
        if root.local != "xliff" or not number.startswith(("1.", "2.")):
            said = f"<{root.name}> with the version {number!r}" if number else f"<{root.name}>"
            raise FormatError(
                f"The root of the file is {said}, but longways reads <xliff> 1.0 to 2.x. Export "
                "the file in one of these versions."
            )
        return XliffDocument(file, root, V1 if number.startswith("1.") else V2, language)


class XliffDocument:
    """A parsed XLIFF file. It is always bilingual."""

    def __init__(self, file: TextFile, root: Node, version: Version, language: str) -> None:
        self.file, self._version = file, version
        found = list(units_of(file, root, language))
        self._units = [unit for unit in found if unit]
        self._has_translations = len(self._units) < len(found)
        self._named = [root] if version is V2 else list(root.elements("file"))
        for node in self._named:
            node.forget_children()  # all that is needed of the tree is in the units
        self.passages = [c.passage for unit in self._units for c in unit.contents]
        self.warnings = list(self._warnings(language))

    def _warnings(self, language: str) -> Iterator[str]:
        """A warning if the sources are said to be in another language than the model reads."""
        for node in self._named:
            said = node.attributes.get(self._version.source, language)
            if _base(said) != _base(language):
                yield (
                    f"Line {line_of(self.file.text, node.start)}: {self._version.source} is "
                    f"{said!r}, but the texts are translated from {language!r}; only sources with "
                    "letters of that language are translated."
                )
                return

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these translations in its targets; see `FormattedDocument`."""
        new, edits, files = iter(passages), list[Edit](), set[int]()
        for unit in self._units:
            own = [next(new) for _ in unit.contents]
            if any(is_new(n, c.passage) for n, c in zip(own, unit.contents, strict=True)):
                edits += self._target(unit, own, language)
                files.add(unit.file if self._version is V1 else 0)
        edits += [edit for number in files for edit in self._language(number, language)]
        if not edits:
            return self.file.data
        return self.file.encode(edited(self.file.text, sorted(edits, key=lambda edit: edit[:2])))

    def _target(self, unit: Unit, new: list[Passage], language: str) -> Iterator[Edit]:
        """The edits that write a target and its state."""
        text, target, source = self.file.text, unit.target, unit.source
        content = self._content(unit, new)
        states = self._version.states
        if unit.stated:
            tag = text[unit.stated.start : unit.stated.inner]
            yield unit.stated.start, unit.stated.inner, with_attributes(tag, states)
            states = {}
        if target:
            tag = (
                text[target.start : target.inner].removesuffix(">").removesuffix("/").rstrip() + ">"
            )
            opening = with_attributes(tag, states)
            yield target.start, target.end, f"{opening}{content}</{target.name}>"
            return
        name = source.name.removesuffix(source.local) + "target"
        lang = {"xml:lang": language} if "xml:lang" in source.attributes else {}
        before = re.search(r"[\r\n]+[ \t]*$", text[max(0, source.start - 1_000) : source.start])
        opening = with_attributes(f"<{name}>", lang | states)
        yield (
            source.end,
            source.end,
            f"{before[0] if before else ''}{opening}{content}</{name}>",
        )

    def _content(self, unit: Unit, new: list[Passage]) -> str:
        """The content of the source with new passages."""
        start, close = unit.source.inner, unit.source.close
        edits = [
            (c.start - start, c.end - start, c.rendered(passage))
            for c, passage in zip(unit.contents, new, strict=True)
            if is_new(passage, c.passage)
        ]
        return edited(self.file.text[start:close], edits)

    def _language(self, number: int, language: str) -> Iterator[Edit]:
        """The edit that names the target language, unless translations in another are kept."""
        node, name = self._named[number], self._version.target
        said = node.attributes.get(name, "")
        if _base(said) == _base(language) or (said and self._has_translations):
            return
        tag = self.file.text[node.start : node.inner]
        yield node.start, node.inner, with_attributes(tag, {name: language})


def _base(language: str) -> str:
    return re.split("[-_]", language)[0].lower()
