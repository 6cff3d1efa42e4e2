# ruff: noqa: RUF001 - signs as they are printed
r"""Characters of LaTeX: what accents, ligatures and escapes print, and new text with its escapes.

\'e \"{o} \c{c} ``a'' \%  ->  é ö ç “a” %
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304",
    ".": "\u0307", "c": "\u0327", "v": "\u030c", "H": "\u030b", "k": "\u0328", "u": "\u0306",
    "d": "\u0323", "b": "\u0331", "r": "\u030a",
}  # fmt: skip
_COMMAND_OF = {sign: command for command, sign in _ACCENTS.items()}
_ALONE = {"^": "^", "~": "~", "'": "´", "`": "`", '"': "¨"}
_LIGATURE = re.compile("---?|``|''|`")
_LIGATURES = {"---": "—", "--": "–", "``": "“", "''": "”", "`": "‘"}
_ESCAPES = {
    "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "#": "\\#",
    "%": "\\%", "_": "\\_", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}",
    "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", "\u00a0": "~",
    "`": "\\textasciigrave{}", "-": "-{}", "'": "'{}", "–": "--", "—": "---", "…": "\\ldots{}",
    "\u2009": "\\,",
}  # fmt: skip
_QUOTES = {"“": "``", "”": "''", "‘": "`", "’": "'"}
_ESCAPED = re.compile(r"[\\{}$&#%_^~<>|`\u00a0\u2009–—…“”‘’\"]|-(?=[-–—])|'(?=['’”\"])")
"""Signs with an escape, and the ones that would be one sign with the next: `--`."""
_NOT_TEXT = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*|[\0-\x08\x0e-\x1b\x7f]")
"""Line ends, and signs that TeX does not read."""
_LETTERS = {"ß": "\\ss{}", "ø": "\\o{}", "Ø": "\\O{}", "æ": "\\ae{}", "Æ": "\\AE{}",
            "œ": "\\oe{}", "Œ": "\\OE{}", "ł": "\\l{}", "Ł": "\\L{}", "ı": "\\i{}",
            "©": "\\copyright{}", "°": "\\textdegree{}", "•": "\\textbullet{}"}  # fmt: skip


def accented(token: str) -> str:
    r"""The character of an accent and its letter: `\'{e}`."""
    letter = token[2:].strip(" {}").lstrip("\\")
    if not letter:
        return _ALONE.get(token[1], "")
    return unicodedata.normalize("NFC", letter + _ACCENTS[token[1]])


def printed(text: str) -> str:
    """Text with its dashes and quotation marks as they are printed."""
    return _LIGATURE.sub(lambda found: _LIGATURES[found[0]], text)


def escaped(text: str, can_encode: Callable[[str], bool], *, raw: str = "") -> str:
    """New text for a file; `raw` are characters that the file has without escapes."""
    text = _NOT_TEXT.sub(" ", text)

    opened = False

    def escape(found: re.Match[str]) -> str:
        nonlocal opened
        sign = found[0]
        if sign == '"':
            before, after = (
                text[found.start() - 1 : found.start()],
                text[found.end() : found.end() + 1],
            )
            opened = before in " ([{-—" or (not opened and after not in " .,;:!?)")
            return "``" if opened else "''"
        if sign in raw:
            return sign
        return _ESCAPES.get(sign) or _QUOTES[sign]

    written = _ESCAPED.sub(escape, text)
    return written if can_encode(written) else "".join(map(_encoded(can_encode), written))


def _encoded(can_encode: Callable[[str], bool]) -> Callable[[str], str]:
    """A character that an encoding may lack, with the command for it if there is one."""

    def encoded(character: str) -> str:
        if character.isascii() or can_encode(character):
            return character
        if character in _LETTERS:
            return _LETTERS[character]
        letter, *accents = list(unicodedata.normalize("NFD", character))
        if len(accents) == 1 and accents[0] in _COMMAND_OF and letter.isascii():
            letter = {"i": "\\i", "j": "\\j"}.get(letter, letter)
            return f"\\{_COMMAND_OF[accents[0]]}{{{letter}}}"
        return character

    return encoded
