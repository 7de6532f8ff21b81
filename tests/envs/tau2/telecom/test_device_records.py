"""Records of telecom's phone: none takes a field that it does not know."""

from __future__ import annotations

import pytest

from gem_ma.envs.tau2.game import Tau2
from gem_ma.envs.tau2.shape import Shape, Wrong
from gem_ma.envs.tau2.telecom import device_records

SHAPES = {one.name: one for one in vars(device_records).values() if isinstance(one, Shape)}


@pytest.mark.parametrize("name", SHAPES)
def test_a_record_refuses_fields_that_it_does_not_know(name):
    with pytest.raises(Wrong) as error:
        SHAPES[name]({"spare": 1})
    extra = [one.place for one in error.value.faults if one.kind == "extra_forbidden"]
    assert extra == [("spare",)]


def test_a_user_is_told_which_field_of_the_settings_is_unknown():
    world = Tau2("phone").domain.world()
    said, failed = world.call("user", "set_apn_settings", {"apn_settings": {"apn": "internet"}})
    assert failed
    assert "apn\n  Extra inputs are not permitted" in said
    said, failed = world.call("user", "set_apn_settings", {"apn_settings": {"apn_name": "broken"}})
    assert not failed, said
