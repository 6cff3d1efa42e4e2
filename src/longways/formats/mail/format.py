"""E-mail files: the subject, then the bodies in text and HTML, in the order of the message.

Every other byte stays: addresses, dates, attachments, pictures, and the encoding of lines without
new text. Signed and encrypted parts stay as a whole, since new text would break them. Messages that
are attached are read like the one around them. Pages that a browser has saved with their pictures,
.mht and .mhtml, are messages, too.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.html.charset import decode
from longways.formats.html.format import Html, HtmlDocument
from longways.formats.mail.headers import Subject, body_charset, read_subject, with_charset
from longways.formats.mail.plain import Flow, PlainText
from longways.formats.mail.structure import (
    MAX_HEADER_BYTES,
    HeaderField,
    Part,
    read_message,
    unfolded,
)
from longways.formats.mail.transfer import decoded, encoded, transfer_encoding
from longways.formats.placeholders import kept_parts
from longways.formats.resources.readable import has_letters
from longways.text.encodings import has_states

_SIGNATURES = ("dkim-signature", "arc-seal", "arc-message-signature", "domainkey-signature")
_LOCKED = ("multipart/signed", "multipart/encrypted", "application/pkcs7-mime",
           "application/x-pkcs7-mime")  # fmt: skip
_ARMOUR = re.compile(rb"^-----BEGIN PGP (?:SIGNED )?MESSAGE-----", re.MULTILINE)

Edit = tuple[int, int, bytes]
"""Start and end offset of some bytes of the file, and their replacement."""


@dataclass(frozen=True)
class _Title:
    """A subject and its header field."""

    field: HeaderField
    subject: Subject
    passages: Sequence[Passage]


@dataclass(frozen=True)
class _Body:
    """The body of a part."""

    part: Part
    document: HtmlDocument | PlainText
    encoding: str
    """Its transfer encoding."""
    charset: str
    """The charset in which it is written; empty for its own."""

    @property
    def passages(self) -> Sequence[Passage]:
        """The passages of the body."""
        return self.document.passages


class Eml:
    """The format of messages."""

    name = "eml"
    suffixes = (".eml", ".mht", ".mhtml")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> Email:
        """Parse a message; `encoding` is that of parts that do not name theirs. See `Format`."""
        return Email(data, language, encoding)


class Email:
    """A parsed message."""

    def __init__(self, data: bytes, language: str, encoding: str | None) -> None:
        self._data, self._language, self._named = data, language, encoding
        message = read_message(data)
        if not message.fields:
            raise FormatError(
                "The file is no e-mail: it does not begin with header fields such as From: and "
                "Subject:. Save the message as a file once more, with all its headers."
            )
        self._warnings = list[str]()
        if any(field.name in _SIGNATURES for field in message.fields):
            self._warnings.append(
                "The message is signed by its sender's server, which a translation cannot be."
            )
        self._found = list(self._read(message))
        self.warnings: Sequence[str] = self._warnings
        self.passages = [passage for found in self._found for passage in found.passages]

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The message with these passages in place of its own; see `FormattedDocument`."""
        edits, rest = list[Edit](), iter(passages)
        for found in self._found:
            new = list(itertools.islice(rest, len(found.passages)))
            if all((n.text, n.marks) == (o.text, o.marks)
                   for n, o in zip(new, found.passages, strict=True)):  # fmt: skip
                continue
            if isinstance(found, _Title):
                edits.append(self._title(found, new[0], bilingual=bilingual))
            else:
                edits += self._body(found, new, language, bilingual=bilingual)
        parts, place = list[bytes](), 0
        for start, end, replacement in sorted(edits):
            parts += self._data[place:start], replacement
            place = end
        return b"".join([*parts, self._data[place:]])

    def _read(self, part: Part) -> Iterator[_Title | _Body]:
        """The subjects and bodies of a part and of the parts inside, in order."""
        if field := part.find("subject"):
            yield from self._subject(field)
        if part.type in _LOCKED:
            kind = "encrypted" if part.type.endswith("encrypted") else "signed or encrypted"
            self._keep(part, f"is {kind}")
            return
        if part.type.startswith("multipart/") and not part.parts:
            self._keep(part, "has no boundary that its header names")
        for inner in part.parts:
            yield from self._read(inner)
        if part.type in ("text/plain", "text/html") and not _is_attachment(part):
            yield from self._text(part)

    def _subject(self, field: HeaderField) -> Iterator[_Title]:
        is_short = field.end - field.value <= MAX_HEADER_BYTES
        value = unfolded(self._data, field) if is_short else ""
        subject = read_subject(value, self._language, self._named) if is_short else None
        if subject is None:
            line = self._line(field.start)
            self._warnings.append(f"{line}: the subject cannot be decoded; it stays as it is.")
        elif has_letters(subject.text, self._language):
            text = " ".join(subject.text.split())
            yield _Title(field, subject, (Passage(text, keep=kept_parts(text)),))

    def _text(self, part: Part) -> Iterator[_Body]:
        encoding = transfer_encoding(part.headers.get("content-transfer-encoding", ""))
        content = decoded(self._data[part.body : part.end], encoding)
        if content is None:
            self._keep(part, f"is not in the encoding {encoding or 'that it names'!r}")
            return
        if _ARMOUR.search(content):
            self._keep(part, "is signed or encrypted")
            return
        try:
            yield from self._decoded(part, content, encoding)
        except (FormatError, UnicodeError) as error:
            self._keep(part, f"cannot be read ({str(error).rstrip('.')})")

    def _decoded(self, part: Part, content: bytes, encoding: str) -> Iterator[_Body]:
        """The body with this content, if it has words."""
        name, charset = part.headers.get_content_charset(""), ""
        codec = body_charset(content, name, self._language, self._named)
        is_page = part.type == "text/html"
        if codec is None and (name or not is_page):
            what = (
                f"is in the unknown charset {name!r}" if name else "names no charset, and none fits"
            )
            self._keep(part, what)
            return
        if codec and has_states(codec):  # the bytes of a line depend on the lines before it
            content, codec, charset = content.decode(codec).encode(), "utf-8", "utf-8"
        document: HtmlDocument | PlainText
        if codec is None or is_page:
            is_named = name or charset or self._named
            document = Html().read(content, self._language, codec if is_named else None)
        else:
            is_flowed = _parameter(part, "format") == "flowed"
            flow = Flow(is_flowed, is_flowed and _parameter(part, "delsp") == "yes")
            document = PlainText(decode(content, codec), self._language, flow)
        if document.passages:
            yield _Body(part, document, encoding, charset)

    def _title(self, found: _Title, new: Passage, *, bilingual: bool) -> Edit:
        field = found.field
        text = f"{new.text} / {found.passages[0].text}" if bilingual else new.text
        end = _line_end(self._data, field.start, field.end)
        value = b" " + found.subject.written(text, end.decode()) + end
        return field.value, field.end, value

    def _body(
        self, found: _Body, new: Sequence[Passage], language: str, *, bilingual: bool
    ) -> Iterator[Edit]:
        """The edits of a body, and of the header fields that describe it."""
        part, charset = found.part, found.charset
        if isinstance(found.document, PlainText):
            content, other = found.document.write(new, bilingual=bilingual)
            charset = charset or other
        else:
            content = found.document.write(new, language, bilingual=bilingual)
        own = self._data[part.body : part.end]
        body, encoding = encoded(content, own, found.encoding, part.boundaries)
        yield part.body, part.end, body
        yield from self._described(part, charset, encoding if encoding != found.encoding else "")

    def _described(self, part: Part, charset: str, encoding: str) -> Iterator[Edit]:
        """The edits of header fields for another charset and transfer encoding."""
        first = part.fields[0] if part.fields else None
        end = _line_end(self._data, part.start, first.end if first else part.end)
        added = list[bytes]()
        kind, transfer = part.find("content-type"), part.find("content-transfer-encoding")
        if charset and kind:
            yield kind.start, kind.end, with_charset(self._data[kind.start : kind.end], charset)
        elif charset:
            added.append(b"Content-Type: text/plain; charset=" + charset.encode() + end)
        if encoding and transfer:
            yield transfer.value, transfer.end, b" " + encoding.encode() + end
        elif encoding:
            added.append(b"Content-Transfer-Encoding: " + encoding.encode() + end)
        if added:
            place = part.fields[-1].end if part.fields else part.start
            added += [end] if place == part.body else []
            yield place, place, b"".join(added)

    def _keep(self, part: Part, why: str) -> None:
        self._warnings.append(f"{self._line(part.start)}: a part {why}; it stays as it is.")

    def _line(self, place: int) -> str:
        return f"Line {self._data.count(bytes([10]), 0, place) + 1}"


def _is_attachment(part: Part) -> bool:
    headers = part.headers
    return headers.get_content_disposition() == "attachment" or bool(headers.get_filename())


def _parameter(part: Part, name: str) -> str:
    value = part.headers.get_param(name, "")
    return value.lower() if isinstance(value, str) else ""


def _line_end(data: bytes, start: int, end: int) -> bytes:
    found = re.compile(rb"\r\n|\n|\r").search(data, start, end)
    return found[0] if found else b"\r\n"
