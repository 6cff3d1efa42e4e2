r"""gettext catalogues, .po and .pot: texts of a program, each with its translation.

    #, python-format
    msgid "保存 %s 失败。\n"
    msgstr ""

A passage is a msgid or a msgid_plural whose translation is missing or fuzzy. Its translation is
written as msgstr and flagged as fuzzy, since nobody has reviewed it yet; msgids stay. The header,
or else the language, gives the number of plural forms. The first form is the translation of the
msgid, all others of the msgid_plural; a single form is that of the msgid_plural. The line
ends of a text are marks. Code between backticks and references of reStructuredText, `name`_, are
kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from heapq import merge
from itertools import groupby
from typing import NamedTuple

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.line_breaks import break_marks, breaks_of, with_breaks
from longways.formats.placeholders import code_spans, kept_parts
from longways.formats.po.entries import Entry, entries_of
from longways.formats.po.header import (
    charset_of,
    forms_in,
    plural_forms,
    with_charset,
    with_field,
)
from longways.formats.po.strings import quoted
from longways.formats.subtitles.marks import Change, changed
from longways.formats.subtitles.timing import Warnings, each_line
from longways.formats.subtitles.turns import LINE_END
from longways.formats.text_file import TextFile, read_text
from longways.text.encodings import is_utf8
from longways.text.sentences.languages import has_spaces

_PLACEHOLDER = re.compile(
    r"%(?:\(\w+\)|\d+\$)?[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|q|j|z|t|L)?"
    r"[diouxXeEfFgGaAcrsSpn%]"
)
_REFERENCE = re.compile(r"(?<![\w`:])`[^`<>\n]{1,200}`__?(?!\w)")


class SourceText(NamedTuple):
    """A passage with its entry number and keyword."""

    entry: int
    keyword: str
    passage: Passage


class Catalogue:
    """A parsed gettext file."""

    def __init__(
        self, file: TextFile, entries: Sequence[Entry], language: str, warnings: Sequence[str]
    ) -> None:
        """`language` is the language of the msgids."""
        self.file, self.entries, self.warnings = file, entries, warnings
        ends = LINE_END.search(file.text)
        self.newline = ends[0] if ends else "\n"
        self.header = next((entry for entry in entries if entry.is_header), None)
        wrapped = has_spaces(language)
        numbered = enumerate(entries)
        self.sources = [s for number, e in numbered for s in _sources(number, e, wrapped)]
        self.passages = [source.passage for source in self.sources]

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these translations; it is always bilingual. See `FormattedDocument`."""
        if next(self._all_changes(passages, language), None) is None:
            return self.file.encode(self.file.text)
        return self._encoded(passages, language)

    def _all_changes(self, passages: Sequence[Passage], language: str) -> Iterator[Change]:
        """The changes that write new translations, in their order in the file."""
        forms = forms_in(self._header_text()) or forms_in(plural_forms(language)) or 1
        for number, texts in self._new_texts(passages):
            yield from sorted(self._changes(number, texts, forms), key=_place)

    def _new_texts(self, passages: Sequence[Passage]) -> Iterator[tuple[int, dict[str, str]]]:
        """The number of each entry with new texts, and these by their keyword."""
        pairs = zip(self.sources, passages, strict=True)
        for number, group in groupby(pairs, key=lambda pair: pair[0].entry):
            new = {
                source.keyword: self._translation(source, passage)
                for source, passage in group
                if (passage.text, passage.marks) != (source.passage.text, source.passage.marks)
            }
            if new:
                yield number, new

    def _header_text(self) -> str:
        texts = self.header.translations.values() if self.header else ()
        return "".join(text.value for text in texts)

    def _translation(self, source: SourceText, passage: Passage) -> str:
        """A translation with the line ends and the outer whitespace of its source text."""
        value = self.entries[source.entry].texts[source.keyword].value
        own, start = value.strip(), len(value) - len(value.lstrip())
        return value[:start] + with_breaks(passage, breaks_of(own)) + value[start + len(own) :]

    def _changes(self, number: int, texts: Mapping[str, str], forms: int) -> Iterator[Change]:
        """The changes that write translations into an entry."""
        entry = self.entries[number]
        found, added = dict(_forms(entry, texts, forms)), list[str]()
        for form, text in found.items():
            keyword = f"msgstr[{form}]" if "msgid_plural" in entry.texts else "msgstr"
            raw = quoted(keyword, text, self.newline)
            if form in entry.translations:
                yield entry.translations[form].start, entry.translations[form].end, raw
            else:
                added.append(self.newline + raw)
        last = max(found, default=0)
        if added:
            yield entry.end, entry.end, "".join(added)
        elif last in entry.translations and max(entry.translations) > _count(entry, forms) - 1:
            yield entry.translations[last].end, entry.end, ""
        if found and not entry.is_fuzzy:
            yield self._flag(entry)

    def _flag(self, entry: Entry) -> Change:
        """The change that flags an entry as fuzzy."""
        if entry.flags is None:
            return entry.start, entry.start, f"#, fuzzy{self.newline}"
        start = entry.flags[0] + len("#,")
        return start, start, " fuzzy,"

    def _encoded(self, passages: Sequence[Passage], language: str) -> bytes:
        """The file with new translations and the language in its header.

        The file becomes UTF-8, and its header says so, if the header does not name the present
        encoding or that encoding lacks a character.
        """
        text = self._with_header(passages, language, to_utf8=False)
        named = charset_of(self._header_text().encode("utf-8"))
        if named == self.file.encoding and self.file.can_encode(text):
            return self.file.encode(text)
        return self.file.encode_utf8(self._with_header(passages, language, to_utf8=True))

    def _with_header(self, passages: Sequence[Passage], language: str, *, to_utf8: bool) -> str:
        head = self._head(language, to_utf8=to_utf8)
        changes = merge([head], self._all_changes(passages, language), key=_place)
        return changed(self.file.text, (), changes)[0]

    def _head(self, language: str, *, to_utf8: bool) -> Change:
        """The change that sets the language in the header, and UTF-8 if the encoding changes."""
        own = self.header.translations.get(0) if self.header else None
        raw = self.file.text[own.start : own.end] if own else 'msgstr ""'
        raw = with_charset(raw, self.newline) if to_utf8 else raw
        raw = with_field(raw, "Language", language.replace("-", "_"), self.newline)
        has_plurals = any("msgid_plural" in entry.texts for entry in self.entries)
        if has_plurals and not forms_in(self._header_text()):
            raw = with_field(raw, "Plural-Forms", plural_forms(language), self.newline)
        if own:
            return own.start, own.end, raw
        if self.header:
            return self.header.end, self.header.end, self.newline + raw
        return 0, 0, f'msgid ""{self.newline}{raw}{self.newline * 2}'


