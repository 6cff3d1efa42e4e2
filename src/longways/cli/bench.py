"""`longways bench`: the claims, measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longways.cli import bench_speed

app = typer.Typer(
    help="Measure what we claim. Each prints a table and ends in one JSON line.",
    invoke_without_command=True,
)
app.add_typer(bench_speed.app)

Out = Annotated[Path | None, typer.Option(help="Also write the result to this JSON file.")]
Rounds = Annotated[int, typer.Option(help="Times each call is measured.")]
Data = Annotated[
    Path, typer.Option(help="The folder that the corpora are in.", envvar="LONGWAYS_DATA")
]
Device = Annotated[str, typer.Option(help="cpu or cuda.")]


@app.callback()
def bench(
    context: typer.Context,
    quick: Annotated[
        bool, typer.Option("--quick", help="The speed benchmark in under two minutes.")
    ] = False,
) -> None:
    """Measure what we claim. Each prints a table and ends in one JSON line."""
    if context.invoked_subcommand is None:
        if quick:
            bench_speed.speed(quick=True)
        else:
            typer.echo(context.get_help())


@app.command()
def features(out: Out = None) -> None:
    """How well random features stand for exp(x.y), for K from 32 to 1024."""
    from longways.benchmark import features
    from longways.benchmark.report import publish

    publish(features.measure(), out)


@app.command()
def memory(out: Out = None) -> None:
    """Time and peak memory of chunked RFA over 1k, 10k and 100k tokens."""
    from longways.benchmark import memory
    from longways.benchmark.report import publish

    publish(memory.measure(), out)


@app.command()
def forms(out: Out = None, device: Device = "cpu", rounds: Rounds = 9) -> None:
    """Which form of causal RFA trains fastest, over the length of the window."""
    from longways.benchmark import forms
    from longways.benchmark.report import publish

    publish(forms.measure(device, rounds), out)


@app.command()
def gates(out: Out = None, device: Device = "cpu", rounds: Rounds = 9) -> None:
    """What the sentential gate costs in training, against attention without it."""
    from longways.benchmark import gates
    from longways.benchmark.report import publish

    publish(gates.measure(device, rounds), out)


@app.command()
def loader(
    data: Annotated[Path, typer.Argument(help="A folder written by longways prepare.")],
    out: Out = None,
    tokens: Annotated[int, typer.Option(help="Target tokens of a batch.")] = 16_384,
) -> None:
    """How fast batches come from prepared data, and how much of them is padding."""
    from longways.benchmark import loader
    from longways.benchmark.report import publish

    publish(loader.measure(data, tokens=tokens), out)


@app.command()
def prepare(
    recipes: Annotated[list[Path], typer.Argument(help="Recipes, each prepared once.")],
    data: Data = Path(),
    out: Out = None,
) -> None:
    """Time, speed and peak memory of preparing whole corpora."""
    from longways.benchmark import prepare
    from longways.benchmark.report import publish

    publish(prepare.measure(recipes, data), out)


@app.command()
def roundtrip(
    folders: Annotated[list[Path], typer.Argument(help="Folders written by longways prepare.")],
    data: Data = Path(),
    out: Out = None,
) -> None:
    """How much text comes back unchanged from its tokens."""
    from longways.benchmark import roundtrip
    from longways.benchmark.report import publish

    publish(roundtrip.measure(folders, data), out)


@app.command()
def kernels(out: Out = None) -> None:
    """What the fused Triton kernels save in training, on a GPU."""
    from longways.benchmark import kernels
    from longways.benchmark.report import publish

    publish(kernels.measure(), out)


@app.command("decode-kernels")
def decode_kernels(rounds: Rounds = 9, out: Out = None) -> None:
    """What the fused kernels of a decoding step save, on a GPU."""
    from longways.benchmark import decode_kernels
    from longways.benchmark.report import publish

    publish(decode_kernels.measure(rounds=rounds), out)


@app.command()
def training(
    data: Annotated[Path, typer.Argument(help="A folder written by longways prepare.")],
    out: Out = None,
    device: Device = "cpu",
    updates: Annotated[int, typer.Option(help="Updates measured for each model.")] = 100,
    tokens: Annotated[int, typer.Option(help="Target tokens of a batch.")] = 16_384,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="As in training.compile=false.")
    ] = None,
) -> None:
    """How fast the paper's models train, in real target tokens a second."""
    from longways.benchmark import training
    from longways.benchmark.report import publish

    publish(training.measure(data, device, updates, tokens, setting or ()), out)


@app.command()
def translation(
    text: Annotated[Path, typer.Argument(help="A text in the model's source language.")],
    model: Annotated[
        Path | None, typer.Option(help="A model folder; by default the one that comes along.")
    ] = None,
    device: Device = "cpu",
    threads: Annotated[int | None, typer.Option(help="Threads of the CPU to use.")] = None,
    long: Annotated[
        int, typer.Option(help="Sentences of a long document, for its memory; 0 leaves it out.")
    ] = 20_000,
    out: Out = None,
) -> None:
    """Sentences a second for one document and many, beam 1 and 4; memory; time to the first one."""
    from longways.benchmark import translation
    from longways.benchmark.report import publish

    publish(translation.measure(text, model, device, threads, long), out)


@app.command()
def glossary(
    terms: Annotated[Path, typer.Argument(help="A glossary: source TAB target a line.")],
    documents: Annotated[Path, typer.Argument(help="A recipe or a TSV file with references.")],
    part: Annotated[str, typer.Option(help="Of a recipe: train, dev or test.")] = "test",
    data: Data = Path(),
    model: Annotated[
        Path | None, typer.Option(help="A model folder; by default the one that comes along.")
    ] = None,
    beam: Annotated[int, typer.Option(help="Hypotheses of the beam search; 1 is greedy.")] = 4,
    out: Out = None,
) -> None:
    """The share of a glossary's terms that are honoured, without it and with it, and BLEU."""
    from longways.benchmark import glossary
    from longways.benchmark.report import publish

    publish(glossary.measure(terms, documents, part, data, model, beam), out)


@app.command()
def formats(
    page: Annotated[Path, typer.Argument(help="A Markdown or HTML file, say; it is repeated.")],
    sentences: Annotated[int, typer.Option(help="Sentences of the repeated page.")] = 1000,
    beam: Annotated[int, typer.Option(help="Hypotheses of the beam search; 1 is greedy.")] = 4,
    rounds: Rounds = 3,
    threads: Annotated[int | None, typer.Option(help="Threads of the CPU to use.")] = None,
    out: Out = None,
) -> None:
    """What a file format costs, against the same sentences as plain text."""
    from longways.benchmark import formats
    from longways.benchmark.report import publish

    publish(formats.measure(page, sentences, beam, rounds, threads), out)


@app.command()
def resume(
    page: Annotated[Path, typer.Argument(help="A Markdown or HTML file, say; it is repeated.")],
    sentences: Annotated[int, typer.Option(help="Sentences of the repeated page.")] = 2000,
    kills: Annotated[int, typer.Option(help="Times the job is killed.")] = 10,
    beam: Annotated[int, typer.Option(help="Hypotheses of the beam search; 1 is greedy.")] = 1,
    seed: Annotated[int, typer.Option(help="Of the moments.")] = 1,
    out: Out = None,
) -> None:
    """Kill a job at random moments: it ends as one that was not, and nothing is done twice."""
    from longways.benchmark import resume
    from longways.benchmark.report import publish

    publish(resume.measure(page, sentences, kills, beam, seed), out)
