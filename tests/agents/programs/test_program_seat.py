"""A seat by itself, where a program plays."""

import pytest
from needed import needed

from gem_ma.agents.programs.program_seat import NotYourTurn, ProgramSeat

needed("aiohttp", install="'gem-ma[gateway]'")


def test_a_seat_by_itself():
    seat = ProgramSeat("left", "1-0", "")
    with pytest.raises(NotYourTurn, match="it is not left's turn"):
        seat.play("rock")
    said = seat.offer_turn("turn")
    assert seat.turn() == "turn"
    seat._submit_reply("rock")
    assert said.result() == "rock"
    seat.offer_turn("turn 2")
    seat.end(1.0)
    assert seat.turn() is None
    assert seat.final_return == 1.0
