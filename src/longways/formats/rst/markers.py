"""How blocks of reStructuredText begin: bullets, enumerators, fields, options, borders."""

from __future__ import annotations

import re

_ENUMERATOR = r"\(?(?:#|[0-9]+|[a-zA-Z]|[ivxlcdmIVXLCDM]+)[.)]"
BULLET = re.compile(r"[-+*\u2022\u2023\u2043](?:\s+|\Z)")
NUMBER = re.compile(rf"({_ENUMERATOR})(?:\s+|\Z)")
FIELD = re.compile(r":(?![: ])((?:[^:\\]|\\.|:(?!(?:[ `]|\Z)))*)(?<! ):(?:\s+|\Z)")
_ARGUMENT = r"(?:[a-zA-Z][\w-]*|<[^<>]+>)"
_OPTION = rf"(?:[-+]\w(?:[ ]?{_ARGUMENT})?|(?:--|/)\w[\w-]*(?:[ =]{_ARGUMENT})?)"
OPTIONS = re.compile(rf"{_OPTION}(?:, {_OPTION})*(?:  +| ?\Z)", re.ASCII)
LINE_BLOCK = re.compile(r"\|(?:\s+|\Z)")
DOCTEST = re.compile(r">>>(?:\s|\Z)")
GRID = re.compile(r"\+-[-+]+-\+\s*\Z")
SIMPLE = re.compile(r"=+(?:[ ]+=+)+\s*\Z")
EXPLICIT = re.compile(r"\.\.(?:\s+|\Z)")
ANONYMOUS = re.compile(r"__(?:\s+|\Z)")
ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*\Z")
ATTRIBUTION = re.compile(r"(?:---?(?!-)|\u2014+)(?:\s+(?=\S)|(?=[^\s!-~]))")
