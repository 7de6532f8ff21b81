"""Minesweeper: fields and openings against brute force, and games that a solver plays out."""

import itertools

import numpy as np
import pytest

from gem_ma import Env, InvalidMove
from gem_ma.envs.puzzles.minesweeper import CLOSED, Minesweeper, State
from gem_ma.testing import certify, check_env

EASY, HARD, RANDOM = (5, 5, 5, 25), (8, 8, 12, 64), (None,) * 4


def rng(seed=0):
    return np.random.default_rng(seed)


def next_to(i, rows, cols):
    row, col = divmod(i, cols)
    for r, c in itertools.product((row - 1, row, row + 1), (col - 1, col, col + 1)):
        if 0 <= r < rows and 0 <= c < cols and (r, c) != (row, col):
            yield r * cols + c


def opened(field, cell, rows, cols):
    """Open by the rule, again and again over the whole board until nothing changes."""
    seen = {cell}
    while True:
        more = {j for i in seen if field[i] == "0" for j in next_to(i, rows, cols)} | seen
        if more == seen:
            return seen
        seen = more


@pytest.mark.parametrize("level", [EASY, HARD, (3, 7, 11, 20), (16, 16, 40, 256)])
def test_the_first_opening_is_safe_and_wide(level):
    rows, cols, mines, turns = level
    game = Minesweeper(*level)
    for seed in range(60):
        draw = rng(seed)
        cell = int(draw.integers(rows * cols))
        state = game.advance(game.start(draw, {}), {"player": ("reveal", cell)}, draw)
        assert state.field.count("*") == mines
        assert state.shown[cell] == "0"
        for i, mark in enumerate(state.field):
            if mark != "*":
                assert int(mark) == sum(state.field[j] == "*" for j in next_to(i, rows, cols))
        area = opened(state.field, cell, rows, cols)
        assert {i for i, mark in enumerate(state.shown) if mark != CLOSED} == area
        assert state.left == turns - 1


def test_every_field_is_drawn_evenly():
    game, fields = Minesweeper(3, 5, 2, 15), {}
    draw = rng()
    for _ in range(3000):
        state = game.advance(game.start(draw, {}), {"player": ("reveal", 6)}, draw)
        fields[state.field] = fields.get(state.field, 0) + 1
    assert len(fields) == 15  # 6 cells, 2 mines
    assert min(fields.values()) > 130


def solver(state):
    """Return a safe cell by trying every way to lay the mines, or the least dangerous one."""
    rows, cols = state.rows, state.cols
    closed = [i for i, mark in enumerate(state.shown) if mark == CLOSED]
    danger = dict.fromkeys(closed, 0)
    numbers = [(int(m), i) for i, m in enumerate(state.shown) if m.isdecimal()]
    for mines in itertools.combinations(closed, state.mines):
        laid = set(mines)
        if all(sum(j in laid for j in next_to(i, rows, cols)) == m for m, i in numbers):
            for i in mines:
                danger[i] += 1
    return min(closed, key=lambda i: danger[i]), danger


def test_what_a_seat_is_shown_is_consistent_and_a_solver_wins():
    won, env = 0, Env(Minesweeper(4, 5, 3, 20), id="test:Minesweeper")
    for seed in range(30):
        env.reset(seed=seed)
        env.step_seats({"player": "reveal 0 0"})
        while env.to_act:
            view = env.game_state.seen_by("player")
            cell, danger = solver(view)
            assert sum(danger.values())  # at least one way to lay the mines fits
            row, col = divmod(cell, 5)
            env.step_seats({"player": f"reveal {row} {col}"})
            if danger[cell] == 0:
                assert "X" not in env.game_state.shown
        won += env.game_state.returns()["player"]
    assert won > 24


@pytest.mark.parametrize("level", [EASY, HARD, RANDOM])
def test_who_knows_the_mines_always_wins_in_time(level):
    env = Env(Minesweeper(*level), id="test:Minesweeper")
    for seed in range(100):
        env.reset(seed=seed)
        while env.to_act:
            state = env.game_state
            safe = [
                i
                for i, mark in enumerate(state.shown)
                if mark == CLOSED and state.field[i : i + 1] != "*"
            ]
            row, col = divmod(safe[-1], state.cols)
            env.step_seats({"player": f"reveal {row} {col}"})
        assert env.game_state.solved()
        assert env.game_state.returns() == {"player": 1.0}


