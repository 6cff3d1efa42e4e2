r"""Untranslatable sentences: numbers, addresses, code and other text without natural language.

A sentence is left as it is if it has no letter outside these, which must stand alone between
spaces or marks and are made of ASCII characters only:

- addresses: https://..., www...., name@example.org
- paths: /usr/bin, ./run.sh, ~/notes, C:\Users
- options and settings: --force, --model=x, name=value, $HOME, ${HOME}
- names in programs: snake_case, call(), {placeholder}, {{placeholder}}, <tag>, </tag>

So numbers, dates, rules (-----), emoji and lone addresses are left; a word, a name, a hashtag, a
heading or a sentence that contains any of the above is not. Words in a foreign language are the
concern of `longways.text.foreign`.
"""

from __future__ import annotations

import re

_NO_LANGUAGE = re.compile(
    r"""
      (?: https?:// | ftp:// | www\. ) [!-~]+
    | [\w.+-]+ @ [\w-]+ (?: \.[\w-]+ )+
    | (?<![\w)]) (?: [A-Z]:\\ | ~?/ | \.{1,2}/ ) [\w./\\~-]*
    | (?<![\w-]) --[A-Za-z] [\w-]* (?: =\S* )?
    | (?<!\w) [A-Za-z_][\w.-]* = [!-~]+
    | \$ \{? \w+ \}?
    | (?<!\w) [A-Za-z0-9]+ (?: _[A-Za-z0-9]+ )+ (?: \( \) )?
    | (?<!\w) [A-Za-z_][\w.]* \( \)
    | \{\{? \s? [\w.]+ \s? \}\}?
    | </? [A-Za-z] [!-;=?-~\s]* >
    """,
    re.VERBOSE | re.ASCII,
)


def is_untranslatable(sentence: str) -> bool:
    """Whether a sentence has no natural language, so that it is copied unchanged."""
    if not any(map(str.isalpha, sentence)):
        return True
    return not any(map(str.isalpha, _NO_LANGUAGE.sub(" ", sentence)))
