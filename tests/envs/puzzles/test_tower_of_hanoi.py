"""Tower of Hanoi: a breadth-first search, the known shortest solutions, and rules by hand."""

import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.puzzles.tower_of_hanoi import AGENT, MOVES, State, TowerOfHanoi
from gem_ma.testing import certify, check_env

LEVELS = {"easy": (3, 10), "plain": (3, 100), "hard": (5, 35), "random": (None, None)}


def make(level):
    return gem_ma.Env(TowerOfHanoi(*LEVELS[level]), id=level)


def solution(start):
    """Return a shortest way to move everything to C, and how many positions there are."""
    came, queue = {start.pegs: None}, [start]
    for state in queue:
        for move in state.legal(AGENT):
            after = state.carry(move)
            if after.pegs not in came:
                came[after.pegs] = state, move
                queue.append(after)
    moves, pegs = [], ((), (), start.pegs[0])
    while came[pegs]:
        state, move = came[pegs]
        moves, pegs = [move, *moves], state.pegs
    return moves, len(came)


@pytest.mark.parametrize("discs", range(1, 7))
def test_the_shortest_way_takes_as_long_as_is_known(discs):
    moves, positions = solution(State((tuple(range(discs, 0, -1)), (), ()), 1000))
    assert len(moves) == 2**discs - 1
    assert positions == 3**discs


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_can_be_solved_within_its_limit(level):
    env, seen = make(level), set()
    for seed in range(30):
        env.reset(seed=seed)
        start = env.game_state
        seen.add((len(start.pegs[0]), start.left))
        for move in solution(start)[0]:
            assert env.game_state.returns() == {AGENT: 0.0}
            env.step_seats({AGENT: move})
        assert not env.to_act
        assert env.game_state.returns() == {AGENT: 1.0}
    assert seen == ({(3, 10), (4, 20), (5, 35)} if level == "random" else {LEVELS[level]})


def test_which_moves_are_legal():
    state = State(((3,), (1,), (2,)), 9)
    assert state.legal(AGENT) == ("B A", "B C", "C A")
    assert state.carry("C A").pegs == ((3, 2), (1,), ())
    assert State(((3, 2, 1), (), ()), 9).legal(AGENT) == ("A B", "A C")
    assert State(((1,), (2,), (3,)), 9).legal(AGENT) == ("A B", "A C", "B C")


@pytest.mark.parametrize(
    "text", ["A C", "a c", "AC", "1 3", "13", "A, C", "A->C", "(a, c)", "1 to C"]
)
def test_how_a_move_may_be_written(text):
    assert TowerOfHanoi().read(text, State(((3,), (1,), (2,))[::-1], 9), AGENT) == "A C"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("C A", "disc 3 may not lie on the smaller disc 1"),
        ("B A", "there is no disc on peg B"),
        ("A A", "does not name two pegs, as in A C"),
        ("A D", "does not name two pegs"),
        ("A B C", "does not name two pegs"),
        ("1 4", "does not name two pegs"),
        ("", "does not name two pegs"),
    ],
)
def test_no_move(text, reason):
    with pytest.raises(InvalidMove, match=reason):
        TowerOfHanoi().read(text, State(((2, 1), (), (3,)), 9), AGENT)


def test_what_is_on_c_pays_when_the_turns_run_out():
    state = State(((3, 2, 1), (), ()), 2).carry("A C")
    assert state.returns() == {AGENT: 0.0}
    assert state.carry("A B").returns() == {AGENT: 1 / 3}
    assert state.carry(None).to_act() == ()
    done = State(((), (1,), (3, 2)), 5).carry("B C")
    assert done.to_act() == ()  # the turns left are not played on
    assert done.returns() == {AGENT: 1.0}


def test_the_pegs_in_words_and_numbers():
    game, state = TowerOfHanoi(), State(((3, 2), (), (1,)), 50)
    assert game.describe(state, AGENT).splitlines()[1:4] == ["A: 3 2", "B: empty", "C: 1"]
    assert game.encode(state, AGENT).tolist() == [0, 1, 1, 0, 0, 0, 1, 0, 0, 0.5]
    assert set(game.moves) == {f"{a} {b}" for a in "ABC" for b in "ABC" if a != b}
    assert len(MOVES) == 6
    for arguments in ({"num_disks": 0}, {"num_disks": 11}, {"max_turns": 0}):
        with pytest.raises(ValueError, match="expected"):
            TowerOfHanoi(**arguments)


@pytest.mark.parametrize("level", [pytest.param("hard", marks=pytest.mark.slow), "random"])
def test_the_contract(level):
    check_env(make(level), seeds=1, processes=False)
    certify(make(level), views=30 if level == "random" else 100)
