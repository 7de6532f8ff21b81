"""ReasoningGymEnv: a dataset of ReasoningGym by its name."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class ReasoningGymEnv(NamedEnv):
    """The environment `rg:NAME`."""

    def __init__(self, name: str, size: int = 500, seed: int = 42):
        super().__init__(f"rg:{name}", name=name, size=size, seed=seed)
        self.name = name
