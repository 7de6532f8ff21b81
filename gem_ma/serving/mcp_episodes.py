"""Episodes that clients of an MCP server play with three tools, each with its own environment.

A client names its episode in every call, because requests of one client need not share a
connection.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from gem_ma.apis.env import Env
from gem_ma.apis.gymnasium_view import GymnasiumView
from gem_ma.apis.session import to_json_value
from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.chat.messages import MessageContent, make_content
from gem_ma.engine.match import ResetNeeded, SeatError
from gem_ma.game import clip_repr
from gem_ma.validation.json_types import JSONMapping, JSONObject

_LOG = logging.getLogger(__name__)
_MAX_LEGAL_ACTIONS = 256  # a longer list is left out of an answer

_EPISODE = {"type": "string", "description": "The episode, as reset returned it."}
_SEAT = {"type": ["string", "null"]}


class ToolRequestError(ValueError):
    """An error in a call of a tool; its message is sent to the client."""


class ToolAnswer(NamedTuple):
    """The answer to a call of a tool.

    Attributes:
        content: What the acting seat sees: text, pictures, or both.
        facts: Seats, rewards and ends, as JSON.
    """

    content: MessageContent
    facts: JSONObject


class HostedEpisode:
    """The episode of one client, in an environment of its own."""

    def __init__(self, env: Env, seat: str | None, others: Any):
        self.env = env
        self.seat = seat  # None: the client plays all seats
        self.others = others
        self.is_busy = False
        self.last_use = time.monotonic()
        self._view: GymnasiumView | None = None
        self._briefed_seats: set[str] = set()  # the seats whose rules were shown

    @property
    def is_over(self) -> bool:
        """Whether the client has nothing more to play."""
        env = self.env
        return not env.match.waiting_seats or (
            self.seat is not None and self.seat not in env.match.alive_seats
        )

    def reset(self, seed: int | None, seat: str | None) -> ToolAnswer:
        """Begin an episode, bound to a seat if one is named."""
        self.seat, self._view, self._briefed_seats = seat, None, set()
        if seat is None:
            self.env.reset(seed=seed)
        else:
            alone = len(self.env.match.seats) == 1
            view = GymnasiumView(self.env, agent=seat, others=None if alone else self.others)
            view.reset(seed=seed)
            self._view = view
        return self._answer(dict.fromkeys(self._visible_seats, 0.0))

    def act(self, reply: str, seat: str | None) -> ToolAnswer:
        """Play the reply of a seat; without a seat, of the first that is to act."""
        if self.is_over:
            raise ResetNeeded("act: the episode is over; begin the next with reset")
        env = self.env
        actor = self._resolve_seat(seat) or self._first_due
        if self._view is None:
            alive = list(env.match.alive_seats)
            earned = env.step_seats({actor: reply})
            rewards = {one: float(earned.get(one, 0.0)) for one in alive}
        else:
            rewards = {actor: float(self._view.step(reply)[1])}
        return self._answer(rewards)

    def observe(self, seat: str | None, picture: bool) -> ToolAnswer:
        """Return once more what a seat sees, with its rules, and with a picture if asked for."""
        seat = self._resolve_seat(seat) or self._first_due
        self._briefed_seats.discard(seat)
        return self._answer({}, seat, picture)

    @property
    def _visible_seats(self) -> Collection[str]:
        return self.env.match.seats if self.seat is None else (self.seat,)

    @property
    def _first_due(self) -> str:
        """The seat that is to act, the first if several are."""
        waiting = self.env.match.waiting_seats
        return self.seat or (waiting[0] if waiting else self.env.match.seats[0])

    def _resolve_seat(self, seat: str | None) -> str | None:
        seats = self._visible_seats
        if seat is not None and seat not in seats:
            raise ToolRequestError(f"no seat {clip_repr(seat)}; yours: {', '.join(seats)}")
        return seat

    def _answer(
        self, rewards: Mapping[str, float], seat: str | None = None, picture: bool = False
    ) -> ToolAnswer:
        env, seat = self.env, seat or self._first_due
        observation, info = env.observe(seat, turn=True), env.info(seat, turn=True)
        text, image = observation.get("text", info.get("text", "")), observation.get("image")
        if picture and image is None:
            image = env.picture(seat)
        if seat not in self._briefed_seats:
            self._briefed_seats.add(seat)
            text = f"{env.rules(seat)}\n\n{text}".strip()
        terminations, truncations = env.collect_end_flags(list(self._visible_seats))
        legal = info.get("legal_actions")
        facts: JSONObject = {
            "seat": seat,
            "to_act": [one for one in env.match.waiting_seats if one in self._visible_seats],
            "rewards": dict(rewards),
            "terminations": terminations,
            "truncations": truncations,
            "done": self.is_over,
        }
        if legal is not None and len(legal) <= _MAX_LEGAL_ACTIONS:
            facts["legal_actions"] = to_json_value(legal)
        if "invalid" in info:
            facts["invalid"] = to_json_value(info["invalid"])
        if tools := env.tools(seat):
            facts["tools"] = make_tool_schemas(tools)
        return ToolAnswer(make_content({"image": image, "text": text}), facts)


class EpisodeStore:
    """The episodes of all clients of an MCP server, and the tools that play them.

    Args:
        env: The environment; each episode plays a copy of it.
        seat: The seat of all clients; None: a client may name one, or play all.
        others: The agents of the other seats.
        max_episodes: The number of episodes at the same time. When there are more, those that are
            over or idle make room.
        idle: Seconds without a call after which an episode may be ended.
    """

    def __init__(self, env: Env, seat: str | None, others: Any, max_episodes: int, idle: float):
        self.env = env
        self.seat = seat
        self.others = others
        self.max_episodes = max_episodes
        self.idle = idle
        self._episodes: dict[str, HostedEpisode] = {}  # by name, the latest used last
        self._lock = threading.Lock()

    def list_tools(self) -> list[JSONObject]:
        """Return name, description and input schema of each tool."""
        several = len(self.env.match.seats) > 1 and self.seat is None
        acting = "The seat that acts; null: the first of to_act."
        seat = {"seat": {**_SEAT, "description": acting}} if several else {}
        seed = {"type": ["integer", "null"], "description": "Decides the whole episode."}
        again = {
            "type": ["string", "null"],
            "description": "An episode to end, whose place the new one takes; null: none.",
        }
        begun: JSONObject = {"seed": seed, "episode": again}
        if several:
            yours = "Your seat, while agents play the others; null: you play all seats."
            begun["seat"] = {**_SEAT, "description": yours}
        reply = {
            "type": "string",
            "description": "The reply, as the rules say. To call a tool of the environment, send "
            'the JSON {"name": ..., "arguments": ...}.',
        }
        shown = {"type": "boolean", "description": "Whether to draw a picture (default: true)."}
        return [
            _describe_tool("reset", f"Begin an episode of {self.env.id}.", begun, []),
            _describe_tool(
                "act",
                "Play a reply in an episode, and see what the next seat to act sees.",
                {"episode": _EPISODE, "reply": reply, **seat},
                ["episode", "reply"],
            ),
            _describe_tool(
                "observe",
                "See rules, position and picture of an episode once more; this changes nothing.",
                {"episode": _EPISODE, **seat, "picture": shown},
                ["episode"],
            ),
        ]

    def call(self, name: str, arguments: JSONMapping) -> ToolAnswer:
        """Call a tool.

        Raises:
            ToolRequestError: The name or the arguments are wrong, or the server failed, whose log
                says more.
        """
        schema = next((one for one in self.list_tools() if one["name"] == name), None)
        if schema is None:
            raise ToolRequestError(f"no tool {clip_repr(name)}; the tools are reset, act, observe")
        known = schema["inputSchema"]["properties"]
        if unknown := [one for one in arguments if one not in known]:
            raise ToolRequestError(
                f"{name} takes no {clip_repr(unknown[0])}; it takes {', '.join(known)}"
            )
        _check_arguments(arguments)
        try:
            return self._call(name, arguments)
        except (ToolRequestError, SeatError, ResetNeeded) as error:
            raise ToolRequestError(str(error)) from None
        except Exception as error:  # noqa: BLE001 - a fault of ours: no client's business
            _LOG.exception("%s failed", self.env.id)
            raise ToolRequestError(
                f"the server failed ({type(error).__name__}); its log says more"
            ) from None

    def _call(self, name: str, arguments: JSONMapping) -> ToolAnswer:
        key, seat = arguments.get("episode"), arguments.get("seat")
        if name == "reset":
            seat = seat or self.seat
            if seat is None and len(self.env.match.seats) == 1:
                seat = self.env.match.seats[0]
            if seat is not None and seat not in self.env.match.seats:
                seats = ", ".join(self.env.match.seats)
                raise ToolRequestError(f"no seat {clip_repr(seat)}; the seats are {seats}")
        elif key is None:
            raise ToolRequestError(f"{name} needs the episode; begin one with reset")
        key, episode = self._add_episode() if key is None else (key, self._take_episode(key))
        try:
            if name == "reset":
                answer = episode.reset(arguments.get("seed"), seat)
            elif name == "act":
                answer = episode.act(_encode_reply(arguments.get("reply")), seat)
            else:
                answer = episode.observe(seat, arguments.get("picture", True))
        finally:
            episode.is_busy = False
        return answer._replace(facts={"episode": key, **answer.facts})

    def _add_episode(self) -> tuple[str, HostedEpisode]:
        """Return a new episode, which is busy, with its name."""
        with self._lock:
            if len(self._episodes) >= self.max_episodes:
                self._remove_idle_episode()
            key = secrets.token_urlsafe(12)
            episode = self._episodes[key] = HostedEpisode(self.env.fork()[0], None, self.others)
            episode.is_busy = True
        return key, episode

    def _remove_idle_episode(self) -> None:
        """Remove the episode whose last use is longest ago, of those that are over or idle."""
        before = time.monotonic() - self.idle
        for key, one in self._episodes.items():
            if not one.is_busy and (one.last_use < before or one.is_over):
                del self._episodes[key]
                one.env.close()
                return
        raise ToolRequestError(
            f"this server plays {self.max_episodes} episodes at the same time; end one of yours "
            "by naming it in reset, or try again later"
        )

    def _take_episode(self, key: str) -> HostedEpisode:
        """Return an episode, which is then busy, or raise ToolRequestError."""
        with self._lock:
            episode = self._episodes.pop(key, None)
            if episode is None:
                raise ToolRequestError(
                    f"no episode {clip_repr(key)}, or it has ended; begin one with reset"
                )
            self._episodes[key] = episode
            if episode.is_busy:
                raise ToolRequestError("this episode is busy with another call; wait for it")
            episode.is_busy, episode.last_use = True, time.monotonic()
        return episode


def _describe_tool(
    name: str, description: str, properties: JSONObject, required: list[str]
) -> JSONObject:
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "inputSchema": schema}


def _check_arguments(arguments: JSONMapping) -> None:
    """Raise ToolRequestError unless each argument has the right type."""
    for name, kind in (("episode", str), ("seat", str), ("seed", int), ("picture", bool)):
        value = arguments.get(name)
        if name == "picture" and name not in arguments:
            continue
        wrong = not isinstance(value, kind) or (kind is int and isinstance(value, bool))
        if wrong and (value is not None or kind is bool):
            raise ToolRequestError(
                f"{name}={clip_repr(repr(value))}: expected {kind.__name__}"
                + (" or null" if kind is not bool else "")
            )
    seed = arguments.get("seed")
    if seed is not None and not 0 <= seed < 1 << 64:
        raise ToolRequestError("seed: expected a whole number of at most 64 bits, not negative")


def _encode_reply(value: object) -> str:
    """Return a reply as text: clients may send a number or an object as JSON."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        raise ToolRequestError(f"reply: expected a text, got {json.dumps(value)}")
    return json.dumps(value)
