"""`longways models`: which models are installed, and adding and removing them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longways.cli.renamed import Command

if TYPE_CHECKING:
    from longways.translation.installed.found import InstalledModel

app = typer.Typer(
    help="Show the installed models, add models and remove them.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for each model.")]


@app.command("list", cls=Command)
def list_(as_json: Json = False) -> None:
    """List the installed models: name, languages, size, where each comes from, and its folder.

    `longways translate --to fr` takes the first one that fits: models that you have added, then
    models of packages, then bundled ones.
    """
    from longways.translation.installed.found import installed_models, user_folder

    models = installed_models()
    if as_json:
        for model in models:
            typer.echo(json.dumps(_values(model), ensure_ascii=False))
        return
    rows = [
        (m.name, m.languages, f"{_megabytes(m.folder):,.0f} MB", m.origin, str(m.folder))
        for m in models
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        typer.echo("  ".join(cells).rstrip())
    for model in models:
        if model.error:
            typer.echo(f"{model.name} cannot be used: {model.error}", err=True)
    typer.echo(f"Models that you add are in {user_folder()}.", err=True)


@app.command(cls=Command)
def info(
    name: Annotated[str, typer.Argument(help="The name of an installed model.")],
    as_json: Json = False,
) -> None:
    """Show where a model lies and what it translates, and its card.

    `longways info FOLDER` shows all of its settings.
    """
    from longways.model.manifest import CARD_FILE
    from longways.translation.installed.found import check_usable
    from longways.translation.installed.lookup import installed_named

    model = installed_named(name)
    if as_json:
        typer.echo(json.dumps(_values(model), ensure_ascii=False))
        return
    check_usable(model)
    typer.echo(
        f"{model.name}: {model.languages}, {model.origin}, {_megabytes(model.folder):.1f} MB"
    )
    typer.echo(str(model.folder))
    card = model.folder / CARD_FILE
    if card.is_file():
        typer.echo(f"\n{card.read_text(encoding='utf-8', errors='replace').rstrip()}")


@app.command(cls=Command)
def add(
    what: Annotated[
        list[str],
        typer.Argument(metavar="MODEL...", help="Model folders, wheels (.whl), or packages."),
    ],
    name: Annotated[
        str | None, typer.Option(help="The name of the model; by default that of its folder.")
    ] = None,
    force: Annotated[bool, typer.Option(help="Replace a model that you have added.")] = False,
) -> None:
    """Add models, so that they are found by their languages and their names.

    A folder that `longways export`, `train` or `import` has written is copied, and so are the
    models in a wheel; nothing in them is run. A package is installed by pip:

        longways models add models/de-en
        longways models add longways_model_de_en-1.0-py3-none-any.whl
        longways models add longways-model-de-en
    """
    from longways.errors import ConfigError
    from longways.translation.installed.adding import add_model
    from longways.translation.installed.choice import fitting
    from longways.translation.installed.found import installed_models

    if name and len(what) > 1:
        raise ConfigError(f"{len(what)} models cannot all be named {name}. Add one at a time.")
    for one in what:
        for model in add_model(one, name, force=force):
            typer.echo(f"{model.name}: {model.languages}, {model.folder}")
            same = [m.name for m in fitting(installed_models(), model.source, model.target)]
            if len(same) > 1:
                typer.echo(
                    f"{len(same)} models now translate from {model.languages}. {same[0]} is taken "
                    "unless --model names another.",
                    err=True,
                )


@app.command(cls=Command)
def remove(
    names: Annotated[list[str], typer.Argument(help="Models that you have added.")],
) -> None:
    """Remove models that you have added."""
    from longways.translation.installed.adding import remove_model

    for name in names:
        typer.echo(f"Removed: {remove_model(name)}")


@app.command(cls=Command)
def pack(
    folder: Annotated[Path, typer.Argument(help="A model folder, exported for the CPU.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder for the wheel.")] = Path(),
    name: Annotated[
        str | None, typer.Option(help="The name of the model; by default that of its folder.")
    ] = None,
    version: Annotated[str, typer.Option(help="The version of the package.")] = "1.0",
) -> None:
    """Write a wheel with a model, which `pip install` and `longways models add` install.

    The package is named longways-model-NAME. The card of the model, README.md, is its description.
    """
    from longways.translation.installed.wheels import pack_model

    typer.echo(str(pack_model(folder, out, name, version)))


def _values(model: InstalledModel) -> dict[str, Any]:
    return {
        "name": model.name,
        "source": model.source,
        "target": model.target,
        "origin": model.origin,
        "folder": str(model.folder),
        "megabytes": round(_megabytes(model.folder), 1),
        "error": str(model.error) if model.error else None,
    }


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
