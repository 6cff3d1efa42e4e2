"""The shortlist of a model folder.

shortlist/shortlist.json    how it was learned, the share of the dev split that it covers
shortlist/words.npz         the lists as arrays, uint16 in vocabularies of up to 65,536 tokens
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from longways.decoding.shortlist.shortlist import Shortlist
from longways.errors import ConfigError, DamagedCheckpoint, NewerCheckpoint
from longways.manifest import read_versioned, write_versioned
from longways.model.config import ModelConfig

FORMAT = 1
"""The format version. It is raised whenever an older Longways cannot read the new format."""

SHORTLIST_FOLDER = "shortlist"
MANIFEST_FILE, WORDS_FILE = "shortlist.json", "words.npz"


@dataclass(frozen=True)
class StoredShortlist:
    """A shortlist with what its folder says about it."""

    lists: Shortlist
    facts: dict[str, Any] = field(default_factory=dict)
    """Settings of its learning, the data, the coverage."""
    default: bool = False
    """Whether search uses it unless told otherwise."""


def write_shortlist(model: Path, stored: StoredShortlist) -> None:
    """Write a shortlist into an unfinished model folder."""
    folder, lists = model / SHORTLIST_FOLDER, stored.lists
    folder.mkdir(exist_ok=True)
    dtype = np.uint16 if lists.vocabulary <= 1 << 16 else np.uint32
    np.savez_compressed(
        folder / WORDS_FILE,
        always=lists.always.astype(dtype),
        words=np.asarray(lists.words, dtype),
        offsets=lists.offsets.astype(np.uint32),
    )
    write_versioned(folder / MANIFEST_FILE, FORMAT, {"default": stored.default, **stored.facts})


def has_shortlist(model: Path) -> bool:
    """Whether a model folder has a shortlist."""
    return (model / SHORTLIST_FOLDER).is_dir()


def read_shortlist(model: Path, config: ModelConfig) -> StoredShortlist:
    """Read and check the shortlist of a model folder."""
    folder = model / SHORTLIST_FOLDER
    facts = read_versioned(
        folder / MANIFEST_FILE, FORMAT, "shortlist", DamagedCheckpoint, NewerCheckpoint
    )
    sizes = config.source_vocabulary, config.target_vocabulary
    lists = _read_words(folder / WORDS_FILE, *sizes)
    return StoredShortlist(lists, facts, default=facts.get("default") is True)


def wanted_shortlist(model: Path, config: ModelConfig, wanted: bool | None) -> Shortlist | None:
    """The shortlist to search with; `wanted` is None for the model's default."""
    if not has_shortlist(model):
        if wanted:
            raise ConfigError(
                f"{model} has no shortlist. Add one with `longways export {model} OUT --shortlist "
                "DATA`, where DATA is the data that it was trained with, or leave --shortlist out."
            )
        return None
    if wanted is False:
        return None
    stored = read_shortlist(model, config)
    return stored.lists if wanted or stored.default else None


def _read_words(path: Path, source: int, target: int) -> Shortlist:
    """The lists for vocabularies of these sizes."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            always, words, offsets = (arrays[name] for name in ("always", "words", "offsets"))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise DamagedCheckpoint(
            f"{path} is missing or damaged ({error}). Copy the folder again."
        ) from error
    offsets = offsets.astype(np.int64)
    is_whole = (
        all(array.ndim == 1 and array.dtype.kind == "u" for array in (always, words))
        and len(always) > 0
        and offsets.shape == (source + 1,)
        and offsets[0] == 0
        and offsets[-1] == len(words)
        and bool((np.diff(offsets) >= 0).all())
        and max(always.max(initial=0), words.max(initial=0)) < target
    )
    if not is_whole:
        raise DamagedCheckpoint(
            f"{path} does not fit the vocabularies of the model, {source} and {target} tokens: it "
            "is damaged, or from another model. Copy the folder again."
        )
    return Shortlist(always.astype(np.int64), words, offsets, target)
