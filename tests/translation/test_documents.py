"""Documents side by side are translated as each would be alone, and as plainly as can be."""

from itertools import chain, pairwise

import numpy as np
import pytest
import torch

from longways.decoding.batching import batches, decode
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import LengthConfig, TranslateConfig
from longways.decoding.windows import Pair, Window, sliding_window
from longways.errors import ConfigError, WindowError
from longways.text.tokenizers.special_tokens import BOS, SEP
from longways.translation.documents import (
    DocumentDecoder,
    DocumentEnd,
    TokenDocument,
    gather,
    translate_documents,
)
from longways.translation.whole_windows import regenerate_windows, translate_windows
from tests.decoding.tiny import MODELS, random_sentences, tiny_runtime
from tests.translation.naive import naive_translate

SHORT = LengthConfig(ratio=0.0, extra=5)


def corpus(documents=6, longest=7, seed=0, shortest=1):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, longest + 1, documents)
    return [random_sentences(size, rng, longest=5, shortest=shortest) for size in sizes]


def config(beams, **values):
    settings = {"search": SearchConfig(beams=beams), "length": SHORT, **values}
    return TranslateConfig(**settings)


def translate(runtime, documents, settings, translate=translate_documents):
    return gather(translate(runtime, documents, settings), [len(d) for d in documents])


@pytest.mark.parametrize("L", [1, 3])
@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("name", MODELS)
def test_equals_a_naive_loop_that_reads_every_window_from_scratch(name, beams, L):
    runtime = tiny_runtime(name)
    documents = corpus(4, 5)
    found = translate(runtime, documents, config(beams, L=L))
    assert found == [naive_translate(runtime.model, d, L, 5, beams) for d in documents]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("name", MODELS)
def test_each_document_alone_and_all_together_are_the_same(name, beams, dtype):
    runtime = tiny_runtime(name, dtype=dtype)
    documents = corpus(12, shortest=0)
    alone = [translate(runtime, [d], config(beams))[0] for d in documents]
    for values in ({}, {"documents": 3, "windows": 2}, {"documents": 5, "tokens": 30}):
        assert translate(runtime, documents, config(beams, **values)) == alone


def test_context_decides():
    runtime = tiny_runtime("transformer")
    documents = corpus(12)
    assert translate(runtime, documents, config(4, L=1)) != translate(
        runtime, documents, config(4, L=2)
    )


@pytest.mark.parametrize("how", [translate_documents, translate_windows, regenerate_windows])
def test_sentences_in_are_sentences_out(how):
    runtime = tiny_runtime("hybrid")
    documents = [*corpus(20, shortest=0), [], [[]], [[], [], [5], []]]
    ready = list(how(runtime, documents, config(2, documents=4)))
    places = [(t.document, t.sentence) for t in ready]
    assert sorted(places) == [(d, s) for d, ss in enumerate(documents) for s in range(len(ss))]
    for translation in ready:
        source = documents[translation.document][translation.sentence]
        assert bool(translation.tokens) == bool(source)  # nothing is made up, nothing is lost
        assert SEP not in translation.tokens


def test_sentences_of_a_document_come_in_order_and_documents_are_asked_for_late():
    runtime = tiny_runtime("rfa-sgate")
    documents, asked = corpus(8), []

    def reading():
        for number, document in enumerate(documents):
            asked.append(number)
            yield document

    stream = translate_documents(runtime, reading(), config(1, documents=2))
    first = next(stream)
    assert asked == [0, 1]
    places: list[list[int]] = [[] for _ in documents]
    for translation in chain([first], stream):
        places[translation.document].append(translation.sentence)
        assert len(asked) <= 2 + sum(
            len(p) == len(d) for p, d in zip(places, documents, strict=True)
        )
    assert places == [list(range(len(document))) for document in documents]


