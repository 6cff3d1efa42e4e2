"""Prepared data translated as text."""

import pytest
import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import LengthConfig, TranslateConfig
from longways.decoding.torch import TorchRuntime
from longways.model.config import preset
from longways.model.translation import TranslationModel
from longways.translation.dataset import split_documents, split_references, translate_split
from longways.translation.documents import gather, translate_documents
from tests.decoding.tiny import SIZES
from tests.training.runs import prepare_toy

CONFIG = TranslateConfig(search=SearchConfig(beams=2), length=LengthConfig(extra=6, ratio=0.0))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return prepare_toy(tmp_path_factory.mktemp("toy") / "data")


@pytest.fixture(scope="module")
def runtime(data):
    torch.manual_seed(0)
    source, target = data.vocabularies
    sizes = {**SIZES, "source_vocabulary": source, "target_vocabulary": target, "positions": 256}
    return TorchRuntime(TranslationModel(preset("hybrid", **sizes)))


def test_a_split_is_translated_sentence_by_sentence_in_its_own_order(data, runtime):
    split, text = data.split("dev"), data.text()
    found = translate_split(runtime, split, text, CONFIG)
    sources = split_documents(split.source, split.source_offsets, split.documents)
    tokens = gather(translate_documents(runtime, sources, CONFIG), [len(s) for s in sources])
    assert found == [text.target.decode(document) for document in tokens]
    assert len({sentence for document in found for sentence in document}) > 1


def test_the_first_documents_only_and_whole_windows(data, runtime):
    split, text = data.split("dev"), data.text()
    whole = translate_split(runtime, split, text, CONFIG, documents=2, windows="whole")
    assert len(whole) == 2
    assert translate_split(runtime, split, text, CONFIG)[:2] == translate_split(
        runtime, split, text, CONFIG, documents=2
    )


def test_references_are_the_sentences_of_the_target(data):
    split, text = data.split("dev"), data.text()
    references = split_references(split, text)
    assert [len(document) for document in references] == (
        split.documents[1:] - split.documents[:-1]
    ).tolist()
    sources = split_documents(split.source, split.source_offsets, split.documents, 1)
    (document,) = split_references(split, text, documents=1)
    assert document == references[0]
    encoded = text.target.encode(document)
    targets = split_documents(split.target, split.target_offsets, split.documents, 1)
    assert encoded == targets[0]
    assert len(sources) == 1
    assert sources[0] == text.source.encode(text.source.decode(sources[0]))
