"""The toy task: an invented language whose pronouns can be resolved only from context.

The source is an invented language with its verb at the end; the target is English. A document
repeats three sentences:

    rona   velu  tokim         Ana reads books        someone is named
    mirel  soti                rain falls             something else happens
    ze     lun   haverim       Ana writes letters     `ze` is the person named two sentences before

Without context, the name in the third sentence is a guess among eight. Names, verbs and objects are
drawn independently, so only the first sentence tells who `ze` is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longways.corpus.document import Document

NAMES = {
    "rona": "Ana",
    "belko": "Ben",
    "karu": "Carl",
    "dosha": "Dora",
    "emil": "Ed",
    "fenu": "Finn",
    "gira": "Gail",
    "hoban": "Hugo",
}
VERBS = {
    "tokim": "reads",
    "haverim": "writes",
    "salim": "sells",
    "porim": "carries",
    "vindim": "finds",
    "gomim": "wants",
}
OBJECTS = {
    "velu": "books",
    "lun": "letters",
    "taro": "apples",
    "pesk": "maps",
    "orul": "lamps",
    "dima": "coats",
}
EVENTS = {
    "mirel soti": "rain falls",
    "halo soti": "night falls",
    "mirel nuv": "rain stops",
    "halo nuv": "night ends",
}
PRONOUN = "ze"
SPECIALS = ("<pad>", "<bos>", "<eos>", "<sep>", "<unk>")
"""The special tokens, in the order of `text.tokenizers.special_tokens`."""


NAMES_PER_DOCUMENT = 4
"""Names introduced in a document, each with its pronoun two sentences later."""


@dataclass(frozen=True)
class ToyDocument(Document):
    """A document of the task, with the indices of its sentences with a pronoun."""

    pronouns: list[int]


@dataclass(frozen=True)
class Words:
    """The vocabulary of one language; its ids begin with the special tokens."""

    words: tuple[str, ...]

    @staticmethod
    def of(sentences: list[str]) -> Words:
        """The vocabulary of all words of the sentences, in alphabetical order."""
        return Words(SPECIALS + tuple(sorted({w for s in sentences for w in s.split()})))

    def ids(self, sentence: str) -> list[int]:
        """A sentence as token ids."""
        return [self.words.index(word) for word in sentence.split()]

    def text(self, ids: list[int]) -> str:
        """Token ids as a sentence."""
        return " ".join(self.words[i] for i in ids)

    def __len__(self) -> int:
        return len(self.words)


SOURCE_WORDS = Words.of([*NAMES, *VERBS, *OBJECTS, *EVENTS, PRONOUN])
TARGET_WORDS = Words.of(
    [*NAMES.values(), *VERBS.values(), *OBJECTS.values(), *EVENTS.values()],
)


def make_documents(count: int, seed: int) -> list[ToyDocument]:
    """`count` random documents of four times three sentences, with some additional events."""
    rng = np.random.default_rng(seed)
    return [_make_document(f"toy{seed}.{number}", rng) for number in range(1, count + 1)]


def _make_document(name: str, rng: np.random.Generator) -> ToyDocument:
    pairs: list[tuple[str, str]] = []
    pronouns: list[int] = []
    for _ in range(NAMES_PER_DOCUMENT):
        who, english = _pick(NAMES, rng)
        pairs.append(_act(who, english, rng))
        pairs.append(_pick(EVENTS, rng))
        pronouns.append(len(pairs))
        pairs.append(_act(PRONOUN, english, rng))
        if rng.random() < 0.3:
            pairs.append(_pick(EVENTS, rng))
    source, target = zip(*pairs, strict=True)
    return ToyDocument(name, list(source), list(target), pronouns)


def _act(who: str, name: str, rng: np.random.Generator) -> tuple[str, str]:
    """A sentence pair about an action: subject, object, verb -> subject, verb, object."""
    verb, does = _pick(VERBS, rng)
    thing, what = _pick(OBJECTS, rng)
    return f"{who} {thing} {verb}", f"{name} {does} {what}"


def _pick(words: dict[str, str], rng: np.random.Generator) -> tuple[str, str]:
    return list(words.items())[rng.integers(len(words))]
