"""`longways bench`: measures decoding speed, training speed, translation speed and memory.

Micro-benchmarks of single components are in `benchmarks/`, beside the package: run
`python -m benchmarks`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longways.cli.bench.speed import Out, Threads, numbers, speed
from longways.cli.renamed import FORMER_BENCH_COMMANDS, Command, add_former_commands

app = typer.Typer(invoke_without_command=True)
app.command("speed", cls=Command)(speed)

Device = Annotated[str, typer.Option(help="cpu or cuda.")]


@app.callback()
def bench(
    context: typer.Context,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run the speed benchmark in under two minutes.")
    ] = False,
) -> None:
    """Measure speed and memory: one command per benchmark, each with a table and a JSON line.

    For example:

        longways bench --quick
        longways bench speed --windows 1,4,15 --out speed.json --plot speed.png
        longways bench translation examples/first-cluster.zh.txt

    Micro-benchmarks of single components are in a clone of the repository: python -m benchmarks.
    """
    if context.invoked_subcommand is None:
        if quick:
            speed(quick=True)
        else:
            typer.echo(context.get_help())


@app.command(cls=Command)
def training(
    data: Annotated[Path, typer.Argument(help="A folder written by longways prepare.")],
    out: Out = None,
    device: Device = "cpu",
    updates: Annotated[int, typer.Option(help="Updates measured for each model.")] = 100,
    tokens: Annotated[int, typer.Option(help="Target tokens in a batch.")] = 16_384,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a setting, as in training.compile=false; repeatable."),
    ] = None,
) -> None:
    """Measure training speed of the paper's models, in target tokens per second without padding."""
    from longways.benchmark import training
    from longways.results import publish

    publish(training.measure(data, device, updates, tokens, setting or ()), out)


@app.command(cls=Command)
def translation(
    text: Annotated[Path, typer.Argument(help="A text in the model's source language.")],
    model: Annotated[
        Path | None, typer.Option(help="A model folder; by default the bundled model.")
    ] = None,
    device: Device = "cpu",
    threads: Annotated[int | None, typer.Option(help="CPU threads to use.")] = None,
    long: Annotated[
        int,
        typer.Option(help="Sentences in the long document of the memory test; 0 skips the test."),
    ] = 20_000,
    out: Out = None,
) -> None:
    """Measure translation speed by number of documents and beam, peak memory, start-up time."""
    from longways.benchmark import translation
    from longways.results import publish

    publish(translation.measure(text, model, device, threads, long), out)


@app.command(cls=Command)
def memory(
    tokens: Annotated[
        str, typer.Option(help="Lengths of the decoded texts, in tokens.")
    ] = "1000,100000",
    features: Annotated[
        str, typer.Option(help="Random projections in cross and causal attention, as CROSS+CAUSAL.")
    ] = "64+32",
    threads: Threads = 2,
    out: Out = None,
) -> None:
    """Measure peak memory of decoding a short and a very long text on a CPU."""
    from longways.benchmark import memory
    from longways.results import publish

    publish(memory.measure(numbers(tokens), features, threads), out)


add_former_commands(app, "longways bench", FORMER_BENCH_COMMANDS)
