"""What users by rule say, and its measures, are what they were: hashes for every trait and kind.

A user with a seed says the same for ever: where a hash is another, the CHANGELOG says why.
Running this file with `tests/support` in PYTHONPATH prints them anew.
"""

import hashlib
import sys
from pathlib import Path

import packs
import pytest

import gem_ma
from gem_ma.envs.tau.agents.users.rule_user import RuleUser
from gem_ma.envs.tau.agents.users.traits import KINDS, TRAITS
from gem_ma.envs.tau.user_metrics import row_of

HASHES_PATH = Path(__file__).with_name("recorded_conversations.txt")
IDS = ("tau:shop", "tau2:phone")
HELD_OUT = {"phrases": "held-out", **dict.fromkeys(TRAITS, 0.2)}
CONVERSATIONS = 12
CASES = [
    *[(id, f"kind={kind}", {"kind": kind}) for id in IDS for kind in KINDS],
    *[(id, f"{trait}=0.6", {trait: 0.6}) for id in IDS for trait in TRAITS],
    *[(id, "phrases=held-out", HELD_OUT) for id in IDS],
]


def compute_hash(id, arguments):
    """Return a hash of what both seats say, and of the measures of the user."""
    env = gem_ma.make(id)
    agents = {"user": RuleUser(**arguments), "assistant": "informed-assistant"}
    episodes = gem_ma.rollout(env, agents, CONVERSATIONS, seed=5, max_errors=0, progress=False)
    said = [[(step.agent, str(step.reply)) for step in episode.steps] for episode in episodes]
    row = row_of("user", "assistant", episodes, env.game)
    return hashlib.sha256(repr((said, row)).encode()).hexdigest()[:16]


@pytest.mark.parametrize(
    ("id", "name", "arguments"),
    [
        pytest.param(
            *one,
            id="-".join(one[:2]),
            marks=() if one[0] == "tau:shop" or "kind" in one[1] else pytest.mark.slow,
        )
        for one in CASES
    ],
)
def test_conversations_are_what_they_were(id, name, arguments):
    packs.skip_absent(id)
    assert compute_hash(id, arguments) == read_hashes()[id, name]


def test_every_user_is_recorded():
    assert list(read_hashes()) == [(id, name) for id, name, _ in CASES]


def read_hashes():
    lines = [line.split() for line in HASHES_PATH.read_text().splitlines()]
    return {(id, name): value for id, name, value in lines}


if __name__ == "__main__":
    sys.stdout.writelines(f"{id} {name} {compute_hash(id, one)}\n" for id, name, one in CASES)
