"""States: their size, and the reordering of beams."""

import torch
from benchmarks.attention.chunked_memory import read_as_stream

from longways.attention.rfa import RFAState, rfa_chunked
from longways.attention.softmax import KVMemory
from longways.attention.state import CausalRFAState, GateState, KVState

BEAMS = torch.tensor([2, 0, 0])


def test_a_causal_state_has_the_same_size_after_ten_and_a_hundred_thousand_tokens():
    phi, v, one = torch.rand(1, 8, 10, 64), torch.rand(1, 8, 10, 64), torch.ones(1, 8, 10)
    _, short = rfa_chunked(phi, phi, v, one, one)
    long, _ = read_as_stream(100_000)
    assert short.size_bytes() == long.size_bytes() == 8 * (64 * 64 + 64) * 4


def test_reordering_picks_rows():
    state = CausalRFAState(
        RFAState(torch.randn(3, 2, 4, 5), torch.randn(3, 2, 4)),
        GateState(torch.rand(3, 2), torch.rand(3, 2)),
    )
    moved = state.reorder(BEAMS)
    for before, after in (
        (state.sums.S, moved.sums.S),
        (state.sums.z, moved.sums.z),
        (state.gate.keep, moved.gate.keep),
        (state.gate.write, moved.gate.write),
    ):
        assert torch.equal(after, before[BEAMS])
    assert moved.size_bytes() == state.size_bytes() == 4 * (3 * 2 * 4 * 6 + 3 * 2 * 2)


def cache(lengths: list[int], capacity: int = 4) -> tuple[KVState, torch.Tensor]:
    keys = torch.randn(len(lengths), 2, max(lengths), 3)
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    empty = KVState.empty(len(lengths), 2, capacity, 3, like=keys)
    return empty.add(keys, 2 * keys, mask), keys


def test_a_cache_appends_each_row_at_its_own_end():
    state, keys = cache([3, 1])
    new = torch.randn(2, 2, 1, 3)
    state = state.add(new, new, torch.ones(2, 1).bool())
    assert state.lengths.tolist() == [4, 2]
    assert torch.equal(state.keys[0, :, :4], torch.cat([keys[0, :, :3], new[0]], 1))
    assert torch.equal(state.keys[1, :, :2], torch.cat([keys[1, :, :1], new[1]], 1))


def test_a_full_cache_doubles_and_keeps_its_content():
    state, keys = cache([4, 2])
    assert state.capacity == 4
    grown = state.add(keys[:, :, :1], keys[:, :, :1], torch.ones(2, 1).bool())
    assert grown.capacity == 8
    assert torch.equal(grown.keys[0, :, :4], keys[0])
    assert torch.equal(grown.values[0, :, :4], 2 * keys[0])


def test_a_reordered_cache_is_a_copy():
    state, _ = cache([3, 1, 2])
    moved = state.reorder(BEAMS)
    assert torch.equal(moved.keys, state.keys[BEAMS])
    assert moved.lengths.tolist() == [2, 3, 3]
    moved.keys.zero_()
    assert state.keys.any()
    assert state.size_bytes() == 2 * 3 * 2 * 4 * 3 * 4 + 3 * 8


def test_a_softmax_memory_grows_with_the_source():
    def memory(tokens: int) -> int:
        keys = torch.zeros(1, 2, tokens, 3)
        return KVMemory(keys, keys, torch.ones(1, tokens).bool()).size_bytes()

    assert memory(20) == 2 * memory(10)
