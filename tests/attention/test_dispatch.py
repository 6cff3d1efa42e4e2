"""The dispatcher picks a form and says so."""

import logging

from longways.attention.rfa.dispatch import PARALLEL_TOKENS, choose_form


def test_short_training_windows_are_parallel_and_long_ones_chunked():
    assert choose_form(PARALLEL_TOKENS, carries_state=False).form == "parallel"
    assert choose_form(PARALLEL_TOKENS + 1, carries_state=False).form == "chunked"


def test_one_token_with_a_state_is_recurrent_and_a_prefix_chunked():
    assert choose_form(1, carries_state=True).form == "recurrent"
    assert choose_form(2, carries_state=True).form == "chunked"


def test_a_choice_is_said_once_with_its_reason(caplog):
    choose_form.cache_clear()
    with caplog.at_level(logging.INFO, logger="longways"):
        choose_form(77, carries_state=True)
        choose_form(77, carries_state=True)
    assert [record.getMessage() for record in caplog.records] == [
        "causal RFA over 77 tokens: chunked form, a state is carried in or out"
    ]
