"""OpenEnv: the environment of any OpenEnv server, gem_ma's own or another, as a game.

`openenv:ws://127.0.0.1:8000` asks the server what it serves. If `gem-ma serve` runs there, only
the game is remote. The local Env works as with a game in the same process, and sends its random
numbers with every move, so episodes equal those played without a network. The environment of any
other OpenEnv server has one seat and takes JSON objects as actions.
"""

from __future__ import annotations

import base64
import dataclasses
import http.client
import io
import json
import os
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from PIL import Image

from gem_ma import scene
from gem_ma.engine import action_parsing
from gem_ma.engine.seeding import pack_chance, unpack_chance
from gem_ma.envs.bridges.live import Bridge, Line, Listed, Output, Played
from gem_ma.envs.bridges.openenv_connection import (
    MALFORMED_ERRORS,
    SCENE_TYPES,
    Link,
    Lost,
    ServerError,
    make_headers,
    unpack,
)
from gem_ma.envs.bridges.openenv_ids import VARIABLE, address
from gem_ma.game import InvalidMove, Message, RefusedMove, VerbatimMessage, clip_repr
from gem_ma.validation.endpoints import read_response
from gem_ma.validation.json_types import JSONMapping, JSONObject
from gem_ma.validation.untrusted_json import parse_json

_LARGEST_PAGE = 1 << 20  # bytes of a server's metadata or schema
_LARGEST_PICTURE = 1 << 24  # pixels


class OpenEnv(Bridge[Link]):
    """The game of an OpenEnv server.

    Args:
        url: the server's address: ws, wss, http or https.
        token: the access token, if the server needs one; None: the environment variable
            GEM_MA_TOKEN. It is not kept in a pickle or a Spec, so another process needs the
            variable.
        timeout: seconds to wait for an answer.
    """

    blocking = True
    url: str
    timeout: float
    _token: str | None
    _rules: Mapping[str, str]
    _tools: Mapping[str, list[JSONObject]]

    def __new__(cls, url: str, token: str | None = None, timeout: float = 60.0):
        """Ask the server for its game, and return an instance of the matching class."""
        token = token or os.environ.get(VARIABLE) or None
        if address(url) is None:
            raise ValueError(
                f"url={url!r}: expected a ws, wss, http or https URL, such as ws://127.0.0.1:8000"
            )
        link = Link(url, token, timeout)
        try:
            facts = link.ask("state").get("gem_ma")
            if facts is not None:
                link.checked("Facts", facts)
        except ServerError as error:
            if error.code != "EXECUTION_ERROR":  # other servers may have no state before a reset
                raise
            facts = None
        finally:
            link.close()
        kind: type[OpenEnv]
        if facts is None:
            kind = Foreign
        else:
            kind = Bound if facts["bound"] else _OURS[facts["briefs"], facts["skips"]]
        game = Bridge.__new__(kind, url, timeout=timeout)  # sets init_args, without the token
        game.url, game.timeout, game._token = url, timeout, token
        game._learn(facts)
        return game

    def __init__(self, url: str, token: str | None = None, timeout: float = 60.0):
        super().__init__()

    def _learn(self, facts):
        """Set what all episodes share, from the server's facts about the game."""
        raise NotImplementedError

    def _chance(self, rng):
        """Return the chance of a step: a number, or the generator's state for the server."""
        raise NotImplementedError

    def _use(self, rng, live):
        """Set the generator to the state that the server returned, if the server draws from it."""
        raise NotImplementedError

    def __reduce__(self):
        arguments, kwargs = self.init_args
        return _again, (arguments, kwargs)

    def _link(self) -> Link:
        return Link(self.url, self._token, self.timeout)

    def start(self, rng, options):
        line: Line[Link] = Line(self._chance(rng), dict(options), [], None)
        live, output = self.open(line.seed, line.options)
        if not output.to_act:
            live.close()
            raise live.odd(ValueError("the episode is over at its start"))
        line.put(live)
        self._use(rng, live)
        return self._state(output, line, 0)

    def advance(self, state, moves, rng):
        return self._go(state, {"moves": dict(moves)}, rng)

    def _go(self, state, act, rng):
        """Send an act at a state, and return the next state, or None if the game ends there."""
        chance = self._chance(rng)
        line, live, output = self._at(state, lambda live: self.play(live, act, chance))
        if output is None:
            line.put(live)
            return None
        line.put(live, (act, chance))
        self._use(rng, live)
        return self._state(output, line, state.count + 1)

    def _at(self, state, do):
        """Call `do` with the live environment at a state; return its line, itself and the result.

        The state is reached by replay if the live environment is at another one, or if the
        connection was lost.
        """
        line, count = state.line, state.count
        live = line.take(count)
        if live is not None:
            try:
                return line, live, self._trying(line, live, do)
            except Lost:
                pass
        line = Line(line.seed, line.options, line.steps[:count], None)
        live, _ = self.open(line.seed, line.options)
        try:
            for act, chance in line.steps:
                self.play(live, act, chance)
        except BaseException:
            live.close()
            raise
        return line, live, self._trying(line, live, do)

    def _trying(self, line, live, do):
        """Call `do`; after an error, keep the environment if nothing has changed, else close it."""
        try:
            return do(live)
        except (InvalidMove, ServerError):
            line.put(live)
            raise
        except BaseException:
            live.close()
            raise

    def _state(self, output, line, count):
        return (RemoteListed if output.legal is not None else Remote)(output, line, count)

    def rules(self, agent):
        return self._rules[agent]


