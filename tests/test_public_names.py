"""What is public is said: the modules for users, and the names in their `__all__`."""

import importlib

import packs
import pytest

PUBLIC = ["", ".agents", ".evaluation", ".game", ".renderers", ".rollouts", ".scene", ".testing"]
PUBLIC += [".tools", ".wrappers"]
PUBLIC += [f".{name}" for name in ("gem", "training") if name in packs.HERE]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there(name):
    module = importlib.import_module(f"gem_ma{name}")
    assert len(module.__all__) == len(set(module.__all__))
    for one in module.__all__:
        assert not one.startswith("_")
        assert getattr(module, one) is not None


def test_there_are_at_most_300_public_names():
    names = {(m, n) for m in PUBLIC for n in importlib.import_module(f"gem_ma{m}").__all__}
    assert len(names) <= 300


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing"):
        _ = importlib.import_module("gem_ma.rollouts").nothing
