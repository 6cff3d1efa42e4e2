"""`longways translate`: documents, from files or a pipe."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from longways.errors import ConfigError

if TYPE_CHECKING:
    from longways.translation.files.output_styles import Form
    from longways.translation.files.plan import File
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
    model: Annotated[
        Path | None, typer.Option(help="A model folder; by default the one that comes along.")
    ] = None,
    window: Annotated[
        int | None,
        typer.Option(help="Sentences in a window; by default what the model does best with."),
    ] = None,
    beam: Annotated[int, typer.Option(help="Hypotheses of the beam search; 1 is greedy.")] = 4,
    threads: Annotated[int | None, typer.Option(help="Threads of the CPU to use.")] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a sentence, for all files.")
    ] = False,
    bilingual: Annotated[
        bool, typer.Option(help="Write source and translation one under the other.")
    ] = False,
    side_by_side: Annotated[
        bool, typer.Option(help="Show source and translation in two columns.")
    ] = False,
    glossary: Annotated[
        Path | None,
        typer.Option(help="Words and how they are always translated: source TAB target a line."),
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(help="Words that are never translated, one a line.")
    ] = None,
    force: Annotated[bool, typer.Option(help="Overwrite translations that exist.")] = False,
    encoding: Annotated[
        str | None, typer.Option(help="Of the files, if not UTF-8: gb18030, say.")
    ] = None,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format", help="text, markdown, html, docx, srt, vtt or po; by default by the name."
        ),
    ] = None,
) -> None:
    """Translate documents, each sentence with those before it in view.

    page.zh.txt becomes page.en.txt beside it, and page.md becomes page.en.md: plain text, Markdown,
    HTML, docx, SRT, WebVTT and PO come back as they went in, with what a reader reads translated
    and code, links, times and styles in their places. Folders are searched for all of these and
    translated into the folder that -o names or beside the sources. Without files,
    standard input goes to standard output, every sentence as soon as it is ready. Paragraphs, blank
    lines and line ends stay as they are; plain text is always written as UTF-8. An empty file gives
    an empty file. Numbers, addresses and other text without words come back as they are, and a
    sentence that is too long is translated in pieces: nothing is left out.

    A job that is ended, even by a power cut, goes on where it was when the same command is run
    again: page.en.md.journal has every sentence that is ready, and page.en.partial.md can be looked
    at meanwhile. Terms of a --glossary and words to --keep are put into the translation by the
    search itself; where one could not be, it is said.
    """
    signal.signal(signal.SIGTERM, _stop)
    form, out = _form(as_json, bilingual, side_by_side), _shown(out, side_by_side)
    from longways.cli.translation_progress import watch
    from longways.decoding.open import open_runtime
    from longways.translation.files.job import Job
    from longways.translation.files.plan import STANDARD, Languages, plan_files
    from longways.translation.model_folder import ModelFolder, default_model
    from longways.translation.report import Report
    from longways.translation.translator import Options, Translator

    found = ModelFolder.read(model or default_model())
    found.window(window)
    languages = Languages(found.text.source_language, found.text.target_language)
    inputs = files or [_standard_input()]
    together = as_json or inputs == [STANDARD]
    terms = _terms(glossary, keep)
    planned = plan_files(
        inputs,
        out,
        languages,
        force=force,
        encoding=encoding,
        form=format_name,
        together=together,
    )
    _check_terminal(planned, form)
    translator = Translator(found, open_runtime(found.folder, device, threads))
    report = Report()
    options = Options(window=window, beam=beam, report=report, **terms)
    with watch(planned, report, _tell) as listener:
        Job(translator, options, form, listener, force=force).run(planned)
    _tell_what_happened(planned, report, side_by_side or sys.stderr.isatty())


class _Terms(TypedDict):
    glossary: Mapping[str, str]
    keep: Sequence[str]


def _terms(glossary: Path | None, keep: Path | None) -> _Terms:
    from longways.translation.terminology.glossary_files import read_glossary, read_keep

    words = read_keep(keep) if keep else []
    return {"glossary": read_glossary(glossary, words) if glossary else {}, "keep": words}


def _check_terminal(files: Sequence[File], form: type[Form]) -> None:
    """Raise if bytes that are no text would go to a terminal."""
    from longways.translation.files.output_styles import Bilingual, PlainText

    shown = sys.stdout.isatty() and form in (PlainText, Bilingual)
    for file in files if shown else ():
        if file.target is None and file.format and file.format.name == "docx":
            raise ConfigError(
                f"{file.name} would be written to the terminal, but docx is no text. Name a file "
                "with -o, or use --side-by-side."
            )


def _stop(number: int, _: FrameType | None) -> None:
    """End as after Ctrl-C, so that no half a file is left behind."""
    sys.exit(128 + number)


def _standard_input() -> Path:
    if sys.stdin.isatty():
        raise ConfigError(
            "There is nothing to translate. Name files, as in longways translate page.zh.txt, or "
            "type text after longways translate -."
        )
    return Path("-")


def _form(as_json: bool, bilingual: bool, side_by_side: bool) -> type[Form]:
    from longways.translation.files.output_styles import Bilingual, JsonLines, PlainText, SideBySide

    options: dict[str, tuple[bool, type[Form]]] = {
        "--json": (as_json, JsonLines),
        "--bilingual": (bilingual, Bilingual),
        "--side-by-side": (side_by_side, SideBySide),
    }
    chosen = {option: form for option, (wanted, form) in options.items() if wanted}
    if len(chosen) > 1:
        raise ConfigError(f"{' and '.join(chosen)} are different forms of output. Use one of them.")
    return next(iter(chosen.values()), PlainText)


def _shown(out: Path | None, side_by_side: bool) -> Path | None:
    """Columns are to be looked at, so they go to the terminal unless a file is named."""
    return Path("-") if side_by_side and out is None else out


def _tell(message: str) -> None:
    print(f"longways: {message}", file=sys.stderr)


def _tell_what_happened(files: Sequence[File], report: Report, summary: bool) -> None:
    """What a user must know in any case, and a summary for those who watch."""
    for file in files:
        if file.characters == 0:
            _tell(f"{file.name} is empty, and so is its translation.")
    if report.cut:
        _tell(
            f"{report.cut} translations came to their greatest length before an end, so their last "
            "words may be missing. A larger --beam, or a smaller --window, may help."
        )
    if summary:
        _tell(str(report))
