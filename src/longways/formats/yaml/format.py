"""YAML: the values of a file of texts, each in the style in which it is written.

    zh-CN:
      greeting: "你好 %{name}"
      files: &files 文件   # 注释

Keys, order, comments, anchors, indentation and quotes stay. Only a text without quotes that could
not be read without them again gets double quotes: `Yes` would be a truth value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial

from longways.formats.resources.document import ResourceDocument, Value
from longways.formats.resources.messages import messages_of
from longways.formats.resources.rendering import Escape
from longways.formats.subtitles.turns import LINE_END
from longways.formats.text_file import TextFile, read_text
from longways.formats.yaml.scalars import (
    decoded_scalar,
    escaped_scalar,
    is_word_of_yaml,
    plain_or_quoted,
)
from longways.formats.yaml.scanner import YamlScanner
from longways.formats.yaml.tokens import Scalar


class Yaml:
    """The format of YAML files."""

    name = "yaml"
    suffixes = (".yml", ".yaml")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> ResourceDocument:
        """Parse a file; see `Format`."""
        file = read_text(data, language, encoding)
        scanner = YamlScanner(file.text)
        style = _Style.of(file)
        values = (style.value(scalar, language) for scalar in scanner.scalars())
        read = [value for value in values if value.messages]
        return ResourceDocument(file, read, scanner.warnings.sentences())


@dataclass(frozen=True)
class _Style:
    """How a file writes its scalars."""

    text: str
    newline: str
    ascii_only: bool

    @classmethod
    def of(cls, file: TextFile) -> _Style:
        """The style of a file."""
        end = LINE_END.search(file.text)
        ascii_only = file.text.isascii() and ("\\u" in file.text or "\\x" in file.text)
        return cls(file.text, end[0] if end else "\n", ascii_only)

    def value(self, scalar: Scalar, language: str) -> Value:
        """The messages of a scalar; a number or a truth value has none."""
        decoded = decoded_scalar(self.text, scalar)
        is_word = scalar.style == "plain" and is_word_of_yaml(decoded.value)
        messages = () if is_word else messages_of(decoded, language)
        escape, whole = _escapes(scalar._replace(start=0, end=0), self.newline, self.ascii_only)
        if scalar.style != "plain":
            return Value(messages, escape)
        return Value(messages, escape, (scalar.start, scalar.end), whole)


@lru_cache(maxsize=256)
def _escapes(kind: Scalar, newline: str, ascii_only: bool) -> tuple[Escape, Escape]:
    """How new text is written in scalars of a kind: in their style, and plain ones whole."""
    escape = partial(escaped_scalar, scalar=kind, newline=newline, ascii_only=ascii_only)
    return escape, partial(plain_or_quoted, in_flow=kind.in_flow, ascii_only=ascii_only)
