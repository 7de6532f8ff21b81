"""What editors complete: the public names, and the arguments of what one calls first."""

import functools
import inspect

import pytest

import gem_ma
from gem_ma.engine.config import OPTIONS, EnvConfig

FIRST = ("make", "make_parallel", "make_gym", "make_vec")


def test_help_names_all_options():
    for name in OPTIONS:
        assert f"    {name}: " in EnvConfig.__doc__, name
    assert list(inspect.signature(EnvConfig).parameters) == list(OPTIONS)


def test_what_is_not_said_is_left_to_the_id_and_the_game():
    nim = gem_ma.spec("game:Nim-v0")
    with_picture = gem_ma.Spec("game:Nim-v0", nim.entry_point, {**nim.kwargs, "observe": "both"})
    assert gem_ma.make(with_picture).observation_builder.config.observe == "both"
    assert gem_ma.make(with_picture, observe="text").observation_builder.config.observe == "text"
    assert gem_ma.make("game:Nim-v0", max_turns=3).match.config.max_turns == 3
    assert gem_ma.make("game:Nim-v0", legal="hide").match.config.legal == "hide"
    every = {
        "observe": "both",
        "actions": "text",
        "format": "boxed",
        "invalid": "lose",
        "max_invalid": 1,
        "penalty": 0.5,
        "max_turns": 9,
        "legal": "hide",
        "clock": None,
        "render_mode": "ansi",
        "image_size": 300,
        "image_unit": 14,
        "theme": "dark",
        "noise": "blur:2",
        "panels": "apart",
        "text_length": 999,
        "prompt": "short",
        "examples": 1,
    }
    assert list(every) == list(OPTIONS)
    env = gem_ma.make("game:ConnectFour-v0", **every)
    assert {name: getattr(env.config, name) for name in every} == every | {"image_size": (300, 300)}
    maze = gem_ma.make("game:Maze-v0", size=5)  # a setting of the game
    assert maze.game.size == 5
    with pytest.raises(gem_ma.UnknownArgument, match="unexpected keyword argument 'colour'"):
        gem_ma.make("game:Nim-v0", colour=1)


@functools.cache
def editor():
    return pytest.importorskip("jedi", reason="pip install jedi")


@pytest.mark.parametrize("name", [*FIRST, "rollout", "arollout"])
def test_an_editor_shows_the_arguments(name):
    (found, *_) = editor().Script(f"import gem_ma\ngem_ma.{name}(").get_signatures()
    own = inspect.signature(getattr(gem_ma, name)).parameters.values()
    expected = [one.name for one in own if one.kind is not one.VAR_KEYWORD]
    more = inspect.signature(gem_ma.make).parameters if name in FIRST[:3] else ["make"]
    expected += [one for one in more if one not in expected and one != "id"]
    assert [one.name for one in found.params] == expected


def test_an_editor_completes_the_public_names_and_what_they_return():
    def offered(code):
        return {one.name for one in editor().Script(f"import gem_ma\n{code}").complete()}

    assert set(gem_ma.__all__) <= offered("gem_ma.")
    assert "reset" in offered("env = gem_ma.make('game:Nim-v0')\nenv.re")
    assert "returns" in offered("played = gem_ma.rollout('game:Nim-v0', 'random')\nplayed[0].re")
