"""The messages of a session: actions, observations, and errors of clients."""

from __future__ import annotations

import json
from typing import Annotated, Any

from gem_ma.game import Info
from gem_ma.serving.openenv import (
    Action,
    BeforeValidator,
    ConfigDict,
    Field,
    Observation,
)
from gem_ma.validation.json_types import JSONObject


class ClientError(ValueError):
    """An error in a client's request; its message is sent to the client."""


def _encode_reply_text(value: Any) -> Any:
    """Return as text a reply that a client has sent as JSON, such as 3 or [3]."""
    return json.dumps(value) if isinstance(value, int | float | list) else value


class ReplyAction(Action):
    """An action: a reply of the seat that is to act, or several replies by seat."""

    # Clients put a plain reply in the only required field; `replies` does not need it.
    model_config = ConfigDict(json_schema_extra={"required": ["text"]})

    text: Annotated[str | None, BeforeValidator(_encode_reply_text)] = Field(
        None, description="The reply of the seat that is to act"
    )
    replies: dict[str, str] | None = Field(
        None,
        description="Replies by seat, of some of those that are to act; then text is left out or "
        "empty",
    )
    game: JSONObject | None = Field(
        None, description="For gem_ma's own client, instead of the others"
    )


class SessionObservation(Observation):
    """What a session sees: of all seats, or of the one that it is bound to.

    `reward` is that of the seat that replied (the first of them), `done` says that nobody is to
    act any more.
    """

    agent: str | None = Field(None, description="The seat that is to act, the first if several are")
    to_act: list[str] = Field([], description="All seats that are to act")
    text: str = Field(
        "", description="What that agent reads; in its first turn the rules come before it"
    )
    prompt: str = Field("", description="The same, for clients that look for it under this name")
    rules: dict[str, str] = Field({}, description="What each seat is told once; with a reset only")
    observations: dict[str, dict[str, str]] = Field(
        {}, description="By seat: text, and image as a PNG file in base64, as the server is set"
    )
    rewards: dict[str, float] = Field({}, description="What the last step earned each seat")
    terminations: dict[str, bool] = Field({}, description="Whom the game is over for")
    truncations: dict[str, bool] = Field({}, description="Who was stopped by a limit")
    infos: dict[str, Info] = Field(
        {}, description="By seat: legal_actions where they can be listed, what was invalid, ..."
    )
    game: JSONObject | None = Field(None, description="For gem_ma's own client")
