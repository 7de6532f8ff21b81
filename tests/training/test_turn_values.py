"""Turn values: what continuations of a position earn, against exact values and by hand."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from needed import needed

import gem_ma
from gem_ma import training
from gem_ma.envs.cards.kuhn_poker import State
from gem_ma.training import estimate_turn_values, make_example, rebn, vine
from gem_ma.wrappers import ScaleReward

torch = needed("torch", install="'gem-ma[hf]'")
KUHN = "game:KuhnPoker-v0"
UNIFORM = {"first": "random", "second": "random"}


class Coins(NamedTuple):
    """A state of the game below: heads so far, and tosses left."""

    heads: int = 0
    left: int = 2

    def to_act(self):
        return ("player",) if self.left else ()

    def returns(self):
        return {"player": float(self.heads)}

    def seen_by(self, agent):
        return self


class CoinGame(gem_ma.Game[Coins]):
    """Two tosses of a coin that fall as chance has it; each head pays 1, and "two" pays 2."""

    agents = ("player",)

    def start(self, rng, options):
        return Coins()

    def read(self, text, view, agent):
        return text

    def advance(self, state, moves, rng):
        pays = 2 if moves["player"] == "two" else 1
        return Coins(state.heads + pays * int(rng.integers(2)), state.left - 1)

    def rules(self, agent):
        return "Toss."

    def describe(self, view, agent):
        return f"{view.heads} heads"


def exact(cards, bets):
    """Return what first earns on average from here on, if both seats play at random."""
    state = State(cards, bets)
    if not state.to_act():
        return state.returns()["first"]
    return np.mean([exact(cards, (*bets, move)) for move in state.legal(state.to_act()[0])])


@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_the_game_tree(seed):
    (episode,) = gem_ma.rollout(KUHN, "random", seed=seed)
    env = gem_ma.make(KUHN)
    env.reset(seed=episode.seed)
    cards = env.match.state.cards
    count = 200
    (values,) = estimate_turn_values([episode], UNIFORM, count, seed=seed)
    assert list(values) == list(range(len(episode.steps)))
    bets = [step.move for step in episode.steps]
    limit = 4 * 2 / math.sqrt(count)  # a game pays between -2 and 2
    for place, value in values.items():
        assert value.value["first"] == pytest.approx(exact(cards, tuple(bets[:place])), abs=limit)
        after = exact(cards, tuple(bets[: place + 1]))
        assert value.action_value["first"] == pytest.approx(after, abs=limit)
        assert value.value["second"] == pytest.approx(-value.value["first"])
    assert values[len(bets) - 1].action_value == episode.returns


def test_chance_is_drawn_anew_and_the_past_is_not():
    env = gem_ma.Env(CoinGame())
    episodes = gem_ma.rollout(env, lambda turn: "one", 8, seed=1)
    played = estimate_turn_values(episodes, {"player": lambda turn: "one"}, 100, env=env)
    for episode, values in zip(episodes, played, strict=True):
        assert values[0].value["player"] == pytest.approx(1, abs=0.25)
        # The first toss has fallen.
        first = episode.steps[0].reward
        assert values[0].action_value["player"] == pytest.approx(first + 0.5, abs=0.2)
        assert values[1].value["player"] == pytest.approx(0.5, abs=0.2)
        assert values[1].action_value["player"] == episode.steps[1].reward
    assert {episode.returns["player"] for episode in episodes} == {0.0, 1.0, 2.0}


def test_other_agents_may_continue():
    env = gem_ma.Env(CoinGame())
    episodes = gem_ma.rollout(env, lambda turn: "one", 2, seed=0)
    for values in estimate_turn_values(episodes, {"player": lambda turn: "two"}, 100, env=env):
        assert values[0].value["player"] == pytest.approx(2, abs=0.5)


def test_seats_that_move_at_once_share_a_position():
    agents = {"left": lambda turn: "rock", "right": lambda turn: turn.legal[turn.seed % 3]}
    episodes = gem_ma.rollout("game:RockPaperScissors-v0", agents, 3, seed=1, rounds=3)
    for episode, values in zip(episodes, estimate_turn_values(episodes, agents, 5), strict=True):
        assert list(values) == list(range(6))
        for place in (0, 2, 4):
            assert values[place] == values[place + 1]
        # The rewards of the moves are the differences of the totals.
        assert values[5].action_value == {
            s: episode.steps[4 + n].reward for n, s in enumerate(("left", "right"))
        }
    own = estimate_turn_values(episodes, agents, 1, seats=["right"])
    assert [list(values) for values in own] == [[1, 3, 5]] * 3


def test_agents_that_changed_seats_continue_in_theirs():
    class Named:
        def __init__(self, name, move):
            self.name, self.move = name, move

        def act(self, turns):
            return [self.move] * len(turns)

        def __repr__(self):
            return self.name

    agents = {"left": Named("one", "rock"), "right": Named("two", "paper")}
    episodes = gem_ma.rollout(
        "game:RockPaperScissors-v0", agents, 8, seed=0, shuffle=True, rounds=1
    )
    assert len({tuple(one.agents.items()) for one in episodes}) == 2
    for episode, values in zip(episodes, estimate_turn_values(episodes, agents, 1), strict=True):
        assert values[0].value == values[0].action_value == episode.returns


def test_what_was_not_played_by_the_rollout_has_no_value():
    env = gem_ma.make("game:TicTacToe-v0")
    env.reset(seed=0)
    env.step("4")
    (episode,) = gem_ma.rollout(env, "random", start="here", seed=0)
    (values,) = estimate_turn_values([episode], {"x": "random", "o": "random"}, 2)
    assert list(values) == list(range(1, len(episode.steps)))
    assert estimate_turn_values([episode], {"x": "random", "o": "random"}, 2, seats=[]) == [{}]


def test_an_environment_that_was_wrapped_is_passed():
    env = ScaleReward(gem_ma.make(KUHN), 0.5)
    (episode,) = gem_ma.rollout(env, "random", seed=0)
    with pytest.raises(ValueError, match="wrapped by ScaleReward; pass that environment"):
        estimate_turn_values([episode], UNIFORM)
    (values,) = estimate_turn_values([episode], UNIFORM, env=env)
    assert values[len(episode.steps) - 1].action_value == episode.returns
    assert set(map(abs, episode.returns.values())) <= {0.5, 1.0}


def test_named_errors():
    (episode,) = gem_ma.rollout(KUHN, "random", seed=0)
    with pytest.raises(ValueError, match="continuations=0: expected 1 to 10000"):
        estimate_turn_values([episode], UNIFORM, 0)
    with pytest.raises(ValueError, match="nobody plays second; name an agent for each of first, s"):
        estimate_turn_values([episode], {"first": "random"})
    with pytest.raises(ValueError, match=r"no values from continuations: train with Trainer\(cont"):
        vine(make_example())


def read_nothing(messages):
    return np.ones(1, np.float32), ("rock", "paper", "scissors")


@pytest.mark.parametrize("others", ["rock", "learner"])
def test_a_learner_learns_from_continuations(others):
    torch.manual_seed(0)
    learner = training.MenuLearner(torch.nn.Linear(1, 3), read_nothing, lr=0.2)
    tables = []

    def estimate(rows):
        tables.append(rows)
        return vine(rows)

    agents = {"left": learner, "right": learner if others == "learner" else lambda turn: "rock"}
    trainer = training.Trainer(
        "game:RockPaperScissors-v0",
        agents,
        estimate,
        episodes=8,
        continuations=3,
        rollout={"rounds": 2},
    )
    history = trainer.run(8)
    for rows in tables:
        assert len(rows) == (32 if others == "learner" else 16)
        # A seat's values before its second turn are those after its first: one set of forks.
        for trajectory in set(rows.trajectory.tolist()):
            first, second = np.flatnonzero(rows.trajectory == trajectory)
            assert rows.action_value[first] == pytest.approx(
                rows.reward[first] + rows.value[second]
            )
            assert rows.action_value[second] == rows.reward[second]
    if others == "rock":
        assert history[-1]["return/left"] > 1.2  # of 2


def test_continuations_of_a_trainer_are_checked():
    learner = training.MenuLearner(torch.nn.Linear(1, 3), read_nothing)
    with pytest.raises(ValueError, match="continuations=-1: expected 0 or more"):
        training.Trainer(
            "game:RockPaperScissors-v0",
            {"left": learner, "right": "random"},
            rebn,
            continuations=-1,
        )
