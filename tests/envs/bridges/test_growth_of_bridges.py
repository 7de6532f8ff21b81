"""No text makes what this pack reads take more time than its length allows."""

import growth
import pytest

from gem_ma.envs.bridges import describing

READERS = {"story": describing.story}


@growth.lengths
@pytest.mark.parametrize("name", READERS)
def test_a_hostile_text_is_read_in_a_moment(name, size, limit, ends):
    assert growth.slow(READERS[name], size, limit, ends) == []
