"""`python -m benchmarks`: lists the micro-benchmarks; `python -m benchmarks NAME` runs one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from longways.cli.bench.speed import numbers
from longways.cli.error_messages import explanation
from longways.recipes import find_recipe
from longways.results import narrow, publish, table

app = typer.Typer(
    help="Micro-benchmarks. Each prints a table and ends in one JSON line.",
    add_completion=False,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
)

Out = Annotated[Path | None, typer.Option(help="Also write the result to this JSON file.")]
Rounds = Annotated[int, typer.Option(help="Times each call is measured.")]
Threads = Annotated[int, typer.Option(help="CPU threads to use.")]
Data = Annotated[Path, typer.Option(help="The folder of the corpora.", envvar="LONGWAYS_DATA")]
Device = Annotated[str, typer.Option(help="cpu or cuda.")]
Beam = Annotated[int, typer.Option(help="Hypotheses in beam search; 1 is greedy.")]
Page = Annotated[
    Path, typer.Argument(help="A file with markup, such as Markdown or HTML; it is repeated.")
]
Sentences = Annotated[int, typer.Option(help="Sentences of the repeated page.")]


@app.callback()
def benchmarks(context: typer.Context) -> None:
    """Micro-benchmarks. Each prints a table and ends in one JSON line."""
    if context.invoked_subcommand is None:
        typer.echo("python -m benchmarks NAME [options]; --help after a name shows its options.\n")
        for name, line in listed():
            typer.echo(f"{name:<16}{line}")


def listed() -> list[tuple[str, str]]:
    """The name and the first line of the help of every benchmark."""
    found = []
    for command in app.registered_commands:
        assert command.callback, "every command has a function"
        name = command.name or command.callback.__name__
        found.append((name, (command.callback.__doc__ or "").splitlines()[0]))
    return found


@app.command()
def features(out: Out = None) -> None:
    """Error of random features as an approximation of exp(x.y), for K from 32 to 1024."""
    from benchmarks.attention import features

    publish(features.measure(), out)


@app.command()
def forms(out: Out = None, device: Device = "cpu", rounds: Rounds = 9) -> None:
    """Training time of each form of causal RFA, by window length."""
    from benchmarks.attention import forms

    publish(forms.measure(device, rounds), out)


@app.command()
def gates(out: Out = None, device: Device = "cpu", rounds: Rounds = 9) -> None:
    """Cost of the sentential gate in training, against attention without a gate."""
    from benchmarks.attention import gates

    publish(gates.measure(device, rounds), out)


@app.command()
def imported(out: Out = None, threads: Threads = 1, beam: Beam = 4, rounds: Rounds = 5) -> None:
    """Speed and memory of an imported Marian model, against CTranslate2 with the same folder."""
    from benchmarks.decoding import imported

    publish(imported.measure(threads, beam, rounds), out)


@app.command()
def kernels(out: Out = None) -> None:
    """Time saved by the fused Triton kernels in training, on a GPU."""
    from benchmarks.attention import kernels

    publish(kernels.measure(), out)


@app.command("chunked-memory")
def chunked_memory(out: Out = None) -> None:
    """Time and peak memory of chunked RFA over 1k, 10k and 100k tokens."""
    from benchmarks.attention import chunked_memory

    publish(chunked_memory.measure(), out)


@app.command("kept-parts")
def kept_parts(
    sentences: Sentences = 2000,
    seed: Annotated[int, typer.Option(help="Seed of the generated sentences.")] = 1,
    beam: Beam = 4,
    threads: Threads = 1,
    out: Out = None,
) -> None:
    """Share of placeholders, formulas and code that arrive intact in generated sentences."""
    from benchmarks.files import kept_parts

    publish(kept_parts.measure(sentences, seed, beam, threads), out)


@app.command()
def drift(
    outputs: Annotated[list[Path], typer.Argument(help="Files that `evaluate --save` wrote.")],
    prepared: Annotated[Path, typer.Option(help="Prepared data, a recipe or a TSV file.")],
    split: Annotated[str, typer.Option(help="The split that was translated.")] = "test",
    bounds: Annotated[str, typer.Option(help="Last positions of the groups.")] = "10,25,50,100",
    data: Data = Path(),
    out: Out = None,
) -> None:
    """Scores of saved translations by the position of sentences in their document."""
    from benchmarks.stream import drift

    publish(drift.measure(outputs, prepared, split, data, numbers(bounds)), out)


@app.command()
def shortlist(
    model: Annotated[Path, typer.Argument(help="An exported model with a shortlist.")],
    documents: Annotated[Path, typer.Option(help="A recipe or a TSV file with references.")] = Path(
        "opendocs-zh-en"
    ),
    split: Annotated[str, typer.Option(help="Split of a recipe.")] = "test",
    data: Data = Path(),
    beams: Annotated[str, typer.Option(help="Hypotheses in beam search.")] = "1,4",
    sentences: Annotated[int, typer.Option(help="Sentences in all documents.")] = 600,
    rounds: Rounds = 3,
    threads: Threads = 1,
    out: Out = None,
) -> None:
    """Speed and scores of search with a model's shortlist, against search among all tokens."""
    from benchmarks.decoding import shortlist

    shape = numbers(beams), threads, rounds, sentences
    publish(
        shortlist.measure(shortlist.Plan(model, find_recipe(documents), split, data, *shape)), out
    )


