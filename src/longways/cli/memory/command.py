"""`longways memory`: what a translation memory has, and its way from TMX and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longways.cli.renamed import Command

if TYPE_CHECKING:
    from longways.translation.memory.store import Store

app = typer.Typer(
    help="Show translation memories, fill them from TMX files, and write them as TMX.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Source = Annotated[
    str | None, typer.Option(help="The source language; by default that of the file or the model.")
]
Target = Annotated[
    str | None, typer.Option(help="The target language; by default that of the file or the model.")
]


@app.command(cls=Command)
def info(
    files: Annotated[list[Path], typer.Argument(help="Translation memories, .tmx or .sqlite.")],
    source: Source = None,
    target: Target = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a file.")] = False,
) -> None:
    """Show how many units a translation memory has, and how many sources have several translations.

    Units that a machine has translated and no person has seen are counted as machine.
    """
    for path in files:
        pair = _languages(path, source, target)
        values = {"file": str(path), "source": pair[0], "target": pair[1]}
        counts = _opened(path, *pair, new=False).counts()
        if as_json:
            typer.echo(json.dumps({**values, **counts}))
        else:
            numbers = ", ".join(f"{number:,} {name}" for name, number in counts.items())
            typer.echo(f"{path}: {pair[0]} to {pair[1]}, {numbers}")


@app.command("import", cls=Command)
def import_(
    files: Annotated[
        list[Path], typer.Argument(metavar="TMX... STORE", help="TMX files, then a .sqlite file.")
    ],
    source: Source = None,
    target: Target = None,
) -> None:
    """Add the units of TMX files to a store, which is made if it does not exist.

    Nothing is added if one of the files cannot be read. Units that the store has already are not
    added again.
    """
    from longways.errors import ConfigError
    from longways.translation.memory.opened import is_tmx, load_tmx

    *given, store = files
    if not given or is_tmx(store) or not all(map(is_tmx, given)):
        raise ConfigError(
            "Name TMX files and then the .sqlite file for their units, as in longways memory "
            "import team.tmx ours.sqlite."
        )
    pair = _languages(store, source, target)
    loaded = [(path, load_tmx(path, *pair)) for path in given]
    into = _opened(store, *pair, new=True)
    for path, units in loaded:
        typer.echo(f"{path}: {into.add(units.units()):,} of {units.size:,} units added")


@app.command(cls=Command)
def export(
    file: Annotated[Path, typer.Argument(help="A .sqlite file.")],
    out: Annotated[Path, typer.Argument(help="The .tmx file to write.")],
    force: Annotated[bool, typer.Option(help="Overwrite a file that exists.")] = False,
) -> None:
    """Write all units of a store as TMX 1.4, in the order in which they were added."""
    from longways.cli.memory.files import check_export
    from longways.translation.memory.tmx_writer import TmxWriter

    check_export(out, force, [file])
    pair = _languages(file, None, None)
    store, writer = _opened(file, *pair, new=False), TmxWriter(out, *pair)
    try:
        writer.begin()
        for unit in store.units():
            writer.add([unit])
        writer.finish()
    except BaseException:
        writer.discard()
        raise
    typer.echo(f"{out}: {writer.units:,} units")


def _languages(path: Path, source: str | None, target: str | None) -> tuple[str, str]:
    """The languages that are asked for, or the ones of a store, or of the bundled model."""
    from longways.translation.memory.opened import is_tmx
    from longways.translation.memory.schema import languages_of
    from longways.translation.model_folder import ModelFolder, default_model

    if source and target:
        return source, target
    if not is_tmx(path) and path.is_file():
        known = languages_of(path)
    else:
        text = ModelFolder.read(default_model()).text
        known = text.source_language, text.target_language
    return source or known[0], target or known[1]


def _opened(path: Path, source: str, target: str, *, new: bool) -> Store:
    from longways.translation.memory.opened import is_tmx, load_tmx, open_store

    if is_tmx(path):
        return load_tmx(path, source, target)
    return open_store(path, source, target, new=new)
