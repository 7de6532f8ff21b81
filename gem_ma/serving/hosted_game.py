"""The bare game behind OpenEnv's protocol, for gem_ma's own client."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gem_ma.apis.session import to_json_value
from gem_ma.engine.match import SeatError
from gem_ma.engine.seeding import pack_chance, unpack_chance
from gem_ma.game import Game, InvalidMove, Message, VerbatimMessage, clip_repr
from gem_ma.scene.serialization import encode_scene
from gem_ma.serving.openenv_messages import ClientError, SessionObservation
from gem_ma.validation.json_types import JSONMapping, JSONObject


class HostedGame:
    """The bare game for a gem_ma client, whose Env runs on the client's side."""

    def __init__(self, game: Game):
        self.game = game
        self.rng = np.random.Generator(np.random.PCG64(0))
        self.state: Any = None

    def reset(self, request: JSONMapping) -> SessionObservation:
        """Begin an episode with the state of the client's random generator."""
        self._restore_chance(request)
        self.state = self.game.start(self.rng, request.get("options") or {})
        return self._build_observation(self._describe_position(()))

    def step(self, request: JSONMapping) -> SessionObservation:
        """Check a reply, return an observation, forfeit a seat, or make the moves of all seats."""
        state, game = self.state, self.game
        messages: Iterable[Message] = ()
        if "read" in request:
            return self._build_observation(self._check_reply(request))
        if "look" in request:
            return self._build_observation({"seen": self._observe(request)})
        self._restore_chance(request)
        if "forfeit" in request:
            agent = self._check_seat(request["forfeit"])
            after = game.forfeit(state, agent, self.rng)
            if after is None:
                return self._build_observation({"chance": pack_chance(self.rng)})
        else:
            try:
                moves = self._parse_moves(request.get("moves"))
                after = game.advance(state, moves, self.rng)
            except InvalidMove as error:  # the client's Env handles the invalid reply
                return self._build_observation({"invalid": str(error)})
            move_messages = game.tell(state, moves, after)
            if move_messages is None:
                move_messages = [_make_move_message(seat, move) for seat, move in moves.items()]
            messages = move_messages
        self.state = after
        return self._build_observation(self._describe_position(messages))

    def _restore_chance(self, request: JSONMapping) -> None:
        try:
            unpack_chance(request["chance"], self.rng)
        except (KeyError, ValueError, TypeError, AttributeError):
            raise ClientError("chance: expected the state of a PCG64 generator") from None

    def _check_seat(self, agent: object) -> str:
        if agent not in self.game.agents:
            seats = ", ".join(self.game.agents)
            raise SeatError(f"no seat {clip_repr(repr(agent))}; the seats are {seats}")
        return str(agent)

    def _parse_moves(self, texts: object) -> dict[str, Any]:
        to_act = self.state.to_act()
        if not isinstance(texts, dict) or set(texts) != set(to_act) or not to_act:
            raise ClientError(f"moves: expected one for each of: {', '.join(to_act) or 'nobody'}")
        moves = {}
        for seat, text in texts.items():
            view = self.state.seen_by(seat)
            if text is not None and not isinstance(text, str):
                raise ClientError(f"moves: expected str or null for {seat}")
            moves[seat] = (
                self.game.skip(view, seat) if text is None else self.game.read(text, view, seat)
            )
        return moves

    def _check_reply(self, request: JSONMapping) -> JSONObject:
        seat, text = self._check_seat(request.get("seat")), request["read"]
        if not isinstance(text, str):
            raise ClientError("read: expected str")
        try:
            self.game.read(text, self.state.seen_by(seat), seat)
        except InvalidMove as error:
            return {"invalid": str(error)}
        return {}

    def _observe(self, request: JSONMapping) -> Any:
        """Return an observation of a seat, or of a spectator if the method allows one."""
        method, seat = request["look"], request.get("seat")
        if method not in ("describe", "picture", "encode", "brief"):
            raise ClientError(
                f"look={clip_repr(repr(method))}: expected describe, picture, encode, brief"
            )
        if seat is None and method in ("describe", "picture"):
            return encode_scene(getattr(self.game, method)(self.state, None))
        seat = self._check_seat(seat)
        return encode_scene(getattr(self.game, method)(self.state.seen_by(seat), seat))

    def _describe_position(self, told: Iterable[Message]) -> JSONObject:
        """Return the facts about the position that an Env always needs."""
        state, game = self.state, self.game
        views = {seat: state.seen_by(seat) for seat in game.agents}
        to_act, legal = state.to_act(), None
        if hasattr(state, "legal"):
            legal = {seat: views[seat].legal(seat) for seat in to_act}
        return {
            "to_act": to_act,
            "returns": dict(state.returns()),
            "out": state.out() if hasattr(state, "out") else (),
            "texts": {seat: game.describe(view, seat) for seat, view in views.items()},
            "legal": legal,
            "news": [
                (*message, *[True] * isinstance(message, VerbatimMessage)) for message in told
            ],
            "report": to_json_value(game.report(state)),
            "chance": pack_chance(self.rng),
        }

    def _build_observation(self, answer: JSONObject) -> SessionObservation:
        observation: SessionObservation = SessionObservation.model_construct(
            done=answer.get("to_act") == (), game=answer, metadata={}
        )
        return observation


def _make_move_message(seat: str, move: Any) -> Message:
    """Return Env's default message about a move, for games without messages of their own."""
    if move is None:
        return Message(None, "game", f"{seat} lost its turn.")
    return Message(None, seat, str(move))
