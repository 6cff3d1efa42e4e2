"""Moses tokenization by sacremoses: normalised punctuation, tokens, and detokenization.

Moses escapes `&` and quotes as XML for its own decoder; this escaping is switched off.
"""

from __future__ import annotations

from typing import Any

from longways.text.optional_import import import_optional


class Moses:
    """Moses word tokenizer of a language with spaces and capitals."""

    cased = True

    def __init__(self, language: str) -> None:
        package = import_optional("sacremoses")
        self._punctuation: Any = package.MosesPunctNormalizer(language)
        self._tokens: Any = package.MosesTokenizer(language)
        self._text: Any = package.MosesDetokenizer(language)

    def split(self, sentence: str) -> list[str]:
        """The tokens of the sentence after punctuation normalisation."""
        tokens: str = self._tokens.tokenize(
            self._punctuation.normalize(sentence), return_str=True, escape=False
        )
        return tokens.split()

    def join(self, words: list[str]) -> str:
        """Plain text; spaces around signs such as `/` and `_` stay, as Moses has no rule there."""
        text: str = self._text.detokenize(words, unescape=False)
        return text

    def normalise(self, sentence: str) -> str:
        """The sentence with punctuation normalised and single spaces."""
        text: str = self._punctuation.normalize(sentence)
        return " ".join(text.split())