def _again(arguments, named):
    kind: Callable[..., OpenEnv] = OpenEnv  # its __new__ chooses the class
    return kind(*arguments, **named)


class Remote(Played):
    """A state whose views keep their Line, since the server has to parse replies."""

    __slots__ = ()

    def seen_by(self, agent):
        view = Played.seen_by(self, agent)
        return dataclasses.replace(view, line=self.line, count=self.count)


class RemoteListed(Listed, Remote):
    """A Remote state whose legal moves can be listed."""

    __slots__ = ()


class Ours(OpenEnv):
    """A game that `gem_ma.serving.server` serves."""

    unlisted_moves = "the served game has none, or its list differs from its legal moves"

    def _learn(self, facts):
        self.agents = tuple(facts["agents"])
        self.moves = facts["moves"] and tuple(facts["moves"])
        self.zero_sum = facts["zero_sum"]
        self.legal_is_partial = facts.get("partial", False)
        self.names_points = facts.get("points", False)
        self.simultaneous = facts.get("together", False)
        self.conversation = facts["conversation"]
        self.max_tool_calls = facts.get("calls_at_once")
        self.served = facts["id"]
        self.suggests = facts["suggests"]  # arguments of Env that belong to the served id
        self._rules, self._tools, self._longest = facts["rules"], facts["tools"], facts["longest"]

    def open(self, seed, options):
        live = self._link()
        try:
            return live, self._ask(live, "reset", {"options": options, "chance": seed})
        except BaseException:
            live.close()
            raise

    def play(self, live, act, chance):
        return self._ask(live, "step", {**act, "chance": chance})

    def forfeit(self, state, agent, rng):
        return self._go(state, {"forfeit": agent}, rng)

    def _ask(self, live, kind, request):
        """Send a request and return its Output, or None if a forfeit ends the game."""
        answer = live.checked("Game", live.ask(kind, {"game": request}))["observation"]["game"]
        if "invalid" in answer:
            raise RefusedMove(live.checked("Refusal", answer)["invalid"])
        if "forfeit" in request and "to_act" not in answer:
            live.chance = live.checked("Nowhere", answer)["chance"]
            return None
        live.chance = live.checked("Position", answer, self.agents)["chance"]
        return _output(answer)

    def _chance(self, rng):
        return pack_chance(rng)

    def _use(self, rng, live):
        try:
            unpack_chance(live.chance, rng)
        except MALFORMED_ERRORS as error:  # numpy checks a generator's state
            raise live.odd(error) from None

    def read(self, text, view, agent):
        text = action_parsing.replace_surrogates(text)
        legal = view.output.legal
        if legal is not None and text in legal.get(agent, ()):
            return text
        if len(text) > self._longest:
            raise InvalidMove(f"{len(text)} characters are too many; {self._longest} can be sent")
        if legal is None and len(view.output.to_act) == 1:
            return text  # `advance` checks it, which saves a request
        answer = self._question(view, {"read": text, "seat": agent})
        if "invalid" in answer:
            raise InvalidMove(str(answer["invalid"]))
        return text

    def describe(self, view, agent):
        text = view.output.seen.get(agent)
        return self._look(view, "describe", agent, str) if text is None else text

    def picture(self, view, agent):
        return self._look(view, "picture", agent, SCENE_TYPES)

    def encode(self, view, agent):
        return self._look(view, "encode", agent, np.ndarray)

    def _look(self, view, what, agent, kind):
        """Return an observation that is not sent with every move, since few callers need it."""

        def look(live):
            answer = self._asked(live, {"look": what, "seat": agent})
            try:
                value = unpack(live.checked("Look", answer)["seen"])
            except ServerError as error:
                raise ServerError(f"{live.where}: {error}") from None
            except MALFORMED_ERRORS as error:
                raise live.odd(error) from None
            if not isinstance(value, kind):
                raise live.odd(TypeError(f"{what} returned a {type(value).__name__}"))
            return value

        return self._put(self._at(view, look))

    def _question(self, view, request):
        return self._put(self._at(view, lambda live: self._asked(live, request)))

    def _asked(self, live, request):
        answer = live.ask("step", {"game": request})
        return live.checked("Game", answer)["observation"]["game"]

    def _put(self, found):
        line, live, answer = found
        line.put(live)
        return answer

    def tools(self, agent):
        return self._tools[agent]


