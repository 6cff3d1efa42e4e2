"""The languages of a foreign model: from its files, from its name, or as the user says."""

from __future__ import annotations

import json
import re
from pathlib import Path

from longways.errors import TextError
from longways.text.languages.codes import main_language

_FAMILY_NAMES = (
    "mul aav afa alv art bat bnt cau ccs cpf cpp cus dra euq fiu gem gmq gmw grk iir inc ine itc "
    "ira jap roa sal sem sit sla taw tdt trk tut urj wes zle zls zlw romance celtic nordic "
    "north_eu scandinavia"
)
_FAMILIES = frozenset(_FAMILY_NAMES.split())
"""Names of families of languages, which models with several languages have."""

_NAME = re.compile(
    r"opus(?:\d*m?t?|-mt)?(?:[-_.]?(?:tc|tiny|base|big|htr|ft))*[-_]([\w+]+)-([\w+]+)$"
)
_PAIR = re.compile(r"([A-Za-z]{2,}[\w]*)-([A-Za-z]{2,}[\w]*)")


def languages(folder: Path, wanted: str | None, tag: str) -> tuple[str, str]:
    """The source and target language as codes such as zh; `wanted` is a pair such as zh-en."""
    if wanted is not None:
        pair = _PAIR.fullmatch(wanted)
        if not pair:
            raise TextError(f"--languages is {wanted!r}, but it must be like zh-en.")
        return pair[1], pair[2]
    named = _NAME.search(folder.resolve().name)
    found = _in_files(folder) or (named.groups() if named else ("", ""))
    source, target = map(code, (found[0], tag[2:-2] or found[1]))
    if not source or not target:
        raise TextError(
            f"{folder} does not say which languages it translates"
            f"{f' ({found[0]} to {found[1]})' if any(found) else ''}. Name them with --languages, "
            "as in --languages zh-en."
        )
    return source, target


def code(name: str) -> str:
    """The code of a language such as zh for zho, cmn_Hans or ZH; empty for a family or no name."""
    first = re.split("[-_+]", name.strip().lower())[0]
    if name.lower() in _FAMILIES or first in _FAMILIES or "+" in name:
        return ""
    return main_language(first)


def _in_files(folder: Path) -> tuple[str, str] | None:
    """The languages in `tokenizer_config.json`."""
    try:
        content = json.loads((folder / "tokenizer_config.json").read_bytes())
        source, target = content.get("source_lang"), content.get("target_lang")
    except (OSError, ValueError, AttributeError):
        return None
    return (source, target) if isinstance(source, str) and isinstance(target, str) else None
