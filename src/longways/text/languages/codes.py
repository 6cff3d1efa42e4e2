"""Language codes of other tools: `zh_CN`, `chi`, `zho_Hans` and `cmn-Hans` are all Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_THREE_LETTERS = (
    "afr:af ara:ar aze:az bel:be ben:bn bul:bg cat:ca ces:cs cmn:zh cym:cy dan:da deu:de ell:el "
    "eng:en epo:eo est:et eus:eu fas:fa fin:fi fra:fr gle:ga glg:gl guj:gu heb:he hin:hi hrv:hr "
    "hun:hu hye:hy ind:id isl:is ita:it jpn:ja kan:kn kat:ka kaz:kk kor:ko lat:la lav:lv lit:lt "
    "ltz:lb mal:ml mar:mr mkd:mk mlt:mt msa:ms mya:my nep:ne nld:nl nno:nn nob:nb nor:no pan:pa "
    "pol:pl por:pt pus:ps ron:ro rus:ru slk:sk slv:sl spa:es sqi:sq srp:sr swa:sw swe:sv tam:ta "
    "tel:te tha:th tur:tr ukr:uk urd:ur uzb:uz vie:vi yid:yi zho:zh"
)
_LIBRARIES = (
    "alb:sq arm:hy baq:eu bur:my chi:zh cze:cs dut:nl fre:fr geo:ka ger:de gre:el ice:is mac:mk "
    "may:ms per:fa rum:ro slo:sk wel:cy"
)
"""The older codes of three letters, which libraries use."""
_OTHERS = "iw:he in:id ji:yi cn:zh jp:ja cz:cs dk:da gr:el ua:uk"
"""Former codes, and countries that are written in place of their languages."""
_SHORT = dict(pair.split(":") for pair in f"{_THREE_LETTERS} {_LIBRARIES} {_OTHERS}".split())
"""The codes of two letters for others of the same language."""

_TAGS = {"zt": "zh-Hant", "pb": "pt-BR"}
"""Whole tags for codes of LibreTranslate."""
_TRADITIONAL = {"hant", "tw", "hk", "mo"}


@lru_cache(maxsize=1000)
def main_language(code: str) -> str:
    """The language of a code, without its region and script, as two letters where it has them."""
    first = re.split("[-_]", _TAGS.get(code.strip().lower(), code).strip().lower())[0]
    return _SHORT.get(first, first)


def language_tag(code: str) -> str:
    """A code as a tag: `zh_cn` is zh-CN, `zho_Hans` is zh-Hans, `zt` is zh-Hant, `eng` is en."""
    code = _TAGS.get(code.strip().lower(), code.strip())
    _, *others = re.split("[-_]", code)
    cased = (part.title() if len(part) == 4 else part.upper() for part in others if part)
    return "-".join([main_language(code), *cased])


def is_traditional(code: str) -> bool:
    """Whether a code is of Chinese in traditional characters."""
    return main_language(code) == "zh" and bool(_subtags(code) & _TRADITIONAL)


def best_code(codes: Sequence[str], language: str) -> str | None:
    """The code in a list that fits a language best; None if none is of this language.

    The same region or script comes first. Of Chinese, simplified comes before traditional unless
    the language is traditional itself.
    """
    fitting = [code for code in codes if main_language(code) == main_language(language)]
    return min(fitting, key=lambda code: _distance(code, language), default=None)


def _distance(code: str, language: str) -> tuple[bool, bool]:
    ours, theirs = _subtags(language), _subtags(code)
    traditional = bool(ours & _TRADITIONAL) != bool(theirs & _TRADITIONAL)
    return traditional, ours != theirs


def _subtags(code: str) -> set[str]:
    code = _TAGS.get(code.strip().lower(), code)
    return set(re.split("[-_]", code.strip().lower())[1:])
