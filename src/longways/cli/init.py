"""`longways init`: write a recipe for one's own parallel documents."""

from __future__ import annotations

import json
import shlex
import sys
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from longways.cli.corpus_files import FILES_HELP, files_table, language_pair
from longways.errors import ConfigError

if TYPE_CHECKING:
    from longways.corpus.recipe import CorpusConfig

Files = list[str] | None
Tables = dict[str, dict[str, Any]]
"""The tables of a recipe by their names, as `model.causal`."""

CHECKED_DOCUMENTS = 1000
"""Documents of each split that are read before the recipe is written."""

COLUMNS = 98
"""Width of the recipe's comments."""

HEADER = """\
Recipe for {languages}, written by `longways init`. Edit it, or change a setting of one run with
--set, as in --set training.updates=5000. A setting that is not here has its default.
"""

PRESET = (
    "The kind of attention: hybrid (softmax cross attention, gated causal RFA; trains well from "
    "scratch), transformer, or the paper's rfa, rfa-sgate and rfa-sgate-avg."
)
EXAMPLE = "longways init mine --languages zh-en --train train.tsv --dev dev.tsv"

SPLITS = {
    "train": "Documents to learn from. Paths are absolute, or below the folder of --data.",
    "dev": "Documents for validation during training.",
    "test": "Documents for longways evaluate.",
}

SIZES: Mapping[str, Tables] = {
    "small": {
        "corpus.text": {"max_vocabulary": 8000, "joint": True},
        "model": {
            "norm": "pre", "dim": 256, "heads": 4, "feed_forward": 1024, "encoder_layers": 4,
            "decoder_layers": 2, "share_embeddings": True, "dropout": 0.2,
        },
        "batches": {"L": 4, "mixed": True, "tokens": 4096},
        "training": {
            "updates": 20_000, "learning_rate": 2e-3, "warmup": 1000, "label_smoothing": 0.1,
            "clip": 1.0, "precision": "float32", "evaluate_every": 500, "patience": 10,
            "save_every": 500, "redraw_every": 0,
        },
    },
    "paper": {
        "corpus.text": {"max_vocabulary": 24_000, "joint": True},
        "model": {
            "norm": "post", "dim": 512, "heads": 8, "feed_forward": 1024, "encoder_layers": 6,
            "decoder_layers": 6, "dropout": 0.3,
        },
        "batches": {"L": 4, "mixed": False, "tokens": 16_384},
        "training": {
            "updates": 100_000, "learning_rate": 1e-3, "warmup": 8000, "label_smoothing": 0.1,
            "precision": "bfloat16", "evaluate_every": 1000, "patience": 10, "save_every": 1000,
            "redraw_every": 1,
        },
    },
}  # fmt: skip
"""A model for a laptop, and the paper's model and training for a GPU."""

SMALL_RFA: Tables = {
    "causal": {"projection": 64, "tau": 0.7, "start": "softmax"},
    "cross": {"tau": 0.5, "start": "softmax"},
}
"""Settings with which small RFA layers learn from scratch (bundled study-embedded)."""


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder for recipe.toml.")],
    languages: Annotated[
        str | None, typer.Option(help="Source and target language, as in zh-en.")
    ] = None,
    train: Annotated[Files, typer.Option(help=FILES_HELP.format("training"))] = None,
    dev: Annotated[Files, typer.Option(help=FILES_HELP.format("dev"))] = None,
    test: Annotated[Files, typer.Option(help=FILES_HELP.format("test"))] = None,
    preset: Annotated[
        str, typer.Option(help="hybrid, transformer, rfa, rfa-sgate or rfa-sgate-avg.")
    ] = "hybrid",
    size: Annotated[
        Literal["small", "paper"],
        typer.Option(help="small: a model for a laptop. paper: the paper's model, for a GPU."),
    ] = "small",
    force: Annotated[bool, typer.Option(help="Replace recipe.toml if it exists.")] = False,
) -> None:
    """Write a recipe for your own parallel documents.

    The recipe is a TOML file with a comment for each setting:

        longways init mine --languages zh-en --train train.tsv --dev dev.zh,dev.en

    Each split is one or several files: TSV, two plain files with one sentence per line, a folder
    of paired files or of translated pages, TMX, XLIFF, PO or JSONL, IWSLT XML, or groups of
    sentences joined by ` _eos `. The format is recognised from the files, and the
    first 1,000 documents of each split are read as a check. Options that are missing are asked for
    on a terminal.

    The command prints what to run next: prepare, train, evaluate, export.
    """
    path = folder / "recipe.toml"
    if path.exists() and not force:
        raise ConfigError(f"{path} exists already. Use --force to replace it, or another folder.")
    pair = language_pair(languages or _ask("languages", "Languages, as in zh-en"))
    named = {
        "train": train or [_ask("train", "Training files (TSV, or SOURCE,TARGET)")],
        "dev": dev or [_ask("dev", "Dev files, for validation")],
        "test": test or ([] if train and dev else _ask_for_test()),
    }
    splits = {split: files_table(names) for split, names in named.items() if names}
    text = _render(_tables(pair, splits, preset, size), "-".join(pair.values()))
    corpus = _check_recipe(text)
    for split in splits:
        typer.echo(_check_split(corpus, split), err=True)
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    typer.echo(f"Written: {path}. Next:", err=True)
    for command in _next_commands(folder, "test" in splits, pair["source_language"]):
        typer.echo(command)


