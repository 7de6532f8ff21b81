"""Making environments: whose an argument is, which is unknown, and what is no game."""

import inspect

import gymnasium
import packs
import pytest

import gem_ma
from gem_ma import Spec, UnknownArgument
from gem_ma.validation.entry_points import load_entry_point


def test_arguments_go_to_the_game_first_and_then_to_env():
    env = gem_ma.make("game:GuessTheNumber-v0", max_turns=3)
    assert (env.game.max_turns, env.match.config.max_turns) == (3, None)
    env = gem_ma.make("game:ConnectFour-v0", max_turns=3, observe="both")
    assert (env.match.config.max_turns, env.observation_builder.config.observe) == (3, "both")


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("max_turn", "got an unexpected keyword argument 'max_turn'; did you mean 'max_turns'"),
        ("round", "did you mean 'rounds'"),
        ("agent", r"it belongs to make_gym\(\)"),
        ("zzz", "it takes rounds, observe, actions"),
        ("args", "it takes rounds"),
        ("env_kwargs", r"pass the arguments directly, such as rounds=5"),
    ],
)
def test_an_unknown_argument_says_what_is_close(argument, words):
    value = {"rounds": 5} if argument == "env_kwargs" else 3
    with pytest.raises(UnknownArgument, match=words):
        gem_ma.make("game:RockPaperScissors-v0", **{argument: value})
    with pytest.raises(TypeError):
        gem_ma.make("game:ConnectFour-v0").game.__class__(nonsense=1)


@pytest.mark.parametrize(
    ("place", "before", "typo", "meant"),
    packs.present(
        [
            ("gem_ma:rollout", ("random",), "episdoes", "episodes"),
            ("gem_ma:make_vec", (2,), "bakend", "backend"),
            ("gem_ma:make_gym", (), "othrs", "others"),
            ("gem_ma:make_parallel", (), "max_turn", "max_turns"),
            (
                "gem_ma.evaluation.exploitability:compute_exploitability",
                ("random",),
                "sample",
                "samples",
            ),
            ("gem_ma.training.trainers:make_seat", (), "seta", "seat"),
            ("gem_ma.gem:make", (), "sede", "seed"),
        ]
    ),
)
def test_what_leaves_arguments_to_make_knows_its_own(place, before, typo, meant):
    function = load_entry_point(place)
    words = f"^{function.__name__} .*argument {typo!r}; did you mean {meant!r}"
    envs = ["game:KuhnPoker-v0"]
    if "env" in inspect.signature(function).parameters:
        envs.append(gem_ma.make("game:KuhnPoker-v0"))
    for env in envs:
        with pytest.raises(TypeError, match=words):
            function(env, *before, **{typo: 3})


def test_a_spec_makes_nothing_but_games():
    with pytest.raises(TypeError, match="subprocess:Popen is not a subclass of"):
        gem_ma.make(Spec("x", "subprocess:Popen", {"args": ["true"]}))


def test_gymnasium_makes_lists_of_frames():
    name = "gem_ma/game.TicTacToe-v0"
    env = gymnasium.make(name, agent="x", others="random", render_mode="rgb_array_list")
    env.reset(seed=0)
    env.step("5")
    assert [frame.shape for frame in env.render()] == [(252, 252, 3)] * 2
    assert env.render() == []
