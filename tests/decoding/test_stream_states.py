"""The states of documents lie in rows of one table, which are free again when nobody holds them."""

import gc

import pytest
import torch

from longways.decoding.stream import Translated
from longways.decoding.stream_states import FIRST_ROWS, join
from longways.errors import LongwaysError
from longways.text.tokenizers.special_tokens import BOS, SEP
from tests.decoding.tiny import tiny_runtime


@pytest.fixture
def runtime():
    return tiny_runtime("stream", "heads=4")


def read(runtime, *tokens):
    """The state after one sentence."""
    opened = runtime.open_document()
    (state,) = runtime.finish_sentences([Translated([*tokens, SEP], [BOS, *tokens], opened)])
    return state


def test_states_are_stored_and_gathered_in_any_order(runtime):
    one, two = read(runtime, 5, 6), read(runtime, 7)
    both = join([two, one, one])
    alone = [join([state]) for state in (two, one, one)]
    for kind, wanted in zip(
        both.kinds, zip(*(one.kinds for one in alone), strict=True), strict=True
    ):
        for place, layer in enumerate(kind):
            assert torch.equal(layer.sums.S, torch.cat([k[place].sums.S for k in wanted]))
            assert torch.equal(layer.gate.keep, torch.cat([k[place].gate.keep for k in wanted]))
    assert not torch.equal(both.causal[0].sums.S[0], both.causal[0].sums.S[1])


def test_a_state_that_nobody_holds_makes_room(runtime):
    free = len(runtime.table.free)
    held = [read(runtime, 5) for _ in range(3)]
    assert len(runtime.table.free) == free - 3
    del held
    gc.collect()
    assert len(runtime.table.free) == free


def test_a_state_is_not_overwritten_while_it_is_held(runtime):
    held = read(runtime, 5)
    before = join([held]).causal[0].sums.S.clone()
    for token in range(4, 9):
        read(runtime, token)
    assert torch.equal(join([held]).causal[0].sums.S, before)


def test_a_full_table_grows_and_keeps_its_states(runtime):
    first = read(runtime, 5)
    before = join([first]).cross[0].sums.z.clone()
    held = [read(runtime, 6) for _ in range(FIRST_ROWS + 5)]
    assert len(runtime.table.rows) == 2 * FIRST_ROWS
    assert torch.equal(join([first]).cross[0].sums.z, before)
    assert torch.equal(join([held[0]]).cross[0].sums.z, join([held[-1]]).cross[0].sums.z)


def test_states_know_their_size(runtime):
    assert runtime.open_document().size_bytes() == runtime.model.open_documents(1).size_bytes()


def test_states_of_another_model_are_refused(runtime):
    other = tiny_runtime("stream", "heads=4").open_document()
    for states in ([runtime.open_document(), other], [object()]):
        with pytest.raises(LongwaysError, match="is from another model"):
            join(states)
