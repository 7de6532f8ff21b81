"""The prisoner's dilemma: its payoffs."""

import itertools

from gem_ma.envs.markets import prisoners_dilemma


def test_the_dilemmas_payoffs():
    state = prisoners_dilemma.State(4)
    for left, right in itertools.product(prisoners_dilemma.MOVES, repeat=2):
        state = state.play(left, right)
    assert state.returns() == {"left": 3.0 + 0 + 5 + 1, "right": 3.0 + 5 + 0 + 1}
    assert state.to_act() == ()
    game = prisoners_dilemma.PrisonersDilemma(4)
    left = game.forfeit(prisoners_dilemma.State(4), "right", None)
    assert left.returns() == {"left": 12.0, "right": 0.0}
