# ruff: noqa: RUF001 - Russian has letters that look like Latin ones
"""Abbreviations by language: words whose full stop does not end a sentence, in lower case."""

from __future__ import annotations

from typing import NamedTuple


class Abbreviations(NamedTuple):
    """Abbreviations of a language, listed without their full stop."""

    always: frozenset[str]
    """The sentence continues after these, whatever follows: Mr. Smith."""
    before_numbers: frozenset[str]
    """The sentence continues after these if a number follows: No. 5."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH = Abbreviations(
    _words(
        "mr mrs ms mx dr prof st mt messrs rev hon gen col capt lt sgt maj cmdr adm gov sen rep "
        "pres vs cf e.g i.e eg ie viz al approx ca resp incl esp ave blvd rd dept est ext tel"
    ),
    _words(
        "no nos fig figs eq eqs sec secs ch chap vol vols p pp para art ed eds nr tab "
        "jan feb mar apr jun jul aug sep sept oct nov dec"
    ),
)
_RUSSIAN = Abbreviations(
    _words(
        "г гг в вв т.е т.к т.н т.о т напр см ср им ул пер пл просп д корп кв стр с гл рис табл "
        "проф акад доц канд докт тов гр г-н г-жа обл р-н пос дер оз о-в св руб коп тыс млн млрд "
        "трлн кг км см мм мин сек час н.э до ок прибл соч изд ред сост англ нем фр лат рус мн ед"
    ),
    _words("п пп № ст ч т тт"),
)
_OTHER = Abbreviations(
    _ENGLISH.always
    | _words(
        "hr fr frau bzw z.b d.h u.a m mme mlle sr sra srta dott sig ing av núm nº p.ej ej art"
    ),
    _ENGLISH.before_numbers | _words("núm num bd s"),
)


def abbreviations_of(language: str) -> Abbreviations:
    """Abbreviations of a language. Chinese uses English ones; unlisted languages share a list."""
    known = {"en": _ENGLISH, "zh": _ENGLISH, "ja": _ENGLISH, "ru": _RUSSIAN, "uk": _RUSSIAN}
    return known.get(language.partition("-")[0].partition("_")[0].lower(), _OTHER)
