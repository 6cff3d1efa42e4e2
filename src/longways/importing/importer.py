"""Import a Marian model as a model folder with the same numbers."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from longways.atomic_folder import atomic_folder
from longways.decoding.config import LengthConfig
from longways.errors import CheckpointError, ConfigError, DamagedCheckpoint
from longways.importing.languages import languages
from longways.importing.marian_npz import DECODER_FILE, read_npz_model
from longways.importing.settings import CONFIG_FILE, MarianSettings, read_settings
from longways.importing.subwords import (
    TARGET_VOCABULARY,
    Ordered,
    Subwords,
    chosen_tag,
    read_subwords,
)
from longways.importing.tensors import read_tensors
from longways.importing.weights import our_weights
from longways.model.checkpoint import own_tensors, write_model
from longways.model.config import ModelConfig, preset
from longways.model.manifest import CARD_FILE
from longways.model.translation import TranslationModel
from longways.text.config import TextConfig
from longways.text.manifest import TEXT_FOLDER
from longways.text.pipeline import TextPipeline
from longways.text.tokenizers.marian import MarianTokenizer

LENGTH = LengthConfig(ratio=2.0, extra=50)
"""Length limits of an imported model. Marian's own limit is three times the source."""

_KEPT_FILES = "README*", "LICENSE*", "LICENCE*", "NOTICE*"
"""Files about licences and sources, which are copied."""


@dataclass(frozen=True)
class ForeignModel:
    """A Marian model as its files have it, under the names of Hugging Face."""

    settings: MarianSettings
    tensors: dict[str, Tensor]
    subwords: Subwords


@dataclass(frozen=True)
class Imported:
    """What was imported."""

    source: str
    target: str
    """The languages."""
    tag: str
    """The tag of the target language, if the model has several."""
    tags: Sequence[str]
    parameters: int


def import_model(
    folder: Path, out: Path, pair: str | None = None, target: str | None = None
) -> Imported:
    """Import the model in a folder into another folder, which appears whole or not at all.

    `pair` are its languages, such as zh-en, if its files do not say them. `target` is the tag of
    the target language of a model with several.
    """
    if out.resolve() == folder.resolve():
        raise ConfigError(f"{out} is the model itself. Name another folder to import it into.")
    if folder.is_file():
        raise CheckpointError(
            f"{folder} is a file. Name the folder that has all files of the model; unpack it first "
            "if it is an archive."
        )
    if not folder.is_dir():
        raise CheckpointError(
            f"There is no folder {folder}. Download the model first, and name the folder that has "
            "its config.json."
        )
    foreign = read_folder(folder)
    tags = foreign.subwords.tags
    tag = chosen_tag(tags, target, str(folder))
    source, target = languages(folder, pair, tag)
    ordered = foreign.subwords.ordered(foreign.settings, str(folder))
    model = build(foreign, ordered, str(folder))
    text = _pipeline(foreign.subwords, ordered, (source, target), tag)
    facts = {"source_language": source, "target_language": target, "L": 1, **LENGTH.to_facts()}
    about = {"from": folder.resolve().name, "kind": "marian", "tags": tags}
    with atomic_folder(out) as draft:
        write_model(model, draft, **facts, imported=about)
        text.save(draft / TEXT_FOLDER)
        _copy_card(folder, draft)
    return Imported(source, target, tag, tags, model.parameters_count)


def read_folder(folder: Path) -> ForeignModel:
    """The model in a folder of Hugging Face or of Marian."""
    if (folder / DECODER_FILE).exists() and not (folder / CONFIG_FILE).exists():
        return ForeignModel(*read_npz_model(folder))
    settings = read_settings(folder)
    separate = not settings.shared and (folder / TARGET_VOCABULARY).exists()
    subwords = read_subwords(folder, separate)
    return ForeignModel(settings, read_tensors(folder), subwords)


def build(foreign: ForeignModel, ordered: tuple[Ordered, Ordered], where: str) -> TranslationModel:
    """Our model with the weights of a foreign one."""
    try:
        config = _config(foreign.settings, ordered)
    except ConfigError as error:
        raise CheckpointError(f"{where} cannot be imported: {error}") from error
    given = sum(tensor.numel() for tensor in foreign.tensors.values())
    if config.min_parameters > given + 2 * 5 * config.dim:
        raise DamagedCheckpoint(
            f"{where} has {given:,} weights, but its config.json asks for at least "
            f"{config.min_parameters:,}. The two are of different models."
        )
    rows = ordered[0].rows, ordered[1].rows
    weights = our_weights(foreign.tensors, foreign.settings, rows, where)
    model = TranslationModel(config)
    _check_fit(weights, own_tensors(model), where)
    model.load_state_dict(weights, strict=False)  # shared tensors have one name
    return model.eval()


def _config(settings: MarianSettings, ordered: tuple[Ordered, Ordered]) -> ModelConfig:
    return preset(
        "transformer",
        source_vocabulary=len(ordered[0].vocabulary),
        target_vocabulary=len(ordered[1].vocabulary),
        dim=settings.dim,
        heads=settings.heads,
        feed_forward=settings.feed_forward,
        encoder_layers=settings.encoder_layers,
        decoder_layers=settings.decoder_layers,
        activation=settings.activation,
        output_bias=True,
        share_embeddings=settings.shared,
        positions=settings.positions,
        dropout=settings.dropout,
    )


def _check_fit(found: dict[str, Tensor], expected: dict[str, Tensor], where: str) -> None:
    missing, unknown = expected.keys() - found.keys(), found.keys() - expected.keys()
    shapes = [name for name in expected.keys() & found.keys()
              if found[name].shape != expected[name].shape]  # fmt: skip
    for names, what in (
        (missing, "lacks"),
        (unknown, "has more layers than config.json says:"),
        (shapes, "has other sizes than config.json says in"),
    ):
        if names:
            raise DamagedCheckpoint(
                f"{where} {what} {', '.join(sorted(names)[:3])}"
                f"{', ...' if len(names) > 3 else ''}. Its files are of different models, or cut "
                "short: copy them again."
            )


def _pipeline(
    subwords: Subwords, ordered: tuple[Ordered, Ordered], pair: tuple[str, str], tag: str
) -> TextPipeline:
    joint = ordered[0].vocabulary == ordered[1].vocabulary
    config = TextConfig(kind="marian", joint=joint, target_tag=tag)
    source = MarianTokenizer(subwords.models[0], ordered[0].vocabulary, tag)
    target = MarianTokenizer(subwords.models[1], ordered[1].vocabulary)
    for tokenizer in (source, target):
        tokenizer.encode(["a"])  # raises if the .spm file is damaged
    return TextPipeline(config, *pair, source, target)


def _copy_card(folder: Path, draft: Path) -> None:
    """Copy the model card and licences of the foreign model."""
    for pattern in _KEPT_FILES:
        for path in folder.glob(pattern):
            if path.is_file() and not path.is_symlink():
                shutil.copyfile(path, draft / path.name)
    card = next((p for p in draft.glob("README*") if p.suffix.lower() == ".md"), None)
    if card and card.name != CARD_FILE:
        card.rename(draft / CARD_FILE)