class Po:
    """The format of gettext catalogues and templates."""

    name = "po"
    suffixes = (".po", ".pot")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> Catalogue:
        """Parse a catalogue; see `Format`."""
        warnings = Warnings()
        file = _read_text(data, language, encoding, warnings)
        entries = entries_of(each_line(file.text), warnings)
        if not entries:
            raise FormatError(
                "There is nothing to translate in the file: no line begins with msgid. Check that "
                "it is a gettext file."
            )
        return Catalogue(file, entries, language, warnings.sentences())


def _place(change: Change) -> tuple[int, int]:
    return change[:2]


def _read_text(data: bytes, language: str, encoding: str | None, warnings: Warnings) -> TextFile:
    """Decode the file in the encoding of the user, else of its header, else in UTF-8."""
    charset = None if encoding else charset_of(data)
    if charset in (None, "utf-8"):
        return read_text(data, language, encoding)
    if not is_utf8(data):
        with suppress(FormatError):
            return read_text(data, language, charset)
    warnings.add("charset", 1, f"the file is not in {charset}, as its header says; UTF-8 is tried.")
    return read_text(data, language)


def _sources(number: int, entry: Entry, wrapped: bool) -> Iterator[SourceText]:
    """The passages of an entry: texts whose translation is missing or fuzzy."""
    if entry.is_header:
        return
    forms = range(max(entry.translations, default=0) + 1)
    missing = [form for form in forms if _is_missing(entry, form)]
    plural = entry.texts.get("msgid_plural")
    if 0 in missing and entry.texts["msgid"].value.strip():
        yield SourceText(number, "msgid", _passage(entry, "msgid", wrapped))
    needs_plural = missing and (len(forms) < 2 or missing[-1] > 0)
    if plural and plural.value.strip() and needs_plural:
        yield SourceText(number, "msgid_plural", _passage(entry, "msgid_plural", wrapped))


def _is_missing(entry: Entry, form: int) -> bool:
    text = entry.translations.get(form)
    return entry.is_fuzzy or not text or not text.value


def _passage(entry: Entry, keyword: str, wrapped: bool) -> Passage:
    """A text of an entry; `wrapped` if a single line end in it may mean a space."""
    text = entry.texts[keyword].value.strip()
    marks, breaks = break_marks(text, wrapped=wrapped)
    formats = re.findall(r"(?<!no-)\b[a-z-]+-format", entry.flags[1] if entry.flags else "")
    also = [match.span() for match in _PLACEHOLDER.finditer(text)] if formats else []
    also += (match.span() for match in _REFERENCE.finditer(text))
    return Passage(text, marks, kept_parts(text, [*also, *code_spans(text)]), breaks)


def _forms(entry: Entry, texts: Mapping[str, str], forms: int) -> Iterator[tuple[int, str]]:
    """The new translation of each plural form; form 0 for an entry without plural."""
    if "msgid_plural" not in entry.texts:
        yield 0, texts["msgid"]
        return
    count = _count(entry, forms)
    for form in range(count):
        wanted = "msgid" if form == 0 and count > 1 else "msgid_plural"
        text = texts.get(wanted) or (texts.get("msgid") if count == 1 else None)
        if text is not None and _is_missing(entry, form):
            yield form, text
        elif form not in entry.translations:
            yield form, ""


def _count(entry: Entry, forms: int) -> int:
    """Number of plural forms of a translated entry; existing translations are kept."""
    there = (form + 1 for form in entry.translations if not _is_missing(entry, form))
    return max([forms, *there])
