"""The forms of a stream model agree: parallel, by sentence, by token, in values and gradients."""

import pytest
import torch

from longways.attention.config import TRAINED
from longways.errors import ConfigError, ShapeError
from longways.model.build import build_model
from longways.model.checkpoint import load_model, save_model
from longways.model.stream.model import StreamModel
from longways.model.stream.state import DocumentState
from tests.model.stream.documents import as_windows, random_document, sentence_rows
from tests.model.tiny import BOS, SEP, tiny_config

LENGTHS = [(5, 6), (1, 0), (0, 3), (7, 2), (3, 9)]
OTHERS = [(2, 1), (9, 4), (1, 1), (0, 0), (4, 12)]


def stream_model(*overrides: str) -> StreamModel:
    """A tiny model in float64 whose gates and features differ from their initial values."""
    torch.manual_seed(0)
    model = build_model(tiny_config("stream", "stream.projection=12", "norm=pre", *overrides))
    assert isinstance(model, StreamModel)
    return model.double().eval()


def logits_by_sentence(model: StreamModel, documents) -> tuple[list[torch.Tensor], DocumentState]:
    """The logits (B, T, V) of every sentence, and the state after the last one."""
    state, found = model.open_documents(len(documents)), []
    for place in range(len(documents[0])):
        logits, state = model.read_sentence(*sentence_rows(documents, place), state)
        found.append(logits)
    return found, state


def logits_by_token(model: StreamModel, documents) -> list[torch.Tensor]:
    """The same, with each sentence read token by token as in search."""
    state, found = model.open_documents(len(documents)), []
    for place in range(len(documents[0])):
        source, target = sentence_rows(documents, place)
        sentence = model.encode_sentence(source, state)
        decoder, steps = model.start_sentence(sentence), []
        for tokens in target.T:
            logits, decoder = model.step(tokens, decoder)
            steps.append(logits)
        found.append(torch.stack(steps, 1))
        state = model.finish_sentence(sentence, target)
    return found


def of_window(logits: torch.Tensor, row: int, document) -> list[torch.Tensor]:
    """The logits of each sentence of one window."""
    parts, start = [], 0
    for _, target in document:
        parts.append(logits[row, start : start + len(target) + 1])
        start += len(target) + 1
    return parts


@pytest.mark.parametrize("gate", ["none", "decay", "average"])
@pytest.mark.parametrize("feature_map", TRAINED)
def test_sentence_by_sentence_and_token_by_token_equal_the_whole_document(gate, feature_map):
    model = stream_model(f"stream.gate={gate}", f"stream.feature_map={feature_map}")
    documents = [random_document(LENGTHS, 1), random_document(OTHERS, 2)]
    whole = model(*as_windows(documents))
    for found in (logits_by_sentence(model, documents)[0], logits_by_token(model, documents)):
        for row, document in enumerate(documents):
            for place, wanted in enumerate(of_window(whole, row, document)):
                got = found[place][row, : len(wanted)]
                assert torch.allclose(got, wanted, atol=1e-10, rtol=0)


@pytest.mark.parametrize("sentences", [1, 2, 40, 200])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-10), (torch.float32, 1e-5)])
def test_the_forms_agree_on_documents_of_any_length(sentences, dtype, tolerance):
    model = stream_model("positions=4096").to(dtype)
    lengths = [((7 * i) % 6, (5 * i) % 4) for i in range(1, sentences + 1)]
    documents = [random_document(lengths, 3)]
    with torch.no_grad():
        whole = model(*as_windows(documents))
        both = logits_by_sentence(model, documents)[0], logits_by_token(model, documents)
    for found in both:
        assert torch.allclose(torch.cat(found, 1)[0], whole[0], atol=tolerance, rtol=0)


@pytest.mark.parametrize("gate", ["none", "decay", "average"])
def test_gradients_of_the_forms_are_equal(gate):
    model = stream_model(f"stream.gate={gate}")
    documents = [random_document(LENGTHS, 4)]
    weights = torch.randn(sum(len(t) + 1 for _, t in documents[0]), 40).double()
    (model(*as_windows(documents))[0] * weights).sum().backward()
    wanted = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    model.zero_grad()
    found, _ = logits_by_sentence(model, documents)
    (torch.cat(found, 1)[0] * weights).sum().backward()
    assert len(wanted) == len(list(model.parameters()))
    for name, parameter in model.named_parameters():
        assert torch.allclose(parameter.grad, wanted[name], atol=1e-10, rtol=1e-10), name
        is_used = gate != "none" or ".f." not in name
        assert not is_used or wanted[name].abs().max() > 0, name


