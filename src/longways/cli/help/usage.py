"""One sentence for a command line that cannot be parsed: an unknown command or option, no argument.

The exceptions are click's. Some versions of typer have a click of their own, so the exceptions are
recognised by their attributes and the names of their classes.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any


def is_request_for_help(error: Exception) -> bool:
    """Whether there were no arguments, so that the help is shown."""
    return type(error).__name__ == "NoArgsIsHelpError"


def usage_sentence(error: Any) -> str | None:
    """What is wrong with the command line, if that is the error."""
    if not hasattr(error, "format_message"):
        return None
    context = getattr(error, "ctx", None)
    option = getattr(error, "option_name", None)
    if type(error).__name__ == "NoSuchOption" and option:
        known = [name for one in context.command.params for name in one.opts] if context else []
        return f"There is no option {option}. {_hint(option, known, context)}"
    command = re.match(r"No such command '(.*?)'\.", error.format_message())
    if command and context:
        known = [name for name, one in context.command.commands.items() if not one.hidden]
        return f"There is no command {command[1]!r}. {_hint(command[1], known, context, '{!r}')}"
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message}. {_see_help(context)}".rstrip()


def _hint(name: str, known: Iterable[str], context: Any, form: str = "{}") -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"Did you mean {form.format(close[0])}?" if close else _see_help(context)


def _see_help(context: Any) -> str:
    """How to get the help of the command that was used."""
    if context is None:
        return ""
    return f"See `{context.command_path} --help`.".replace("python -m longways", "longways")
