"""An imported model computes what transformers computes with the same folder."""

import json
import random
import warnings
from pathlib import Path

import pytest
import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.onnx.open import load_exported
from longways.decoding.runtime import pad_rows
from longways.decoding.searcher import search_all
from longways.decoding.torch import TorchRuntime
from longways.decoding.windows import Window
from longways.export.exporter import export_model
from longways.importing.importer import import_model
from longways.model.checkpoint import load_model
from longways.text.pipeline import TextPipeline
from longways.text.tokenizers.special_tokens import BOS, EOS, SPELLINGS, UNK
from tests.importing.folders import write_marian
from tests.text.corpus import HARD, pairs
from tests.text.marian import TAGS

transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.filterwarnings("ignore")

KINDS = {
    "plain": {},
    "relu, tags": {"activation_function": "relu", "tags": TAGS},
    "two vocabularies": {"separate": True, "activation_function": "gelu", "encoder_layers": 1},
}
LONGEST = 24


@pytest.fixture(scope="module", params=KINDS)
def both(request, tmp_path_factory):
    """The folder of transformers, and the imported one."""
    return _imported(request.param, tmp_path_factory.mktemp("marian"))


@pytest.fixture(scope="module", params=KINDS)
def calm(request, tmp_path_factory):
    """The same with smaller weights, which do not amplify rounding errors."""
    return _imported(request.param, tmp_path_factory.mktemp("marian"), std=0.2)


def _imported(name, parent, **more):
    changes = KINDS[name]
    folder = write_marian(parent, **changes, **more)
    tag = "fra" if "tags" in changes else None
    import_model(folder, parent / "ours", target=tag)
    return folder, parent / "ours"


class Theirs:
    """A model and a tokenizer of transformers."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model = transformers.MarianMTModel.from_pretrained(folder).eval()
            self.tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
        self.ids = json.loads((folder / "vocab.json").read_text())
        own = folder / "target_vocab.json"
        self.target_ids = json.loads(own.read_text()) if own.exists() else self.ids
        self.tag = f"{TAGS[1]} " if TAGS[1] in self.ids else ""
        self.pad = self.model.config.pad_token_id

    def encode(self, sentences):
        given = [self.tag + sentence for sentence in sentences]
        return self.tokenizer(given, return_tensors="pt", padding=True)

    def generate(self, sentences):
        """The tokens of the best of four beams, and whether each was ended by the model."""
        tokens = self.model.generate(
            **self.encode(sentences), num_beams=4, max_length=LONGEST + 2, early_stopping=True,
            length_penalty=1.0, bad_words_ids=[[self.pad], [self.ids["<unk>"]]],
        )  # fmt: skip
        spelled = {i: subword for subword, i in self.target_ids.items()}
        rows = [[spelled[i] for i in row.tolist() if i not in (0, self.pad)] for row in tokens]
        return [(row, len(row) < LONGEST) for row in rows]


def foreign_columns(ids, vocabulary):
    """The column of our logits for each foreign id; the end of a sentence has another name."""
    special = {"</s>": EOS, "<pad>": 0, "<unk>": UNK}
    own = {entry: i for i, entry in enumerate(vocabulary.entries) if i >= len(SPELLINGS)}
    return torch.tensor([(special | own)[subword] for subword in ids])


def sentences(count):
    choose, characters = random.Random(3), "".join(pair[0] for pair in pairs("zh", "en", 40))
    return ["".join(choose.choices(characters, k=choose.randint(1, 25))) for _ in range(count)]


def test_logits_and_subwords_are_equal(calm):
    theirs, ours = Theirs(calm[0]), load_model(calm[1])
    text = TextPipeline.load(calm[1] / "text")
    # transformers reads special tokens from text that spells them
    hard = [one for one in HARD if one.strip() and "<pad>" not in one]
    given = [*sentences(4), *hard]
    batch = theirs.encode(given)
    source = [[*row, EOS] for row in text.source.encode(given)]
    spelled = foreign_columns(theirs.ids, text.source.vocabulary)[batch.input_ids].tolist()
    assert [row[: len(own)] for row, own in zip(spelled, source, strict=True)] == source
    columns = foreign_columns(theirs.target_ids, text.target.vocabulary)
    target = torch.randint(2, len(columns) - 1, (len(given), 9), generator=torch.manual_seed(1))
    start = torch.full((len(given), 1), theirs.pad)
    opened = torch.cat([torch.full_like(start, BOS), columns[target]], 1)
    with torch.no_grad():
        wanted = theirs.model(**batch, decoder_input_ids=torch.cat([start, target], 1)).logits
        found = ours(torch.from_numpy(pad_rows(source)), opened)
    assert wanted.abs().max() > 3
    assert (found[..., columns] - wanted).abs().max() < 1e-5
    others = set(range(found.shape[-1])) - set(columns.tolist())
    assert found[..., sorted(others)].max() < -9e3


def translations(runtime, text, given):
    windows = [Window([*row, EOS], [BOS], 0, LONGEST) for row in text.source.encode(given)]
    config = TranslateConfig(search=SearchConfig(beams=4))
    found = dict(search_all(runtime, windows, config))
    tokens = [found[number][0].tokens for number in range(len(given))]
    return [[text.target.vocabulary.entries[i] for i in row if i != EOS] for row in tokens]


def test_translations_with_four_beams_are_equal(both, tmp_path):
    text, given = TextPipeline.load(both[1] / "text"), sentences(200)
    given = [one for one in given if text.source.encode([one])[0]]
    theirs = Theirs(both[0]).generate(given)
    export_model(both[1], tmp_path / "onnx")
    for runtime in (TorchRuntime.load(both[1]), load_exported(tmp_path / "onnx", 1)):
        found = translations(runtime, text, given)
        ended = [(own, row) for own, (row, is_ended) in zip(found, theirs, strict=True) if is_ended]
        assert len(ended) > 50
        assert len({tuple(row) for _, row in ended}) > 10
        same = sum(own == row for own, row in ended)
        assert same >= 0.98 * len(ended)  # a tie may be decided by rounding


def test_folders_that_transformers_writes_are_imported(both, tmp_path):
    theirs = Theirs(both[0])
    theirs.model.save_pretrained(tmp_path / "saved")
    theirs.tokenizer.save_pretrained(tmp_path / "saved")
    tag = "fra" if theirs.tag else None
    import_model(tmp_path / "saved", tmp_path / "again", "zh-en", tag)
    first, again = (load_model(folder).state_dict() for folder in (both[1], tmp_path / "again"))
    assert first.keys() == again.keys()
    assert all(torch.equal(again[name], tensor) for name, tensor in first.items())