@app.command("stream-speed")
def stream_speed(
    stream: Annotated[Path, typer.Argument(help="A stream model, exported as int8.")],
    transformer: Annotated[Path, typer.Argument(help="A transformer, trained in windows.")],
    sentence: Annotated[Path, typer.Argument(help="A transformer, trained on single sentences.")],
    documents: Annotated[Path, typer.Option(help="A recipe or a TSV file with references.")] = Path(
        "opendocs-zh-en"
    ),
    split: Annotated[str, typer.Option(help="Split of a recipe.")] = "test",
    data: Data = Path(),
    beams: Annotated[str, typer.Option(help="Hypotheses in beam search.")] = "1,4",
    sentences: Annotated[int, typer.Option(help="Sentences in all documents.")] = 600,
    rounds: Rounds = 3,
    threads: Threads = 2,
    out: Out = None,
) -> None:
    """Speed of a stream model at its BLEU, against CTranslate2 sliding and by sentence."""
    from benchmarks.stream import speed

    models = stream, transformer, sentence
    shape = numbers(beams), threads, rounds, sentences
    publish(speed.measure(speed.Plan(*models, find_recipe(documents), split, data, *shape)), out)


@app.command("stream-device")
def stream_device(
    stream: Annotated[Path, typer.Argument(help="A stream model with torch weights.")],
    transformer: Annotated[Path, typer.Argument(help="A transformer, trained in windows.")],
    prepared: Annotated[Path, typer.Argument(help="Prepared data whose split is translated.")],
    sentence: Annotated[
        Path | None, typer.Option(help="A transformer, trained on single sentences.")
    ] = None,
    split: Annotated[str, typer.Option(help="Split of the data.")] = "test",
    together: Annotated[int, typer.Option(help="Documents translated together.")] = 256,
    longest: Annotated[int, typer.Option(help="Sentences in a part of a document.")] = 12,
    beams: Annotated[str, typer.Option(help="Hypotheses in beam search.")] = "1,4",
    rounds: Rounds = 3,
    device: Device = "cuda",
    out: Out = None,
) -> None:
    """Speed of a stream model at its BLEU on a GPU, against our own transformer."""
    from benchmarks.stream import device as speed

    paths, counts = (stream, transformer, prepared, sentence), (together, longest, numbers(beams))
    publish(speed.measure(speed.Plan(*paths, split, *counts, rounds, device)), out)


@app.command()
def marks(
    terms: Annotated[Path, typer.Argument(help="A glossary: source TAB target a line.")] = Path(
        "examples/glossary.zh-en.tsv"
    ),
    documents: Annotated[
        Path, typer.Argument(help="A recipe or a TSV file with references.")
    ] = Path("opendocs-zh-en"),
    part: Annotated[str, typer.Option("--split", help="Split of a recipe.")] = "dev",
    data: Data = Path(),
    most: Annotated[int, typer.Option(help="The most marks of each kind.")] = 2000,
    out: Out = None,
) -> None:
    """Share of marks on the right words of references, by kind of the marked text."""
    from benchmarks.files import marks

    publish(marks.measure(terms, find_recipe(documents), part, data, most), out)


