"""English names of languages, for people who choose one."""

from __future__ import annotations

from longways.text.languages.codes import is_traditional, language_tag, main_language

_TABLE = (
    "af:Afrikaans ar:Arabic az:Azerbaijani be:Belarusian bg:Bulgarian bn:Bengali ca:Catalan "
    "cs:Czech cy:Welsh da:Danish de:German el:Greek en:English eo:Esperanto es:Spanish "
    "et:Estonian eu:Basque fa:Persian fi:Finnish fr:French ga:Irish gl:Galician gu:Gujarati "
    "he:Hebrew hi:Hindi hr:Croatian hu:Hungarian hy:Armenian id:Indonesian is:Icelandic "
    "it:Italian ja:Japanese ka:Georgian kk:Kazakh kn:Kannada ko:Korean lb:Luxembourgish "
    "lt:Lithuanian lv:Latvian mk:Macedonian ml:Malayalam mr:Marathi ms:Malay mt:Maltese "
    "my:Burmese ne:Nepali nl:Dutch no:Norwegian pa:Punjabi pl:Polish ps:Pashto pt:Portuguese "
    "ro:Romanian ru:Russian sk:Slovak sl:Slovenian sq:Albanian sr:Serbian sv:Swedish "
    "sw:Swahili ta:Tamil te:Telugu th:Thai tr:Turkish uk:Ukrainian ur:Urdu uz:Uzbek "
    "vi:Vietnamese yi:Yiddish zh:Chinese "
)
_NAMES = dict(pair.split(":") for pair in _TABLE.split())


def language_name(code: str) -> str:
    """The English name of a language, with its script or region if the code has one."""
    name = _NAMES.get(main_language(code))
    if name is None:
        return code
    if main_language(code) == "zh" and is_traditional(code):
        return f"{name} (traditional)"
    _, *rest = language_tag(code).split("-")
    is_plain = not rest or (name == "Chinese" and rest[0] in ("CN", "Hans"))
    return name if is_plain else f"{name} ({'-'.join(rest)})"
