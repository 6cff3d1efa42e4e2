"""Text pipeline: the tokenizers of both languages, learned together and saved as one folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from longways.errors import TextError
from longways.text.config import TextConfig
from longways.text.manifest import MANIFEST_FILE, TextManifest, read_folder, write_folder
from longways.text.normalisation import Normaliser
from longways.text.tokenizers.base import Tokenizer
from longways.text.tokenizers.marian import MarianTokenizer, load_marian, marian_files
from longways.text.tokenizers.moses_bpe import MosesBpeTokenizer, learn_moses_bpe
from longways.text.tokenizers.sentencepiece import SentencePieceTokenizer, learn_sentencepiece
from longways.text.tokenizers.truecase import Truecaser
from longways.text.tokenizers.vocabulary import Vocabulary
from longways.text.vocabulary_size import vocabulary_size

Pairs = Callable[[], Iterator[tuple[str, str]]]
"""Starts a new pass over the sentence pairs of a corpus."""

CODES_FILE = "codes.bpe"


@dataclass(frozen=True)
class TextPipeline:
    """The tokenizers of the source and the target language."""

    config: TextConfig
    source_language: str
    target_language: str
    source: Tokenizer
    target: Tokenizer

    @cached_property
    def normaliser(self) -> Normaliser:
        """Normalises source sentences before they are encoded."""
        return Normaliser(self.source_language, self.source.characters)

    def normalise(self, sentence: str, keep: Iterable[tuple[int, int]] = ()) -> str:
        """A source sentence as it is encoded, of the same length; spans in `keep` do not change."""
        return self.normaliser(sentence, keep) if self.config.normalisation else sentence

    def visible(self, normal: str) -> str:
        """A normalised source sentence as a model reads it: without invisible characters."""
        return self.normaliser.visible(normal) if self.config.normalisation else normal

    def read(self, sentence: str) -> str:
        """A source sentence as a model reads it."""
        return self.visible(self.normalise(sentence))

    def source_ids(self, normal: str, breaks: Iterable[int] = ()) -> list[int]:
        """The token ids of a normalised source sentence; no token crosses a break."""
        places = [len(self.visible(normal[:place])) for place in breaks]
        return self.source.encode_split(self.visible(normal), places)

    def signs(self, sentence: str) -> list[tuple[int, int]]:
        """The signs of a source sentence that search must copy."""
        return self.normaliser.signs(sentence) if self.config.normalisation else []

    def save(self, folder: Path) -> None:
        """Write plain files and `text.json` into the folder."""
        source, target = self.source, self.target
        if isinstance(source, MarianTokenizer) and isinstance(target, MarianTokenizer):
            files = marian_files(source, target)
        elif self.source is self.target:
            files = _files("joint", self.source)
        else:
            files = {**_files("source", self.source), **_files("target", self.target)}
        manifest = TextManifest(self.config, self.source_language, self.target_language)
        write_folder(folder, manifest, files)

    @classmethod
    def load(cls, folder: Path) -> TextPipeline:
        """Load a saved pipeline; it gives exactly the same ids."""
        manifest, files = read_folder(folder)
        languages = manifest.source_language, manifest.target_language
        try:
            tokenizers = _load(files, manifest.config, languages)
        except KeyError as error:
            raise TextError(f"{folder / MANIFEST_FILE} names no file {error.args[0]}.") from error
        return cls(manifest.config, *languages, *tokenizers)


def learn(
    config: TextConfig,
    source_language: str,
    target_language: str,
    pairs: Pairs,
    progress: Callable[[str], None] | None = None,
) -> TextPipeline:
    """Learn a pipeline from sentence pairs.

    `pairs` is called once for each pass. Memory grows with the number of different words,
    not with the corpus. `progress` receives one sentence for each stage.
    """
    if config.kind == "marian":
        raise TextError(
            "Subwords of the kind 'marian' are imported with a model, not learned. Name the model "
            "with --text, or set corpus.text.kind=sentencepiece."
        )
    say = progress or _silent
    languages = source_language, target_language
    if config.kind == "moses-bpe":
        tokenizers: tuple[Tokenizer, Tokenizer] = learn_moses_bpe(config, languages, pairs(), say)
    else:
        tokenizers = _learn_sentencepiece(config, pairs, say)
    return TextPipeline(config, *languages, *tokenizers)


def _silent(_: str) -> None:
    pass


def _learn_sentencepiece(
    config: TextConfig, pairs: Pairs, say: Callable[[str], None]
) -> tuple[Tokenizer, Tokenizer]:
    if config.joint:
        both = _learn_sized(config, lambda: (s for pair in pairs() for s in pair), say)
        return both, both
    source = _learn_sized(config, lambda: (pair[0] for pair in pairs()), say)
    target = _learn_sized(config, lambda: (pair[1] for pair in pairs()), say)
    return source, target


def _learn_sized(
    config: TextConfig, sentences: Callable[[], Iterator[str]], say: Callable[[str], None]
) -> Tokenizer:
    """A tokenizer of the size that the settings name, or that suits the sentences."""
    return learn_sentencepiece(config, vocabulary_size(config, sentences()), sentences, say)


def _files(name: str, tokenizer: Tokenizer) -> dict[str, bytes]:
    """The files of one tokenizer. Both tokenizers share one file of BPE codes."""
    if isinstance(tokenizer, SentencePieceTokenizer):
        return {f"{name}.model": tokenizer.model}
    assert isinstance(tokenizer, MosesBpeTokenizer), f"no files are known for {type(tokenizer)}"
    files = {
        CODES_FILE: tokenizer.codes.encode(),
        f"{name}.vocabulary.txt": tokenizer.vocabulary.to_bytes(),
    }
    if tokenizer.truecaser:
        files[f"{name}.truecase.txt"] = tokenizer.truecaser.to_bytes()
    return files


def _load(
    files: Mapping[str, bytes], config: TextConfig, languages: tuple[str, str]
) -> tuple[Tokenizer, Tokenizer]:
    match config.kind:
        case "sentencepiece":
            return _load_sentencepiece(files, config.joint)
        case "moses-bpe":
            return _load_moses_bpe(files, languages)
        case "marian":
            return load_marian(files, config)


def _load_sentencepiece(files: Mapping[str, bytes], joint: bool) -> tuple[Tokenizer, Tokenizer]:
    names = ("joint",) if joint else ("source", "target")
    tokenizers = [SentencePieceTokenizer(files[f"{name}.model"]) for name in names]
    for tokenizer in tokenizers:
        tokenizer.check_special()
    return tokenizers[0], tokenizers[-1]


def _load_moses_bpe(
    files: Mapping[str, bytes], languages: tuple[str, str]
) -> tuple[Tokenizer, Tokenizer]:
    return (
        _load_moses_bpe_tokenizer(files, "source", languages[0]),
        _load_moses_bpe_tokenizer(files, "target", languages[1]),
    )


def _load_moses_bpe_tokenizer(files: Mapping[str, bytes], name: str, language: str) -> Tokenizer:
    casings = files.get(f"{name}.truecase.txt")
    return MosesBpeTokenizer(
        language,
        None if casings is None else Truecaser.from_bytes(casings),
        files[CODES_FILE].decode(),
        Vocabulary.from_bytes(files[f"{name}.vocabulary.txt"]),
    )
