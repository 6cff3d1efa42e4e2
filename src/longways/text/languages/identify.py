"""Which of some languages a text is in: by its script, then by py3langid among the others."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from longways.text.languages.codes import main_language
from longways.text.optional_import import import_optional
from longways.text.scripts import main_script, scripts_of

MIN_LOG_ODDS = 12.0
"""A language is certain if it is this much likelier than the next, in natural logarithms."""

COMPARED = {
    "latin": ("en", "de", "fr", "es", "it", "pt", "nl", "pl"),
    "cyrillic": ("ru", "uk", "bg"),
}
"""Languages that py3langid distinguishes, by their script."""


class Identified(NamedTuple):
    """The most likely language of a text."""

    language: str | None
    """Its code as it was given; None if the text has no letters of any of the languages."""
    is_certain: bool = True


def identified(text: str, languages: Iterable[str]) -> Identified:
    """The most likely of the languages that a text may be in.

    A language whose script is not known is left out.
    """
    script = main_script(text)
    fitting = [code for code in languages if script and script in scripts_of(main_language(code))]
    if script == "han":  # Japanese has kana, Korean has hangul
        only = [code for code in fitting if scripts_of(main_language(code)) == ("han",)]
        fitting = only or fitting
    if len({main_language(code) for code in fitting}) < 2:
        return Identified(fitting[0] if fitting else None)
    return _by_letters(text, {main_language(code): code for code in reversed(fitting)})


def _by_letters(text: str, codes: dict[str, str]) -> Identified:
    """The most likely of languages of one script; not certain if py3langid knows too few."""
    known = identifier(frozenset(codes))
    if known is None:
        return Identified(next(reversed(codes.values())), is_certain=False)
    first, second, *_ = known.rank(text)
    is_certain = bool(first[1] - second[1] > MIN_LOG_ODDS)
    return Identified(codes[first[0]], is_certain and len(known.nb_classes) == len(codes))


@lru_cache
def identifier(languages: frozenset[str]) -> Any:
    """A py3langid identifier of some languages; None if it knows fewer than two of them."""
    module = import_optional("py3langid.langid")
    found = module.LanguageIdentifier.from_model_file(module.MODEL_FILE)
    known = sorted(languages & set(found.nb_classes))
    if len(known) < 2:
        return None
    found.set_languages(known)
    return found
