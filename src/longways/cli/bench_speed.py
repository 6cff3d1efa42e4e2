"""`longways bench speed` and its kin: how fast, in how much memory, and what a beam costs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()

Out = Annotated[Path | None, typer.Option(help="Also write the result to this JSON file.")]
Rounds = Annotated[int, typer.Option(help="Times each engine is measured.")]
Threads = Annotated[int, typer.Option(help="Threads of the CPU to use.")]
Plot = Annotated[
    Path | None, typer.Option(help="Draw speed-ups over L into this .png or .svg file.")
]

Beam = Annotated[int, typer.Option(help="Hypotheses of the beam search; 1 is greedy.")]
Batches = Annotated[
    str | None,
    typer.Option(
        help="Windows decoded together: numbers, paper (the paper's table by L), largest (the "
        "best that fits, for each engine). By default 1,16,64 on a CPU and paper on a GPU."
    ),
]
Engines = Annotated[
    str | None,
    typer.Option(
        help="Of concat (a transformer as in the paper), prealloc (a strong one), ctranslate2, "
        "and RFA by its projections of cross and causal attention, as 64+32, spiky-64+32 or "
        "hybrid+32. On a CPU threads share out windows; in concat-shared and "
        "ctranslate2-shared they share every operation."
    ),
]
Trained = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=FOLDER",
        help="A trained model for the engine of this name, or for every transformer; "
        "repeatable. The weights of the others are random.",
    ),
]
Prepared = Annotated[
    Path | None, typer.Option(help="Sources from the test part of this data, for trained models.")
]
Talks = Annotated[
    int, typer.Option(help="Also decode so many whole talks together, one window each.")
]
Once = Annotated[float, typer.Option(help="Measure once what takes more seconds for one decoding.")]
Limit = Annotated[
    float, typer.Option(help="Leave out what would take more seconds for one decoding.")
]
Quick = Annotated[
    bool, typer.Option(help="L 1, 4 and 15, batches 1 and 8, once: under two minutes.")
]

ALL_LENGTHS = "1,2,3,4,5,10,15,30,60,120"
QUICK_LENGTHS, QUICK_BATCHES = "1,4,15", "1,8"


@app.command()
def speed(
    device: Annotated[str, typer.Option(help="cpu, cuda or both.")] = "cpu",
    lengths: Annotated[str, typer.Option(help="L, sentences in a window.")] = ALL_LENGTHS,
    batches: Batches = None,
    engines: Engines = None,
    beam: Beam = 1,
    trained: Trained = None,
    prepared: Prepared = None,
    talks: Talks = 0,
    rounds: Rounds = 3,
    threads: Threads = 2,
    once: Once = 20.0,
    limit: Limit = 120.0,
    quick: Quick = False,
    plot: Plot = None,
    out: Out = None,
) -> None:
    """Tokens a second by the length of the window: RFA against transformers, weak and strong.

    Rows are shown on stderr as they come. With --out they are also kept as they come, so that a
    benchmark that is stopped has not been for nothing.
    """
    from longways.benchmark.report import publish, write
    from longways.benchmark.speed import measure
    from longways.benchmark.speed_config import SpeedConfig
    from longways.benchmark.speed_plot import plot_speed, speed_table
    from longways.picture import check_picture

    if plot:
        check_picture(plot)
    config = SpeedConfig(
        device=device,
        lengths=_numbers(QUICK_LENGTHS if quick else lengths),
        batches=_names(QUICK_BATCHES if quick else batches),
        engines=_names(engines),
        beams=beam,
        rounds=1 if quick else rounds,
        threads=threads,
        talks=talks,
        once=once,
        limit=limit,
        trained=_folders(trained or []),
        prepared=prepared,
    )
    result = measure(config, _teller(), lambda so_far: write(so_far, out) if out else None)
    publish(result, out, speed_table(result))
    if plot:
        plot_speed(result.rows, plot)


@app.command("speed-plot")
def speed_plot(
    reports: Annotated[
        list[Path],
        typer.Argument(help="Written by longways bench speed --out.", metavar="REPORT..."),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="A .png or .svg file.")] = Path(
        "speed.png"
    ),
) -> None:
    """Draw the speed-ups of reports over L; of what several have measured, the last counts."""
    from longways.benchmark.speed_plot import last_rows, plot_speed, read_rows

    plot_speed(last_rows([read_rows(report) for report in reports]), out)
    typer.echo(str(out))


@app.command("decode-memory")
def decode_memory(
    tokens: Annotated[
        str, typer.Option(help="Lengths of the texts that are written, in tokens.")
    ] = "1000,100000",
    features: Annotated[
        str, typer.Option(help="Projections of cross and causal attention.")
    ] = "64+32",
    threads: Threads = 2,
    out: Out = None,
) -> None:
    """Peak memory of writing a short and a very long text, one token at a time, on a CPU."""
    from longways.benchmark import decode_memory
    from longways.benchmark.report import publish

    publish(decode_memory.measure(_numbers(tokens), features, threads), out)


@app.command()
def reorder(
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    batches: Annotated[str, typer.Option(help="Windows decoded together.")] = "1,16",
    lengths: Annotated[str, typer.Option(help="L, sentences read so far.")] = "4,15",
    features: Annotated[
        str, typer.Option(help="Projections of cross and causal attention.")
    ] = "64+32,256+32",
    parents: Annotated[
        str,
        typer.Option(
            help="What beams follow on a CPU: random, drawn in every step, or searched, as by the "
            "model that comes along; several are compared."
        ),
    ] = "random",
    text: Annotated[
        Path, typer.Option(help="Chinese text that is translated for searched parents.")
    ] = Path("examples/first-cluster.zh.txt"),
    rounds: Rounds = 9,
    threads: Threads = 2,
    out: Out = None,
) -> None:
    """How much of a step of beam search with 4 beams is spent on following the beams."""
    from longways.benchmark import reorder
    from longways.benchmark.report import narrow, publish, table

    shapes, kinds = (_numbers(lengths), _numbers(batches)), _names(parents) or []
    plan = reorder.Plan(device, *shapes, features.split(","), kinds, text)
    result = reorder.measure(plan, rounds, threads)
    publish(result, out, table(narrow(result, reorder.SHOWN)))


@app.command()
def step(
    device: Annotated[str, typer.Option(help="cuda, or cpu for torch's operators.")] = "cuda",
    engines: Annotated[
        str, typer.Option(help="As for longways bench speed, those that stay on the device.")
    ] = "prealloc,64+32,256+32",
    lengths: Annotated[str, typer.Option(help="L, sentences in a window.")] = "4,15,60",
    batches: Annotated[str, typer.Option(help="Windows decoded together, one for each L.")] = (
        "256,96,96"
    ),
    beam: Beam = 1,
    recent: Annotated[
        str,
        typer.Option(
            help="Tokens of a few steps beside the state of RFA: always, never, or auto, where "
            "rows are many; several are compared."
        ),
    ] = "auto",
    rounds: Rounds = 9,
    out: Out = None,
) -> None:
    """Where the time of a decoding step goes, and what moving its bytes would take."""
    from longways.benchmark import step_profile
    from longways.benchmark.report import publish

    names = _names(engines) or []
    ways = _names(recent) or []
    plan = step_profile.Plan(names, _numbers(lengths), _numbers(batches), beam, device, ways)
    publish(step_profile.measure(plan, rounds), out)


@app.command("step-parts")
def step_parts(
    engines: Annotated[
        str, typer.Option(help="Projections of cross and causal attention.")
    ] = "spiky-64+32,256+32",
    batches: Annotated[str, typer.Option(help="Windows decoded together.")] = "1,2,4,8",
    threads: Threads = 2,
    rounds: Rounds = 9,
    out: Out = None,
) -> None:
    """Where the time of a step of ONNX Runtime goes, and what reading its weights takes."""
    from longways.benchmark import step_parts
    from longways.benchmark.report import publish

    plan = step_parts.Plan(_names(engines) or [], _numbers(batches), threads)
    publish(step_parts.measure(plan, rounds), out)


def _teller() -> Callable[[str], None]:
    """Rows as they come, beside the result, since a run can be long."""
    return lambda line: typer.echo(line, err=True)


def _folders(pairs: list[str]) -> dict[str, Path]:
    from longways.errors import ConfigError

    found = dict[str, Path]()
    for pair in pairs:
        name, equals, folder = pair.partition("=")
        if not equals or not folder:
            raise ConfigError(
                f"{pair!r} names no model. Write it as in transformer=runs/mine/best."
            )
        found[name] = Path(folder)
    return found


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [one.strip() for one in text.split(",")]


def _numbers(text: str) -> list[int]:
    from longways.errors import ConfigError

    try:
        return [int(one) for one in text.split(",")]
    except ValueError as error:
        raise ConfigError(f"{text!r} are no numbers. Write them as in 1,4,15.") from error
