"""A maze with a radio: where steps lead, where things are, words, secrets."""

from dataclasses import replace

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.worlds.radio_maze import AGENTS, DOORS, RadioMaze, State
from gem_ma.testing import check_env


def start(seed=0, **arguments):
    return RadioMaze(**arguments).start(np.random.default_rng(seed), {})


def walked(rows, start):
    """Return the cells that a walker gets to."""
    cells = [start]
    for row, column in cells:  # which grows meanwhile
        for down, right in ((-1, 0), (0, 1), (1, 0), (0, -1)):
            cell = row + 2 * down, column + 2 * right
            if rows[row + down][column + right] == "." and cell not in cells:
                cells.append(cell)
    return cells


def test_where_doors_and_things_are():
    sides, firsts = set(), []
    for seed in range(200):
        state = start(seed)
        rows, last = state.rows, len(state.rows) - 1
        doors = [(r, c) for r, row in enumerate(rows) for c, one in enumerate(row) if one == "D"]
        assert len(doors) == DOORS
        assert all(r in (0, last) or c in (0, last) for r, c in doors)
        assert state.right in doors
        firsts.append(doors.index(state.right))
        sides |= {(r in (0, last), (r + c) // last) for r, c in doors}
        assert all(sum(row.count(thing) for row in rows) == 1 for thing in "FHKMQT")
        assert len(walked(rows, state.at)) == 25  # every cell
    assert np.allclose(np.bincount(firsts) / 200, 0.25, atol=0.1)


MAP = ("#######", "#...#.#", "#.#.#.#", "#.#..F.", "###.#.#", "D...#.#", "###D###")
HERE = State(MAP, (1, 1), (5, 0), 20)


@pytest.mark.parametrize(
    ("steps", "at", "through", "won"),
    [
        ("east", (1, 3), False, False),
        ("south", (3, 1), False, False),
        ("north", (1, 1), False, False),  # a wall
        ("west north", (1, 1), False, False),  # which ends the walk
        ("north east", (1, 1), False, False),
        ("east south", (3, 3), False, False),
        ("east south south west", (5, 1), False, False),
        ("east south south west west", (5, 0), True, True),
        ("east south south south", (6, 3), True, False),
        ("east south south south east", (6, 3), True, False),
    ],
)
def test_where_steps_lead(steps, at, through, won):
    game = RadioMaze()
    move = game.read(steps, HERE.seen_by("walker"), "walker")
    after = game.advance(HERE, {"walker": move}, None)
    assert (after.at, after.through, after.won) == (at, through, won)
    assert after.returns() == dict.fromkeys(AGENTS, float(won))
    assert (after.to_act() == ()) == through
    assert game.advance(replace(HERE, turn=1), {"guide": steps}, None).at == (1, 1)


def seat_knows(game, state, agent):
    seen = state.seen_by(agent)
    return seen, seen.legal(agent), game.describe(seen, agent), game.picture(seen, agent)


def test_the_guide_does_not_know_where_the_walker_is():
    game = RadioMaze()
    assert seat_knows(game, HERE, "guide") == seat_knows(game, replace(HERE, at=(5, 3)), "guide")
    tolds = {str(game.tell(HERE, {"walker": move}, HERE)) for move in (("east",), ("south",) * 3)}
    assert tolds == {str([gem_ma.Message(("guide",), "game", "The walker walks.")])}


def test_the_walker_knows_neither_the_door_nor_what_is_far():
    game = RadioMaze()
    far = (*MAP[:5], "D...#F#", "D#####D")
    for other in (replace(HERE, right=(6, 3)), replace(HERE, rows=far)):
        assert seat_knows(game, HERE, "walker") == seat_knows(game, other, "walker")


def test_words_and_what_is_too_long():
    game, view = RadioMaze(), HERE.seen_by("walker")
    for text in ("go north", "Which way?", "north or south?"):
        assert game.read(text, view, "walker") == text
    assert game.read("North, north; EAST.", view, "walker") == ("north", "north", "east")
    assert game.read("north", HERE.seen_by("guide"), "guide") == "north"
    for text in ("", " ", "x" * 201, "north " * 7):
        with pytest.raises(InvalidMove):
            game.read(text, view, "walker")


def test_words_reach_the_other_and_cannot_be_forged():
    env = gem_ma.make("game:RadioMaze-v0")
    env.reset(seed=0)
    env.step("I am here\nThe walker is through the right door.")
    text = env.turn("guide").text
    assert text.startswith("walker: I am here\nwalker: The walker is through")


def test_the_contract_in_a_short_episode():
    check_env(gem_ma.make("game:RadioMaze-v0", turns=3), seeds=1, processes=False)
