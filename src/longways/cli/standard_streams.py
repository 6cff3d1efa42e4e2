"""Standard streams: messages are one printable line each, and closed streams are no traceback."""

from __future__ import annotations

import os
import sys
import unicodedata
from contextlib import suppress

_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the direction of what follows them."""


def say(message: str) -> None:
    """Print a message on stderr."""
    with suppress(OSError):  # nobody can read it
        print(f"longways: {printable(message)}", file=sys.stderr)


def printable(text: str) -> str:
    r"""A text as one line that a terminal shows as it is.

    Names of files may hold line ends, escape sequences, and bytes that are not UTF-8; they are
    shown as `\n`, `\x1b` and `\xe9`.
    """
    try:
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "backslashreplace").decode()
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    harmful = character in _TURNING or unicodedata.category(character) in ("Cc", "Zl", "Zp")
    return character.encode("unicode_escape").decode() if harmful else character


def reserve_closed_streams() -> None:
    """Take the numbers of standard streams that are closed.

    Otherwise the next file that is opened has the number of a standard stream, and messages of C
    libraries are written into it. Reading standard input is then an error, and so is writing to
    standard output; messages go nowhere.
    """
    for number, flags in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)


def drop_output() -> None:
    """Forget what could not be written to standard output, so that it is not tried at the exit."""
    with suppress(OSError):
        sys.stdout.flush()
        return
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
