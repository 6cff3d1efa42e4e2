"""The service behind all APIs: checked texts in, translations out."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longways.server.batches import Wanted, characters
from longways.server.errors import RequestError
from longways.server.offers import Offers
from longways.server.settings import ServerSettings
from longways.translation.texts import Document


@dataclass(frozen=True)
class Translated:
    """The translations of a request."""

    documents: list[Document]
    source: str
    target: str
    model: str


class TextService:
    """Translates the texts of requests."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings, self.offers = settings, Offers(settings)
        self.characters = 0
        """Characters translated since the start."""

    async def translate(
        self,
        documents: Sequence[Document],
        source: str | None,
        target: str,
        *,
        beam: int | None = None,
        glossary: Mapping[str, str] | None = None,
    ) -> Translated:
        """Translate documents side by side; without a source, the language of their text."""
        self._check(documents)
        model = self.offers.model(source, target, _sample(documents))
        batcher = self.offers.opened(model)
        if batcher is None:  # opening a model takes a while, in which others are answered
            batcher = await asyncio.to_thread(self.offers.batcher, model)
        wanted = Wanted(beam or self.settings.beam, tuple(sorted((glossary or {}).items())))
        found = await asyncio.wrap_future(batcher.submit(documents, wanted))
        self.characters += characters(documents)
        return Translated(found, model.source, model.target, model.name)

    def _check(self, documents: Sequence[Document]) -> None:
        texts = sum(1 if isinstance(one, str) else len(one) for one in documents)
        if texts > self.settings.max_texts:
            raise RequestError(
                f"The request has {texts:,} texts, but {self.settings.max_texts:,} are the most. "
                "Send fewer at a time.",
                413,
            )
        total = characters(documents)
        if total > self.settings.max_characters:
            raise RequestError(
                f"The request has {total:,} characters, but {self.settings.max_characters:,} "
                "are the most. Send less at a time.",
                413,
            )


def _sample(documents: Sequence[Document], characters: int = 4_000) -> str:
    """The beginning of the texts, by which their language is found."""
    sample = ""
    for one in documents:
        sample += one if isinstance(one, str) else "\n".join(one)
        if len(sample) >= characters:
            break
    return sample[:characters]
