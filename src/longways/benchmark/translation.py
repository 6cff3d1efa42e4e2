"""Speed and peak memory of translating documents, and the time until the first sentence.

Each row is measured in its own process, because the peak memory of a process never falls. Documents
repeat the sentences of one file; each document begins with another sentence.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from longways.results import Report, report
from longways.text.sentences.splitter import split_stream
from longways.translation.model_folder import ModelFolder, default_model
from longways.translation.report import Report as Counts
from longways.translation.translator import Translator, load

TOTAL_SENTENCES = 320
"""Sentences in all documents of a row together."""
SHORT_DOCUMENT_SENTENCES = 200
"""Sentences of the document with which the memory of a long one is compared."""


def measure(text: Path, model: Path | None, device: str, threads: int | None, long: int) -> Report:
    """Measure speed by documents and beam, memory by length, and the time to the first sentence."""
    shapes = [(count, TOTAL_SENTENCES // count, beam) for count in (1, 32) for beam in (1, 4)]
    if long:
        shapes += [(1, SHORT_DOCUMENT_SENTENCES, 1), (1, long, 1)]
    common = [str(text), str(model or ""), device, str(threads or "")]
    rows = []
    for shape in shapes:
        command = [sys.executable, "-m", "longways.benchmark.translation", *common]
        done = subprocess.run(
            [*command, *map(str, shape)], stdout=subprocess.PIPE, text=True, check=True
        )
        rows.append(json.loads(done.stdout))
    folder = ModelFolder.read(model or default_model())
    settings = {
        "text": text.name,
        "model": folder.folder.name,
        "L": folder.best_window,
        "threads": threads,
        "seconds from the command to the first sentence": first_sentence(text, model),
    }
    claim = "Documents translated: speed, memory and start"
    return report("translation", claim, settings, rows, device)


def first_sentence(text: Path, model: Path | None, times: int = 5) -> float:
    """Seconds from the command to its first line, the minimum over several processes."""
    line = text.read_text(encoding="utf-8").splitlines()[0] + "\n"
    command = [sys.executable, "-m", "longways", "translate", "-"]
    command += ["--model", str(model)] if model else []
    return round(min(_until_first_line(command, line) for _ in range(times)), 2)


def _until_first_line(command: list[str], line: str) -> float:
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin, "stdin is a pipe"
        assert process.stdout, "stdout is a pipe"
        process.stdin.write(line.encode())
        process.stdin.flush()
        process.stdout.readline()
        seconds = time.perf_counter() - began
        process.stdin.close()
    return seconds


def _measure_here(
    text: Path, translator: Translator, documents: int, sentences: int, beam: int
) -> dict[str, Any]:
    source = text.read_text(encoding="utf-8")
    own = [s.text for s in split_stream([source], translator.source_language) if s.text]
    translator.translate(own[:4], beam=beam)  # one-time work does not count
    counts = Counts()
    given = (_document(own, number, sentences) for number in range(documents))
    if documents == 1:  # as a stream, so that no output is kept in memory
        for _ in translator.stream(next(given), beam=beam, report=counts):
            pass
    else:
        translator.translate_documents(given, beam=beam, report=counts)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "documents": documents,
        "sentences of each": sentences,
        "beam": beam,
        "seconds": round(counts.seconds, 1),
        "sentences a second": round(counts.sentences / counts.seconds, 1),
        "target tokens a second": round(counts.target_tokens / counts.seconds),
        "peak MB": round(peak),
    }


def _document(own: list[str], number: int, sentences: int) -> Iterator[str]:
    return islice(cycle(own), number, number + sentences)


if __name__ == "__main__":
    file, folder, device, threads, *shape = sys.argv[1:]
    translator = load(folder or None, device=device, threads=int(threads) if threads else None)
    print(json.dumps(_measure_here(Path(file), translator, *map(int, shape))))
