"""Users and assistants of the shops, airlines and phones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.envs.tau.agents.assistants.task_assistants import InformedAssistant, OracleAssistant
    from gem_ma.envs.tau.agents.llm_user import LLMUser
    from gem_ma.envs.tau.agents.users.rule_user import RuleUser, UserPopulation

__all__ = ["InformedAssistant", "LLMUser", "OracleAssistant", "RuleUser", "UserPopulation"]
__getattr__ = lazy_getattr(
    __name__,
    {
        "InformedAssistant": "assistants.task_assistants",
        "LLMUser": "llm_user",
        "OracleAssistant": "assistants.task_assistants",
        "RuleUser": "users.rule_user",
        "UserPopulation": "users.rule_user",
    },
)
