"""Which advantages give the gradient: exactly, over all batches of a game of two steps."""

import importlib.util
from pathlib import Path

import pytest

spec = importlib.util.spec_from_file_location(
    "estimators", Path(__file__).parents[2] / "benchmarks" / "estimators.py"
)
estimators = importlib.util.module_from_spec(spec)
spec.loader.exec_module(estimators)

TRUE = {  # scale of the mean estimate, where it points as the gradient does
    "returns (REINFORCE)": 1.0,
    "RLOO": 1.0,
    "Dr. GRPO": 2 / 3,  # of batches of three
    "GAE, lambda 1, true values": 1.0,
    "GAE, lambda 0.95, true values": 1.0,
    "GAE, lambda 0, true values": 1.0,
    "GAE, lambda 1, wrong values": 1.0,
    "role baselines (RAE)": 1.0,
    "position, mean of the others": 1.0,
}


@pytest.mark.parametrize("name", estimators.ESTIMATORS)
def test_what_is_unbiased(name):
    game = estimators.setting(estimators.steps)
    true = estimators.truth(game)
    mean, variance = estimators.measure(name, game)
    scale = mean @ true / (true @ true)
    off = abs(mean - scale * true).max()
    assert variance > 0
    if name in TRUE:
        assert off < 1e-12
        assert scale == pytest.approx(TRUE[name], abs=1e-12)
    else:
        assert off > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", TRUE)
def test_kuhn_poker_agrees(name, shared):
    game = estimators.setting(estimators.kuhn, shared)
    true = estimators.truth(game)
    mean, _ = estimators.measure(name, game)
    assert mean == pytest.approx(TRUE[name] * true, abs=1e-12)


def test_the_true_gradient():
    """It is the slope of what the seat earns, as small steps of each parameter measure it."""
    game = estimators.setting(estimators.steps)

    def earned(policy):
        plays = estimators.steps(policy)
        return sum(play.chance * sum(move.reward for move in play.moves) for play in plays)

    step = 1e-6
    for name, place in game.place.items():
        first = game.policy[name]
        slope = first * (1 - first)  # of the likelihood, in its logit
        up, down = ({**game.policy, name: first + sign * step} for sign in (1, -1))
        measured = (earned(up) - earned(down)) / (2 * step) * slope
        assert estimators.truth(game)[place] == pytest.approx(measured, abs=1e-8)