def test_the_end_of_a_document_is_an_event_after_its_last_sentence():
    runtime = tiny_runtime("rfa-sgate")
    documents = [[[5], [6]], [], [[], [7]]]
    decoder = DocumentDecoder(runtime, config(1, documents=2))
    assert decoder.next() is None
    numbers = [decoder.open(TokenDocument(n, d)) for n, d in enumerate(documents[:2])]
    assert (numbers, decoder.room) == ([0, 1], 0)
    events = {0: [], 1: [], 2: []}
    while (event := decoder.next()) is not None:
        ended = isinstance(event, DocumentEnd)
        events[event.document].append("end" if ended else event.sentence)
        if ended and decoder.opened == 2:
            assert decoder.open(TokenDocument(2, documents[2])) == 2
    assert events == {0: [0, 1, "end"], 1: ["end"], 2: [0, 1, "end"]}
    assert decoder.room == 2


def test_an_empty_sentence_is_no_context():
    runtime = tiny_runtime("transformer")
    (document,) = corpus(1, 7, seed=3)
    with_gaps = [part for sentence in document for part in ([], sentence, [])]
    (found,) = translate(runtime, [with_gaps], config(4, L=3))
    assert found[1::3] == translate(runtime, [document], config(4, L=3))[0]


@pytest.mark.parametrize("name", MODELS)
def test_a_whole_window_of_one_sentence_ends_like_the_sentence(name):
    """With L=1 only `<eos>` ends it; made likelier than `<sep>`, it ends both alike."""
    runtime = tiny_runtime(name)
    with torch.no_grad():
        runtime.model.decoder.embedding.tokens.weight[SEP] = 0
    documents = corpus()
    ways = [
        list(how(runtime, documents, config(1, L=1)))
        for how in (translate_documents, translate_windows)
    ]
    sliding, whole = ({(t.document, t.sentence): t.hypotheses[0] for t in way} for way in ways)
    ended = [place for place in sliding if sliding[place].stop == whole[place].stop is not None]
    assert len(ended) > 3
    assert all(sliding[place].tokens == whole[place].tokens for place in ended)


def test_a_whole_window_gives_its_sentences_back():
    runtime = tiny_runtime("rfa-sgate")
    documents = corpus(12)
    together = list(translate_windows(runtime, documents, config(4, L=3)))
    alone = {
        (number, t.sentence): t.tokens
        for number, document in enumerate(documents)
        for t in translate_windows(runtime, [document], config(4, L=3))
    }
    assert {(t.document, t.sentence): t.tokens for t in together} == alone
    assert any(t.hypotheses[0].stop is not None for t in together)


def test_a_regenerated_window_gives_its_last_sentence():
    runtime, settings = tiny_runtime("rfa-sgate"), config(4, L=3)
    documents = corpus(6)
    found = translate(runtime, documents, settings, regenerate_windows)
    for document, translations in zip(documents, found, strict=True):
        for place, translation in enumerate(translations):
            window = document[max(0, place - 2) : place + 1]
            (alone,) = translate(runtime, [window], settings, translate_windows)
            assert translation == alone[-1]


def test_with_one_sentence_in_a_window_there_is_nothing_to_regenerate():
    runtime, settings = tiny_runtime("hybrid"), config(2, L=1)
    documents = corpus(6)
    ways = translate_windows, regenerate_windows
    whole, last = (translate(runtime, documents, settings, way) for way in ways)
    assert whole == last


