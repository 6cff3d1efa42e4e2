"""The subwords of a Marian model: its text pipeline, and the rows of its embeddings in our order.

Our vocabulary starts with <pad>, <bos>, <eos>, <sep> and <unk>; all other subwords follow in the
order of the foreign ids. <bos> takes the row that starts decoding. <sep> has no row: models for
single sentences never saw it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from longways.errors import CheckpointError, DamagedCheckpoint, TextError
from longways.importing.languages import code
from longways.importing.settings import MarianSettings
from longways.importing.weights import Rows
from longways.text.tokenizers.marian import known_tags
from longways.text.tokenizers.special_tokens import SPELLINGS
from longways.text.tokenizers.vocabulary import Vocabulary

Ids = Mapping[str, int]
"""The foreign id of every subword."""

SOURCE_MODEL, TARGET_MODEL = "source.spm", "target.spm"
VOCABULARY, TARGET_VOCABULARY = "vocab.json", "target_vocab.json"
UNKNOWN, PADDING = "<unk>", "<pad>"


class Ordered(NamedTuple):
    """The vocabulary of one language in our order, and the foreign row of each entry."""

    vocabulary: Vocabulary
    rows: Rows


@dataclass(frozen=True)
class Subwords:
    """The SentencePiece models and the ids of both languages."""

    models: tuple[bytes, bytes]
    ids: tuple[Ids, Ids]
    """Equal if both languages share one vocabulary."""

    def ordered(self, settings: MarianSettings, where: str) -> tuple[Ordered, Ordered]:
        """The vocabularies of source and target in our order; `where` is named in errors."""
        target = _ordered(self.ids[1], settings, settings.start, where)
        if self.ids[0] == self.ids[1]:
            return target, target
        return _ordered(self.ids[0], settings, None, where), target

    @property
    def tags(self) -> list[str]:
        """The tags of the target languages that the source vocabulary has."""
        return known_tags(Vocabulary(tuple(self.ids[0])))


def read_subwords(folder: Path, separate: bool) -> Subwords:
    """The subwords in a Hugging Face folder; with `separate` each language has its own ids."""
    models = read_model(folder / SOURCE_MODEL), read_model(folder / TARGET_MODEL)
    source = _read_ids(folder / VOCABULARY)
    return Subwords(models, (source, _read_ids(folder / TARGET_VOCABULARY) if separate else source))


def read_model(path: Path) -> bytes:
    """The content of a file that belongs to the model."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise CheckpointError(
            f"{path} cannot be read ({error.strerror}). Text is split by {SOURCE_MODEL} and "
            f"{TARGET_MODEL}: copy the whole model again."
        ) from error


def _read_ids(path: Path) -> Ids:
    try:
        content = json.loads(read_model(path))
    except ValueError as error:
        raise DamagedCheckpoint(f"{path} is not JSON ({error}). Copy it again.") from error
    is_table = isinstance(content, dict) and all(type(i) is int for i in content.values())
    if not is_table:
        raise DamagedCheckpoint(f"{path} is no table of subwords and ids. Copy it again.")
    return check_ids(content, path)


def check_ids(ids: dict[str, int], path: Path) -> Ids:
    """The ids, which must be different and have an unknown token; an error names the file."""
    if len(set(ids.values())) < len(ids) or min(ids.values(), default=0) < 0:
        raise DamagedCheckpoint(f"{path} gives an id to two subwords, or a negative id.")
    if UNKNOWN not in ids:
        raise DamagedCheckpoint(f"{path} has no {UNKNOWN}, which stands for unknown characters.")
    return ids


def _ordered(ids: Ids, settings: MarianSettings, start: int | None, where: str) -> Ordered:
    pad = ids.get(PADDING, settings.pad)
    special = pad, start, settings.eos, None, ids[UNKNOWN]
    subwords = {i: subword for subword, i in ids.items()}
    missing = [i for i in special if i is not None and i not in subwords]
    if missing:
        raise DamagedCheckpoint(
            f"{where}: the special token with the id {missing[0]} is not in the vocabulary of "
            f"{len(ids)} entries. config.json and the vocabulary are of different models."
        )
    dropped = {pad, settings.eos, ids[UNKNOWN]}
    rest = [i for i in sorted(subwords) if i not in dropped]
    entries = (*SPELLINGS, *(subwords[i] for i in rest))
    return Ordered(Vocabulary(entries), (*special, *rest))


def chosen_tag(tags: list[str], wanted: str | None, name: str) -> str:
    """The tag of the wanted target language; empty for a model with a single one."""
    if wanted is None:
        if len(tags) > 1:
            raise TextError(
                f"{name} translates into {len(tags)} languages. Choose one with --to, as in "
                f"--to {tags[0][2:-2]}. Its tags are: {_listed(tags)}."
            )
        return tags[0] if tags else ""
    spelled = wanted if wanted.startswith(">>") else f">>{wanted}<<"
    if not tags:
        raise TextError(f"{name} has no tags of target languages, so leave out --to {wanted}.")
    alike = [tag for tag in tags if code(tag[2:-2]) == code(spelled[2:-2])]
    if spelled not in tags and len(alike) != 1:
        raise TextError(f"{name} has no tag {spelled}. Its tags are: {_listed(tags)}.")
    return spelled if spelled in tags else alike[0]


def _listed(tags: list[str]) -> str:
    return ", ".join(tag[2:-2] for tag in tags)
