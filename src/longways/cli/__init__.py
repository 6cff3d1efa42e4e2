"""The command line: one file a verb, and one place where errors become exit code 2."""

from __future__ import annotations

import sys

import typer

from longways import __version__
from longways.cli import (
    bench,
    consistency,
    evaluate,
    export,
    info,
    plot,
    prepare,
    study,
    toy,
    train,
    translate,
)
from longways.cli.error_messages import explanation

app = typer.Typer(
    name="longways",
    help="Translate whole documents in linear time.\n\n"
    "Longways reads a document in windows of several sentences, so that a name, a pronoun or a "
    "term is translated with the sentences before it in view.",
    epilog="Start with: longways translate page.zh.txt",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command("translate")(translate.translate)
app.command("toy")(toy.toy)
app.command("prepare")(prepare.prepare)
app.command("train")(train.train)
app.command("evaluate")(evaluate.evaluate)
app.command("consistency")(consistency.consistency)
app.command("study")(study.study)
app.command("export")(export.export)
app.command("plot")(plot.plot)
app.command("info")(info.info)
app.add_typer(bench.app, name="bench")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"longways {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Options that come before a verb."""


def main() -> None:
    """Run the command line; bad input is one sentence on stderr and exit code 2."""
    try:
        app()
    except Exception as error:
        said = explanation(error)
        if said is None:
            raise
        print(f"longways: {said}", file=sys.stderr)
        sys.exit(2)
