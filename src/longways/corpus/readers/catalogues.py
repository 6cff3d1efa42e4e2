"""Reader of gettext catalogues: messages with their translations.

A catalogue has both languages, or two catalogues have the texts of the same keys. Messages whose
references name a page of a document, such as `install.rst:12`, are in the order of that page, and
so they are a document; other messages are strangers to each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.exchange import (
    NOT_TRANSLATED,
    Languages,
    bad_files,
    missing_languages,
)
from longways.corpus.readers.lines import open_bytes
from longways.corpus.readers.units import Unit, page
from longways.formats.po.catalogue import Catalogue, Po
from longways.formats.po.entries import Entry
from longways.text.languages.codes import main_language

_LANGUAGE = re.compile(r"^Language:[ \t]*([A-Za-z]{2,3}(?:[-_@][A-Za-z0-9]+)*)", re.MULTILINE)
_LINE = re.compile(r":\d+$")
"""The line at the end of a reference."""


def read_po(path: Path, languages: Languages, inspector: BadInputPolicy) -> Iterator[Unit]:
    """The translated messages of a catalogue; its header says into which language they are."""
    with bad_files(path, inspector):
        catalogue = _catalogue(path, languages[0])
        own, wanted = _language(catalogue), tuple(map(main_language, languages))
        if own and own not in wanted:
            raise missing_languages(path, languages, [f"translations into {own}"])
        is_reversed = own == wanted[0] != wanted[1]
        for entry in catalogue.entries:
            yield from _units(entry, is_reversed, inspector)


def read_po_pair(
    source: Path, target: Path, languages: Languages, inspector: BadInputPolicy
) -> Iterator[Unit]:
    """The texts that two catalogues have for the same keys, in the order of the first."""
    with bad_files(source, inspector):
        ours = _catalogue(source, languages[0])
        with bad_files(target, inspector):
            entries = _catalogue(target, languages[1]).entries
            theirs = {_key(entry): entry for entry in entries if not entry.is_header}
            for entry in ours.entries:
                other = theirs.get(_key(entry))
                if entry.is_header:
                    continue
                if other is None or not (_is_done(entry) and _is_done(other)):
                    inspector.count(NOT_TRANSLATED)
                    continue
                for form in entry.translations.keys() & other.translations.keys():
                    ours_text, theirs_text = entry.translations[form], other.translations[form]
                    yield Unit(ours_text.value, theirs_text.value, _page(entry))


def _catalogue(path: Path, language: str) -> Catalogue:
    with open_bytes(path) as file:
        return Po().read(file.read(), language)


def _language(catalogue: Catalogue) -> str:
    """The language of the translations, as the header says; empty if it does not."""
    texts = catalogue.header.translations.values() if catalogue.header else ()
    match = _LANGUAGE.search("".join(text.value for text in texts))
    return main_language(match[1].partition("@")[0]) if match else ""


def _units(entry: Entry, is_reversed: bool, inspector: BadInputPolicy) -> Iterator[Unit]:
    """The pairs of an entry: of a message with plural forms the first and the last."""
    if entry.is_header:
        return
    if not _is_done(entry):
        inspector.count(NOT_TRANSLATED)
        return
    plural, forms = entry.texts.get("msgid_plural"), entry.translations
    pairs = [(entry.texts["msgid"], forms[0])] if not plural or len(forms) > 1 else []
    pairs += [(plural, forms[max(forms)])] if plural else []
    for source, target in pairs:
        texts = source.value, target.value
        yield Unit(*(texts[::-1] if is_reversed else texts), _page(entry))


def _is_done(entry: Entry) -> bool:
    """Whether an entry has a reviewed translation in all forms."""
    texts = [text.value.strip() for text in entry.translations.values()]
    return bool(0 in entry.translations and all(texts) and not entry.is_fuzzy)


def _key(entry: Entry) -> tuple[str, str]:
    context = entry.texts.get("msgctxt")
    return context.value if context else "", entry.texts["msgid"].value


def _page(entry: Entry) -> str:
    """The page that a message comes from; empty if it comes from a program."""
    return page(_LINE.sub("", entry.references[0])) if entry.references else ""
