"""Gold actions and random calls give what tau2-bench's own code gave."""

from __future__ import annotations

import pytest
import tau2_references as references

from gem_ma.envs.tau2.game import load

ORIGINAL = (("original", True),)  # and not the mock data of our own
DOMAINS = ("airline", "banking", "mock", "retail", "telecom")
SOME = 40  # of a domain's references; the long run takes all of them


def _some(found, every):
    return found if every else found[:: max(1, len(found) // SOME)]


EVERY = pytest.param(True, marks=pytest.mark.slow)


@references.needed
@pytest.mark.parametrize("every", [False, EVERY])
@pytest.mark.parametrize("name", DOMAINS)
def test_gold_actions(name, every):
    domain = load(name, ORIGINAL if name == "mock" else ())
    found = _some(references.load("gold", name)["tasks"], every)
    assert [it for one in found for it in references.gold_faults(domain, one)] == []


@references.needed
@pytest.mark.parametrize("every", [False, EVERY])
@pytest.mark.parametrize("name", DOMAINS)
def test_random_calls(name, every):
    domain = load(name, ORIGINAL if name == "mock" else ())
    found = references.load("fuzz", name)
    cases = _some(found["cases"], every)
    assert [
        it for one in cases for it in references.fuzz_faults(domain, found["asserts"], one)
    ] == []
