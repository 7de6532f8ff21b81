"""The pack visual: its environments, the oracle of walks, suites and documentation."""

from gem_ma.envs import visual
from gem_ma.envs.registry import register
from gem_ma.packs import Pack


def environments():
    for name, place in (*visual.places(), *visual.places(visual.GAMES)):
        register(
            f"visual:{name}-v0",
            place,
            dial={0: {"level": 0}, 10: {"level": 10}},
            levels={
                "easy": {"level": "easy"},
                "hard": {"level": "hard"},
                "random": {"level": None},
            },
        )


PACK = Pack(
    name="visual",
    uses=("screens",),
    environments=environments,
    agents={"walk-oracle": "gem_ma.envs.visual.navigation.oracle:WalkOracle"},
    suites="suites",
    experts={f"visual:{name}-v0*": "walk-oracle" for name in visual.GAMES["navigation"].split()},
    docs=("docs/visual.md", "docs/visual-results.md"),
)
