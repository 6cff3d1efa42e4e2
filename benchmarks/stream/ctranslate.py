"""CTranslate2 as a searcher of windows, so that our own loop over documents drives it.

A window slides: its prefix holds the translations of the sentences before, which CTranslate2 is
forced to write first (`target_prefix`). Search ends at the separator, as in our own runtimes. The
documents, their windows and their texts are the same for all systems; only the search differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longways.benchmark.speed.ctranslate import load_ctranslate
from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.runtime import FORBIDDEN
from longways.decoding.searcher import Found, Searcher
from longways.decoding.windows import Window
from longways.model.config import ModelConfig


class CTranslateRuntime:
    """A converted transformer that brings its own searcher; it can do nothing else.

    Each thread searches windows of its own, or all threads share one search (`shared`), which is
    faster for a single window.
    """

    framework = "ctranslate2"

    def __init__(
        self, folder: Path, config: ModelConfig, threads: int, *, shared: bool = False
    ) -> None:
        self.model, self.positions = config, config.positions
        self.workers = 1 if shared else threads
        self.translator = load_ctranslate().Translator(
            str(folder), inter_threads=self.workers, intra_threads=threads if shared else 1
        )

    def open_searcher(self, config: TranslateConfig) -> Searcher:
        """A searcher of sliding windows."""
        return CTranslateSearcher(self, config)

    def search(self, windows: Sequence[Window], config: TranslateConfig) -> list[Found]:
        """The best hypothesis of every window; each ends at its first `<sep>` or `<eos>`."""
        ends = [_word(self.model.sep), _word(self.model.eos)]
        prefixes = [window.prefix[1:] for window in windows]  # <bos> is read in any case
        found = self.translator.translate_batch(
            [[_word(token) for token in window.source] for window in windows],
            target_prefix=[[_word(token) for token in prefix] for prefix in prefixes],
            end_token=ends,
            suppress_sequences=[[_word(token)] for token in FORBIDDEN],
            return_end_token=True,
            beam_size=config.search.beams,
            length_penalty=config.search.alpha,
            # CTranslate2 counts the prefix, and has one limit for all windows of a call.
            max_decoding_length=max(len(w.prefix) - 1 + w.max_tokens for w in windows),
            min_decoding_length=min(len(w.prefix) - 1 + w.min_tokens for w in windows),
            max_input_length=0,
            max_batch_size=min(config.windows, -(-len(windows) // self.workers)),
            return_scores=True,
        )
        ids = ([int(word[1:]) for word in one.hypotheses[0]] for one in found)
        triples = zip(windows, ids, found, strict=True)
        return [[self._hypothesis(window, row, one.scores[0])] for window, row, one in triples]

    def _hypothesis(self, window: Window, row: list[int], score: float) -> Hypothesis:
        """The hypothesis of one window, given its prefix and its translation."""
        tokens = row[len(window.prefix) - 1 :]
        stop = tokens[-1] if tokens and tokens[-1] in (self.model.sep, self.model.eos) else None
        kept = tokens[: window.max_tokens] if stop is None else tokens[:-1]
        return Hypothesis(kept, score, score, stop)


class CTranslateSearcher:
    """Searches all windows that wait in one call."""

    def __init__(self, runtime: CTranslateRuntime, config: TranslateConfig) -> None:
        self.runtime, self.config = runtime, config
        self.waiting: list[tuple[int, Window]] = []

    @property
    def pending(self) -> int:
        """The number of windows that were submitted and not returned yet."""
        return len(self.waiting)

    def expect(self, most: int) -> None:
        """Do nothing: a batch holds whatever waits."""

    def submit(self, key: int, window: Window) -> None:
        """Queue a window for the next call."""
        self.waiting.append((key, window))

    def wait(self) -> list[tuple[int, Found]]:
        """Search all windows that wait."""
        keys, windows = zip(*self.waiting, strict=True)
        self.waiting = []
        return list(zip(keys, self.runtime.search(windows, self.config), strict=True))


def _word(token: int) -> str:
    return f"t{token}"
