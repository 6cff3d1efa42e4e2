# ruff: noqa: RUF001 - Russian has letters that look like Latin ones
"""Abbreviations by language: words whose full stop does not end a sentence, in lower case.

Some languages write ordinal numbers with a full stop: am 3. Mai. A number before a name of a month
or another word of `after_ordinals` does not end a sentence there.
"""

from __future__ import annotations

from typing import NamedTuple


class Abbreviations(NamedTuple):
    """Abbreviations of a language, listed without their full stop."""

    always: frozenset[str]
    """The sentence continues after these, whatever follows: Mr. Smith."""
    before_numbers: frozenset[str]
    """The sentence continues after these if a number follows: No. 5."""
    after_ordinals: frozenset[str] = frozenset()
    """The sentence continues after a number if one of these follows: 3. Mai, 2. Abschnitt."""
    before_ordinals: frozenset[str] = frozenset()
    """The sentence continues after a number if one of these is before it: am 3., der 2."""
    starts: frozenset[str] = frozenset()
    """Words that begin a sentence even then: am 3. Die ..."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH = Abbreviations(
    _words(
        "mr mrs ms mx dr prof st mt messrs rev hon gen col capt lt sgt maj cmdr adm gov sen rep "
        "pres vs cf e.g i.e eg ie viz al approx ca resp incl esp ave blvd rd dept est ext tel"
    ),
    _words(
        "no nos fig figs eq eqs sec secs ch chap vol vols p pp para art ed eds nr tab ver vers "
        "jan feb mar apr jun jul aug sep sept oct nov dec"
    ),
)
_RUSSIAN = Abbreviations(
    _words(
        "г гг в вв т.е т.к т.н т.о т.ч напр см ср им ул пер пл просп д корп кв стр с гл "
        "рис табл проф акад доц канд докт тов гр г-н г-жа обл р-н пос дер оз о-в св руб коп тыс "
        "млн млрд трлн кг км см мм мин сек час н.э до ок прибл соч изд ред сост англ нем фр лат "
        "рус мн ед прим илл подп зам нач тел доб"
    ),
    _words("п пп № ст ч т тт разд абз янв февр мар апр авг сент окт нояб дек"),
)
_GERMAN = Abbreviations(
    _words(
        "hr fr frl dr prof dipl ing mag bzw z.b d.h u.a u.ä u.u o.ä o.g s.o s.u i.d.r i.a v.a z.t "
        "z.zt ca evtl ggf inkl exkl zzgl abzgl vgl sog gem lt bzgl insb insbes max min mind allg "
        "geb gest verh str tel usf jh jhd mio mrd tsd st hl co ges gez entspr einschl "
        "ausschl ausgen zusätzl urspr eigtl bes med phil rer nat jur habil oec sc"
    ),
    _words(
        "nr nrn abb abbn tab tabn bd bde s seite kap art abs abschn ziff zif § aufl jg hft gl anm "
        "fußn anh lfd pos vers v jan jän feb mär apr jun jul aug sep sept okt nov dez"
    ),
    _words(
        "januar jänner februar feber märz april mai juni juli august september oktober november "
        "dezember jan feb mär apr jun jul aug sep sept okt nov dez jahrhundert jahrhunderts jh "
        "klasse auflage abschnitt abschnitts kapitel kapitels teil band platz stock stockwerk "
        "etage schritt mal weltkrieg weltkriegs weltkrieges quartal halbjahr tag tages woche monat "
        "lebensjahr geburtstag jahrestag bundesliga liga runde spieltag version generation ausgabe"
    ),
    _words("am vom zum bis seit der dem des den die das ab im beim und oder jeder jedem jede"),
    _words(
        "der die das den dem er es sie wir ich ihr man ein eine einen am im in an auf bei mit nach "
        "vor von zu dann danach dort hier dies diese dieser dieses bitte wenn weil aber und oder"
    ),
)
_FRENCH = Abbreviations(
    _words(
        "m mm mme mmes mlle mlles mgr dr me ste st p.ex c.-à-d c.à.d cf env av bd boul tél apr "
        "j.-c hab resp vs éd coll trad"
    ),
    _words(
        "fig figs tab n no nos nº chap ch p pp vol t art sect éq al "
        "janv févr avr juil sept oct nov déc"
    ),
)
_SPANISH = Abbreviations(
    _words(
        "sr sra srta sres sras d dña dr dra prof profa ing lic arq ud uds vd vds p.ej ej av avda "
        "pza ee ee.uu aa.vv tel dpto depto cía gral ntra sto sta fdo aprox máx mín cf vs"
    ),
    _words(
        "núm nº n no num pág págs p pp fig figs tab cap caps vol vols art arts ap sec ec "
        "ene feb mar abr jun jul ago sep sept oct nov dic"
    ),
)
_OTHER = Abbreviations(
    _ENGLISH.always
    | _words(
        "hr fr frau bzw z.b d.h u.a m mme mlle sr sra srta dott sig sigg ing av núm nº p.ej ej art "
        "dhr mevr bijv o.a d.w.z np m.in tzn zob např tzv"
    ),
    _ENGLISH.before_numbers | _words("núm num bd s pag pagg pág págs blz str č obr rys"),
)
_KNOWN = {
    **dict.fromkeys(("en", "zh", "ja"), _ENGLISH),
    **dict.fromkeys(("ru", "uk"), _RUSSIAN),
    "de": _GERMAN,
    "fr": _FRENCH,
    "es": _SPANISH,
}


def abbreviations_of(language: str) -> Abbreviations:
    """Abbreviations of a language. Chinese uses English ones; unlisted languages share a list."""
    return _KNOWN.get(language.partition("-")[0].partition("_")[0].lower(), _OTHER)
