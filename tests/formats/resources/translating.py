"""Translations for tests of resource files: what a careful translator would give back."""

import time

from longways.formats.base import Mark, Passage


def bracketed(passage, before="[", after="]"):
    """A translation with the marks and kept parts at the same places."""
    shift = len(before)
    marks = tuple(Mark(m.start + shift, m.end + shift, m.tag) for m in passage.marks)
    return Passage(f"{before}{passage.text}{after}", marks)


def texts(form, data, language="zh"):
    """The texts of the passages of a file."""
    return [passage.text for passage in read(form, data, language).passages]


def read(form, data, language="zh"):
    return form.read(data.encode() if isinstance(data, str) else data, language)


def translated(form, data, before="[", after="]", to="en"):
    """The text of a file with every passage bracketed."""
    document = read(form, data)
    new = [bracketed(passage, before, after) for passage in document.passages]
    return document.write(new, to).decode()


def kept(passage):
    """The kept parts of a passage."""
    return [passage.text[start:end] for start, end in passage.keep]


def seconds_to_read(form, data):
    """The time of the CPU to read a file and write it twice, with new text too, or to refuse it."""
    from longways.errors import FormatError

    start = time.process_time()
    try:
        document = form.read(data, "zh")
        assert document.write(document.passages, "en") == data
        document.write([bracketed(passage) for passage in document.passages], "en")
    except FormatError:
        pass
    return time.process_time() - start


def is_linear(form, make):
    """Whether a file eight times as long takes less than 24 times the time, or a short one."""
    for _ in range(3):  # other work on the machine may disturb one measurement
        small = max(seconds_to_read(form, make(500)), 0.01)
        if seconds_to_read(form, make(4_000)) < 24 * small:
            return True
    return False
