"""The texts of tools that are to be discovered: those of their parameters."""

from __future__ import annotations

import inspect

from gem_ma.envs.tau2.banking.bank import KnowledgeTools, KnowledgeUserTools
from gem_ma.envs.tau2.banking.texts import TOOLS


def test_the_texts_of_tools_to_be_discovered_are_those_of_their_parameters():
    found = {}
    for kit in (KnowledgeTools, KnowledgeUserTools):
        for name in set(kit.tools) - set(kit.listed):
            parameters = list(inspect.signature(kit.tools[name]).parameters.values())[1:]
            found[name] = [(one.name, one.default is one.empty) for one in parameters]
    told = {
        name: [(line.partition(":")[0], "(required) - " in line) for line in lines]
        for name, (_, *lines) in TOOLS.items()
    }
    assert found == told
