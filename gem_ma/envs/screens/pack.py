"""What the pack screens adds."""

from gem_ma.envs.registry import register
from gem_ma.envs.screens.families import REGISTER
from gem_ma.packs import Pack


def environments():
    made_at = {"easy": {"difficulty": 2}, "hard": {"difficulty": 8}}
    for name in REGISTER:
        entry_point = "gem_ma.envs.screens.game:Screens"
        register(f"screens:{name}", entry_point, levels=made_at, family=name)

    register("screens:assisted", "gem_ma.envs.screens.assisted:Assisted", levels=made_at)
    register("screens:game", "gem_ma.envs.screens.played:Clicked")
    register("screens:guided", "gem_ma.envs.screens.guided:Guided", levels=made_at)
    register("screens:shared", "gem_ma.envs.screens.shared:Shared", levels=made_at)


PACK = Pack(
    name="screens",
    environments=environments,
    agents={"screen-oracle": "gem_ma.envs.screens.oracle:ScreenOracle"},
    suites="suites",
    experts={"screens:*": "screen-oracle"},
    docs=("docs/screens.md",),
)
