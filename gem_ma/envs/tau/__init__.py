"""TAU-bench as a game of two seats: a user who wants something, and an assistant with tools.

`game` has the game, `store` the database, and each domain a file with its tools. They import one
another and only what every game may import: `gem_ma.game`, `gem_ma.scene`,
`gem_ma.engine.action_parsing` and `gem_ma.validation`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gem_ma.validation.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from gem_ma.envs.tau.agents.assistants.task_assistants import InformedAssistant, OracleAssistant
    from gem_ma.envs.tau.agents.llm_user import LLMUser
    from gem_ma.envs.tau.agents.users.rule_user import RuleUser, UserPopulation
    from gem_ma.envs.tau.likeness.likeness_reward import LikenessReward
    from gem_ma.envs.tau.likeness.user_comparison import compare_users
    from gem_ma.envs.tau.user_metrics import measure_users

__all__ = [
    "InformedAssistant",
    "LLMUser",
    "LikenessReward",
    "OracleAssistant",
    "RuleUser",
    "UserPopulation",
    "compare_users",
    "measure_users",
]
__getattr__ = lazy_getattr(
    __name__,
    {
        "InformedAssistant": "agents.assistants.task_assistants",
        "LLMUser": "agents.llm_user",
        "LikenessReward": "likeness.likeness_reward",
        "OracleAssistant": "agents.assistants.task_assistants",
        "RuleUser": "agents.users.rule_user",
        "UserPopulation": "agents.users.rule_user",
        "compare_users": "likeness.user_comparison",
        "measure_users": "user_metrics",
    },
)
