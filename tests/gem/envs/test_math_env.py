"""A data set of one's own, made as GEM's example has it."""

import importlib
import importlib.util

import packs
import pytest

from gem_ma import gem
from gem_ma.gem.envs.registration import register


@pytest.fixture
def registers(monkeypatch):
    """Forget what a test registers."""
    from gem_ma.envs import registry
    from gem_ma.gem.envs import registration

    monkeypatch.setattr(registry, "_specs", dict(registry._specs))
    monkeypatch.setattr(registry, "_register_elsewhere", lambda one: None)
    monkeypatch.setattr(registration, "ENV_REGISTRY", {})


@packs.needs("tasks")
def test_a_dataset_of_ones_own_as_gems_example_has_it(registers):
    pytest.importorskip("math_verify", reason="pip install 'gem-ma[math]'")
    rows = [{"q": "1 + 1?", "a": "2"}]
    register(
        "math:Own",
        "gem.envs.math_env:MathEnv",
        dataset=rows,
        question_key="q",
        answer_key="a",
    )
    env = gem.make("math:Own")
    assert "1 + 1?" in env.reset()[0]
    assert env.step(r"\boxed{42}")[1:4] == (0.0, True, False)
    other = env.spawn(seed=4)
    assert (other.seed, other.dataset) == (4, rows)
    with pytest.raises(ValueError, match="got neither dataset_name= nor dataset="):
        importlib.import_module("gem_ma.gem.envs.math_env").MathEnv()