@app.command("real-text")
def real_text(
    before: Annotated[
        list[Path], typer.Argument(help="Translations of another version, a file for each beam.")
    ],
    documents: Annotated[Path, typer.Option(help="A recipe or a TSV file with references.")] = Path(
        "opendocs-zh-en"
    ),
    part: Annotated[str, typer.Option("--split", help="Split of a recipe.")] = "test",
    data: Data = Path(),
    beams: Annotated[str, typer.Option(help="Beams of the files, in the same order.")] = "1,4",
    out: Out = None,
) -> None:
    """BLEU, numbers that arrive and repetitions of a split, against another version's output."""
    from benchmarks.sanity import real_text

    recipe, chosen = find_recipe(documents), numbers(beams)
    publish(real_text.measure(recipe, part, data, chosen, before), out)


@app.command()
def confidence(
    others: Annotated[list[Path], typer.Argument(help="TSV files of text outside of the domain.")],
    documents: Annotated[Path, typer.Option(help="The recipe of the model's corpus.")] = Path(
        "opendocs-zh-en"
    ),
    data: Data = Path(),
    beam: Beam = 4,
    most: Annotated[int, typer.Option(help="The most documents of each TSV file.")] = 60,
    out: Out = None,
    calibration: Annotated[
        Path | None, typer.Option(help="Also write the calibration to this JSON file.")
    ] = None,
) -> None:
    """How well confidence predicts chrF, and the documents that get a warning."""
    from benchmarks.sanity import confidence

    recipe = find_recipe(documents)
    results = confidence.measure(recipe, others, data, beam, most)
    publish(results[1], calibration)
    publish(results[0], out)


@app.command()
def calibrate(
    model: Annotated[Path | None, typer.Option(help="A model folder; by default bundled.")] = None,
    documents: Annotated[Path, typer.Option(help="The recipe of the model's corpus.")] = Path(
        "opendocs-zh-en"
    ),
    part: Annotated[str, typer.Option(help="The split that is translated.")] = "dev",
    data: Data = Path(),
    beam: Beam = 4,
    out: Out = None,
) -> None:
    """Fit the coefficients of confidence to a model's translations of a split."""
    from benchmarks.sanity import calibrate

    publish(calibrate.measure(model, find_recipe(documents), part, data, beam), out)


@app.command("decode-kernels")
def decode_kernels(rounds: Rounds = 9, out: Out = None) -> None:
    """Time saved by the fused kernels of a decoding step, on a GPU."""
    from benchmarks.decoding import decode_kernels

    publish(decode_kernels.measure(rounds=rounds), out)


@app.command()
def reorder(
    device: Device = "cpu",
    batches: Annotated[str, typer.Option(help="Windows decoded together.")] = "1,16",
    lengths: Annotated[str, typer.Option(help="L, sentences decoded so far.")] = "4,15",
    features: Annotated[
        str, typer.Option(help="Projections in cross and causal attention.")
    ] = "64+32,256+32",
    parents: Annotated[
        str,
        typer.Option(
            help="Parents of the beams on a CPU: random, or searched (parents from a beam search "
            "with the bundled model); several kinds are compared."
        ),
    ] = "random",
    text: Annotated[
        Path, typer.Option(help="The Chinese text that is translated for searched parents.")
    ] = Path("examples/first-cluster.zh.txt"),
    rounds: Rounds = 9,
    threads: Threads = 2,
    out: Out = None,
) -> None:
    """Share of a beam-search step spent on reordering the states of 4 beams."""
    from benchmarks.decoding import reorder

    shapes, kinds = (numbers(lengths), numbers(batches)), _names(parents)
    plan = reorder.Plan(device, *shapes, _names(features), kinds, text)
    result = reorder.measure(plan, rounds, threads)
    publish(result, out, table(narrow(result, reorder.TABLE_COLUMNS)))


@app.command()
def step(
    device: Annotated[str, typer.Option(help="cuda, or cpu for torch's operators.")] = "cuda",
    systems: Annotated[
        str, typer.Option(help="Systems of longways bench speed that decode on the device.")
    ] = "prealloc,64+32,256+32",
    lengths: Annotated[str, typer.Option(help="L, sentences in a window.")] = "4,15,60",
    batches: Annotated[str, typer.Option(help="Windows decoded together, one for each L.")] = (
        "256,96,96"
    ),
    beam: Beam = 1,
    rounds: Rounds = 9,
    out: Out = None,
) -> None:
    """Time of each kernel in a decoding step, and the least time that its memory traffic takes."""
    from benchmarks.decoding import step_profile

    shapes = numbers(lengths), numbers(batches)
    plan = step_profile.Plan(_names(systems), *shapes, beam, device)
    publish(step_profile.measure(plan, rounds), out)