class TestPositions:
    def test_the_earliest_context_is_left_out_where_the_target_would_not_fit(self):
        context = [Pair([5], [6] * 9), Pair([7], [8] * 4), Pair([9], [5] * 2)]
        window = sliding_window(context, [6, 7], LengthConfig(ratio=1, extra=10), 24)
        assert window.prefix == [BOS, *[8] * 4, SEP, 5, 5, SEP]
        assert window.source == [7, SEP, 9, SEP, 6, 7, 2]
        assert len(window.prefix) + window.max_tokens <= 24

    def test_the_earliest_context_is_left_out_where_the_source_would_not_fit(self):
        context = [Pair([5] * 9, [6]), Pair([7] * 5, [8]), Pair([9] * 4, [5])]
        window = sliding_window(context, [6, 7], LengthConfig(ratio=0, extra=2), 14)
        assert window.source == [*[7] * 5, SEP, *[9] * 4, SEP, 6, 7, 2]
        assert window.prefix == [BOS, 8, SEP, 5, SEP]

    def test_a_generous_limit_on_length_does_not_cost_the_context(self):
        context = [Pair([5], [6] * 9), Pair([7], [8] * 4)]
        window = sliding_window(context, [6, 7], LengthConfig(ratio=1, extra=70), 64)
        assert window.prefix == [BOS, *[6] * 9, SEP, *[8] * 4, SEP]
        assert (window.max_tokens, window.cramped) == (64 - 16, True)

    def test_a_sentence_cut_for_want_of_room_is_translated_again_without_its_context(self):
        """With twenty positions many windows are cramped, and some translations are cut."""
        length = LengthConfig(ratio=3, extra=14)
        runtime = tiny_runtime("rfa-sgate", "positions=20", seed=3)
        documents = corpus(20, 8)
        settings = config(1, length=length, L=2)
        cut = 0
        for document, found in zip(documents, translate(runtime, documents, settings), strict=True):
            context = []
            for sentence, translation in zip(document, found, strict=True):
                window = sliding_window(context, sentence, length, 20)
                ((first,),) = decode(runtime, [window], settings)
                if window.cramped and first.stop is None:
                    cut += 1
                    alone = sliding_window([], sentence, length, 20)
                    ((first,),) = decode(runtime, [alone], settings)
                assert translation == first.tokens
                context = [Pair(sentence, translation)]
        assert cut

    @pytest.mark.parametrize("how", [translate_documents, translate_windows, regenerate_windows])
    @pytest.mark.parametrize("name", MODELS)
    def test_a_model_with_few_positions_translates_all_the_same(self, name, how):
        runtime = tiny_runtime(name, "positions=9")
        documents = [[*document, [5] * 8] for document in corpus(8, 9)]
        length = LengthConfig(ratio=1, extra=5)
        together = translate(runtime, documents, config(2, length=length), how)
        for document, found in zip(documents, together, strict=True):
            assert translate(runtime, [document], config(2, length=length), how) == [found]

    @pytest.mark.parametrize("how", [translate_documents, translate_windows])
    def test_a_sentence_too_long_by_itself_is_named(self, how):
        runtime = tiny_runtime("rfa-sgate", "positions=9")
        message = "Document 2, sentence 3: A sentence has 9 tokens, but the model has 9 positions"
        with pytest.raises(WindowError, match=message):
            list(how(runtime, [[[5]], [[5], [], [5] * 9]], config(1)))


def test_batches_hold_windows_of_like_room_and_no_more_than_allowed():
    rng = np.random.default_rng(0)
    windows = [
        Window([5] * source, [BOS] * prefix, 1, most)
        for source, prefix, most in rng.integers(1, 36, (200, 3)).tolist()
    ]
    wide = list(batches(windows, TranslateConfig(windows=16)))
    assert [len(batch) for batch in wide] == [16] * 12 + [8]
    narrow = list(batches(windows, TranslateConfig(windows=16, tokens=300)))
    for found in (wide, narrow):
        rooms = [windows[index].max_tokens for batch in found for index in batch]
        assert rooms == sorted(rooms, reverse=True)
        assert sorted(chain(*found)) == list(range(200))
    for batch, after in pairwise(narrow):
        assert len(batch) * widest(windows, batch) <= 300
        assert (len(batch) + 1) * widest(windows, [*batch, after[0]]) > 300


def widest(windows, batch):
    return max(len(side) for i in batch for side in (windows[i].source, windows[i].prefix))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TranslateConfig(L=0), "L is 0, but it must be at least 1"),
        (lambda: LengthConfig(ratio=-1.0), "must not be negative"),
        (lambda: LengthConfig(extra=2, min_tokens=3), "extra is 2, but it must be at least 3"),
    ],
)
def test_bad_settings_are_refused(make, message):
    with pytest.raises(ConfigError, match=message):
        make()
