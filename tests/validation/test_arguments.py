"""What is said of an argument of another kind."""

import re

import pytest

from gem_ma.testing import certify, check_env
from gem_ma.validation.arguments import check_each, check_probability, check_type


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: check_type(1, str, "name"), "name=1: expected str, got int"),
        (lambda: check_type(1, (str, list), "name"), "name=1: expected str or list, got int"),
        (lambda: check_type("a" * 99, int, "n"), f"n='{'a' * 59}: expected int, got str"),
        (lambda: check_type(None, int, "n", "a number"), "n=None: expected a number, got NoneType"),
        (lambda: list(check_each([1, "2"], int, "n")), "one of n='2': expected int, got str"),
        (lambda: check_env(3), "env=3: expected an id or an environment, got int"),
        (lambda: certify(3), "env=3: expected an id or an environment, got int"),
    ],
)
def test_an_argument_of_another_kind(call, words):
    with pytest.raises(TypeError, match=f"^{re.escape(words)}$"):
        call()


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), "0.5", True, None])
def test_what_is_no_probability(value):
    words = re.escape(f"share={value!r}: expected a number from 0 to 1")
    with pytest.raises(ValueError, match=f"^{words}$"):
        check_probability(value, "share")


def test_what_is_of_the_kind_passes():
    for value in (0, 0.0, 0.3, 1):
        check_probability(value, "share")
    check_type("a", (str, list), "name")
    assert list(check_each((1, 2), int, "n")) == [1, 2]