@app.command("step-parts")
def step_parts(
    systems: Annotated[
        str, typer.Option(help="Projections in cross and causal attention.")
    ] = "spiky-64+32,256+32",
    batches: Annotated[str, typer.Option(help="Windows decoded together.")] = "1,2,4,8",
    threads: Threads = 2,
    rounds: Rounds = 9,
    out: Out = None,
) -> None:
    """Time of search, graph and matmuls in a step of ONNX Runtime, and of reading its weights."""
    from benchmarks.decoding import step_parts

    plan = step_parts.Plan(_names(systems), numbers(batches), threads)
    publish(step_parts.measure(plan, rounds), out)


@app.command()
def loader(
    data: Annotated[Path, typer.Argument(help="A folder written by longways prepare.")],
    out: Out = None,
    tokens: Annotated[int, typer.Option(help="Target tokens in a batch.")] = 16_384,
) -> None:
    """Batches a second from prepared data, and their share of padding."""
    from benchmarks.corpus import loader

    publish(loader.measure(data, tokens=tokens), out)


@app.command()
def prepare(
    recipes: Annotated[list[Path], typer.Argument(help="Recipes, each prepared once.")],
    data: Data = Path(),
    out: Out = None,
) -> None:
    """Time, speed and peak memory of preparing whole corpora."""
    from benchmarks.corpus import prepare

    publish(prepare.measure([find_recipe(recipe) for recipe in recipes], data), out)


@app.command()
def roundtrip(
    folders: Annotated[list[Path], typer.Argument(help="Folders written by longways prepare.")],
    data: Data = Path(),
    out: Out = None,
) -> None:
    """Share of sentences that are unchanged after encoding to tokens and decoding."""
    from benchmarks.corpus import roundtrip

    publish(roundtrip.measure(folders, data), out)


@app.command()
def glossary(
    terms: Annotated[Path, typer.Argument(help="A glossary: source TAB target a line.")],
    documents: Annotated[Path, typer.Argument(help="A recipe or a TSV file with references.")],
    part: Annotated[
        str, typer.Option("--split", "--part", help="Split of a recipe: train, dev or test.")
    ] = "test",
    data: Data = Path(),
    model: Annotated[
        Path | None, typer.Option(help="A model folder; by default the bundled model.")
    ] = None,
    beam: Beam = 4,
    out: Out = None,
) -> None:
    """Share of glossary terms found in the translation, without and with the glossary, and BLEU."""
    from benchmarks.files import glossary

    publish(glossary.measure(terms, find_recipe(documents), part, data, model, beam), out)


@app.command()
def memory(
    documents: Annotated[Path, typer.Argument(help="A recipe with references.")],
    part: Annotated[str, typer.Option("--split", help="Split of the recipe.")] = "test",
    data: Data = Path(),
    count: Annotated[int, typer.Option("--documents", help="Documents to translate.")] = 20,
    units: Annotated[int, typer.Option(help="Units of the memory.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of the choice of sentences.")] = 1,
    beam: Beam = 4,
    out: Out = None,
) -> None:
    """Share of sentences taken from a translation memory, the time saved, and what else changes."""
    from benchmarks.files import memory

    recipe = find_recipe(documents)
    found = memory.measure(recipe, part, data, documents=count, units=units, beam=beam, seed=seed)
    publish(found, out)


@app.command()
def formats(
    page: Page,
    sentences: Sentences = 1000,
    beam: Beam = 4,
    rounds: Rounds = 3,
    threads: Annotated[int | None, typer.Option(help="CPU threads to use.")] = None,
    out: Out = None,
) -> None:
    """Time of translating a file with markup, against the same sentences as plain text."""
    from benchmarks.files import formats

    publish(formats.measure(page, sentences, beam, rounds, threads), out)


