"""Episodes for the viewer's tests."""

import pytest
from evaluations.viewer_pages import FOUR, chatty

from gem_ma import rollout
from gem_ma.agents import FunctionAgent


@pytest.fixture(scope="module")
def episodes(tmp_path_factory):
    path = tmp_path_factory.mktemp("view") / "four.jsonl"
    agents = [FunctionAgent(chatty), "random"]
    rollout(FOUR, agents, 12, seed=3, observe="both", max_turns=9, out=path)
    return path
