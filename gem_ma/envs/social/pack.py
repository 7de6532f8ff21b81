"""The pack "social": environments and suites of social scenes."""

from gem_ma.envs import social
from gem_ma.envs.registry import register_family
from gem_ma.packs import Pack


def environments():
    register_family("social", "gem_ma.envs.social.ids", [f"{name}-v0" for name in social.FAMILY])


PACK = Pack(
    name="social",
    environments=environments,
    suites="suites",
    docs=("docs/social.md",),
)
