"""Users who write what no rule expects, with the assistants by rule: nothing raises."""

import random

import packs
import pytest
from playable import IDS, NEEDS_DATA

from gem_ma import rollout
from gem_ma.envs.tau.agents.assistants import airline_dialogue
from gem_ma.envs.tau.agents.users.rule_user import RuleUser

SERVED = (
    *("tau:shop", "tau:retail", "tau:airline"),
    *("tau2:retail", "tau2:airline", "tau2:telecom", "tau2:phone"),
)
NUMBER = "9" * 5000  # Python reads no more than 4,300 digits
HOSTILE = (
    *("", "\x00", "\ud800", "{}", "no", "Yes, please.", "In Business, please.", f"{NUMBER} days"),
    *(f"I want {NUMBER} checked bags, with insurance.", f"From JFK to LAX on May {NUMBER}."),
    *("In ECONOMY. The same flights.", f"Order #W{NUMBER}", "I choose 0, -1 and 1e999."),
    "x" * 100_000,
)
CHANGES = (
    str.upper,
    str.title,
    str.lower,
    lambda text: " ".join(reversed(text.split())),
    lambda text: text.replace(",", ";").replace(".", "?"),
    lambda text: text * 2,
)


class HostileUser(RuleUser):
    """The user by rule, with some replies changed and some replaced."""

    def act(self, turns):
        return list(map(self.spoil, turns, super().act(turns)))

    def spoil(self, turn, reply):
        rng = random.Random(f"{turn.seed} {len(turn.messages)}")
        if (share := rng.random()) < 0.2:
            return rng.choice(HOSTILE)
        return rng.choice(CHANGES)(reply) if share < 0.5 else reply


@pytest.mark.parametrize("id", SERVED)
def test_no_words_of_a_user_raise(id):
    packs.skip_absent(id)
    if id not in IDS:
        pytest.skip(f"set {NEEDS_DATA[id]} to a folder with its data")
    agents = {"user": HostileUser(), "assistant": "informed-assistant"}
    episodes = rollout(id, agents, 4, seed=3, max_errors=0, progress=False)
    assert all(episode.returns for episode in episodes)


def test_an_airline_reads_hostile_answers():
    assert airline_dialogue._parse_cabin("In Basic ECONOMY, please.") == "basic_economy"
    assert airline_dialogue._parse_bags(f"{NUMBER} checked bags") is None
    assert airline_dialogue._parse_bags("12 checked bags") == 12
    assert airline_dialogue._parse_bags("no checked bags") == 0
    assert airline_dialogue._parse_insurance("Yes, with insurance.") == "yes"
    assert airline_dialogue._parse_insurance("Without insurance.") == "no"
    assert airline_dialogue._parse_insurance("Without.") is None