def test_positions_by_hand():
    state = State(3, 4, 2, 9, CLOSED * 12, "2*202*201110")
    one = state.reveal(0)
    assert (one.shown, one.left) == ("2" + CLOSED * 11, 8)
    wide = state.reveal(3)
    assert wide.shown == "..20..20..10"
    assert wide.reveal(8).reveal(9).reveal(0).to_act() == ("player",)
    won = wide.reveal(8).reveal(9).reveal(0).reveal(4)
    assert won.solved()
    assert won.to_act() == ()
    assert won.returns() == {"player": 1.0}  # no mine needs a flag
    lost = wide.reveal(1)
    assert lost.to_act() == ()
    assert lost.returns() == {"player": 0.0}
    assert lost._replace(partial=True).returns() == {"player": pytest.approx(6 / 10)}
    assert won._replace(partial=True).returns() == {"player": 1.0}
    assert wide._replace(partial=True).returns() == {"player": 0.0}
    late = wide._replace(left=1, partial=True).reveal(8)
    assert late.to_act() == ()
    assert late.returns() == {"player": pytest.approx(7 / 10)}
    flagged = state.flag(2).reveal(3)
    assert flagged.shown == "..F0..20..10"  # a flag keeps its cell closed
    assert flagged.flag(2).reveal(2).shown == wide.shown
    assert Minesweeper(4, 4, 2, 9).describe(lost.flag(4), "player").splitlines()[1:3] == [
        " 0 . X 2 0",
        " 1 W * 2 0",
    ]


def test_what_is_no_move():
    game = Minesweeper(*EASY)
    view = State(5, 5, 5, 25, "F." + "1" + "." * 22)
    for text in ("reveal 0 1", "Reveal (0, 1).", "REVEAL 0,1", "reveal: [0][1]"):
        assert game.read(text, view, "player") == ("reveal", 1)
    assert game.read("flag 0 0", view, "player") == ("flag", 0)
    for text, reason in (
        ("0 1", "expected reveal or flag"),
        ("open 0 1", "expected reveal or flag"),
        ("reveal 0 1 2", "expected reveal or flag"),
        ("", "expected reveal or flag"),
        ("reveal 0 5", "rows are 0 to 4"),
        ("reveal -1 0", "rows are 0 to 4"),
        ("reveal x y", "rows are 0 to 4"),
        ("flag 0 2", "open already"),
        ("reveal 0 2", "open already"),
        ("reveal 0 0", "take it off with flag 0 0"),
    ):
        with pytest.raises(InvalidMove, match=reason):
            game.read(text, view, "player")


@pytest.mark.parametrize(
    "level", [(5, 5, 16, 9), (2, 9, 1, 9), (5, 17, 3, 9), (5, 5, 0, 9), (5, 5, 5, 0)]
)
def test_what_makes_no_game(level):
    with pytest.raises(ValueError, match="expected rows and cols 3 to 16"):
        Minesweeper(*level)
    with pytest.raises(ValueError, match="None for all four"):
        Minesweeper(5, 5, None, 3)


def test_a_seat_does_not_see_the_mines_until_the_end():
    game, seen = Minesweeper(3, 4, 2, 9), set()
    for field in ("2*202*201110", "2*101*101110"):
        view = State(3, 4, 2, 5, ".F.0....1..0", field).seen_by("player")
        words, picture = game.describe(view, "player"), game.picture(view, "player")
        seen.add((view, words, picture, game.encode(view, "player").tobytes()))
    assert len(seen) == 1
    whole = State(3, 4, 2, 5, ".F.0....1..0", "2*202*201110")
    assert game.describe(whole, None) != game.describe(whole.seen_by("player"), "player")
    assert "M" in game.describe(whole, None)


def test_the_random_level_draws_one_for_each_episode():
    game = Minesweeper(*RANDOM)
    states = [game.start(rng(seed), {}) for seed in range(60)]
    levels = {(s.rows, s.cols, s.mines, s.left) for s in states}
    assert levels == {(5, 5, 5, 25), (6, 6, 7, 36), (7, 7, 9, 49), (8, 8, 12, 64)}


def test_the_view_in_numbers():
    game = Minesweeper(3, 4, 2, 9)
    closed, flags, numbers = game.encode(State(3, 4, 2, 5, ".F.0....1..2"), "player")
    assert closed.sum() == 9
    assert np.argwhere(flags).tolist() == [[0, 1]]
    assert (numbers[2, 0], numbers[2, 3]) == (1 / 8, 2 / 8)


@pytest.mark.parametrize("level", [pytest.param(EASY, marks=pytest.mark.slow), RANDOM])
def test_the_contract_and_the_pictures(level):
    env = Env(Minesweeper(*level, partial=True), id="test:Minesweeper")
    check_env(env, seeds=1)
    assert certify(env, views=150, theme="mono").views >= 150
