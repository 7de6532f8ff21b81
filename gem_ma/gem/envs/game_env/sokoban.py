"""SokobanEnv, with the constructor of GEM."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class SokobanEnv(NamedEnv):
    """The environment `game:Sokoban-v0`."""

    def __init__(
        self,
        dim_room: tuple[int, int] | None = (6, 6),
        max_turns: int | None = 100,
        num_boxes: int | None = 3,
    ):
        super().__init__(
            "game:Sokoban-v0",
            dim_room=dim_room,
            max_turns=max_turns,
            num_boxes=num_boxes,
        )
