"""The session of one client, with an environment of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from gem_ma.apis.env import Env
from gem_ma.apis.gymnasium_view import GymnasiumView
from gem_ma.apis.session import to_json_value
from gem_ma.engine.match import ResetNeeded, SeatError
from gem_ma.game import Info, clip_repr
from gem_ma.rollouts.version import __version__
from gem_ma.serving.hosted_game import HostedGame
from gem_ma.serving.openenv import (
    Environment,
    EnvironmentMetadata,
    State,
)
from gem_ma.serving.openenv_messages import ClientError, ReplyAction, SessionObservation
from gem_ma.validation.json_types import JSONMapping, JSONObject

_LOG = logging.getLogger(__name__)


class OpenEnvSession(Environment[ReplyAction, SessionObservation, State]):
    """The session of one client.

    Steps run in the event loop, since switching to a thread costs more than a move.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, env: Env, facts: JSONMapping, seat: str | None, others: Any) -> None:
        super().__init__()
        self._env = env.fork()[0]
        self._game_facts = facts
        self._bound_seat = seat
        self._others = others
        self._seat_view: GymnasiumView | None = None
        self._hosted_game: HostedGame | None = None
        self._has_begun = False
        self._is_over = False  # for the bound seat
        self._briefed_seats: set[str] = set()  # the seats that have read the rules in `text`
        self._state = State(gem_ma=facts)

    @property
    def state(self) -> State:
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Return the id of the environment, and what its first seat is told once."""
        rules: JSONMapping = self._game_facts["rules"]
        return EnvironmentMetadata(
            name=self._env.id, description=next(iter(rules.values())), version=__version__
        )

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        *,
        seat: str | None = None,
        options: JSONObject | None = None,
        game: JSONObject | None = None,
        **unknown: Any,
    ) -> SessionObservation:
        """Begin an episode, bound to a seat if one is named."""
        return self._hide_server_errors(
            self._reset_episode, seed, episode_id, seat, options, game, unknown
        )

    def step(
        self, action: ReplyAction, timeout_s: float | None = None, **_: object
    ) -> SessionObservation:
        """Take replies; OpenEnv's `timeout_s` is ignored, as a step cannot be left unfinished."""
        return self._hide_server_errors(self._step_episode, action)

    async def step_async(
        self, action: ReplyAction, timeout_s: float | None = None, **_: object
    ) -> SessionObservation:
        return self.step(action)

    def _hide_server_errors(
        self, do: Callable[..., SessionObservation], *args: object
    ) -> SessionObservation:
        """Call `do`; raise a client's errors unchanged, and log errors of the server instead."""
        try:
            return do(*args)
        except (ClientError, SeatError, ResetNeeded):
            raise
        except Exception as error:  # noqa: BLE001 - a fault of ours: no client's business
            _LOG.exception("%s failed", self._env.id)
            name = type(error).__name__
            raise RuntimeError(f"the server failed ({name}); its log says more") from None

    def _reset_episode(
        self,
        seed: Any,
        episode_id: Any,
        seat: Any,
        options: Any,
        game: Any,
        unknown: JSONMapping,
    ) -> SessionObservation:
        if unknown:
            known_arguments = "seed, episode_id, seat, options"
            raise ClientError(
                f"reset takes no {clip_repr(next(iter(unknown)))}; it takes {known_arguments}"
            )
        for name, value, kind in (
            ("seed", seed, int),
            ("episode_id", episode_id, str),
            ("seat", seat, str),
            ("options", options, dict),
            ("game", game, dict),
        ):
            if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
                raise ClientError(
                    f"{name}={clip_repr(repr(value))}: expected {kind.__name__} or null"
                )
        if seed is not None and abs(seed) >> 64:
            raise ClientError("seed: expected a whole number of at most 64 bits")
        if self._bound_seat is not None and (
            game is not None or seat not in (None, self._bound_seat)
        ):
            raise ClientError(
                f"sessions of this server play the seat {self._bound_seat}: reset with this seat "
                "or without seat, and without game"
            )
        self._has_begun = self._is_over = False
        self._briefed_seats = set()
        self._state.episode_id, self._state.step_count = episode_id, 0
        if game is not None:
            self._hosted_game = HostedGame(self._env.game)
            observation = self._hosted_game.reset(game)
            self._has_begun = True
            return observation
        self._hosted_game = None
        seat = seat or self._bound_seat
        env, self._seat_view = self._env, None
        if seat is None:
            env.reset(seed=seed, options=options)
        else:
            alone = len(env.possible_agents) == 1
            view = GymnasiumView(env, agent=seat, others=None if alone else self._others)
            view.reset(seed=seed, options=options)
            self._seat_view = view
        self._has_begun = True
        seats = env.possible_agents if seat is None else [seat]
        zero_rewards, end_flags = dict.fromkeys(seats, 0.0), dict.fromkeys(seats, False)
        return self._build_observation(
            None, zero_rewards, end_flags, end_flags, {agent: env.rules(agent) for agent in seats}
        )

    def _step_episode(self, action: ReplyAction) -> SessionObservation:
        if not self._has_begun:
            raise ResetNeeded("step: no episode has begun; send a reset first")
        self._state.step_count += 1
        if self._hosted_game is not None:
            if action.game is None:
                raise ClientError("this episode was reset with game, so each step needs game")
            return self._hosted_game.step(action.game)
        env, view = self._env, self._seat_view
        if not env.to_act or self._is_over:
            raise ResetNeeded("step: the episode is over; send a reset to begin the next")
        replies = self._parse_replies(action)
        if view is None:
            alive = env.agents
            step_rewards = env.step_seats(replies)
            rewards = {seat: step_rewards.get(seat, 0.0) for seat in alive}
            return self._build_observation(
                next(iter(replies)), rewards, *env.collect_end_flags(alive)
            )
        agent = view.agent
        _, reward, terminated, truncated, _ = view.step(replies[agent])
        self._is_over = terminated or truncated
        return self._build_observation(
            agent, {agent: reward}, {agent: terminated}, {agent: truncated}
        )

    def _parse_replies(self, action: ReplyAction) -> dict[str, str]:
        to_act = self._env.to_act if self._seat_view is None else (self._seat_view.agent,)
        # The schema requires text in every action, so replies may come with an empty text.
        text = None if action.replies is not None and not action.text else action.text
        if action.game is not None or (text is None) == (action.replies is None):
            raise ClientError(
                "an action: expected either text, or replies with a reply for each seat; game "
                "needs a reset with game"
            )
        if text is not None:
            if len(to_act) > 1:
                raise ClientError(f"several seats are to act, so send replies: {', '.join(to_act)}")
            return {to_act[0]: text}
        assert action.replies is not None
        for seat in action.replies:
            if seat not in to_act:
                problem = f"{clip_repr(seat)} is not to act"
                raise SeatError(f"{problem}; to act: {', '.join(to_act)}")
        if not action.replies:
            raise SeatError(f"got no reply; to act: {', '.join(to_act)}")
        return action.replies

    def _build_observation(
        self,
        actor: str | None,
        rewards: Mapping[str, float],
        terminations: Mapping[str, bool],
        truncations: Mapping[str, bool],
        rules: Mapping[str, str] | None = None,
    ) -> SessionObservation:
        """Return the observation of a session for the seats in `terminations`."""
        env = self._env
        observations: dict[str, dict[str, str]] = {}
        infos: dict[str, Info] = {}
        for seat in terminations:
            observations[seat] = observation = {}
            for kind, value in env.observe(seat, turn=True).items():
                observation[kind] = value.base64 if kind == "image" else value
            infos[seat] = info = to_json_value(env.info(seat, turn=True))
            if "text" in info:  # with picture observations: messages and notices
                observation["text"] = info.pop("text")
        to_act = [seat for seat in env.to_act if seat in terminations]
        agent = to_act[0] if to_act else None
        text = observations[agent or next(iter(observations))]["text"]
        if agent is not None and agent not in self._briefed_seats:
            self._briefed_seats.add(agent)
            text = f"{env.rules(agent)}\n\n{text}".strip()
        # All values are our own, so pydantic need not check them.
        session_observation: SessionObservation = SessionObservation.model_construct(
            done=not to_act,
            reward=None if actor is None else rewards[actor],
            metadata={},
            agent=agent,
            to_act=to_act,
            text=text,
            prompt=text,
            rules=rules or {},
            observations=observations,
            rewards=rewards,
            terminations=terminations,
            truncations=truncations,
            infos=infos,
            game=None,
        )
        return session_observation


class ThreadedSession(OpenEnvSession):
    """A session whose slow steps run in the session's own thread."""

    step_async = Environment.step_async  # shows OpenEnv that there is no async step
