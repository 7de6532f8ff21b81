"""Which games of two are zero-sum: what one seat wins the other loses, by a forfeit too."""

import numpy as np
import pytest
from game_contract import contracted_ids

import gem_ma
from gem_ma.envs.cards.liars_dice import LiarsDice

ZERO_SUM = {
    "game:Backgammon-v0",
    "game:Battleship-v0",
    "game:Breakthrough-v0",
    "game:Checkers-v0",
    "game:Chess-v0",
    "game:ColonelBlotto-v0",
    "game:ConnectFour-v0",
    "game:Go-v0",
    "game:GuessWho-v0",
    "game:Hex-v0",
    "game:LeducPoker-v0",
    "game:Nim-v0",
    "game:Reversi-v0",
    "game:RockPaperScissors-v0",
    "game:Snake-v0",
    "game:TexasHoldem-v0",
}
OF_TWO = [
    id
    for id in gem_ma.list_envs("game:*-v0")
    if id not in contracted_ids() and len(gem_ma.make(id).possible_agents) == 2
]


@pytest.mark.parametrize("id", OF_TWO)
def test_what_one_wins_the_other_loses(id):
    game, sums = gem_ma.make(id).game, set()
    assert game.zero_sum == (id in ZERO_SUM)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        state, turns = game.start(rng, {}), 0
        while state.to_act() and turns < 80:
            moves, turns = {}, turns + 1
            for seat in state.to_act():
                view = state.seen_by(seat)
                legal = view.legal(seat)
                moves[seat] = game.read(legal[int(rng.integers(len(legal)))], view, seat)
            state = game.advance(state, moves, rng)
        sums.add(sum(state.returns().values()))
    assert sums == {0} or id not in ZERO_SUM


def test_liarsdice_is_so_for_two():
    assert [LiarsDice(players).zero_sum for players in (2, 3, 4)] == [True, False, False]