class _Skips:
    def skip(self, view, agent):
        return None  # the server chooses the move


class _Briefs:
    _look: Any

    def brief(self, view, agent):
        return self._look(view, "brief", agent, str)


class OursThatSkips(_Skips, Ours):
    """A served game that has a move for a lost turn."""


class OursThatBriefs(_Briefs, Ours):
    """A served game whose rules differ between episodes."""


class OursThatDoesBoth(_Briefs, _Skips, Ours):
    """A served game with a move for a lost turn and rules that differ between episodes."""


_OURS = {
    (False, False): Ours,
    (False, True): OursThatSkips,
    (True, False): OursThatBriefs,
    (True, True): OursThatDoesBoth,
}


def _output(answer):
    legal = answer["legal"]
    return Output(
        tuple(answer["to_act"]),
        answer["returns"],
        answer["texts"],
        None if legal is None else {seat: tuple(moves) for seat, moves in legal.items()},
        tuple(answer["out"]),
        tuple(
            [
                (VerbatimMessage if verbatim else Message)(to and tuple(to), role, text)
                for to, role, text, *verbatim in answer["news"]
            ]
        ),
        answer["report"],
    )


class Foreign(OpenEnv):
    """Any other OpenEnv environment: one seat, JSON objects as actions, text as observations.

    It has to repeat an episode exactly for the same seed; otherwise it cannot be forked.
    """

    agents = ("player",)

    def _learn(self, facts):
        metadata = self._get("metadata", "About")
        self._schema = self._get("schema", "Schema", "action")
        fields = self._schema.get("properties") or {}
        required_fields = self._schema.get("required") or []
        self._text = None  # the field that a reply without JSON fills in
        if len(required_fields) == 1 and fields.get(required_fields[0], {}).get("type") == "string":
            self._text = required_fields[0]
        description = f"You are in the environment {metadata.get('name') or self.url}."
        if metadata.get("description"):
            description += f" {metadata['description']}"
        instructions = "Your action is a JSON object."
        if fields:
            instructions += " It has the fields:\n" + "\n".join(
                _field(name, schema, name in required_fields) for name, schema in fields.items()
            )
        if self._text:
            instructions += f"\nText that is no JSON object is taken as the field {self._text}."
        self._rules = {"player": f"{description}\n{instructions}"}

    def _get(self, what, shape, part=None):
        """Return a page of the server over plain HTTP, or {} if it is missing or malformed."""
        from gem_ma.envs.bridges import openenv_frames as frames

        parts = urlsplit(address(self.url) or "")
        kind = http.client.HTTPSConnection if parts.scheme == "wss" else http.client.HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=self.timeout)
        try:
            path = parts.path.removesuffix("ws") + what
            connection.request("GET", path, headers=make_headers(self._token))
            answer = frames.parsed(read_response(connection.getresponse(), _LARGEST_PAGE))
            answer = answer[part] if part else answer
            frames.check(getattr(frames, shape), answer)
        except (OSError, http.client.HTTPException, *MALFORMED_ERRORS):
            return {}
        finally:
            connection.close()
        return answer

    def open(self, seed, options):
        live = self._link()
        try:
            answer = live.ask("reset", self._begin(seed, options))
            return live, self._output(live, answer, first=True)
        except BaseException:
            live.close()
            raise

    def _begin(self, seed, options):
        return {**options, "seed": seed}

    def play(self, live, act, chance):
        try:
            answer = live.ask("step", json.loads(act["moves"]["player"]))
        except ServerError as error:
            if error.code == "VALIDATION_ERROR":
                raise RefusedMove(f"the server says {str(error).partition(': ')[2]}") from None
            raise
        return self._output(live, answer)

    def _output(self, live, answer, first=False):
        live.checked("Shown", answer)
        if not first:
            live.total += float(answer.get("reward") or 0.0)
        words = in_words(answer.get("observation") or {})
        acting = () if answer.get("done") else self.agents
        return Output(acting, {"player": live.total}, {"player": words, None: words})

    def _chance(self, rng):
        return int(rng.integers(1 << 31))

    def _use(self, rng, live):
        pass

    def read(self, text, view, agent):
        try:
            action = parse_json(text)
        except ValueError:
            action = None
        if not isinstance(action, dict) and self._text:
            action = {self._text: action_parsing.replace_surrogates(text)}
        if not isinstance(action, dict):
            raise InvalidMove(f"{clip_repr(text)} is no JSON object")
        properties = self._schema.get("properties") or action
        for name in self._schema.get("required") or ():
            if name not in action:
                raise InvalidMove(f"the field {clip_repr(name)} is missing")
        for name in action:
            if name not in properties and self._schema.get("additionalProperties") is False:
                raise InvalidMove(f"no field {clip_repr(name)}; there are {', '.join(properties)}")
        return json.dumps(action, ensure_ascii=False)

    def describe(self, view, agent):
        return view.output.seen[agent]


