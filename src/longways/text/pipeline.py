"""A text pipeline: both languages, learned together, saved and loaded as one folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from longways.errors import TextError
from longways.text.config import TextConfig
from longways.text.manifest import MANIFEST_FILE, Manifest, read_folder, write_folder
from longways.text.moses_bpe import MosesBpeSide, learn_moses_bpe
from longways.text.sentencepiece import SentencePieceSide, learn_sentencepiece
from longways.text.side import Side
from longways.text.truecase import Truecaser
from longways.text.vocabulary import Vocabulary

Pairs = Callable[[], Iterator[tuple[str, str]]]
"""A new pass over the sentence pairs of a corpus."""

CODES_FILE = "codes.bpe"


@dataclass(frozen=True)
class TextPipeline:
    """How sentences of both languages become ids, and ids sentences."""

    config: TextConfig
    source_language: str
    target_language: str
    source: Side
    target: Side

    def save(self, folder: Path) -> None:
        """Write plain files and `text.json` into the folder."""
        if self.source is self.target:
            files = _files("joint", self.source)
        else:
            files = {**_files("source", self.source), **_files("target", self.target)}
        manifest = Manifest(self.config, self.source_language, self.target_language)
        write_folder(folder, manifest, files)

    @classmethod
    def load(cls, folder: Path) -> TextPipeline:
        """Read what `save` wrote; its ids are the same to the last one."""
        manifest, files = read_folder(folder)
        languages = manifest.source_language, manifest.target_language
        try:
            if manifest.config.kind == "sentencepiece":
                sides = _load_sentencepiece(files, manifest.config.joint)
            else:
                sides = _load_moses_bpe(files, languages)
        except KeyError as error:
            raise TextError(f"{folder / MANIFEST_FILE} names no file {error.args[0]}.") from error
        return cls(manifest.config, *languages, *sides)


def learn(
    config: TextConfig,
    source_language: str,
    target_language: str,
    pairs: Pairs,
    progress: Callable[[str], None] | None = None,
) -> TextPipeline:
    """A pipeline for the text that `pairs` yields.

    `pairs` is called once for each pass. Memory does not grow with the corpus, only with the words
    in it. `progress` is told in a sentence what happens.
    """
    say = progress or _silent
    languages = source_language, target_language
    if config.kind == "moses-bpe":
        sides: tuple[Side, Side] = learn_moses_bpe(config, languages, pairs(), say)
    else:
        sides = _learn_sentencepiece(config, pairs, say)
    return TextPipeline(config, *languages, *sides)


def _silent(_: str) -> None:
    pass


def _learn_sentencepiece(
    config: TextConfig, pairs: Pairs, say: Callable[[str], None]
) -> tuple[Side, Side]:
    if config.joint:
        both = learn_sentencepiece(config, lambda: (s for pair in pairs() for s in pair), say)
        return both, both
    source = learn_sentencepiece(config, lambda: (pair[0] for pair in pairs()), say)
    target = learn_sentencepiece(config, lambda: (pair[1] for pair in pairs()), say)
    return source, target


def _files(name: str, side: Side) -> dict[str, bytes]:
    """The files that hold one side. Both sides write the same codes."""
    if isinstance(side, SentencePieceSide):
        return {f"{name}.model": side.model}
    assert isinstance(side, MosesBpeSide), f"no files are known for {type(side)}"
    files = {
        CODES_FILE: side.codes.encode(),
        f"{name}.vocabulary.txt": side.vocabulary.to_bytes(),
    }
    if side.truecaser:
        files[f"{name}.truecase.txt"] = side.truecaser.to_bytes()
    return files


def _load_sentencepiece(files: Mapping[str, bytes], joint: bool) -> tuple[Side, Side]:
    names = ("joint",) if joint else ("source", "target")
    sides = [SentencePieceSide(files[f"{name}.model"]) for name in names]
    for side in sides:
        side.check_special()
    return sides[0], sides[-1]


def _load_moses_bpe(files: Mapping[str, bytes], languages: tuple[str, str]) -> tuple[Side, Side]:
    return (
        _load_moses_bpe_side(files, "source", languages[0]),
        _load_moses_bpe_side(files, "target", languages[1]),
    )


def _load_moses_bpe_side(files: Mapping[str, bytes], name: str, language: str) -> Side:
    casings = files.get(f"{name}.truecase.txt")
    return MosesBpeSide(
        language,
        None if casings is None else Truecaser.from_bytes(casings),
        files[CODES_FILE].decode(),
        Vocabulary.from_bytes(files[f"{name}.vocabulary.txt"]),
    )
