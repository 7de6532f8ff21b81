"""The program around a page is there to be seen, and leads nowhere."""

import numpy as np
import pytest

from gem_ma.envs.screens.families import REGISTER
from gem_ma.envs.screens.families.words import THINGS
from gem_ma.envs.screens.game import Screens, family
from gem_ma.envs.screens.shells.applications import APPLICATIONS
from gem_ma.envs.screens.shells.shell import SHELL


def start(name, seed, difficulty=5):
    game = Screens(name, difficulty=difficulty)
    return game, game.start(np.random.default_rng(seed), {})


def test_every_family_stands_in_a_program_that_is_there():
    kinds = {name: family(name).application for name in REGISTER}
    assert {kind for kind in kinds.values() if kind} == set(APPLICATIONS)
    whole = [name for name, kind in kinds.items() if not kind]
    assert whole == ["windows", "attaching", "transferring"]


@pytest.mark.parametrize("name", ["login", "typing", "buttons", "menus", "undoing", "settings"])
def test_what_is_clicked_in_a_shell_changes_nothing_of_the_task(name):
    for seed in range(8):
        game, state = start(name, seed)
        shell = [one for one in state.page if one.id.startswith(SHELL) and one.kind == "item"]
        assert shell, seed
        for one in shell:
            for verb in ("click", "double_click", "right_click"):
                text = f"{verb}({one.x + one.w // 2}, {one.y + one.h // 2})"
                after = game.advance(
                    state._replace(left=9), {"player": game.read(text, state, "player")}, None
                )
                assert (after.model, after.score) == (state.model, None), (seed, one)


@pytest.mark.parametrize("name", ["buttons", "inbox", "dialogs", "files", "windows", "checkboxes"])
def test_no_word_of_a_shell_is_one_that_the_task_asks_for(name):
    for seed in range(8):
        _, state = start(name, seed, 10)
        own = {one.text for one in state.page if one.text and not one.id.startswith(SHELL)}
        shell = {one.text for one in state.page if one.id.startswith(SHELL)}
        assert not own & shell
    words = {word for one in APPLICATIONS.values() for word in (*one.menus, *one.entries)}
    assert not words & set(THINGS)


def test_a_shell_stays_where_it_is_in_an_episode():
    for name in ("booking", "inbox", "cart", "dates"):
        game, state = start(name, 3)
        shell = [one for one in state.page if one.id.startswith(SHELL)]
        while state.to_act():
            assert [one for one in state.page if one.id.startswith(SHELL)] == shell
            text = state.hint("player")
            state = game.advance(state, {"player": game.read(text, state, "player")}, None)
        assert state.score == 1.0