class Bound(Foreign):
    """One seat of a game on a gem_ma server that hides and plays the other seats."""

    def _learn(self, facts):
        self.agents = tuple(facts["agents"])
        self.moves = facts["moves"] and tuple(facts["moves"])
        self.legal_is_partial = facts.get("partial", False)
        self.names_points = facts.get("points", False)
        self.conversation = facts["conversation"]
        self.max_tool_calls = facts.get("calls_at_once")
        self._rules, self._tools = facts["rules"], facts["tools"]

    def _begin(self, seed, options):
        return {"seed": seed, "options": options}

    def _seat(self, live, answer):
        observation = live.checked("Seat", answer)["observation"]
        live.checked("Shares", observation, self.agents)
        return answer

    def play(self, live, act, chance):
        ((seat, text),) = act["moves"].items()
        answer = self._seat(live, live.ask("step", {"text": text}))
        invalid = answer["observation"]["infos"][seat].get("invalid")
        if invalid and not answer["done"]:
            raise RefusedMove(invalid["reason"])
        return self._output(live, answer)

    def _output(self, live, answer, first=False):
        (seat,) = self.agents
        observation = self._seat(live, answer)["observation"]
        live.total += observation["rewards"][seat]
        legal = observation["infos"][seat].get("legal_actions")
        return Output(
            tuple(observation["to_act"]),
            {seat: live.total},
            {seat: observation["observations"][seat], None: observation["observations"][seat]},
            None if legal is None else {seat: tuple(legal)},
            report={
                name: value
                for name, value in observation["infos"][seat].items()
                if answer["done"] and name not in ("to_act", "legal_actions", "invalid")
            },
        )

    def read(self, text, view, agent):
        return action_parsing.replace_surrogates(text)

    def describe(self, view, agent):
        return view.output.seen[agent]["text"]

    def picture(self, view, agent):
        image = view.output.seen[agent].get("image")
        if image is None:
            return None
        try:
            decoded_image = Image.open(io.BytesIO(base64.b64decode(image)))
            if decoded_image.width * decoded_image.height > _LARGEST_PICTURE:
                raise ValueError(
                    f"{decoded_image.width} x {decoded_image.height} pixels, expected at most "
                    f"{_LARGEST_PICTURE}"
                )
            pixels = decoded_image.convert("RGB")
        except (OSError, Image.DecompressionBombError, *MALFORMED_ERRORS) as error:
            raise Lost(f"{self.url} sent a picture that cannot be read: {error}") from None
        return scene.Pixels(pixels.tobytes(), pixels.height, pixels.width)

    def tools(self, agent):
        return self._tools[agent]


def _field(name, schema, required):
    """Return a line of the rules about one field of an action."""
    choices = schema.get("enum")
    kind = schema.get("type") or "/".join(
        str(option.get("type")) for option in schema.get("anyOf", ()) if option.get("type")
    )
    line = f"- {name} ({', '.join(filter(None, (kind, 'needed' if required else '')))})"
    if schema.get("description"):
        line += f": {schema['description']}"
    return line + (f"; one of {', '.join(map(json.dumps, choices))}" if choices else "")


def in_words(observation: JSONMapping) -> str:
    """Return a JSON object as lines of the form `name: value`."""
    lines = []
    for name, value in observation.items():
        if name == "metadata" and not value:
            continue
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines.append(f"{name}: {text}")
    return "\n".join(lines) or "There is nothing to see."