@app.command()
def overhead(
    sentences: Annotated[int, typer.Option(help="Sentences of a file.")] = 1000,
    beam: Beam = 4,
    only: Annotated[str, typer.Option(help="Formats, with commas; else all.")] = "",
    out: Out = None,
) -> None:
    """Share of the time that every format takes in a job of the bundled model."""
    from benchmarks.files import overhead

    publish(overhead.measure(sentences, beam, [name for name in only.split(",") if name]), out)


@app.command()
def update(
    pages: Annotated[int, typer.Option(help="Pages in all formats together.")] = 40,
    corrections: Annotated[int, typer.Option(help="Paragraphs that are corrected by hand.")] = 50,
    beam: Beam = 4,
    seed: Annotated[int, typer.Option(help="Seed of the pages and of the edits.")] = 1,
    out: Out = None,
) -> None:
    """Edit a folder and update its translation: what is translated again, and what survives."""
    from benchmarks.updates import update as updates

    publish(updates.measure(pages, corrections, beam, seed), out)


@app.command()
def resume(
    page: Page,
    sentences: Sentences = 2000,
    kills: Annotated[int, typer.Option(help="Times the job is killed.")] = 10,
    beam: Beam = 1,
    seed: Annotated[int, typer.Option(help="Seed of the random moments of the kills.")] = 1,
    out: Out = None,
) -> None:
    """Kill a job at random moments: its output must be the same, with no sentence done twice."""
    from benchmarks.files import resume

    publish(resume.measure(page, sentences, kills, beam, seed), out)


@app.command()
def kills(
    files: Annotated[int, typer.Option(help="Files of the folder.")] = 30,
    interruptions: Annotated[
        int, typer.Option(help="Times the job is killed, and times its disk is full.")
    ] = 20,
    length: Annotated[int, typer.Option(help="Sentences of a file.")] = 24,
    formats: Annotated[str, typer.Option(help="Their formats, with commas.")] = "",
    beam: Beam = 1,
    seed: Annotated[int, typer.Option(help="Seed of the sentences and the moments.")] = 1,
    out: Out = None,
) -> None:
    """Kill a folder job, and fill its disk: every file the same, no sentence done twice."""
    from benchmarks.files import kills

    chosen = _names(formats) if formats else kills.FORMATS
    publish(kills.measure(files, interruptions, length, beam, seed, chosen), out)


@app.command("round-trips")
def round_trips(
    generated: Annotated[int, typer.Option(help="Generated files of each format.")] = 500,
    only: Annotated[str, typer.Option(help="Names of formats, with commas; by default all.")] = "",
    beam: Beam = 1,
    threads: Threads = 1,
    out: Out = None,
) -> None:
    """Files of every format: bytes, structure, placeholders, and other software that opens them."""
    from benchmarks.round_trips import measure

    names = _names(only) if only else []
    publish(measure.measure(generated, beam, threads, names), out)


@app.command()
def sizes(
    sentences: Annotated[int, typer.Option(help="Sentences of a file.")] = 4000,
    megabytes: Annotated[int, typer.Option(help="Size of the large workbook.")] = 50,
    pages: Annotated[int, typer.Option(help="Pages of the large book.")] = 2000,
    out: Out = None,
) -> None:
    """Time and memory of reading and writing files of every format, and two very large ones."""
    from benchmarks.files import sizes

    publish(sizes.measure(sentences, megabytes, pages), out)


@app.command()
def fuzz(
    files: Annotated[int, typer.Option(help="Mutated files of each format.")] = 2000,
    commands: Annotated[int, typer.Option(help="Files of each format for the command.")] = 100,
    beam: Beam = 1,
    seed: Annotated[int, typer.Option(help="Seed of the mutations.")] = 1,
    save: Annotated[Path | None, typer.Option(help="Keep files with a defect here.")] = None,
    only: Annotated[str, typer.Option(help="Names of formats, with commas; by default all.")] = "",
    out: Out = None,
) -> None:
    """Mutated files of every format: no traceback, no hang, no lost text; time is linear."""
    from benchmarks.files import fuzz

    publish(fuzz.measure(files, commands, beam, seed, save, _names(only) if only else []), out)


def _names(text: str) -> list[str]:
    return [one.strip() for one in text.split(",")]


def main() -> None:
    """Run the command line; bad input is one sentence on stderr and exit code 2."""
    try:
        app(prog_name="python -m benchmarks")
    except Exception as error:
        message = explanation(error)
        if message is None:
            raise
        print(f"benchmarks: {message}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
