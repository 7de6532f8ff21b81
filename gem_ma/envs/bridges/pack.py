"""The contents of the pack bridges."""

from gem_ma.envs.registry import register_family
from gem_ma.packs import Pack


def environments():
    register_family("ta", "gem_ma.envs.bridges.textarena", elsewhere="library")
    register_family("gym", "gem_ma.envs.bridges.gymnasium", elsewhere="library")
    register_family("pz", "gem_ma.envs.bridges.pettingzoo", elsewhere="library")
    register_family("os", "gem_ma.envs.bridges.openspiel", elsewhere="library")
    register_family("openenv", "gem_ma.envs.bridges.openenv_ids", elsewhere="server")


PACK = Pack(
    name="bridges",
    environments=environments,
    docs=("docs/bridges.md",),
)
