"""Reader of IWSLT talks: `train.tags.*` files, and `IWSLT*.xml` files of dev and test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from xml.etree import ElementTree

from longways.corpus.document import Document
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.lines import open_bytes, read_lines

Talk = tuple[str, list[str]]
"""A talk's name and its sentences in one language."""

_TAG = re.compile(
    r"<(?P<tag>url|talkid|keywords|speaker|title|description|reviewer|translator|doc)\b"
)


def read_iwslt(source: Path, target: Path, inspector: BadInputPolicy) -> Iterator[Document]:
    """The talks of a source and a target file; `.xml` in the name selects the format."""
    talks = _xml_talks if ".xml" in source.name else _tagged_talks
    pairs = zip_longest(talks(source, inspector), talks(target, inspector))
    for number, (left, right) in enumerate(pairs, start=1):
        if left is None or right is None:
            short, long = (source, target) if left is None else (target, source)
            message = f"{short} ends after talk {number - 1}, but {long} has more talks."
            inspector.bad("missing side", message)
            return
        if len(left[1]) != len(right[1]) or left[0] != right[0]:
            inspector.bad(
                "different line counts",
                f"{source}, talk {left[0]}, has {len(left[1])} sentences, but {target}, talk "
                f"{right[0]}, has {len(right[1])}.",
            )
            continue
        yield from _without_empty(left[0], left[1], right[1], source, inspector)


def _without_empty(
    name: str, source: list[str], target: list[str], path: Path, inspector: BadInputPolicy
) -> Iterator[Document]:
    """The document without pairs that have an empty sentence, unless none remains."""
    good = [
        pair
        for i, pair in enumerate(zip(source, target, strict=True), start=1)
        if all(
            inspector.check_sentence(text, f"{path}, talk {name}, sentence {i}") for text in pair
        )
    ]
    if good:
        yield Document(name, [pair[0] for pair in good], [pair[1] for pair in good])


def _xml_talks(path: Path, inspector: BadInputPolicy) -> Iterator[Talk]:
    """Each <doc> of an mteval file; its <seg> elements are the sentences."""
    collection = ""
    with open_bytes(path) as file:
        try:
            for event, element in ElementTree.iterparse(file, events=("start", "end")):
                if event == "start" and "setid" in element.attrib:
                    collection = (
                        element.attrib["setid"].partition("-")[2] or element.attrib["setid"]
                    )
                if event == "end" and element.tag == "doc":
                    sentences = [(seg.text or "").strip() for seg in element.iter("seg")]
                    yield f"{collection}.talk{element.attrib.get('docid', '?')}", sentences
                    element.clear()
        except ElementTree.ParseError as error:
            line, column = error.position
            inspector.bad(
                "broken XML",
                f"{path}, line {line}, column {column + 1}: the XML is broken or truncated there.",
            )


def _tagged_talks(path: Path, inspector: BadInputPolicy) -> Iterator[Talk]:
    """Each talk of a train.tags file: it starts at <url>, and lines without a tag are sentences."""
    name, sentences = "", list[str]()
    for _, line in read_lines(path, inspector):
        text = (line or "").strip()
        tag = _TAG.match(text)
        if tag is None:
            if not text.startswith("</"):
                sentences.append(text)
            continue
        if tag["tag"] in ("url", "doc") and sentences:
            yield name, sentences
            sentences = []
        if tag["tag"] == "talkid":
            name = "train.talk" + re.sub(r"<[^>]*>", "", text).strip()
    if sentences:
        yield name, sentences
