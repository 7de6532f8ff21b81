"""A seed lays out a screen: places differ, what knows places alone solves nothing, sizes hold."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import gem_ma
from gem_ma.envs.screens.families import REGISTER
from gem_ma.envs.screens.game import LOOKS, Screens
from gem_ma.envs.screens.shells.layout import fit_screen

SPEC = importlib.util.spec_from_file_location(
    "blind_screens", Path(__file__).parents[4] / "benchmarks" / "blind_screens.py"
)
blind = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(blind)
SIZES = ((448, 448), (640, 480), (1008, 1008), (1280, 800))
NAMED = ("login", "typing", "password", "copying", "inbox", "calculator", "cart")


def start(family, size, seed, difficulty=5, look="flat"):
    game = Screens(family, difficulty=difficulty, look=look).fit_image(*size)
    return game, game.start(np.random.default_rng(seed), {})


def find_own(state):
    """Return the places and sizes of what the task itself puts on the page."""
    return tuple(
        (one.kind, *one[2:6]) for one in state.page if not one.id.startswith(("shell:", "goal"))
    )


@pytest.mark.parametrize("family", NAMED)
def test_seeds_have_layouts_of_their_own(family):
    pages = {find_own(start(family, (448, 448), seed, 3)[1]) for seed in range(40)}
    assert len(pages) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", [3, 6, 10])
@pytest.mark.parametrize("family", REGISTER)
def test_every_family_has_layouts_by_seed(family, difficulty):
    pages = {find_own(start(family, (448, 448), seed, difficulty)[1]) for seed in range(40)}
    assert len(pages) >= 20


@pytest.mark.parametrize("family", ["login", "calculator"])
def test_who_knows_places_alone_solves_nothing(family):
    env = gem_ma.make(f"screens:{family}", difficulty=3)
    assert blind.count_solved(env, blind.play_oracle(env, 1), [1]) == 1  # the replay can succeed
    assert blind.count_solved(env, blind.play_oracle(env, 0), range(1, 11)) == 0


@pytest.mark.slow
def test_what_is_blind_solves_two_in_a_hundred_at_most():
    solved = np.array([blind.measure_family(name, 5, 40)[1:] for name in REGISTER])
    assert (solved.sum(0) <= 0.02 * 40 * len(REGISTER)).all(), solved
    assert solved.max() <= 4, dict(zip(REGISTER, solved.tolist(), strict=True))


@pytest.mark.parametrize(
    ("picture", "screen"),
    [
        ((448, 448), (448, 448)),
        ((1280, 800), (1280, 800)),
        ((500, 1000), (500, 1000)),
        ((252, 252), (448, 448)),
        ((224, 448), (448, 896)),
        ((2560, 1600), (1280, 800)),
        ((4000, 450), (1280, 448)),
    ],
)
def test_a_screen_has_the_size_of_its_picture_within_limits(picture, screen):
    assert fit_screen(*picture) == screen


def check_size(family, size, seed, look):
    """Assert that a task is solved at this size, with all of its page on the screen."""
    game, state = start(family, size, seed, look=look)
    assert game.picture(state, "player")[1:3] == size
    while state.to_act():
        for one in state.page:
            inside = 0 <= one.x <= size[0] - one.w and 0 <= one.y <= size[1] - one.h
            assert inside or one.inside, (family, size, one)
        state = game.advance(
            state, {"player": game.read(state.hint("player"), state, "player")}, None
        )
    assert state.score == 1.0, (family, size, seed)


@pytest.mark.parametrize("size", SIZES)
def test_tasks_are_solved_at_every_size(size):
    for number, family in enumerate(REGISTER):
        if number % 7 == SIZES.index(size):
            check_size(family, size, number, "flat")


@pytest.mark.slow
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("family", REGISTER)
def test_tasks_are_solved_at_every_size_often(family, look):
    for size in SIZES:
        for seed in range(4):
            check_size(family, size, seed, look)


def test_families_say_other_things_at_a_seed():
    """Words of a kind come in another order in each family, as if their seeds were others."""

    def find_names(family, seed):
        return [name for name, _ in start(family, (448, 448), seed)[1].model.parts]

    def share(seeds):
        pairs = [(find_names("buttons", n), find_names("links", m)) for n, m in seeds]
        return np.mean([a == b for one, other in pairs for a, b in zip(one, other, strict=True)])

    assert share([(n, n) for n in range(60)]) <= share([(n, n + 100) for n in range(60)]) + 0.05
