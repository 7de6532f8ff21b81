"""The pack screens: its environments, the oracle agent, suites and documentation."""

from gem_ma.envs.registry import register
from gem_ma.envs.screens.families import PHONES, REGISTER
from gem_ma.packs import Pack


def environments():
    levels = {"easy": {"difficulty": 2}, "hard": {"difficulty": 8}}
    for name in REGISTER:
        entry_point = "gem_ma.envs.screens.game:Screens"
        register(f"screens:{name}", entry_point, levels=levels, family=name)
    for name in PHONES:
        entry_point = "gem_ma.envs.screens.phones.game:Phones"
        register(f"screens:{name}", entry_point, levels=levels, family=name)

    register("screens:assisted", "gem_ma.envs.screens.assisted:Assisted", levels=levels)
    register("screens:game", "gem_ma.envs.screens.played:Clicked")
    register("screens:guided", "gem_ma.envs.screens.guided:Guided", levels=levels)
    register("screens:shared", "gem_ma.envs.screens.shared:Shared", levels=levels)


PACK = Pack(
    name="screens",
    environments=environments,
    agents={
        "screen-oracle": "gem_ma.envs.screens.oracle:ScreenOracle",
        "screen-refuser": "gem_ma.envs.screens.oracle:ScreenRefuser",
    },
    suites="suites",
    experts={"screens:*": "screen-oracle"},
    docs=("docs/screens.md", "docs/screens-results.md", "docs/phone.md"),
)
