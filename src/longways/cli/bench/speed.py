"""`longways bench speed`: decoding speed over the window length, as a table and a figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

Out = Annotated[
    Path | None, typer.Option("-o", "--out", help="Also write the result to this JSON file.")
]
Threads = Annotated[int, typer.Option(help="CPU threads to use.")]

Reports = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[REPORT]...",
        help="Reports written with --out. With --plot they are drawn and nothing is measured; if "
        "several reports measure the same, the last one counts.",
        show_default=False,
    ),
]
Rounds = Annotated[int, typer.Option(help="Times each system is measured.")]
Plot = Annotated[
    Path | None, typer.Option(help="Draw speed-ups over L into this .png or .svg file.")
]
Beam = Annotated[int, typer.Option(help="Hypotheses in beam search; 1 is greedy.")]
Batches = Annotated[
    str | None,
    typer.Option(
        help="Windows decoded together: numbers, paper (the paper's table by L), largest (the "
        "fastest batch of each system). By default 1,16,64 on a CPU and paper on a GPU."
    ),
]
Systems = Annotated[
    str | None,
    typer.Option(
        help="Systems to compare: concat (a transformer with the paper's cache), prealloc (an "
        "optimised one), ctranslate2, and RFA by its projections in cross and causal attention, "
        "as 64+32, spiky-64+32 or hybrid+32. On a CPU each thread decodes windows of its own; in "
        "concat-shared and ctranslate2-shared all threads share every operation."
    ),
]
Trained = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=FOLDER",
        help="A trained model for the system NAME, or for all systems with a transformer; "
        "repeatable. Other systems have random weights.",
    ),
]
Prepared = Annotated[
    Path | None,
    typer.Option(help="Prepared data whose test split is decoded; otherwise random tokens are."),
]
Talks = Annotated[
    int, typer.Option(help="Also decode this number of whole talks together, one window each.")
]
Once = Annotated[
    float, typer.Option(help="A decoding that takes more seconds than this is not repeated.")
]
Limit = Annotated[
    float, typer.Option(help="A decoding expected to take more seconds than this is skipped.")
]
Quick = Annotated[
    bool, typer.Option(help="L 1, 4 and 15, batches 1 and 8, one round: under two minutes.")
]

ALL_WINDOWS = "1,2,3,4,5,10,15,30,60,120"
QUICK_WINDOWS, QUICK_BATCHES = "1,4,15", "1,8"


def speed(
    reports: Reports = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or both.")] = "cpu",
    windows: Annotated[
        str, typer.Option(help="Window lengths L to compare, in sentences.")
    ] = ALL_WINDOWS,
    batches: Batches = None,
    systems: Systems = None,
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
    """Measure decoding speed of RFA and transformers, in tokens per second over the window length.

    For example:

        longways bench speed --quick
        longways bench speed --device cuda --beam 4 --out gpu.json --plot gpu.png

    Rows are printed to stderr as they are measured. With --out the report is also written after
    every row, so that an interrupted benchmark keeps its results.
    """
    from longways.benchmark.speed import measure
    from longways.benchmark.speed.config import SpeedConfig
    from longways.benchmark.speed.plot import plot_speed, speed_table
    from longways.plotting import check_picture
    from longways.results import publish, write

    if plot:
        check_picture(plot)
    if reports:
        _draw(reports, plot)
        return
    config = SpeedConfig(
        device=device,
        lengths=numbers(QUICK_WINDOWS if quick else windows),
        batches=_names(QUICK_BATCHES if quick else batches),
        systems=_names(systems),
        beams=beam,
        rounds=1 if quick else rounds,
        threads=threads,
        talks=talks,
        once=once,
        limit=limit,
        trained=_folders(trained or []),
        prepared=prepared,
    )
    result = measure.measure(config, _log(), lambda so_far: write(so_far, out) if out else None)
    publish(result, out, speed_table(result))
    if plot:
        plot_speed(result.rows, plot)


def _draw(reports: list[Path], plot: Path | None) -> None:
    from longways.benchmark.speed.plot import last_rows, plot_speed, read_rows
    from longways.errors import ConfigError

    if plot is None:
        raise ConfigError("Reports are drawn, but no figure is named: add `--plot speed.png`.")
    plot_speed(last_rows([read_rows(report) for report in reports]), plot)
    typer.echo(str(plot))


def _log() -> Callable[[str], None]:
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


def numbers(text: str) -> list[int]:
    """The numbers of a comma-separated option."""
    from longways.errors import ConfigError

    try:
        return [int(one) for one in text.split(",")]
    except ValueError as error:
        raise ConfigError(f"{text!r} is not a list of numbers. Write it as in 1,4,15.") from error
