"""Bars of weights are drawn on a terminal, and not in a log."""

import sys

import pytest
from needed import needed

needed("transformers", install="'gem-ma[hf]'")
from huggingface_hub.utils import are_progress_bars_disabled
from transformers.utils import logging

from gem_ma.agents.weight_bars import hide_weight_bars


@pytest.mark.parametrize("terminal", [False, True])
def test_bars_of_weights_are_drawn_on_a_terminal_only(terminal, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    assert logging.is_progress_bar_enabled()
    downloads = are_progress_bars_disabled()
    with hide_weight_bars():
        assert logging.is_progress_bar_enabled() is terminal
        assert are_progress_bars_disabled() is downloads
    assert logging.is_progress_bar_enabled()


def test_who_has_switched_them_off_finds_them_off():
    logging.disable_progress_bar()
    try:
        with hide_weight_bars():
            assert not logging.is_progress_bar_enabled()
        assert not logging.is_progress_bar_enabled()
    finally:
        logging.enable_progress_bar()


def test_an_error_leaves_them_as_they_were(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    with pytest.raises(KeyError), hide_weight_bars():
        raise KeyError
    assert logging.is_progress_bar_enabled()
