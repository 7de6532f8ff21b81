"""Pydantic models against which the messages of an OpenEnv server are checked."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Literal

from gem_ma.validation.extras import require_extra
from gem_ma.validation.json_types import JSONObject

with require_extra("openenv"):
    from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator
    from pydantic_core import from_json

Number = Annotated[float, Field(allow_inf_nan=False)]
Chance = Annotated[str, Field(pattern=r"^[0-9a-f]{1,32} [0-9a-f]{1,32} [01] [0-9]{1,10}$")]
Object = dict[str, JsonValue]
Seats = list[str]


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class Frame(_Shape):
    """Any message."""

    type: str
    data: Object


class Fault(_Shape):
    """The data of an error message."""

    message: str = "an error"
    code: str | None = None
    errors: list[Object] | None = None


class Facts(_Shape):
    """The facts about a game that `gem_ma.serving.server` sends, for the seats of its clients."""

    id: str
    agents: Annotated[Seats, Field(min_length=1)]
    bound: bool
    rules: dict[str, str]
    tools: dict[str, list[Object]]
    moves: list[str] | None
    zero_sum: bool
    conversation: bool
    briefs: bool
    skips: bool
    longest: Annotated[int, Field(ge=0)]
    suggests: Object

    @model_validator(mode="after")
    def _about_all(self) -> Facts:
        for part in (self.rules, self.tools):
            if set(part) != set(self.agents) or len(part) < len(self.agents):
                raise ValueError("rules and tools must have the seats of agents")
        return self


Told = Annotated[tuple[Seats | None, str, str], Field(strict=False)]
Verbatim = Annotated[tuple[Seats | None, str, str, Literal[True]], Field(strict=False)]


class Position(_Shape):
    """The position after a move of a remote game."""

    chance: Chance
    to_act: Seats
    returns: dict[str, Number]
    out: Seats
    texts: dict[str, str | None]
    legal: dict[str, list[str]] | None
    news: list[Told | Verbatim]
    report: Object


class Nowhere(_Shape):
    """The answer that a seat's forfeit ends the game."""

    chance: Chance


class Refusal(_Shape):
    """The answer that a reply is not a legal move."""

    invalid: str


class Look(_Shape):
    """The encoded observation of a remote game."""

    seen: JsonValue


class Game(_Shape):
    """Any answer of a remote game."""

    observation: _Game


class _Game(_Shape):
    game: Object


class Shown(_Shape):
    """The answer of any OpenEnv environment."""

    observation: Object | None = None
    reward: Number | bool | None = None
    done: bool | None = None


class _Info(_Shape):
    legal_actions: list[str] | None = None
    invalid: _Invalid | None = None


class _Invalid(_Shape):
    reason: str


class Shares(_Shape):
    """The observation of a session that is bound to one seat."""

    to_act: Seats
    rewards: dict[str, Number]
    observations: dict[str, _Seen]
    infos: dict[str, _Info]


class _Seen(_Shape):
    text: str
    image: str | None = None


class Seat(_Shape):
    """The answer to a session that is bound to one seat."""

    observation: Shares
    done: bool


class Schema(_Shape):
    """The part of an action's schema that a model reads in the rules."""

    properties: dict[str, _Property] = {}
    required: list[str] = []


class _Kind(_Shape):
    type: str | None = None


class _Property(_Kind):
    description: str | None = None
    enum: list[JsonValue] | None = None
    anyOf: list[_Kind] = []  # noqa: N815 - JSON schema's name


class About(_Shape):
    """The metadata of an environment."""

    name: str | None = None
    description: str | None = None


def read(content: str | bytes) -> JSONObject:
    """Parse a message as a JSON object; raise ValueError if it is malformed or nested too deep."""
    message = parsed(content)
    check(Frame, message)
    return dict(message)


def parsed(content: str | bytes) -> Any:
    """Parse a text as JSON; raise ValueError if it is malformed or nested too deep."""
    return from_json(content)


def check(shape: type[BaseModel], data: Any, seats: Collection[str] | None = None) -> None:
    """Raise ValueError if data lacks this shape, names an unknown seat, or lacks a seat."""
    try:
        shape.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the answer"
        raise ValueError(f"{where}: {first['msg']}") from None
    if seats is None:
        return
    for part in ("to_act", "out", "legal"):
        strange = set(data.get(part) or ()) - set(seats)
        if strange:
            raise ValueError(
                f"{part}: no seat {str(min(strange))[:40]!r}; the seats are {', '.join(seats)}"
            )
    for part in ("returns", "texts", "rewards", "observations", "infos"):
        if part in data and not set(seats) <= set(data[part]):
            raise ValueError(f"{part}: expected all seats, {', '.join(seats)}")
