"""Tasks and what becomes of them are what they were: a hash of conversations of each environment.

A seed is a task for ever: where a hash is another, the CHANGELOG says which tasks are others and
why. `python tests/envs/inject/test_recorded_injections.py` prints them anew.
"""

import hashlib
import json
import sys
from pathlib import Path

import packs
import pytest

packs.need("inject")

import gem_ma
from gem_ma.envs.inject.worlds import WORLDS

HASHES_PATH = Path(__file__).with_name("recorded_injections.txt")
OTHERS = {"user": "inject-user", "attacker": "inject-attacker"}
ASSISTANTS = ("inject-naive", "inject-oracle", "inject-naive", "inject-refuser")
EPISODES = 60
IDS = [*(f"inject:{world}" for world in WORLDS), "inject:duel", "inject:talk"]


def compute_hash(id):
    """Return a hash of episodes at several difficulties, all that seats see and say in them."""
    digest = hashlib.sha256()
    for number, assistant in enumerate(ASSISTANTS):
        env = gem_ma.make(id, difficulty=3 * number)
        agents = {**OTHERS, "assistant": assistant}
        agents = {seat: agents[seat] for seat in env.possible_agents}
        for episode in gem_ma.rollout(env, agents, EPISODES, seed=number, progress=False):
            told = [[step.agent, step.text, step.reply] for step in episode.steps]
            rest = [episode.rules, episode.tools, episode.report, episode.returns]
            digest.update(json.dumps([told, rest], default=str, sort_keys=True).encode())
    return digest.hexdigest()[:16]


def read_hashes():
    return dict(line.split() for line in HASHES_PATH.read_text().splitlines())


@pytest.mark.parametrize("id", IDS)
def test_conversations_are_what_they_were(id):
    assert compute_hash(id) == read_hashes()[id]


if __name__ == "__main__":
    for id in IDS:
        print(id, compute_hash(id), flush=True)
    sys.exit()
