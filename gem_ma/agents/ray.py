"""An agent that lives in an actor of Ray."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gem_ma.chat.turn import Turn


class RayAgent:
    """An agent that is a Ray actor with a method `act`: called from wherever the episode is."""

    def __init__(self, actor: Any):
        self.actor = actor

    async def act(self, turns: list[Turn]) -> Sequence[str]:
        replies: Sequence[str] = await self.actor.act.remote(turns)
        return replies

    def __repr__(self) -> str:
        made = self.actor._ray_actor_creation_function_descriptor  # its id is another in each run
        return f"RayAgent({made.module_name}.{made.class_name})"
