"""`longways import`: a Marian model, such as OPUS-MT's, as a model folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console


def import_(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="The folder of the model: config.json with weights in safetensors or .bin, "
            "source.spm, target.spm and vocab.json; or decoder.yml with weights in .npz.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")],
    languages: Annotated[
        str | None,
        typer.Option(
            help="Source and target language, as in zh-en; by default those that the model's files "
            "or the name of its folder say."
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="TAG",
            help="The target language of a model with several, as in fra; without it, such a model "
            "lists its tags.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option(help="Replace the folder if it exists.")] = False,
) -> None:
    """Import an OPUS-MT or another Marian model, with the same numbers.

    The model is a folder on this machine, as it is downloaded from Hugging Face or from OPUS-MT.
    Nothing in it is run. The new folder is a model like any other: translate with it, export it, or
    train a document model from it:

        longways import opus-mt-zh-en -o models/opus-zh-en
        longways export models/opus-zh-en models/opus-zh-en-int8
        longways translate page.zh.html --model models/opus-zh-en-int8

    `longways models add models/opus-zh-en-int8` adds it to the installed models.

    These models know single sentences, so they translate without context. A model with several
    target languages needs one of them:

        longways import opus-mt-en-ROMANCE -o models/opus-en-fr --to fr
    """
    from longways.errors import ConfigError
    from longways.importing.importer import import_model

    if out.exists() and not force:
        raise ConfigError(f"{out} exists already. Use --force to replace it, or another name.")
    found = import_model(model, out, languages, to)
    tag = f", tag {found.tag}" if found.tag else ""
    Console(stderr=True).print(
        f"Written: {out}, {found.source} to {found.target}{tag}, {found.parameters / 1e6:.1f} "
        "million parameters",
        soft_wrap=True,
        markup=False,
    )
