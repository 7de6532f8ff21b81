"""The pack inject: environments of prompt injection, their agents, suite and documentation."""

from gem_ma.envs.registry import register
from gem_ma.packs import Pack

_AGENTS = "gem_ma.envs.inject.agents"


def environments():
    game = "gem_ma.envs.inject.game"
    levels = {"easy": 2, "hard": 8}
    dial = {
        0: {"parts": 1, "distractors": 2, "infeasible": 0.0},
        10: {"parts": 3, "distractors": 16, "infeasible": 0.2},
    }
    alone = {0: {**dial[0], "subtlety": 0.0}, 10: {**dial[10], "subtlety": 1.0}}
    for world in ("mail", "calendar", "drive", "store", "bank"):
        register(
            f"inject:{world}", f"{game}:PromptInjection", levels=levels, dial=alone, world=world
        )
    register("inject:duel", f"{game}:InjectionDuel", dial=dial)
    register("inject:talk", f"{game}:InjectionTalk", dial=dial)


PACK = Pack(
    name="inject",
    uses=("tau", "tau2"),
    environments=environments,
    agents={
        "inject-oracle": f"{_AGENTS}.assistants:InjectionOracle",
        "inject-naive": f"{_AGENTS}.assistants:NaiveAssistant",
        "inject-refuser": f"{_AGENTS}.assistants:RefusingAssistant",
        "inject-attacker": f"{_AGENTS}.other_seats:LibraryAttacker",
        "inject-user": f"{_AGENTS}.other_seats:InjectionUser",
    },
    suites="suites",
    experts={
        "inject:duel": "attacker=inject-attacker,assistant=inject-oracle",
        "inject:talk": "user=inject-user,attacker=inject-attacker,assistant=inject-oracle",
        "inject:*": "inject-oracle",
    },
    docs=("docs/inject.md",),
)
