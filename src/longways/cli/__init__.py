"""The command line: one module per command, and one place where errors become exit code 2."""

from __future__ import annotations

import sys

import typer

from longways import __version__
from longways.cli import (
    bench,
    consistency,
    evaluate,
    info,
    init,
    prepare,
    serve,
    study,
    train,
    translate,
)
from longways.cli.error_messages import explanation
from longways.cli.exchange import export, import_
from longways.cli.help.usage import is_request_for_help, usage_sentence
from longways.cli.memory import command as memory
from longways.cli.models import command as models
from longways.cli.renamed import FORMER_COMMANDS, Command, add_former_commands
from longways.cli.standard_streams import drop_output, reserve_closed_streams, say

app = typer.Typer(
    name="longways",
    help="Translate whole documents in linear time.\n\n"
    "Longways translates a document in windows of several sentences, so that names, pronouns and "
    "terms are translated with the sentences before them as context.",
    epilog="Start with `longways translate page.zh.txt`. Train a model for your own languages with "
    "`longways init`. Every command explains itself: `longways COMMAND --help`.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)

COMMANDS = {
    "Translate": (translate.translate, serve.serve, info.info),
    "Train a model": (
        init.init,
        prepare.prepare,
        train.train,
        evaluate.evaluate,
        export.export,
        import_.import_,
    ),
    "Compare models": (consistency.consistency, study.study),
}
"""Commands by their group in the help; the name of a function is the name of its command, but for
an underscore after a word of Python."""

for _panel, _commands in COMMANDS.items():
    for _command in _commands:
        app.command(_command.__name__.rstrip("_"), cls=Command, rich_help_panel=_panel)(_command)
app.add_typer(models.app, name="models", rich_help_panel="Translate")
app.add_typer(memory.app, name="memory", rich_help_panel="Translate")
app.add_typer(bench.app, name="bench", rich_help_panel="Compare models")
add_former_commands(app, "longways", FORMER_COMMANDS)


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
    """Options that come before a command."""


def main() -> None:
    """Run the command line. Bad input gives one sentence on stderr and exit code 2."""
    reserve_closed_streams()
    try:
        code = app(standalone_mode=False)
    except typer.Abort:
        say("stopped.")
        sys.exit(1)
    except Exception as error:
        if is_request_for_help(error):
            error.show()  # type: ignore[attr-defined]  # a click exception, whatever its package
            sys.exit(2)
        sentence = usage_sentence(error) or explanation(error)
        if sentence is None:
            raise
        say(sentence)
        drop_output()
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)
