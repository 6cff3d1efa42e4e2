"""Write a small English-German corpus of documents: train.tsv, dev.tsv and test.tsv.

The texts are about things in a house, and they need context: "it" is er, sie or es in German, by
the gender of the thing that the sentence before names. `python make_corpus.py FOLDER`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

DOCUMENTS = {"train": 900, "dev": 40, "test": 40}
PARAGRAPHS = 3
"""Things in a document, with two or three sentences about each."""


@dataclass(frozen=True)
class Thing:
    """An English noun and its German translation."""

    english: str
    german: str
    gender: str

    @property
    def article(self) -> str:
        """The German article of a subject."""
        return {"m": "der", "f": "die", "n": "das"}[self.gender]

    @property
    def article_as_object(self) -> str:
        """The German article of an object."""
        return {"m": "den", "f": "die", "n": "das"}[self.gender]

    @property
    def it(self) -> str:
        """The German pronoun as a subject."""
        return {"m": "er", "f": "sie", "n": "es"}[self.gender]

    @property
    def it_as_object(self) -> str:
        """The German pronoun as an object."""
        return {"m": "ihn", "f": "sie", "n": "es"}[self.gender]


THINGS = [
    Thing("lamp", "Lampe", "f"),
    Thing("door", "Tür", "f"),
    Thing("clock", "Uhr", "f"),
    Thing("bottle", "Flasche", "f"),
    Thing("box", "Kiste", "f"),
    Thing("bag", "Tasche", "f"),
    Thing("cup", "Tasse", "f"),
    Thing("table", "Tisch", "m"),
    Thing("chair", "Stuhl", "m"),
    Thing("key", "Schlüssel", "m"),
    Thing("letter", "Brief", "m"),
    Thing("plate", "Teller", "m"),
    Thing("carpet", "Teppich", "m"),
    Thing("book", "Buch", "n"),
    Thing("window", "Fenster", "n"),
    Thing("picture", "Bild", "n"),
    Thing("bicycle", "Fahrrad", "n"),
    Thing("knife", "Messer", "n"),
    Thing("bed", "Bett", "n"),
]
PLACES = [
    ("in the kitchen", "in der Küche"),
    ("in the garden", "im Garten"),
    ("in the hall", "im Flur"),
    ("behind the house", "hinter dem Haus"),
    ("next to the stairs", "neben der Treppe"),
    ("under the roof", "unter dem Dach"),
]
QUALITIES = [
    ("new", "neu"),
    ("old", "alt"),
    ("heavy", "schwer"),
    ("light", "leicht"),
    ("blue", "blau"),
    ("green", "grün"),
    ("beautiful", "schön"),
    ("clean", "sauber"),
    ("broken", "kaputt"),
    ("small", "klein"),
    ("big", "groß"),
    ("expensive", "teuer"),
]
NAMES = ["Anna", "Ben", "Clara", "David", "Emma", "Felix", "Greta", "Hugo"]

Pair = tuple[str, str]
Sentence = Callable[[random.Random, Thing], Pair]


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[0].upper() + text[1:]


def it_stands(draw: random.Random, thing: Thing) -> Pair:
    """Name a thing and its place."""
    english, german = draw.choice(PLACES)
    article = capital(thing.article)
    return f"The {thing.english} is {english}.", f"{article} {thing.german} ist {german}."


def somebody_seeks(draw: random.Random, thing: Thing) -> Pair:
    """Name a thing that a person is looking for."""
    name = draw.choice(NAMES)
    german = f"{name} sucht {thing.article_as_object} {thing.german}."
    return f"{name} is looking for the {thing.english}.", german


def somebody_bought(draw: random.Random, thing: Thing) -> Pair:
    """Name a thing that a person has bought."""
    name = draw.choice(NAMES)
    german = f"{name} hat {thing.article_as_object} {thing.german} gekauft."
    return f"{name} has bought the {thing.english}.", german


def it_is(draw: random.Random, thing: Thing) -> Pair:
    """Say what the thing is like, with a pronoun."""
    first, second = draw.sample(QUALITIES, 2)
    return (
        f"It is {first[0]} and {second[0]}.",
        f"{capital(thing.it)} ist {first[1]} und {second[1]}.",
    )


def it_belongs(draw: random.Random, thing: Thing) -> Pair:
    """Say whose the thing is, with a pronoun."""
    name = draw.choice(NAMES)
    return f"It belongs to {name}.", f"{capital(thing.it)} gehört {name}."


def it_was(draw: random.Random, thing: Thing) -> Pair:
    """Say where the thing was, with a pronoun inside the sentence."""
    english, german = draw.choice(PLACES)
    return f"Yesterday it was {english}.", f"Gestern war {thing.it} {german}."


def everyone_likes(_: random.Random, thing: Thing) -> Pair:
    """Say that everyone likes the thing, with a pronoun as the object."""
    return "Everyone likes it.", f"Alle mögen {thing.it_as_object}."


NAMING: list[Sentence] = [it_stands, somebody_seeks, somebody_bought]
REFERRING: list[Sentence] = [it_is, it_belongs, it_was, everyone_likes]


def document(draw: random.Random) -> list[Pair]:
    """The sentences of one document."""
    pairs = []
    for thing in draw.sample(THINGS, PARAGRAPHS):
        pairs.append(draw.choice(NAMING)(draw, thing))
        pairs += [say(draw, thing) for say in draw.sample(REFERRING, draw.choice((1, 2)))]
    return pairs


def write_corpus(folder: Path) -> None:
    """Write the three splits; the same text every time."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    for split, documents in DOCUMENTS.items():
        with (folder / f"{split}.tsv").open("w", encoding="utf-8") as file:
            for number in range(documents):
                for english, german in document(draw):
                    file.write(f"{split}-{number}\t{english}\t{german}\n")


if __name__ == "__main__":
    write_corpus(Path(sys.argv[1]))
