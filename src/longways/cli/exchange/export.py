"""`longways export`: a model as ONNX graphs, which translate without torch."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from longways.decoding.shortlist.folder import StoredShortlist

MEANINGS = {
    "score": "largest difference in log-probability of a window",
    "prefix": "largest difference in log-probability of the best words after a prefix",
    "steps": "largest difference in log-probability of the best words, step by step",
    "sentences": "random sentences translated by both",
    "same": "sentences translated alike",
}
"""Rows of the comparison table: fields of `Parity`, and what they mean."""


def export(
    model: Annotated[Path, typer.Argument(help="A model folder, as in runs/mine/best.")],
    out: Annotated[Path, typer.Argument(help="The folder to write.")],
    int8: Annotated[
        bool,
        typer.Option("--int8/--float32", help="8-bit weights, a quarter of the size, or float32."),
    ] = True,
    window: Annotated[
        int | None,
        typer.Option(
            help="Sentences in a window (L) that `longways translate` uses by default with this "
            "model; otherwise the L that it was trained with."
        ),
    ] = None,
    shortlist: Annotated[
        Path | None,
        typer.Option(
            metavar="DATA",
            help="Learn a shortlist from this prepared data, which has the model's vocabulary. An "
            "exported model can get one, too.",
        ),
    ] = None,
    by_default: Annotated[
        bool,
        typer.Option(
            "--shortlist-by-default", help="Search with the shortlist unless told otherwise."
        ),
    ] = False,
    force: Annotated[bool, typer.Option(help="Replace the folder if it exists.")] = False,
    check: Annotated[
        bool, typer.Option(help="Compare the exported model with the original.")
    ] = True,
) -> None:
    """Export a model to ONNX graphs, which need neither torch nor a GPU, and check them.

    The new folder is a complete model folder with config, text pipeline and model card. It starts
    in under a second:

        longways export runs/mine/best models/mine
        longways translate page.zh.txt --model models/mine

    With --shortlist it also gets lists of the words that may translate a source word, learned from
    the training data. With them, search on a CPU is faster; `longways translate --shortlist` uses
    them.
    """
    from longways.errors import ConfigError
    from longways.export.exporter import export_model, export_with_shortlist
    from longways.export.parity import parity
    from longways.model.manifest import WEIGHTS_FILE

    if out.exists() and not force:
        raise ConfigError(f"{out} exists already. Use --force to replace it, or another name.")
    if by_default and shortlist is None:
        raise ConfigError("--shortlist-by-default needs a shortlist. Name data with --shortlist.")
    lists = _learn(model, shortlist, by_default) if shortlist else None
    is_exported = lists is not None and not (model / WEIGHTS_FILE).exists()
    if lists and is_exported:
        export_with_shortlist(model, out, lists)
    else:
        export_model(model, out, int8, window, lists)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    Console(stderr=True).print(f"Written: {out}, {size / 1e6:.1f} MB", soft_wrap=True)
    if check and not is_exported:
        table = Table("", "", title="The exported model beside the original", show_header=False)
        values = asdict(parity(model, out))
        for name, meaning in MEANINGS.items():
            value = values[name]
            table.add_row(meaning, f"{value:.2g}" if isinstance(value, float) else f"{value}")
        Console().print(table)


def _learn(model: Path, data: Path, by_default: bool) -> StoredShortlist:
    """The shortlist of prepared data with the vocabulary of a model."""
    from longways.export.shortlist.learn import check_data, learn_shortlist

    console = Console(stderr=True)

    def say(line: str) -> None:
        console.print(line, soft_wrap=True)

    lists = learn_shortlist(check_data(model, data), say=say, default=by_default)
    if "coverage" in lists.facts:
        say(
            f"Lists have {lists.facts['tokens in a list']:.0f} tokens a sentence, and "
            f"{lists.facts['coverage']:.1%} of the reference tokens of the dev split."
        )
    return lists
