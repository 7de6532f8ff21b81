"""The pack "tau": environments, agents, suites and commands of TAU-bench."""

from gem_ma.envs.registry import register
from gem_ma.packs import Pack, SpecEntry


def environments():
    register(
        "tau:shop",
        "gem_ma.envs.tau.game:Tau",
        domain="shop",
        dial={0: {"wishes": 1}, 10: {"wishes": 4}},
    )
    for domain in ("retail", "airline"):
        register(
            f"tau:{domain}",
            "gem_ma.envs.tau.game:Tau",
            needs=[f"data:tau-bench/{domain}/tasks_test.json"],
            domain=domain,
        )


PACK = Pack(
    name="tau",
    environments=environments,
    agents={
        "rule-user": "gem_ma.envs.tau.agents.users.rule_user:RuleUser",
        "user": SpecEntry("gem_ma.envs.tau.agents.users.rule_user:RuleUser", "KIND", mark=":"),
        "users": SpecEntry(
            "gem_ma.envs.tau.agents.users.rule_user:UserPopulation", "POPULATION", mark=":"
        ),
        "llm-user": SpecEntry("gem_ma.envs.tau.agents.llm_user:LLMUser", "SPEC", spec=True),
        "oracle-assistant": "gem_ma.envs.tau.agents.assistants.task_assistants:OracleAssistant",
        "informed-assistant": "gem_ma.envs.tau.agents.assistants.task_assistants:InformedAssistant",
        "transfer-assistant": "gem_ma.envs.tau.agents.assistants.task_assistants:TransferAssistant",
    },
    suites="suites",
    commands=("gem_ma.envs.tau.commands",),
    downloads={"tau-bench": "gem_ma.envs.tau.fetch"},
    experts={"tau:*": "user=rule-user,assistant=oracle-assistant"},
    docs=("docs/tau.md", "docs/users.md", "docs/users-results.md"),
)
