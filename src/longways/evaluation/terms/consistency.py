"""The share of recurring source words that a document translates the same way each time.

A term is a content word of the source that stands at least twice in a document and is not common
in the whole test set. Its translation in a sentence is the target word that fits it best in both
directions of a lexicon; a term without such a word in a sentence is not counted there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from longways.evaluation.metrics.score import TextDocuments
from longways.evaluation.terms.lexicon import Lexicon, learn_lexicon
from longways.evaluation.terms.words import Split, common_words, is_content, split_stems

Documents = Sequence[Sequence[Sequence[str]]]
"""Documents as sentences of words."""


@dataclass(frozen=True)
class TermConsistency:
    """The terms of all documents, and how many of them have one translation."""

    terms: int
    """Recurring words, counted once in each document."""
    same: int
    """Those with the same translation each time."""
    pairs: int
    """Pairs of occurrences of a term in a document."""
    same_pairs: int
    """Pairs with equal translations."""

    @property
    def same_share(self) -> float:
        """Per cent of terms with one translation."""
        return 100 * self.same / max(self.terms, 1)

    @property
    def pair_share(self) -> float:
        """Per cent of pairs with equal translations: the LTCR of Lyu et al. (2021)."""
        return 100 * self.same_pairs / max(self.pairs, 1)


class TermCounter:
    """Sources and references as words, for the translations of several systems."""

    def __init__(
        self, sources: TextDocuments, references: TextDocuments, source: str, target: str
    ) -> None:
        self._split = split_stems(target)
        self._sources = _words(sources, split_stems(source))
        self._references = _words(references, self._split)
        self._common = common_words(_flat(self._sources))

    def references(self) -> TermConsistency:
        """The consistency of the references themselves."""
        return self._count(self._references)

    def output(self, translations: TextDocuments) -> TermConsistency:
        """The consistency of a system's translations."""
        return self._count(_words(translations, self._split))

    def _count(self, translations: Documents) -> TermConsistency:
        """The lexicon is learned from these translations and the references.

        So no system's figures depend on the systems that it is compared with.
        """
        sources, own = _flat(self._sources), _flat(translations)
        lexicon = learn_lexicon([*sources, *sources], [*_flat(self._references), *own])
        found = (
            self._translations(source, target, lexicon)
            for source, target in zip(self._sources, translations, strict=True)
        )
        return summarise(counts for document in found for counts in document.values())

    def _translations(
        self, source: Sequence[Sequence[str]], target: Sequence[Sequence[str]], lexicon: Lexicon
    ) -> dict[str, Counter[str]]:
        """How often each source word of a document has each of its translations."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for words, translated in zip(source, target, strict=True):
            partners = lexicon.translations(words, translated)
            for word, partner in zip(words, partners, strict=True):
                if partner is not None and is_content(word) and word not in self._common:
                    found[word][partner] += 1
        return found


def summarise(translations: Iterable[Counter[str]]) -> TermConsistency:
    """Count terms and pairs; each counter has the translations of one word in one document."""
    recurring = [counts for counts in translations if counts.total() > 1]
    return TermConsistency(
        terms=len(recurring),
        same=sum(len(counts) == 1 for counts in recurring),
        pairs=sum(_pairs(counts.total()) for counts in recurring),
        same_pairs=sum(_pairs(n) for counts in recurring for n in counts.values()),
    )


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


def _words(documents: TextDocuments, split: Split) -> Documents:
    return [[split(sentence) for sentence in document] for document in documents]


def _flat(documents: Documents) -> list[Sequence[str]]:
    return [sentence for document in documents for sentence in document]
