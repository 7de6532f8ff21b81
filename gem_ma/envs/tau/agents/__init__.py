"""Users and assistants of the shops, airlines and phones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.envs.tau.agents.assistants.oracle import InformedAssistant, OracleAssistant
    from gem_ma.envs.tau.agents.llm_user import LLMUser
    from gem_ma.envs.tau.agents.users.rule import RuleUser, Users

__all__ = ["InformedAssistant", "LLMUser", "OracleAssistant", "RuleUser", "Users"]
__getattr__ = lazy_getattr(
    __name__,
    {
        "InformedAssistant": "assistants.oracle",
        "LLMUser": "llm_user",
        "OracleAssistant": "assistants.oracle",
        "RuleUser": "users.rule",
        "Users": "users.rule",
    },
)
