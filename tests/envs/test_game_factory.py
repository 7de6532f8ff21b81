"""Games are made from a Spec; an argument of a wrong type is named."""

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
    assert "cannot be made with" in capsys.readouterr().err
