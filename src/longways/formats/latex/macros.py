r"""Commands and groups of LaTeX: what is text in their arguments, and what they do to a sentence.

An unknown command is markup around its argument if that is text of the language; otherwise the
command is a word that stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from longways.formats.latex.arguments import Argument, arguments, is_text
from longways.formats.latex.commands import CHARACTERS, COMMANDS, LOGOS, Command, command_named
from longways.formats.latex.state import MAX_DEPTH, Reading
from longways.formats.latex.tokens import BLANK, COMMAND, SPACE

MAX_ARGUMENTS = 12
"""The largest number of arguments of a command."""


class MacroReader(Reading):
    """Reads commands and groups."""

    def _command(self, number: int, last: int) -> int:
        name = self.tokens.name(number)
        character = CHARACTERS.get(name)
        if character is not None:
            return self._character(character, number, last)
        known = command_named(name)
        if known is None:
            return self._unknown(number, last)
        return self._by_role(known, name, number, last)

    def _by_role(self, known: Command, name: str, number: int, last: int) -> int:
        if known.role == "settings" and name not in COMMANDS and not self._has_keys(number, last):
            return self._unknown(number, last)
        if known.role == "definition":
            return self._definition(name, number, last)
        if known.arguments == "?":
            return self._condition(number, last)
        if known.arguments == "*" or known.role == "word":
            found = list(
                arguments(self.tokens, number + 1, last, braces=MAX_ARGUMENTS, apart=False)
            )
            bare = not found or found[0].close == found[0].open + 1
            return self._kept(known.role == "word" or bare, number, found, last)
        count = len(known.arguments) + (known.role == "settings")
        found = list(arguments(self.tokens, number + 1, last, braces=count, apart=count > 0))
        while found and found[-1].is_option and count and known.role != "settings":
            found.pop()  # brackets after the last argument are text
        if known.role == "settings":
            self._set(name, found)
            return self._after(number, found)
        given = [one for one in found if not one.is_option]
        if known.role in ("alone", "declaration") or len(given) < len(known.arguments):
            return self._kept(False, number, found, last)
        if known.role == "block":
            return self._block(known, name, number, found)
        if known.role == "note":
            return self._note(number, found)
        return self._pair(number, given[-1], last, found, is_code=known.role == "code")

    def _has_keys(self, number: int, last: int) -> bool:
        found = arguments(self.tokens, number + 1, last, braces=1, apart=True)
        return any(self.text.find("=", *self._range(one)) >= 0 for one in found)

    def _after(self, number: int, found: Sequence[Argument]) -> int:
        return found[-1].close + 1 if found else number + 1

    def _character(self, character: str, number: int, last: int) -> int:
        """A command that prints a character, with the space or the braces that end its name."""
        after = number + 1
        if after < last and self.tokens.kinds[after] == SPACE:
            after += 1
        elif after + 1 < last and self.tokens.at(after) == "{":
            after += 2 * (self.tokens.partners[after] == after + 1)
        if not self._silent:
            start, end = self.tokens.starts[number], self.tokens.starts[after]
            self._line.text(character, start, end)
        return after

    def _kept(self, is_word: bool, number: int, found: Sequence[Argument], last: int) -> int:
        """A command that stays with its arguments, as a word or between words."""
        after = self._after(number, found)
        if is_word:
            return self._word(number, after)
        if not found and after < last and self.tokens.kinds[after] == SPACE:
            after += "\n" not in self.tokens.at(after)
        self._line.alone(self.tokens.starts[number], self.tokens.starts[after])
        return after

    def _block(self, known: Command, name: str, number: int, found: Sequence[Argument]) -> int:
        """A command that ends a sentence, with texts in its arguments."""
        self._flush(self.tokens.starts[number])
        kinds = iter(known.arguments)
        for one in found:
            if one.is_option:
                if known.reads_option:
                    self._option(name, one, may_be_title=True)
            elif next(kinds) == "t":
                self.nodes += self._inner(one.open + 1, one.close)
        return self._after(number, found)

    def _note(self, number: int, found: Sequence[Argument]) -> int:
        """An item whose text is a passage of its own."""
        inside = self._inner(found[-1].open + 1, found[-1].close)
        after = self._after(number, found)
        if self._silent:
            self.nodes += inside
        else:
            self._line.alone(self.tokens.starts[number], self.tokens.starts[after], inside)
        return after

    def _pair(
        self, number: int, text: Argument, last: int, found: Sequence[Argument], *,
        is_code: bool = False,
    ) -> int:  # fmt: skip
        """Markup around the words of an argument."""
        first, close = text.open + 1, text.close
        after = self._after(number, found)
        if self._silent or self.tokens.is_broken(first, close):
            self._apart(first, close)
            return after
        if self._depth >= MAX_DEPTH:
            self._too_deep(number)
            return self._word(number, after)
        self._depth += 1
        starts = self.tokens.starts
        self._line.open(starts[number], starts[first])
        self._read(first, close)
        start, end = self._range(text)
        kept = is_code and not is_text(self.text, start, end, self.language)
        self._line.close(starts[close], starts[after], kept=kept)
        self._depth -= 1
        return after

    def _link(self, number: int, last: int) -> int:
        found = list(arguments(self.tokens, number + 1, last, braces=1, apart=True))
        if not found:
            return self._break(number, last)
        return self._pair(number, found[0], last, found)

    def _unknown(self, number: int, last: int) -> int:
        found = list(arguments(self.tokens, number + 1, last, braces=MAX_ARGUMENTS, apart=False))
        read = [one for one in found if is_text(self.text, *self._range(one), self.language)]
        after = self._after(number, found)
        if not read:
            if self.tokens.is_broken(number, after):
                self._flush(self.tokens.starts[number])
                return after
            return self._kept(True, number, found, last)
        broken = self.tokens.is_broken(number, after)
        if len(read) == 1 and not broken and not self._silent and not read[0].is_option:
            return self._pair(number, read[0], last, found)
        inside = [
            node
            for one in read
            for node in self._inner(one.open + 1, one.close, "option" if one.is_option else "text")
        ]
        if broken or self._silent:
            self._flush(self.tokens.starts[number])
            self.nodes += inside
        else:
            self._line.alone(self.tokens.starts[number], self.tokens.starts[after], inside)
        return after

    def _condition(self, number: int, last: int) -> int:
        """A condition: the last two of at least three arguments are what it may print."""
        self._flush(self.tokens.starts[number])
        found = list(arguments(self.tokens, number + 1, last, braces=MAX_ARGUMENTS, apart=False))
        for one in found[-2:] if len(found) > 2 else ():
            self.nodes += self._inner(one.open + 1, one.close)
        return self._after(number, found)

    def _set(self, name: str, found: Sequence[Argument]) -> None:
        """A command with settings."""
        self._flush(self.tokens.starts[found[0].open] if found else 0)
        for one in found:
            self._settings(name, *self._range(one))

    def _definition(self, name: str, number: int, last: int) -> int:
        """A macro, whose body may have text."""
        self._flush(self.tokens.starts[number])
        tokens, after = self.tokens, number + 1
        if after < last and tokens.kinds[after] == COMMAND:
            after += 1
            while name.endswith("def") and after < last and tokens.at(after) != "{":
                if tokens.kinds[after] in (BLANK, COMMAND):
                    return after
                after += 1
            found = list(arguments(tokens, after, last, braces=2, apart=True))
            bodies = [one for one in found if not one.is_option][:1]
        else:
            found = list(arguments(tokens, after, last, braces=3, apart=True))
            bodies = [one for one in found if not one.is_option][1:]
            if "environment" not in name.lower():
                bodies = bodies[: 2 if "Document" in name else 1]
        if not bodies:
            return self._after(number, found)
        for one in bodies:
            if is_text(self.text, *self._range(one), self.language):
                self.nodes += self._inner(one.open + 1, one.close)
        return bodies[-1].close + 1

    def _group(self, number: int, last: int) -> int:
        """A group: markup around words if no sentence ends in it."""
        tokens, partner = self.tokens, self.tokens.partners[number]
        if not number < partner < last or tokens.is_broken(number + 1, partner) or self._silent:
            if not self._silent:
                self._flush(tokens.starts[number])
            return number + 1
        if self._depth >= MAX_DEPTH:
            self._too_deep(number)
            return self._word(number, partner + 1)
        first = self._after_declarations(number + 1, partner)
        self._depth += 1
        self._line.open(tokens.starts[number], tokens.starts[first])
        self._read(first, partner)
        self._line.close(tokens.starts[partner], tokens.starts[partner + 1])
        self._depth -= 1
        return partner + 1

    def _after_declarations(self, number: int, last: int) -> int:
        """The first token of a group after its declarations."""
        tokens = self.tokens
        while number < last and tokens.kinds[number] == COMMAND:
            name = tokens.name(number)
            known = command_named(name)
            if name in CHARACTERS or name in LOGOS or (known and known.role != "declaration"):
                break
            count = len(known.arguments) if known else 0
            found = list(arguments(tokens, number + 1, last, braces=count, apart=False))
            if not known and tokens.at(number + 1) in ("{", "["):
                break
            number = self._after(number, found)
            while number < last and tokens.kinds[number] == SPACE:
                number += 1
        return number
