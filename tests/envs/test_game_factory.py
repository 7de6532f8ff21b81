"""Games are made from a Spec; an argument of a wrong type is named."""

import inspect
import re

import pytest

import gem_ma
from gem_ma.cli.main import main
from gem_ma.envs.registry import BadArgument


@pytest.mark.parametrize(
    ("id", "arguments", "named"),
    [
        ("game:Maze-v0", {"size": "large"}, "size='large'"),
        ("game:Sokoban-v0", {"dim_room": 6}, "dim_room=6"),
        ("game:Battleship-v0", {"ships": 3}, "ships=3"),
    ],
)
def test_an_argument_of_a_wrong_type_is_named(id, arguments, named, capsys):
    with pytest.raises(BadArgument, match=re.escape(named)) as caught:
        gem_ma.make(id, **arguments)
    assert isinstance(caught.value, TypeError)
    assert caught.value.__cause__ or named in str(caught.value)
    values = [f"{name}={value}" for name, value in arguments.items()]
    assert main(["play", id, "--agents", "random", "--set", *values]) == 2
    assert named in capsys.readouterr().err


GAMES = gem_ma.list_envs("game:*")


def list_wrong_values():
    """Yield an id, an argument that is annotated with a simple type, and a value of another."""
    seen = set()
    for id in GAMES:
        game = type(gem_ma.make(id).game)
        if game in seen:
            continue
        seen.add(game)
        for name, parameter in inspect.signature(game.__init__).parameters.items():
            kinds = set(str(parameter.annotation).replace("None", "").replace("|", " ").split())
            if kinds and kinds <= {"int", "float", "bool"}:
                wrong = ["x", [1], float("nan"), float("inf")]
                wrong += [1.5] if "float" not in kinds else []
                wrong += [True] if "bool" not in kinds else [-1, 2]
                yield from ((id, name, value) for value in wrong)


def test_an_argument_of_a_wrong_type_is_named_in_every_game():
    wrong = list(list_wrong_values())
    assert len({id for id, *_ in wrong}) > 15
    for id, name, value in wrong:
        with pytest.raises(BadArgument, match=f"{name}={re.escape(repr(value))}: expected"):
            gem_ma.make(id, **{name: value})


@pytest.mark.parametrize(
    ("id", "arguments", "named"),
    [
        ("game:Mastermind-v0", {"num_numbers": -1}, "num_numbers=-1"),
        ("game:Mastermind-v0", {"code_length": -1}, "code_length=-1"),
        ("game:Wordle-v0", {"word_length": 99}, "word_length=99: expected 3 to 8 letters"),
        ("game:Sokoban-v0", {"dim_room": [6]}, "dim_room=[6]: expected a height and a width"),
        ("game:GuessTheNumber-v0", {"max_number": 10**9}, "expected at most 1000000 numbers"),
        ("game:LiarsDice-v0", {"players": 10**9}, "at most 200 dice in all"),
        ("game:LiarsDice-v0", {"dice": 10**9}, "at most 200 dice in all"),
        ("game:Maze-v0", {"sight": 10**9}, "sight=1000000000: expected 1 to 41"),
    ],
)
def test_a_value_out_of_range_is_named_and_costs_nothing(id, arguments, named):
    with pytest.raises(ValueError, match=re.escape(named)):
        gem_ma.make(id, **arguments)
