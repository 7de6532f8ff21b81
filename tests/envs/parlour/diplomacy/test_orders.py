"""Orders of Diplomacy: those that are read, and those that are none."""

import numpy as np
import pytest

from gem_ma import InvalidMove
from gem_ma.envs.parlour.diplomacy.game import Diplomacy

BEGIN = Diplomacy(talks=0).start(np.random.default_rng(0), {})


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("ARD - CAL", "ARD - CAL"),
        ("ard to cal", "ARD - CAL"),
        ("Army ARD moves to CAL.", None),
        ("A ARD -> CAL; A BIR holds", "ARD - CAL; BIR H"),
        ("ARD-CAL\nBIR S ARD-CAL", "ARD - CAL; BIR S ARD - CAL"),
        ("BIR supports ARD", "BIR S ARD"),
        ("BIR S A ARD H, ARD", "ARD H; BIR S ARD"),
        ("hold", ""),
    ],
)
def test_orders_are_read(text, read):
    if read is None:
        with pytest.raises(InvalidMove):
            Diplomacy().read(text, BEGIN, "north")
    else:
        assert "; ".join(map(str, Diplomacy().read(text, BEGIN, "north"))) == read


@pytest.mark.parametrize(
    "text",
    [
        *("", "attack", "ARD - DOR", "DOR - MOR", "ARD - CAL; ARD H", "ARD S CAL", "ARD S ARD"),
        *("ARD S", "ARD -", "ARD S BIR -", "ARD S DOR - MOR", "ARD S BIR - ARD", "QUA H", "XYZ H"),
        *("ARD - CAL - QUA", "; ".join(["ARD H"] * 21), "x" * 2001, "ARD S MOR - CAL"),
    ],
)
def test_what_is_no_order(text):
    with pytest.raises(InvalidMove):
        Diplomacy().read(text, BEGIN, "north")
