"""`longways translate`: documents from files, folders or a pipe."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from longways.cli.standard_streams import say
from longways.errors import ConfigError
from longways.formats.registry import NAMES

if TYPE_CHECKING:
    from longways.translation.files.folders.selection import Selection
    from longways.translation.files.output_styles import OutputStyle
    from longways.translation.files.plan import File, Plan
    from longways.translation.report import Report


def translate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE...|-]", help="Files or folders; - is standard input."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="A file, or a folder for several; - is standard output."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="LANGUAGE", help="The target language; picks an installed model."),
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="LANGUAGE",
            help="The source language; with --to it is otherwise identified from the files.",
        ),
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="A model folder, or the name of an installed model.")
    ] = None,
    window: Annotated[
        int | None,
        typer.Option(help="L, sentences in a window; by default the model's best window."),
    ] = None,
    context: Annotated[
        str | None,
        typer.Option(help="Sentences that a stream model looks back, or all (the default)."),
    ] = None,
    beam: Annotated[int, typer.Option(help="Hypotheses of the beam search; 1 is greedy.")] = 4,
    length_penalty: Annotated[
        float,
        typer.Option(help="Exponent of the length penalty; larger prefers longer translations."),
    ] = 1.0,
    nbest: Annotated[
        int, typer.Option(help="With --json, hypotheses to print for each sentence.")
    ] = 1,
    threads: Annotated[int | None, typer.Option(help="Number of CPU threads.")] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    shortlist: Annotated[
        bool | None,
        typer.Option(
            "--shortlist/--no-shortlist",
            help="Choose among the likely words of each sentence only, which is faster on a CPU; "
            "by default as the model says.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a sentence, for all files.")
    ] = False,
    bilingual: Annotated[
        bool, typer.Option(help="Write each source sentence above its translation.")
    ] = False,
    side_by_side: Annotated[
        bool, typer.Option(help="Show source and translation in two columns.")
    ] = False,
    glossary: Annotated[
        Path | None,
        typer.Option(help="A file of terms and their translations: source TAB target a line."),
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(help="A file of words that are never translated, one a line.")
    ] = None,
    memory: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Take sentences from this translation memory, .tmx or .sqlite; a new .sqlite file "
            "is made, and gets the translations of this job. Can be repeated.",
        ),
    ] = None,
    export_memory: Annotated[
        Path | None,
        typer.Option(metavar="FILE.tmx", help="Write all sentences with their translations here."),
    ] = None,
    force: Annotated[bool, typer.Option(help="Overwrite translations that exist.")] = False,
    update: Annotated[
        bool,
        typer.Option(
            "--update",
            help="Translate only the sentences that have changed, and keep all corrections.",
        ),
    ] = False,
    update_report: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="FILE", help="With --update, a JSON file on what has changed."
        ),
    ] = None,
    copy: Annotated[
        bool,
        typer.Option(
            "--copy",
            help="Copy the other files of a folder, and rename links to translated pages.",
        ),
    ] = False,
    include: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="In folders, translate only these, such as '*.md'."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="In folders, leave these out, such as drafts or '*.po'."),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="The encoding of the files, if not UTF-8, such as gb18030.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,...",
            help="The columns of tables to translate, by name or number; else all with words.",
        ),
    ] = None,
    header: Annotated[
        bool, typer.Option("--header", help="Translate the names of columns of tables, too.")
    ] = False,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            help=f"{', '.join(NAMES)}; by default by the file's suffix.",
        ),
    ] = None,
) -> None:
    """Translate documents, each sentence with the sentences before it as context.

    page.zh.txt becomes page.en.txt, and page.md becomes page.en.md. --to fr picks an installed
    model by its languages; longways models lists them. Plain text, Markdown,
    reStructuredText, AsciiDoc, HTML, Office files, e-mail, subtitles, tables, PO and resource files
    of programs keep their format: text is translated; code, links, times and styles stay in their
    places. Folders are searched for all of these formats; .json, .yml, .properties, .xml, .csv and
    .tsv may be settings or data and need --include '*.json'.
    Translations go to the folder that -o names, or beside the sources. Without files, standard
    input is translated to standard output, every sentence as soon as it is ready.

    With --copy, the folder after -o also gets all other files, and links to page.md in translated
    pages become links to page.en.md. --include and --exclude choose files of a folder by name, or
    by path if they have a slash: * stays within a folder, ** does not. Both can be repeated.

    Paragraphs, blank lines and line ends stay as they are. Plain text is written as UTF-8. Numbers,
    addresses and other text without words are copied. A sentence that is too long for the model is
    translated in several segments. Nothing is dropped.

    An interrupted job, even after a power cut, resumes when the same command is run again:
    page.en.md.journal holds every sentence that is ready, and page.en.partial.md is a preview. Of
    several files, the finished ones are skipped, unless their sources or the options have changed:
    .longways.jsonl in the output folder records them.

    With --update, translations that exist keep every sentence whose source has not changed, with
    the corrections that people have made in it. Sentences that are new or have changed are
    translated, with the kept ones as context.

    The path of each new file is printed.

    A sentence or a paragraph that is in a --memory is not translated: its translation is taken, and
    is context of the next ones. --json shows sentences like one in a memory.

    Search puts the terms of --glossary and the words of --keep into the translation; a warning
    names each term that search could not place.
    """
    signal.signal(signal.SIGTERM, _stop)
    style, out = _style(as_json, bilingual, side_by_side), _shown(out, side_by_side)
    _check_nbest(nbest, as_json)
    from longways.cli.memory.files import open_memories, open_recorder
    from longways.cli.translation_progress import watch
    from longways.decoding.open import open_runtime
    from longways.formats.tables.columns import Columns
    from longways.translation.files.job import Job
    from longways.translation.files.plan import STANDARD, Languages, plan_job
    from longways.translation.files.record import FinishedFiles
    from longways.translation.files.updates.command import check_update, open_updates
    from longways.translation.installed.lookup import check_languages
    from longways.translation.model_folder import ModelFolder, parse_context
    from longways.translation.options import Options, search_config
    from longways.translation.report import Report

    inputs = files or [_standard_input()]
    found = ModelFolder.read(_model_folder(model, from_, to, inputs, format_name, encoding))
    check_languages(found, from_, to)
    found.window(window)
    carried = found.context(parse_context(context), given=context is not None)
    report = Report()
    options = Options(
        window=window,
        context=carried,
        beam=beam,
        length_penalty=length_penalty,
        nbest=nbest,
        report=report,
        memory=None,
        **_terms(glossary, keep),
    )
    search_config(options)
    record = FinishedFiles()
    check_update(update, update_report, force, style, inputs, out)
    plan = plan_job(
        inputs,
        out,
        Languages(found.text.source_language, found.text.target_language),
        force=force,
        encoding=encoding,
        format_name=format_name,
        together=as_json or inputs == [STANDARD],
        record=record,
        selection=_selection(inputs, include, exclude),
        copy=_checked_copy(copy, inputs, out, as_json),
        columns=Columns.of(columns or (), header=header),
        update=update,
    )
    _check_terminal(plan.files, style)
    _say_passed_over(plan, copy, out)
    options["memory"] = open_memories(memory or [], found)
    runtime = open_runtime(found.folder, device, threads, shortlist)
    written, updates = list[Path](), None
    try:
        with watch(plan.files, report, say) as listener:
            several = record if update or len(plan.files) > 1 or _has_folder(inputs) else None
            pairs = open_recorder(options["memory"], export_memory, found, plan.files, force)
            updates = open_updates(found, record, listener, inputs, out) if update else None
            job = Job(
                found,
                runtime,
                options,
                style,
                listener,
                force=force,
                record=several,
                pairs=pairs,
                updates=updates,
            )
            written = job.written
            job.run(plan.files, plan.copies)
    finally:
        _print_written(written)
        if updates and updates.report.has_files:
            say(str(updates.report))
        if updates:
            updates.report.write(update_report)
    if export_memory and job.skipped:
        say(
            f"{export_memory} lacks the sentences of files that were translated before. Translate "
            "into a new folder to export them all."
        )
    _say_results(plan.files, report, side_by_side or sys.stderr.isatty())


def _model_folder(
    model: Path | None,
    source: str | None,
    target: str | None,
    inputs: Sequence[Path],
    format_name: str | None,
    encoding: str | None,
) -> Path:
    """The folder of the model that is named, or of the installed model for the languages."""
    from longways.translation.installed.job import choose_model
    from longways.translation.installed.lookup import find_model

    if model is not None or not (source or target):
        return find_model(model)
    choice = choose_model(inputs, source, target, format_name, encoding)
    taken = choice.model
    say(choice.note or f"The model is {taken.name}, from {taken.source} to {taken.target}.")
    return taken.folder


def _has_folder(inputs: Sequence[Path]) -> bool:
    return any(path.is_dir() for path in inputs)


def _selection(
    inputs: Sequence[Path], include: Sequence[str] | None, exclude: Sequence[str] | None
) -> Selection:
    from longways.translation.files.folders.selection import Selection

    for option, patterns in (("--include", include), ("--exclude", exclude)):
        if patterns and not _has_folder(inputs):
            raise ConfigError(
                f"{option} chooses files of a folder. Name a folder, or leave it out."
            )
    return Selection(tuple(include or ()), tuple(exclude or ()))


def _checked_copy(copy: bool, inputs: Sequence[Path], out: Path | None, as_json: bool) -> bool:
    """Raise if there is nothing to copy, or no place for it."""
    if copy and not _has_folder(inputs):
        raise ConfigError("--copy takes along the files of a folder. Name a folder to translate.")
    if copy and (as_json or out == Path("-")):
        raise ConfigError("--copy needs a folder for the files. Name one with -o, without --json.")
    return copy


def _say_passed_over(plan: Plan, copy: bool, out: Path | None) -> None:
    """Say which files of a folder are not translated."""
    from longways.translation.files.folders.selection import counted, include_hint

    if plan.links:
        say(f"Symbolic links in a folder are not followed: {plan.links:,} left out.")
    if plan.settings:
        what = "Copied" if copy and out else "Not translated"
        say(
            f"{what}, since they may be settings or data: {counted(plan.settings)}. "
            f"{include_hint(plan.settings)}"
        )
    if not plan.passed_over:
        return
    if copy and out:
        say(f"Copied, since their format is unknown: {plan.passed_over}.")
    else:
        more = " --copy takes them along." if out else ""
        say(f"Not translated, since their format is unknown: {plan.passed_over}.{more}")


class _Terms(TypedDict):
    glossary: Mapping[str, str]
    keep: Sequence[str]


def _terms(glossary: Path | None, keep: Path | None) -> _Terms:
    from longways.translation.terminology.glossary_files import read_glossary, read_keep

    words = read_keep(keep) if keep else []
    return {"glossary": read_glossary(glossary, words) if glossary else {}, "keep": words}


def _check_nbest(nbest: int, as_json: bool) -> None:
    """Raise if several hypotheses are asked for in a style that shows one."""
    if nbest != 1 and not as_json:
        raise ConfigError("--nbest needs --json: other outputs hold one translation a sentence.")


def _check_terminal(files: Sequence[File], style: type[OutputStyle]) -> None:
    """Raise if a binary file would be written to a terminal."""
    from longways.formats.registry import PACKAGES, WRITTEN
    from longways.translation.files.output_styles import Bilingual, PlainText

    shown = sys.stdout.isatty() and style in (PlainText, Bilingual)
    for file in files if shown else ():
        name = file.format.name if file.format else ""
        if file.target is None and name in PACKAGES and name not in WRITTEN:
            raise ConfigError(
                f"{file.name} would be written to the terminal, but {name} is a binary "
                "format. Name a file with -o, or use --side-by-side."
            )


def _stop(number: int, _: FrameType | None) -> None:
    """Exit as after Ctrl-C, so that the job keeps its partial files."""
    sys.exit(128 + number)


def _standard_input() -> Path:
    if sys.stdin.isatty():
        raise ConfigError(
            "There is nothing to translate. Name files, as in longways translate page.zh.txt, or "
            "type text after longways translate -."
        )
    return Path("-")


def _style(as_json: bool, bilingual: bool, side_by_side: bool) -> type[OutputStyle]:
    from longways.translation.files.output_styles import Bilingual, JsonLines, PlainText, SideBySide

    options: dict[str, tuple[bool, type[OutputStyle]]] = {
        "--json": (as_json, JsonLines),
        "--bilingual": (bilingual, Bilingual),
        "--side-by-side": (side_by_side, SideBySide),
    }
    chosen = {option: style for option, (wanted, style) in options.items() if wanted}
    if len(chosen) > 1:
        raise ConfigError(f"{' and '.join(chosen)} are different output styles. Use one of them.")
    return next(iter(chosen.values()), PlainText)


def _shown(out: Path | None, side_by_side: bool) -> Path | None:
    """Two columns go to the terminal unless a file is named."""
    return Path("-") if side_by_side and out is None else out


def _print_written(paths: Sequence[Path]) -> None:
    """Print where the translations are. A job with such files writes no data to the terminal."""
    for path in paths:
        sys.stdout.buffer.write(os.fsencode(path) + b"\n")
    if paths:
        sys.stdout.flush()


def _say_results(files: Sequence[File], report: Report, summary: bool) -> None:
    """Warnings about the finished job, and a summary for a user at a terminal."""
    for file in files:
        if file.characters == 0:
            say(f"{file.name} is empty, and so is its translation.")
    if report.cut:
        say(
            f"{report.cut} translations were cut off at the length limit and may be incomplete. "
            "Try a larger --beam or a smaller --window."
        )
    if summary:
        say(str(report))
