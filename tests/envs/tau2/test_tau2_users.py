"""tau2:retail and tau2:airline, solved by a user who is asked and an assistant who asks."""

import pytest
import tau2_references as references

from gem_ma import rollout


@references.needed
@pytest.mark.parametrize(("domain", "count"), [("retail", 114), ("airline", 50)])
def test_they_can_be_solved_by_asking(domain, count):
    players = {"user": "rule-user", "assistant": "informed-assistant"}
    options = [{"task": number} for number in range(count)]
    episodes = rollout(f"tau2:{domain}", players, count, seed=0, options=options)
    assert [e.number for e in episodes if e.report["reward"] != 1.0] == []
