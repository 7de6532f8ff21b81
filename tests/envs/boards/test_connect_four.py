"""Connect Four: positions worked out by hand; random games are compared in test_second_sources."""

import pytest

from gem_ma import Env, InvalidMove
from gem_ma.agents.search import SearchAgent
from gem_ma.envs.boards.connect_four import ConnectFour, State
from gem_ma.rollouts.rollout import rollout


def after(columns):
    state = State()
    for column in columns:
        state = state.drop(int(column))
    return state


@pytest.mark.parametrize(
    ("columns", "winner"),
    [
        ("0101010", "red"),  # upright
        ("0011223", "red"),  # flat, closed at its end
        ("0011332", "red"),  # flat, closed in its middle
        ("01122323363", "red"),  # rising
        ("65544343303", "red"),  # falling
        ("001133", None),  # three discs and a gap
        ("0102030", "red"),
        ("010101", None),
        ("61015102", None),
    ],
)
def test_winner(columns, winner):
    state = after(columns)
    assert state.winner == winner
    assert (state.to_act() == ()) == (winner is not None)


def test_a_full_column_is_no_move():
    state = after("000000")
    assert state.legal("red") == ("1", "2", "3", "4", "5", "6")
    with pytest.raises(InvalidMove, match="'0' is not a legal move"):
        ConnectFour().read("0", state, "red")


def test_a_full_board_is_a_draw():
    rows = "RYRYRYR", "RYRYRYR", "YRYRYRY", "YRYRYRY", "RYRYRYR", "RYRYRYR"
    state = State("".join(rows), 42)
    assert state.to_act() == ()
    assert state.returns() == {"red": 0.0, "yellow": 0.0}


def test_the_board_in_words_and_numbers():
    game, state = ConnectFour(), after("330")
    lines = game.describe(state, None).splitlines()
    assert lines[0] == "0 1 2 3 4 5 6"
    assert lines[-1] == "R . . R . . ."
    assert lines[-2] == ". . . Y . . ."
    mine, theirs, free = game.encode(state, "yellow")
    assert (mine[4, 3], theirs[5, 3], theirs[5, 0], free.sum()) == (1, 1, 1, 39)


@pytest.mark.parametrize(
    "agent",
    [SearchAgent(depth=3), SearchAgent(simulations=40, nodes=0)],
    ids=["depth", "simulations"],
)
@pytest.mark.parametrize("games", [16, pytest.param(40, marks=pytest.mark.slow)])
def test_search_beats_chance(agent, games):
    env = Env(ConnectFour(), id="game:ConnectFour-v0")
    episodes = rollout(env, [agent, "random"], episodes=games, seed=5, shuffle=True)
    returns = {seat: [] for seat in env.possible_agents}
    for episode in episodes:
        for seat, name in episode.agents.items():
            if name != "random":
                returns[seat].append(episode.returns[seat])
    for decided in ([value for value in seen if value] for seen in returns.values()):
        assert len(decided) > games / 4
        assert decided.count(1.0) >= 0.95 * len(decided)
