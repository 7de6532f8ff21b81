"""The pack "tau2": environments and suites of tau2-bench."""

from gem_ma.envs.registry import register
from gem_ma.packs import Pack


def environments():
    register("tau2:mock", "gem_ma.envs.tau2.game:Tau2", domain="mock")
    register(
        "tau2:phone",
        "gem_ma.envs.tau2.game:Tau2",
        domain="phone",
        dial={
            0: {"faults": 1, "lines": 1, "misleading": 0},
            10: {"faults": 6, "lines": 9, "misleading": 4},
        },
    )
    for domain, tasks in (
        ("telecom", "telecom/tasks.json"),
        ("retail", "retail/tasks.json"),
        ("airline", "airline/tasks.json"),
        ("banking", "banking_knowledge/tasks"),
    ):
        register(
            f"tau2:{domain}",
            "gem_ma.envs.tau2.game:Tau2",
            needs=[f"data:tau2-bench/{tasks}"],
            domain=domain,
        )


PACK = Pack(
    name="tau2",
    environments=environments,
    uses=("tau",),
    suites="suites",
    experts={
        f"tau2:{name}": "user=rule-user,assistant=informed-assistant"
        for name in ("phone", "telecom", "retail", "airline")
    },
    downloads={"tau2-bench": "gem_ma.envs.tau2.fetch"},
    docs=("docs/tau2.md",),
)
