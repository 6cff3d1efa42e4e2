"""Configuration of the text pipeline; importing it loads no heavy package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from longways.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class TextConfig:
    """How sentences are tokenized into subwords."""

    kind: Literal["sentencepiece", "moses-bpe", "marian"] = "sentencepiece"
    """SentencePiece on raw text; the paper's chain: Moses or jieba, truecasing, joint BPE; or the
    subwords of an imported Marian model, which are never learned."""
    vocabulary: int | None = None
    """Vocabulary size of a SentencePiece model, special tokens included. By default it is chosen
    from the corpus: four times the square root of its characters, at least twice as many entries
    as it has different characters, at most max_vocabulary."""
    max_vocabulary: int = 24_000
    """The largest vocabulary that is chosen by default; reached at 36 million characters."""
    joint: bool = True
    """One SentencePiece model for both sides, or one each. The BPE of moses-bpe is always joint."""
    merges: int = 30_000
    """BPE merges of moses-bpe, learned on both sides together."""
    sample: int = 1_000_000
    """Maximum number of sentences to train SentencePiece on; moses-bpe counts all words."""
    character_coverage: float = 0.9995
    """Share of characters with a vocabulary entry; other characters are encoded as bytes."""

    target_tag: str = ""
    """The token, such as >>fra<<, that tells an imported model with several target languages which
    of them to write."""
    normalisation: int = 1
    """Version of the normalisation of source sentences; 0 encodes raw text."""

    def __post_init__(self) -> None:
        for name, smallest in _SMALLEST.items():
            value = getattr(self, name)
            if value is not None and value < smallest:
                default = getattr(TextConfig, name) or "chosen from the corpus"
                raise ConfigError(
                    f"{name} is {value}, but it must be at least {smallest}. "
                    f"The default is {default}."
                )
        if not 0.9 <= self.character_coverage <= 1:
            raise ConfigError(
                f"character_coverage is {self.character_coverage}, but it must be between 0.9 "
                "and 1. Use 0.9995 where there is Chinese or Japanese, 1 where there is not."
            )
        if self.normalisation not in (0, 1):
            raise ConfigError(
                f"text.normalisation is {self.normalisation}, but this version of Longways knows "
                "0 and 1 only. Install a newer one."
            )


_SMALLEST = {
    "vocabulary": 262,
    "max_vocabulary": 262,
    "merges": 1,
    "sample": 1,
}
"""262: five special tokens, 256 bytes, one subword."""
