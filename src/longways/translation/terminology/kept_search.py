"""Search for translations in which every kept part is intact.

A translation that lacks a kept part or doubles its stand-in is searched again with stand-ins for
all kept parts, under other names each time. What no search has placed is put beside the word that
is aligned with it, and what is doubled is removed: each kept part arrives exactly once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.rescore import rescore
from longways.decoding.runtime import AnyRuntime
from longways.decoding.searcher import search_all
from longways.decoding.windows import Window
from longways.text.pipeline import TextPipeline
from longways.translation.markup.alignment import Aligner, AlignmentRequest
from longways.translation.terminology.glossary import Span
from longways.translation.terminology.stand_ins import SCHEMES, Masked, mask

MIN_LENGTH_RATIO = 0.6
"""A new translation has at least this share of the old tokens."""


@dataclass(frozen=True)
class KeptRequest:
    """A translated sentence whose kept parts must be intact."""

    sentence: str
    keep: Sequence[Span]
    masked: Masked
    """The sentence as the model read it."""
    tokens: Sequence[int]
    """The tokens of the masked sentence, at the end of the window's source."""
    window: Window
    found: Hypothesis


class KeptSearch:
    """Searches translations again whose kept parts are damaged."""

    def __init__(self, runtime: AnyRuntime, text: TextPipeline, config: TranslateConfig) -> None:
        self.runtime, self.text, self.config = runtime, text, config
        self.aligner = Aligner(runtime, text)

    def repair(self, requests: Sequence[KeptRequest]) -> list[Hypothesis]:
        """The translations of all requests; intact ones are returned as they are."""
        best = [request.found for request in requests]
        damaged = [
            index
            for index, request in enumerate(requests)
            if request.masked.parts and request.masked.damaged(self._decode(request.found.tokens))
        ]
        texts = dict[int, str]()
        for scheme in range(len(SCHEMES)):
            left = [index for index in damaged if index not in texts]
            texts |= dict(self._search_again(requests, left, scheme))
        for index in damaged:
            text = texts.get(index) or self._splice(requests[index])
            best[index] = best[index]._replace(tokens=self._encode(text))
        scored = rescore(
            self.runtime,
            [(requests[index].window, best[index]) for index in damaged],
            self.config.search.alpha,
        )
        for index, found in zip(damaged, scored, strict=True):
            best[index] = found
        return best

    def _search_again(
        self, requests: Sequence[KeptRequest], indices: Sequence[int], scheme: int
    ) -> Iterator[tuple[int, str]]:
        """The intact translations, with the first names, of these requests."""
        masked = [
            mask(requests[index].sentence, requests[index].keep, SCHEMES[scheme], plain=False)
            for index in indices
        ]
        windows = [
            self._window(requests[index], new.text)
            for index, new in zip(indices, masked, strict=True)
        ]
        fitting = [n for n, window in enumerate(windows) if self._fits(window)]
        chosen = [windows[number] for number in fitting]
        for place, found in search_all(self.runtime, chosen, self.config):
            number = fitting[place]
            request, new = requests[indices[number]], masked[number]
            text = self._decode(found[0].tokens)
            if found[0].stop is None or new.damaged(text) or self._is_short(found[0], request):
                continue
            names = zip(new.parts, request.masked.parts, strict=True)
            yield indices[number], new.rename(text, {a.name: b.name for a, b in names})

    def _window(self, request: KeptRequest, text: str) -> Window:
        """The window of a request with another text for its last sentence."""
        context = request.window.source[: -len(request.tokens) - 1]
        source = [*context, *self.text.source.encode([text])[0], request.window.source[-1]]
        return request.window._replace(source=source)

    def _fits(self, window: Window) -> bool:
        return len(window.source) <= self.runtime.positions and window.max_tokens > 0

    def _is_short(self, found: Hypothesis, request: KeptRequest) -> bool:
        return len(found.tokens) < MIN_LENGTH_RATIO * min(
            len(request.found.tokens), 2 * len(request.tokens)
        )

    def _splice(self, request: KeptRequest) -> str:
        """The translation with every name exactly once, without another search."""
        masked, text = request.masked, self._decode(request.found.tokens)
        for part in {part.name: part for part in masked.parts if not part.is_plain}.values():
            wanted = sum(other.name == part.name for other in masked.parts)
            for extra in reversed(list(islice(part.pattern.finditer(text), wanted, None))):
                text = text[: extra.start()].rstrip() + text[extra.end() :]
        spans = [part.span for part in masked.parts]
        return self.aligner.align(AlignmentRequest(masked.text, text, spans)).translation

    def _encode(self, text: str) -> list[int]:
        return self.text.target.encode([text])[0]

    def _decode(self, tokens: list[int]) -> str:
        return self.text.target.decode([tokens])[0]
