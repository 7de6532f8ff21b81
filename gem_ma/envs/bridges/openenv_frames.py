"""The shapes that messages of an OpenEnv server are checked against."""

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
    """The data of an error."""

    message: str = "an error"
    code: str | None = None
    errors: list[Object] | None = None


class Facts(_Shape):
    """What `gem_ma.serving.server` says of a game, seats being those that its clients may take."""

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
                raise ValueError("rules and tools of other seats than there are")
        return self


Told = Annotated[tuple[Seats | None, str, str], Field(strict=False)]
Verbatim = Annotated[tuple[Seats | None, str, str, Literal[True]], Field(strict=False)]


class Position(_Shape):
    """Where a move of a remote game led."""

    chance: Chance
    to_act: Seats
    returns: dict[str, Number]
    out: Seats
    texts: dict[str, str | None]
    legal: dict[str, list[str]] | None
    news: list[Told | Verbatim]
    report: Object


class Nowhere(_Shape):
    """That a seat's leaving leads nowhere."""

    chance: Chance


class Refusal(_Shape):
    """That a reply is no move."""

    invalid: str


class Look(_Shape):
    """How a remote game shows itself."""

    seen: JsonValue


class Game(_Shape):
    """An observation of a remote game, whatever it is about."""

    observation: _Game


class _Game(_Shape):
    game: Object


class Shown(_Shape):
    """What any environment shows."""

    observation: Object | None = None
    reward: Number | bool | None = None
    done: bool | None = None


class _Info(_Shape):
    legal_actions: list[str] | None = None
    invalid: _Invalid | None = None


class _Invalid(_Shape):
    reason: str


class Shares(_Shape):
    """What such a session is shown of its seat."""

    to_act: Seats
    rewards: dict[str, Number]
    observations: dict[str, _Seen]
    infos: dict[str, _Info]


class _Seen(_Shape):
    text: str
    image: str | None = None


class Seat(_Shape):
    """What a session sees that is bound to one seat."""

    observation: Shares
    done: bool


class Schema(_Shape):
    """The part of an action's schema that is told to a model."""

    properties: dict[str, _Property] = {}
    required: list[str] = []


class _Kind(_Shape):
    type: str | None = None


class _Property(_Kind):
    description: str | None = None
    enum: list[JsonValue] | None = None
    anyOf: list[_Kind] = []  # noqa: N815 - JSON schema's name


class About(_Shape):
    """What an environment says of itself."""

    name: str | None = None
    description: str | None = None


def read(content: str | bytes) -> JSONObject:
    """Return the JSON object that a message is, or raise ValueError; it is not deep."""
    message = parsed(content)
    check(Frame, message)
    return dict(message)


def parsed(content: str | bytes) -> Any:
    """Return the JSON value that a text is, or raise ValueError, also if it is deep."""
    return from_json(content)


def check(shape: type[BaseModel], data: Any, seats: Collection[str] | None = None) -> None:
    """Raise ValueError if data does not have this shape, or speaks of other seats than these."""
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
            raise ValueError(f"{part}: no seat {str(min(strange))[:40]!r}")
    for part in ("returns", "texts", "rewards", "observations", "infos"):
        if part in data and not set(seats) <= set(data[part]):
            raise ValueError(f"{part}: a seat is missing")
