"""The number of slots follows the number of documents that are left."""

from functools import partial

import numpy as np
import pytest

from longways.decoding.batching import decode
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.gpu import device_searcher
from longways.decoding.gpu.device_searcher import DeviceSearcher, slots_for
from longways.translation.documents import gather, translate_documents
from tests.decoding.gpu.test_device_decoder import windows
from tests.decoding.tiny import random_sentences, tiny_runtime

CONFIG = TranslateConfig(search=SearchConfig(beams=2), windows=20)


@pytest.mark.parametrize(
    ("windows", "slots"), [(0, 1), (1, 1), (2, 4), (16, 16), (17, 20), (99, 20)]
)
def test_slots_are_a_power_of_four_up_to_the_limit(windows, slots):
    assert slots_for(windows, 20) == slots


def test_a_smaller_decoder_takes_over_while_the_larger_one_finishes():
    runtime, given = tiny_runtime("rfa-sgate"), windows(6)
    searcher = DeviceSearcher(runtime, CONFIG)
    searcher.expect(6)
    for number, window in enumerate(given[:5]):
        searcher.submit(number, window)
    searcher.expect(1)
    searcher.submit(5, given[5])
    assert [decoder.slots for decoder in searcher.decoders] == [16, 1]
    assert [decoder.pending for decoder in searcher.decoders] == [5, 1]
    found = {}
    while searcher.pending:
        found.update(searcher.wait())
    assert [decoder.slots for decoder in searcher.decoders] == [1]
    wanted = decode(runtime, given, CONFIG)
    assert [found[i][0].tokens for i in range(6)] == [one[0].tokens for one in wanted]


def test_the_end_of_a_long_document_is_translated_in_a_single_slot(monkeypatch):
    runtime, rng, sizes = tiny_runtime("transformer"), np.random.default_rng(3), []
    documents = [random_sentences(size, rng, shortest=1) for size in (9, 2, 1, 3, 1, 2)]
    wanted = gather(translate_documents(runtime, documents, CONFIG), [len(d) for d in documents])
    opened = device_searcher.idle_decoder

    def noted(*arguments):
        decoder = opened(*arguments)
        sizes.append(decoder.slots)
        return decoder

    monkeypatch.setattr(device_searcher, "idle_decoder", noted)
    monkeypatch.setattr(runtime, "open_searcher", partial(DeviceSearcher, runtime))
    found = gather(translate_documents(runtime, documents, CONFIG), [len(d) for d in documents])
    assert found == wanted
    assert sizes == [16, 4, 1]
