"""TowerofHanoiEnv, with the constructor of GEM."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class TowerofHanoiEnv(NamedEnv):
    """The environment `game:TowerofHanoi-v0`."""

    def __init__(
        self,
        num_disks: int | None = 3,
        max_turns: int | None = 100,
    ):
        super().__init__(
            "game:TowerofHanoi-v0",
            num_disks=num_disks,
            max_turns=max_turns,
        )
