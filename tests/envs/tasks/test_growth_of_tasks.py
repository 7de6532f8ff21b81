"""No text makes what this pack reads take more time than its length allows."""

import growth
import pytest

from gem_ma.envs.tasks import grading

READERS = {
    "exact": lambda text: (grading.exact(text, ("a",)), grading.f1(text, ("a", text))),
    "quick": lambda text: (grading.quick(text, "1"), grading.quick("x", text)),
    "program_in": grading.program_in,
    "same_output": lambda text: grading.same_output(text, "1.5 1.5"),
}


@growth.lengths
@pytest.mark.parametrize("name", READERS)
def test_a_hostile_text_is_read_in_a_moment(name, size, limit, ends):
    assert growth.slow(READERS[name], size, limit, ends) == []


def test_its_patterns_are_found():
    found = {use.where: use.methods for use in growth.uses("gem_ma.envs.tasks.grading")}
    assert found["gem_ma.envs.tasks.grading:_NUMBER"] == ("fullmatch",)
