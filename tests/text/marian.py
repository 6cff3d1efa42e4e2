"""The text files of a small OPUS-MT model: two SentencePiece models, and one list of pieces."""

from __future__ import annotations

import functools
import io
import json
from collections.abc import Iterable
from pathlib import Path

import sentencepiece

from longways.text.config import TextConfig
from longways.text.pipeline import TextPipeline
from longways.text.tokenizers.marian import MarianTokenizer
from longways.text.tokenizers.special_tokens import SPELLINGS
from longways.text.tokenizers.vocabulary import Vocabulary
from tests.text.corpus import pairs

TAGS = (">>eng<<", ">>fra<<")


@functools.cache
def spm(side: int) -> bytes:
    """A unigram model with NFKC and without byte fallback, as OPUS-MT has them."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([pair[side] for pair in pairs("zh", "en")]),
        model_writer=model,
        vocab_size=(160, 200)[side],
        model_type="unigram",
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
    )
    return model.getvalue()


def subwords(side: int) -> list[str]:
    """The pieces of one language, special ones included."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=spm(side))
    return [processor.id_to_piece(i) for i in range(processor.vocab_size())]


def vocabulary(sides: Iterable[int], tags: Iterable[str] = ()) -> dict[str, int]:
    """Marian's ids: </s> and <unk> first, <pad> last, and the tags somewhere between."""
    ordinary = {p for side in sides for p in subwords(side)} - {"<unk>", "<s>", "</s>"}
    return {p: i for i, p in enumerate(["</s>", "<unk>", *sorted(ordinary), *tags, "<pad>"])}


def write_text_files(
    folder: Path, tags: Iterable[str] = (), separate: bool = False
) -> dict[str, int]:
    """Write the files as `MarianTokenizer.save_pretrained` does; returns the ids of the source."""
    for name, side in (("source", 0), ("target", 1)):
        (folder / f"{name}.spm").write_bytes(spm(side))
    ids = vocabulary([0] if separate else [0, 1], tags)
    (folder / "vocab.json").write_text(json.dumps(ids))
    if separate:
        (folder / "target_vocab.json").write_text(json.dumps(vocabulary([1])))
    about = {"source_lang": "zh", "target_lang": "en", "separate_vocabs": separate}
    content = {**about, "tokenizer_class": "MarianTokenizer"}
    (folder / "tokenizer_config.json").write_text(json.dumps(content))
    return ids


def marian_pipeline(tag: str = "", separate: bool = False) -> TextPipeline:
    """A pipeline with these subwords."""
    lists = [[0], [1]] if separate else [[0, 1], [0, 1]]
    tags = TAGS if tag else ()
    both = [Vocabulary((*SPELLINGS, *_ordinary(vocabulary(sides, tags)))) for sides in lists]
    source, target = MarianTokenizer(spm(0), both[0], tag), MarianTokenizer(spm(1), both[1])
    config = TextConfig(kind="marian", joint=not separate, target_tag=tag)
    return TextPipeline(config, "zh", "en", source, target)


def _ordinary(ids: dict[str, int]) -> list[str]:
    return [piece for piece in ids if piece not in ("</s>", "<unk>", "<pad>")]
