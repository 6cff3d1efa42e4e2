"""The options of a translation call, and the decoder that they ask for."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from numbers import Integral, Real
from typing import TypedDict

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.runtime import AnyRuntime
from longways.errors import ConfigError
from longways.translation.memory.lookup import TranslationMemory
from longways.translation.model_folder import ModelFolder
from longways.translation.report import Report
from longways.translation.segments import SegmentDecoder
from longways.translation.terminology.glossary import Terms

DOCUMENTS = 64
"""Documents in flight at most: one batch of windows."""

DEFAULT_BEAM, DEFAULT_LENGTH_PENALTY = 4, 1.0


class Options(TypedDict, total=False):
    """What can be chosen for each call."""

    window: int | None
    """L, sentences in a window; by default the model's best window."""
    context: int | None
    """Sentences that a stream model carries from before each sentence; by default all of them."""
    beam: int
    """Hypotheses of the beam search, 4 by default; 1 is greedy search."""
    length_penalty: float
    """Exponent of the length penalty, 1 by default; a larger one prefers longer translations."""
    nbest: int
    """Hypotheses to return for each sentence, 1 by default; at most `beam`."""
    report: Report | None
    """A report to which the counts of this call are added."""
    glossary: Mapping[str, str]
    """Source terms with the translations that search must use."""
    keep: Sequence[str]
    """Words that are copied, never translated."""
    memory: TranslationMemory | None
    """Translations that are taken where a sentence is in it."""


_KINDS: Mapping[str, tuple[type, str]] = {
    "window": (Integral, "a whole number"),
    "context": (Integral, "a whole number, or None for all"),
    "beam": (Integral, "a whole number"),
    "length_penalty": (Real, "a number"),
    "nbest": (Integral, "a whole number"),
    "report": (Report, "a longways.Report"),
    "glossary": (Mapping, "a dict from source terms to their translations"),
    "keep": (Collection, "a list of words"),
    "memory": (TranslationMemory, "a TranslationMemory, as open_memory returns it"),
}
"""The type of every option, and its description."""

_NEEDED = ("beam", "length_penalty", "nbest")
"""Options that have no None."""


def check_options(options: Options) -> None:
    """Raise if an option has an unknown name or a value of another type."""
    known = list(Options.__annotations__)
    for name in options:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Known are: {', '.join(known)}."
            raise ConfigError(f"There is no option {name!r}. {hint}")
    for name, value in options.items():
        kind, meaning = _KINDS[name]
        fits = isinstance(value, kind) and not isinstance(value, str | bytes | bool)
        if not fits and not (value is None and name not in _NEEDED):
            raise ConfigError(f"{name} is {value!r:.80}, but it must be {meaning}.")
    words = [*(options.get("glossary") or {}).items(), *((w, w) for w in options.get("keep") or ())]
    for pair in words:
        if not all(isinstance(word, str) and word for word in pair):
            raise ConfigError(
                f"{pair[0]!r:.80} in the glossary or among the words to keep is {pair[1]!r:.80}, "
                "but terms must be strings that are not empty."
            )


def search_config(options: Options) -> SearchConfig:
    """The settings of beam search."""
    return SearchConfig(
        beams=options.get("beam", DEFAULT_BEAM),
        alpha=options.get("length_penalty", DEFAULT_LENGTH_PENALTY),
        nbest=options.get("nbest", 1),
    )


def open_decoder(model: ModelFolder, runtime: AnyRuntime, options: Options) -> SegmentDecoder:
    """A decoder for the documents of one call."""
    check_options(options)
    config = TranslateConfig(
        L=model.window(options.get("window")),
        context=model.context(options.get("context")),
        search=search_config(options),
        length=model.length,
        documents=DOCUMENTS,
    )
    given = options.get("glossary", {}), options.get("keep", ())
    terms = Terms(*given, model.text.target_language) if any(given) else None
    report = options.get("report")
    memory = options.get("memory")
    return SegmentDecoder(runtime, model.text, config, report, terms, model.confidence, memory)
