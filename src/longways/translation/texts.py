"""Texts of several documents translated side by side, each as if it were alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from longways.text.sentences.joiner import Joiner, SentenceJoiner
from longways.translation.options import DEFAULT_BEAM
from longways.translation.plain_text import plain_segments
from longways.translation.segments import TranslatedSegment
from longways.translation.translator import Translator, item_segments

Document = str | list[str]
"""A text, or the sentences of one document."""


def translate_texts(
    translator: Translator,
    documents: Iterable[Document],
    *,
    beam: int = DEFAULT_BEAM,
    glossary: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
) -> list[Document]:
    """The translation of each document, equal to that of `Translator.translate`."""
    collectors = [_collector(document, translator) for document in documents]
    segments = (collector.segments for collector in collectors)
    for ready in translator.segments(segments, beam=beam, glossary=glossary, keep=keep):
        collectors[ready.document].add(ready)
    return [collector.finish() for collector in collectors]


class _Text:
    """A text: its paragraphs and line ends stay."""

    def __init__(self, text: str, translator: Translator) -> None:
        self.segments = plain_segments([text], translator.source_language)
        self.joiner, self.parts = Joiner(translator.target_language), list[str]()

    def add(self, ready: TranslatedSegment) -> None:
        """Take the next translated segment."""
        self.parts.append(self.joiner.add(ready.segment, ready.translation))

    def finish(self) -> str:
        """The whole translation."""
        return "".join([*self.parts, self.joiner.finish()])


class _Sentences:
    """The sentences of a document: as many translations."""

    def __init__(self, sentences: list[str], translator: Translator) -> None:
        self.segments = item_segments(sentences)
        self.joiner, self.found = SentenceJoiner(translator.target_language), list[str]()

    def add(self, ready: TranslatedSegment) -> None:
        """Take the next translated segment."""
        whole = self.joiner.add(ready.segment, ready.translation)
        if whole is not None:
            self.found.append(whole)

    def finish(self) -> list[str]:
        """The translations of all sentences."""
        return self.found


def _collector(document: Document, translator: Translator) -> _Text | _Sentences:
    if isinstance(document, str):
        return _Text(document, translator)
    return _Sentences(document, translator)