def test_a_later_sentence_changes_nothing_earlier_bit_for_bit():
    model = stream_model().float()
    before, after = random_document(LENGTHS, 5), random_document(LENGTHS, 5)
    after[3] = random_document([(7, 2)], 99)[0]
    one, other = (model(*as_windows([document]))[0] for document in (before, after))
    unchanged = sum(len(target) + 1 for _, target in before[:3])
    assert torch.equal(one[:unchanged], other[:unchanged])
    assert not torch.equal(one[unchanged:], other[unchanged:])


@pytest.mark.parametrize("side", [0, 1])
def test_an_earlier_sentence_changes_all_later_ones(side):
    model = stream_model()
    document, other = random_document(LENGTHS, 5), random_document(LENGTHS, 7)
    first = list(document[0])
    first[side] = other[0][side]
    changed = [tuple(first), *document[1:]]
    one, two = (of_window(model(*as_windows([d])), 0, d) for d in (document, changed))
    for before, after in list(zip(one, two, strict=True))[1:]:
        assert (before - after).abs().max() > 1e-9


def test_the_result_of_a_document_does_not_depend_on_padding_or_other_documents():
    model = stream_model()
    documents = [random_document(LENGTHS, 1), random_document(OTHERS, 2)]
    together, _ = logits_by_sentence(model, documents)
    for row, document in enumerate(documents):
        alone, _ = logits_by_sentence(model, [document])
        for place, (_, target) in enumerate(document):
            got = together[place][row, : len(target) + 1]
            assert torch.allclose(got, alone[place][0], atol=1e-12, rtol=0)


def test_the_state_has_the_same_size_after_any_number_of_sentences():
    model = stream_model()
    sizes = set()
    for sentences in (1, 30):
        _, state = logits_by_sentence(model, [random_document([(4, 4)] * sentences, 1)])
        sizes.add(state.size_bytes())
    heads, features, head_dim, layers = 2, 12, 8, 2 + 3 + 3
    assert sizes == {layers * heads * (features * (head_dim + 1) + 2) * 8}


def test_states_of_documents_are_split_and_joined():
    model = stream_model()
    documents = [random_document(LENGTHS, 1), random_document(OTHERS, 2)]
    _, state = logits_by_sentence(model, documents)
    one, other = state.split()
    swapped = DocumentState.join([other, one])
    assert torch.equal(swapped.causal[1].sums.S, state.causal[1].sums.S[[1, 0]])
    assert torch.equal(swapped.encoder[0].gate.keep, state.encoder[0].gate.keep[[1, 0]])
    back = swapped.reorder(torch.tensor([1, 0]))
    assert torch.equal(back.cross[2].sums.z, state.cross[2].sums.z)


def test_a_target_with_more_sentences_than_its_source_is_finite():
    model = stream_model()
    source, target = as_windows([random_document(LENGTHS[:2], 1)])
    longer = torch.cat([target, torch.tensor([[SEP, 5, SEP, 6]])], 1)
    assert model(source, longer).isfinite().all()


def test_positions_restart_at_every_sentence():
    model = stream_model("positions=1024")
    target = torch.tensor([[BOS, 5, 6, SEP, 7, 8]])
    table = model.decoder.embedding.table
    found = model.decoder.embed(target)[0]
    tokens = model.decoder.embedding.scale * model.decoder.embedding.tokens(target)[0]
    wanted = torch.tensor([0, 1, 2, 0, 1, 2])
    assert torch.allclose(found - tokens, table[wanted].double())


def test_sentences_of_other_numbers_of_documents_are_refused():
    model = stream_model()
    with pytest.raises(ShapeError, match="There are 2 sentences, but a state of 1 documents"):
        model.encode_sentence(torch.ones(2, 3).long(), model.open_documents(1))


def test_a_stream_model_is_saved_and_loaded(tmp_path):
    model = stream_model().float()
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert isinstance(loaded, StreamModel)
    batch = as_windows([random_document(LENGTHS, 1)])
    assert torch.equal(loaded(*batch), model(*batch))


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("stream.heads=4", "of 4 heads at least one must be a sentence head"),
        ("stream.heads=-1", "stream.heads is -1"),
        ("stream.projection=0", "stream.projection is 0"),
        ("stream.feature_map=random", "need a trained map: learned or spiky"),
    ],
)
def test_impossible_settings_are_refused(override, message):
    with pytest.raises(ConfigError, match=message):
        tiny_config("stream", override)
