"""An agent that runs in a Ray actor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gem_ma.chat.turn import Turn


class RayAgent:
    """An agent whose replies come from the method `act` of a Ray actor.

    Any process that plays the episode can call the actor.

    Args:
        actor: The handle of the actor.
    """

    def __init__(self, actor: Any):
        self.actor = actor

    async def act(self, turns: list[Turn]) -> Sequence[str]:
        replies: Sequence[str] = await self.actor.act.remote(turns)
        return replies

    def __repr__(self) -> str:
        # the actor's id changes from run to run
        made = self.actor._ray_actor_creation_function_descriptor
        return f"RayAgent({made.module_name}.{made.class_name})"
