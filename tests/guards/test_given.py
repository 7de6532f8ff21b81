"""What is said of an argument of another kind."""

import re

import pytest

from gem_ma.guards.given import each, need
from gem_ma.testing import certify, check_env


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: need(1, str, "name"), "name=1: expected str, got int"),
        (lambda: need(1, (str, list), "name"), "name=1: expected str or list, got int"),
        (lambda: need("a" * 99, int, "n"), f"n='{'a' * 59}: expected int, got str"),
        (lambda: need(None, int, "n", "a number"), "n=None: expected a number, got NoneType"),
        (lambda: list(each([1, "2"], int, "n")), "one of n='2': expected int, got str"),
        (lambda: check_env(3), "env=3: expected an id or an environment, got int"),
        (lambda: certify(3), "env=3: expected an id or an environment, got int"),
    ],
)
def test_an_argument_of_another_kind(call, words):
    with pytest.raises(TypeError, match=f"^{re.escape(words)}$"):
        call()


def test_what_is_of_the_kind_passes():
    need("a", (str, list), "name")
    assert list(each((1, 2), int, "n")) == [1, 2]
