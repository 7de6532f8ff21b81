"""What is registered for GEM: environments of one's own, and games, which both make."""

import pytest

import gem_ma
from gem_ma import gem
from gem_ma.gem.core import Env
from gem_ma.gem.envs.registration import register
from gem_ma.gem.utils.constants import TERMINAL_STATE
from gem_ma.gem.utils.parsing import extract_last_boxed_answer
from gem_ma.gem.wrappers.wrapper_factory import get_wrapper_fns


class Reversed(Env):
    def __init__(self, length=5):
        self.length = length

    def reset(self, seed=None):
        super().reset(seed)
        import random

        self.text = "".join(random.choices("abc", k=self.length))
        return f"Reverse {self.text}.", {}

    def step(self, action):
        said = extract_last_boxed_answer(action)
        return TERMINAL_STATE, float(said == self.text[::-1]), True, True, {}


@pytest.fixture
def registers(monkeypatch):
    """Forget what a test registers."""
    from gem_ma.envs import registry
    from gem_ma.gem.envs import registration

    monkeypatch.setattr(registry, "_specs", dict(registry._specs))
    monkeypatch.setattr(registry, "_register_elsewhere", lambda one: None)
    monkeypatch.setattr(registration, "ENV_REGISTRY", {})


def test_an_environment_of_ones_own_as_gems_example_has_it(registers, capsys):
    register("game:Reversed-v0", f"{__name__}:Reversed", length=7)
    register("game:Called-v0", Reversed)
    for name, length in (("Reversed", 7), ("Called", 5)):
        env = gem.make(f"game:{name}-v0")
        assert env.env_id == f"game:{name}-v0"
        assert env.reset(3) == env.reset(3)
        assert len(env.text) == length
        answer = r"\boxed{" + env.text[::-1] + "}"
        assert env.step(answer) == (TERMINAL_STATE, 1.0, True, True, {})
        wrapped = env
        for wrapper in get_wrapper_fns("concat_with_action,episode_tracking"):
            wrapped = wrapper(wrapped)
        wrapped.reset(seed=3)
        assert wrapped.step(answer)[4]["step_counter"] == 1
        assert wrapped.text == env.text
    gem.print_envs()
    assert "game:Called-v0" in capsys.readouterr().out
    with pytest.raises(TypeError, match=r"is not a subclass of gem_ma\.Game; gem_ma\.gem\.make"):
        gem_ma.make("game:Reversed-v0")
    with pytest.raises(ValueError, match="registered already"):
        register("game:Called-v0", Reversed)
    with pytest.raises(TypeError, match="expected 'module:class', or a class"):
        register("game:Nothing-v0", 3)


def test_a_game_is_made_by_both(registers):
    register("game:Mine-v0", "gem_ma.envs.boards.tic_tac_toe:TicTacToe", levels={"easy": {}})
    assert gem.make("game:Mine-v0-easy", agent="x", others="random").env_id == "game:Mine-v0-easy"
    assert gem_ma.make("game:Mine-v0").possible_agents == ["x", "o"]
