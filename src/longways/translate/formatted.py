"""A file with a format translated: taken apart, its passages translated, and put together again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from longways.errors import ConfigError, FormatError
from longways.translate.files import File
from longways.translate.formats.known import format_of
from longways.translate.forms import Bilingual, PlainText
from longways.translate.passages import translate_passages
from longways.translate.writing import write_whole

if TYPE_CHECKING:
    from longways.translate.job import Job

BEGINNING = 2000
"""Characters by which the language of a file is known."""


def translate_formatted(job: Job, file: File) -> None:
    """Translate a file whose name says its format, into one of the same format."""
    assert file.source is not None, "it has a name"
    form = format_of(file.source)
    assert form is not None, "the format is known by its name"
    if job.form not in (PlainText, Bilingual):
        raise ConfigError(
            f"{file.name} is {form.name}: --json and --side-by-side are for plain text."
        )
    source, target = job.translator.source_language, job.translator.target_language
    try:
        document = form.read(file.source.read_bytes(), source)
    except OSError as error:
        raise FormatError(f"{file.name} cannot be read: {error.strerror}.") from error
    except FormatError as error:
        raise FormatError(f"{file.name}: {error}") from error
    for warning in document.warnings:
        job.warn(f"{file.name}: {warning}")
    job.check_language(file, " ".join(p.text for p in document.passages[:50])[:BEGINNING])
    passages = list(
        translate_passages(job.translator, document.passages, job.advance, **job.options)
    )
    write_whole(file.target, document.write(passages, target, bilingual=job.form is Bilingual))
