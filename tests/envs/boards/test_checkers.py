"""Checkers: random games against OpenSpiel's, positions worked out by hand, and search."""

import numpy as np
import pytest

from gem_ma import Env, InvalidMove
from gem_ma.agents.search import SearchAgent
from gem_ma.envs.boards.checkers import AGENTS, NAMES, Checkers, State
from gem_ma.rollouts.rollout import rollout

GAME = Checkers()


def position(turn=0, quiet=0, **pieces):
    """Return a position by squares: c3="b"."""
    return State("".join(pieces.get(name, ".") for name in NAMES), turn, quiet)


def play(state, *texts):
    for text in texts:
        (seat,) = state.to_act()
        state = GAME.advance(state, {seat: GAME.read(text, state, seat)}, None)
    return state


@pytest.mark.parametrize("games", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_games_agree_with_openspiel(games):
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[oracles]'")
    theirs_game = pyspiel.load_game("checkers")
    rng, outcomes, again = np.random.default_rng(0), set(), 0
    for _ in range(games):
        ours, theirs = GAME.start(rng, {}), theirs_game.new_initial_state()
        while ours.to_act():
            assert not theirs.is_terminal()
            assert set(ours.returns().values()) == {0.0}
            (seat,) = ours.to_act()
            player = AGENTS.index(seat)
            assert player == theirs.current_player()
            board = "".join(line[1:] for line in str(theirs).splitlines()[:8])
            assert board.translate(str.maketrans("o8+*", "bBwW")) == ours.board
            known = {theirs.action_to_string(player, a): a for a in theirs.legal_actions()}
            legal = ours.legal(seat)
            assert set(legal) == set(known)
            assert len(legal) == len(known)
            move = legal[int(rng.integers(len(legal)))]
            ours = GAME.advance(ours, {seat: GAME.read(move, ours, seat)}, rng)
            theirs.apply_action(known[move])
            again += ours.jumping is not None
        assert theirs.is_terminal()
        assert [ours.returns()[seat] for seat in AGENTS] == theirs.returns()
        outcomes.add(ours.returns()["black"])
    assert outcomes == {1.0, -1.0, 0.0}
    assert again > games / 4


def test_who_can_jump_has_to_and_goes_on():
    state = position(c3="b", d4="w", d6="w", g3="b", h8="w")
    assert state.legal("black") == ("c3e5",)
    with pytest.raises(InvalidMove, match="you can jump, so you have to"):
        GAME.read("g3h4", state, "black")
    with pytest.raises(InvalidMove, match="one step or jump at a time, c3e5"):
        GAME.read("c3xe5xc7", state, "black")
    on = play(state, "C3 x E5")
    assert on.to_act() == ("black",)
    assert on.legal("black") == ("e5c7",)
    assert "e5 has to jump on" in GAME.describe(on, "white")
    with pytest.raises(InvalidMove, match="the piece on e5 has to jump on"):
        GAME.read("g3h4", on, "black")
    then = play(on, "e5c7")
    assert then.to_act() == ("white",)
    assert then.board.count("w") == 1


def test_a_new_king_jumps_no_further():
    state = position(d6="b", e7="w", g7="w", a3="w")
    then = play(state, "d6f8")
    assert then.board[NAMES.index("f8")] == "B"
    assert then.to_act() == ("white",)
    king = position(f8="B", g7="w", a3="w")
    assert king.legal("black") == ("f8h6",)  # as it may in its next turn


def test_kings_move_both_ways_and_men_do_not():
    state = position(d4="B", a5="w")
    assert set(state.legal("black")) == {"d4c5", "d4e5", "d4c3", "d4e3"}
    assert position(d4="b", a5="w").legal("black") == ("d4c5", "d4e5")
    assert position(1, d4="b", a5="w").legal("white") == ("a5b4",)


def test_who_cannot_move_loses_and_forty_quiet_moves_are_a_draw():
    stuck = position(1, a3="w", b2="b", c1="b")
    assert stuck.to_act() == ()
    assert stuck.returns() == {"black": 1.0, "white": -1.0}
    long = position(0, 39, d4="B", h8="W")
    assert long.to_act() == ("black",)
    end = play(long, "d4c5")
    assert end.to_act() == ()
    assert end.returns() == {"black": 0.0, "white": 0.0}
    assert GAME.advance(long, {"black": None}, None).to_act() == ()


def test_what_is_no_move():
    start = GAME.start(None, {})
    assert GAME.read(" a3-b4. ", start, "black") == "a3b4"
    for text in ("a3", "a3a4", "b6a5", "a3c5", "", "resign"):
        with pytest.raises(InvalidMove, match="no piece of yours can move so"):
            GAME.read(text, start, "black")


def test_the_rules_give_moves_that_exist():
    start = GAME.start(None, {})
    for seat, state in zip(
        AGENTS, (start, GAME.advance(start, {"black": None}, None)), strict=True
    ):
        said = GAME.rules(seat)
        assert any(f": {move} for a step" in said for move in state.legal(seat))


def test_the_board_in_words_and_numbers():
    state = play(GAME.start(None, {}), "c3d4")
    lines = GAME.describe(state, None).splitlines()
    assert lines[:2] == ["8 . w . w . w . w", "7 w . w . w . w ."]
    assert lines[4:6] == ["4 . . . b . . . .", "3 b . . . b . b ."]
    assert lines[8:] == [
        "  a b c d e f g h",
        "Pieces: black 12, white 12. Moves without a capture: 1 of 40",
        "To act: white",
    ]
    planes = GAME.encode(state, "white")
    assert planes.sum((1, 2)).tolist() == [12, 0, 12, 0, 40, 0]
    on = GAME.encode(play(position(c3="b", d4="w", d6="w", h8="w"), "c3e5"), "black")
    assert (on[0] == on[5]).all()


@pytest.mark.parametrize("games", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_search_beats_chance(games):
    agent = SearchAgent(simulations=20, nodes=0)
    episodes = rollout(
        Env(Checkers(), id="game:Checkers-v0"), [agent, "random"], games, seed=5, shuffle=True
    )
    returns = [e.returns[s] for e in episodes for s, a in e.agents.items() if a != "random"]
    assert returns.count(1.0) >= 0.8 * games
