"""The dispatcher chooses a form and logs the choice."""

import logging

import pytest

from longways.attention.rfa import dispatch
from longways.attention.rfa.chunked import CHUNK
from longways.attention.rfa.dispatch import CHUNK_TOKENS, SINGLE_CHUNK_MAX_TOKENS, choose_form


@pytest.mark.parametrize(("device", "longest"), SINGLE_CHUNK_MAX_TOKENS.items())
def test_short_windows_are_one_chunk_and_long_ones_many(device, longest):
    assert choose_form(longest, False, device)[:2] == ("chunked", longest)
    assert choose_form(longest + 1, False, device)[:2] == ("chunked", CHUNK_TOKENS[device])
    assert choose_form(longest + 1, False, "mps")[:2] == ("chunked", CHUNK)


def test_one_token_with_a_state_is_recurrent_and_a_prefix_chunked():
    assert choose_form(1, carries_state=True).form == "recurrent"
    assert choose_form(2, carries_state=True).form == "chunked"


def test_a_choice_is_logged_once_with_its_reason(caplog):
    dispatch._logged.clear()
    with caplog.at_level(logging.INFO, logger="longways"):
        choose_form(777, carries_state=True)
        choose_form(777, carries_state=True)
    assert [record.getMessage() for record in caplog.records] == [
        "causal RFA over 777 tokens on cpu: chunked, in chunks of 64: linear time"
    ]


def test_fused_kernels_are_chosen_where_they_are_supported():
    assert choose_form(96, False, "cuda", fused=True).form == "triton"
    assert choose_form(96, True, "cuda", fused=True).form == "chunked"
    assert choose_form(5000, False, "cuda", fused=True).form == "chunked"