def _ask(option: str, question: str, default: str | None = None) -> str:
    """The answer of a user at a terminal; without a terminal the option is required."""
    if not sys.stdin.isatty():
        raise ConfigError(f"--{option} is missing. Name it, as in: {EXAMPLE}")
    answer: str = typer.prompt(question, default=default, show_default=False)
    return answer


def _ask_for_test() -> list[str]:
    answer = _ask("test", "Test files (Enter for none)", "")
    return [answer] if answer else []


def _tables(pair: dict[str, str], splits: Tables, preset: str, size: str) -> Tables:
    """All tables of the recipe, in the order in which they are written."""
    from longways.model.config import preset_table

    attention = preset_table(preset)
    corpus = {f"corpus.{split}": table for split, table in splits.items()}
    tables: Tables = {"corpus": dict(pair), **corpus}
    for name, values in SIZES[size].items():
        tables[name] = {"preset": preset, **values} if name == "model" else values
        for kind in ("causal", "cross") if (name, size) == ("model", "small") else ():
            if attention.get(kind, {}).get("kind", "rfa") == "rfa":
                tables[f"model.{kind}"] = SMALL_RFA[kind]
    return tables


def _check_recipe(text: str) -> CorpusConfig:
    """The corpus of a recipe whose settings pass the checks of `prepare` and `train`."""
    from longways.config import build
    from longways.corpus.recipe import CorpusConfig
    from longways.training.config import build_run

    values = tomllib.loads(text)
    vocabulary = values["corpus"]["text"]["max_vocabulary"]
    build_run(values, (vocabulary, vocabulary), "recipe.toml")
    return build(CorpusConfig, values["corpus"], "recipe.toml", "corpus.")


def _check_split(corpus: CorpusConfig, split: str) -> str:
    """Read the first documents of a split; a sentence that says what was found."""
    from longways.corpus.readers.bad_input import BadInputPolicy
    from longways.corpus.recipe import read_split

    files = corpus.files(split)
    for name in (*files.files, *files.source, *files.target, *files.starts):
        if not Path(name).exists():
            raise ConfigError(f"--{split}: there is no {name}. Check the path.")
    policy = BadInputPolicy()
    read = read_split(corpus, split, Path(), policy)
    documents = list(islice(read, CHECKED_DOCUMENTS))
    if not documents:
        counts = ", ".join(f"{count:,} x {kind}" for kind, count in policy.dropped.items())
        raise ConfigError(
            f"--{split}: the files contain no sentences{f' but {counts}' if counts else ''}."
        )
    count = f"{len(documents):,} document{'s' * (len(documents) > 1)}"
    sentences = sum(len(document) for document in documents)
    first = "the first " if len(documents) == CHECKED_DOCUMENTS else ""
    return (
        f"{split}: format {files.format}; {first}{count} with {sentences:,} sentences can be read."
    )


def _render(tables: Tables, languages: str) -> str:
    """The TOML text, with a comment for each setting."""
    lines = [f"# {line}" for line in HEADER.format(languages=languages).splitlines()]
    for name, values in tables.items():
        meanings = _meanings(name)
        lines += ["", *_comment(SPLITS.get(name.removeprefix("corpus."), "")), f"[{name}]"]
        for key, value in values.items():
            lines += [*_comment(meanings.get(key, "")), f"{key} = {_toml(value)}"]
    return "\n".join(lines) + "\n"


def _meanings(table: str) -> dict[str, str]:
    """The meaning of each setting of a table, from the docstrings of its config class."""
    from longways.attention.config import CausalConfig, CrossConfig
    from longways.config import field_docs
    from longways.corpus.batching.sampler import SamplerConfig
    from longways.corpus.recipe import CorpusConfig
    from longways.model.config import ModelConfig
    from longways.text.config import TextConfig
    from longways.training.config import TrainingConfig

    kinds: dict[str, type] = {
        "corpus": CorpusConfig,
        "corpus.text": TextConfig,
        "model": ModelConfig,
        "model.causal": CausalConfig,
        "model.cross": CrossConfig,
        "batches": SamplerConfig,
        "training": TrainingConfig,
    }
    return {"preset": PRESET, **field_docs(kinds[table])} if table in kinds else {}


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(" ".join(text.split()), COLUMNS)]


def _toml(value: Any) -> str:
    """A value as TOML, which writes strings, numbers, booleans and lists of them as JSON does."""
    return json.dumps(value, ensure_ascii=False)


def _next_commands(folder: Path, has_test: bool, language: str) -> Iterator[str]:
    name = folder.resolve().name
    recipe, data, run, model = map(
        shlex.quote, (str(folder), f"prepared/{name}", f"runs/{name}", f"models/{name}")
    )
    yield f"longways prepare {recipe} {data}"
    yield f"longways train {recipe} {run} --prepared {data}"
    yield f"longways evaluate {run}/best {data}{'' if has_test else ' --split dev'}"
    yield f"longways export {run}/best {model}"
    yield f"longways translate page.{language}.txt --model {model}"
