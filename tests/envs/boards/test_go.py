"""Go: random games against OpenSpiel's, positions worked out by hand, and search."""

import numpy as np
import pytest

from gem_ma import Env, InvalidMove
from gem_ma.agents.search import SearchAgent
from gem_ma.envs.boards.go import AGENTS, PASS, Go, State
from gem_ma.rollouts.rollout import rollout
from gem_ma.testing import check_env


def position(text, turn=0, komi=0.0):
    """Return a position in which black is to act, or white at an odd turn."""
    lines = text.split()
    return State("".join(lines), len(lines), komi, turn, ("".join(lines),))


def play(state, *names):
    game = Go(state.size, state.komi)
    for name in names:
        (seat,) = state.to_act()
        state = game.advance(state, {seat: game.read(name, state, seat)}, None)
    return state


@pytest.mark.parametrize(
    ("size", "games"),
    [(5, 12), (9, 3), *(pytest.param(n, 100, marks=pytest.mark.slow) for n in (3, 5, 9, 13))],
)
def test_random_games_agree_with_openspiel(size, games):
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[oracles]'")
    komi = 0.5 if size < 9 else 7.5
    theirs_game = pyspiel.load_game("go", {"board_size": size, "komi": komi})
    assert theirs_game.max_game_length() == 2 * size**2
    game, rng, outcomes, repeats = Go(size, komi), np.random.default_rng(size), set(), 0
    for _ in range(games):
        ours, theirs = game.start(rng, {}), theirs_game.new_initial_state()
        while ours.to_act():
            assert not theirs.is_terminal()
            (seat,) = ours.to_act()
            player = AGENTS.index(seat)
            assert player == theirs.current_player()
            board = "".join(line.split()[1] for line in str(theirs).splitlines()[2 : 2 + size])
            assert board.translate(str.maketrans("XO+", "BW.")) == ours.board
            known = {theirs.action_to_string(player, a): a for a in theirs.legal_actions()}
            known = {name.split()[1].lower(): action for name, action in known.items()}
            legal = ours.legal(seat)
            assert len(legal) == len(set(legal))
            assert set(legal) <= set(known)
            for name in set(known) - set(legal):  # a ko, which it finds out by the end of the game
                then = theirs.child(known[name])
                assert then.is_terminal()
                assert then.returns() == [0, 0]
                assert name in ours.open()[1]
                repeats += 1
            move = legal[int(rng.integers(len(legal)))]
            ours = game.advance(ours, {seat: game.read(move, ours, seat)}, rng)
            theirs.apply_action(known[move])
        assert theirs.is_terminal()
        assert [ours.returns()[seat] for seat in AGENTS] == theirs.returns()
        outcomes.add(ours.returns()["black"])
    assert outcomes == {1.0, -1.0} or games < 10
    assert repeats > 0 or size > 5


def test_a_chain_without_a_free_point_is_taken():
    state = position(".WB.. WB... BB... ..... .....")
    assert "a5" in state.legal("black")  # it takes two chains at once
    then = play(state, "a5")
    assert then.board[:7] == "B.B...B"
    assert then.last == 0


def test_a_stone_may_not_take_itself():
    state = position(".WW.. WW... ..... ..... .....")
    assert "a5" not in state.legal("black")
    with pytest.raises(InvalidMove, match="no free point left beside it"):
        Go(5).read("A5", state, "black")
    taking = position(".WB.. WB... B.... ..... .....")
    assert play(taking, "a5").board[0:6] == "B.B..."


def test_a_ko_may_not_be_taken_back_at_once_but_later():
    state = position(".BW.. B.BW. .BW.. ..... .....", 1)
    taken = play(state, "b4")
    assert taken.board[6:8] == "W."
    assert "c4" not in taken.legal("black")
    with pytest.raises(InvalidMove, match="the board would be as it was before"):
        Go(5).read("c4", taken, "black")
    assert "Would repeat the board: c4" in Go(5).describe(taken, "black")
    later = play(taken, "e1", "d1")
    assert "c4" in later.legal("black")


def test_two_passes_end_it_and_the_area_counts():
    state = position(".BW.. BBW.. ..B.. ..... .....")
    assert state.score() == (4 + 1, 2)  # a5 is black's alone; the rest touches both
    over = play(state, "Pass", PASS)
    assert over.to_act() == ()
    assert over.returns() == {"black": 1.0, "white": -1.0}
    assert play(state._replace(komi=3.0), PASS, PASS).returns() == {"black": 0.0, "white": 0.0}
    assert play(state._replace(komi=3.5), PASS, PASS).returns() == {"black": -1.0, "white": 1.0}
    assert play(state, PASS, "e1").passes == 0


def test_it_ends_after_twice_as_many_moves_as_points():
    state = position(".BW.. BBW.. ..... ..... .....", 49)
    assert state.returns() == {"black": 0.0, "white": 0.0}
    assert play(state, "e1").to_act() == ()
    assert play(state, "e1").returns() == {"black": 1.0, "white": -1.0}


def test_what_is_no_move():
    game = Go()
    start = game.start(None, {})
    assert game.read(" J9. ", start, "black") == "j9"
    with pytest.raises(InvalidMove, match=r"there is a stone"):
        game.read("c3", play(start, "c3"), "white")
    for text in ("i5", "k1", "a10", "", "c3d4"):
        with pytest.raises(InvalidMove, match=r"is not a legal move$"):
            game.read(text, start, "black")


def test_the_board_in_words_and_numbers():
    game = Go(3, 0.5)
    state = play(game.start(None, {}), "b2", "c3")
    assert game.describe(state, None) == (
        " 3 . . W\n 2 . B .\n 1 . . .\n   a b c\nMove 2 of 18, last: c3\n"
        "Points: black 1, white 1.5\nTo act: black"
    )
    mine, theirs, free = game.encode(state, "white")
    assert (mine[0, 2], theirs[1, 1], free.sum()) == (1, 1, 7)
    assert "last: pass" in game.describe(play(state, PASS), None)


def test_the_picture_shows_every_stone_the_last_one_marked():
    game = Go()
    state = play(game.start(None, {}), "c3", "e5", "a1")
    items = game.picture(state, None).items
    discs = [(color, round(x, 2)) for _, color, x, _, size, _ in items if size > 0.05]
    assert sorted(color for color, _ in discs) == ["black", "black", "white"]
    assert [color for _, color, *_ in items].count("red") == 1
    assert len(items) == 3 + 1 + 9 - 2  # three stones, a mark, the dots that are free


@pytest.mark.parametrize("games", [4, pytest.param(30, marks=pytest.mark.slow)])
def test_search_beats_chance(games):
    agent = SearchAgent(simulations=30, nodes=0)
    env = Env(Go(3, 0.5), id="game:Go-v0")
    episodes = rollout(env, [agent, "random"], episodes=games, seed=5, shuffle=True)
    won = [e.returns[s] == 1 for e in episodes for s, a in e.agents.items() if a != "random"]
    assert sum(won) >= 0.75 * len(won)


def test_the_contract():
    check_env(Env(Go(3), id="game:Go-v0"), seeds=1, processes=False)
