"""What ROLL steps, made by GEM's own register."""

import importlib.util
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from trainers import cut, free

EXAMPLE = Path(__file__).parents[3] / "examples/train/roll_game.py"


@pytest.fixture
def game():
    spec = importlib.util.spec_from_file_location("roll_game", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_roll_makes_a_seat_by_gems_register(game):
    found = importlib.util.find_spec("gem")
    if found is None or found.origin is None:  # the folder of our tests has this name, too
        pytest.skip("pip install --no-deps gem-llm==0.1.0")
    file = Path(found.submodule_search_locations[0]) / "envs/registration.py"
    names = {"ENV_REGISTRY": {}, "dataclass": dataclass, "field": field}
    for name in ("EnvSpec", "register", "make"):
        cut(file, name, names)
    names["register"]("gem_ma", entry_point=game.make)
    env = names["make"](env_id="gem_ma", env="game:TicTacToe-v0", seat="x", others="random")
    text, info = env.reset(seed=1)
    assert type(text) is str
    assert isinstance(info, dict)
    assert env.reset(seed=1)[0] == text  # the members of a group begin from one seed
    rewards, done = [], False
    while not done:
        move = free(text)[0]
        text, reward, terminated, truncated, info = env.step(action=f"{move}<|im_end|>")
        rewards.append(reward)
        done = terminated or truncated
    assert len(rewards) > 2
    assert rewards[-1] != 0.0 or terminated
    assert not any(rewards[:-1])


def test_roll_knows_one_agent(game):
    with pytest.raises(Exception, match="several seats: say which is yours"):
        game.make("game:TicTacToe-v0").reset(seed=1)
