"""Wrappers: environments that change another environment, in all of its views."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from gymnasium import spaces

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.base_env import Snapshot
from gem_ma.apis.core_env import ActionSpace, CoreEnv, RenderFrame
from gem_ma.engine.action_parsing import SeatAction, SeatActions, replace_surrogates
from gem_ma.engine.match import Match, ResetNeeded, SeatError
from gem_ma.engine.observations import Observation, ObservationBuilder, cut_middle
from gem_ma.game import Info, ResetOptions, SeatTool
from gem_ma.validation.arguments import check_type

__all__ = [
    "ClipReward",
    "RecordEpisodeStatistics",
    "ScaleReward",
    "TextHistory",
    "TextWrapper",
    "TimeLimit",
    "TransformAction",
    "TransformReward",
    "TransformText",
    "Wrapper",
]

MAX_INVALID_REPLY = 1_000  # bytes of an invalid reply that a history keeps


class Wrapper(AECEnv):
    """Base class of wrappers, which forwards every call to the wrapped environment.

    A wrapper keeps its state of an episode in `memory`, as one immutable value. `reset` sets it to
    None; snapshots and forks keep it.

    Examples:
        >>> import gem_ma
        >>> from gem_ma.wrappers import Wrapper
        >>> class BriefWrapper(Wrapper):
        ...     def rules(self, agent):
        ...         return super().rules(agent) + " Be brief."
        >>> env = BriefWrapper(gem_ma.make("game:KuhnPoker-v0"))
        >>> env.reset(seed=0)
        >>> env.turn("first").rules.endswith("Be brief.")
        True
    """

    memory: Any = None

    def __init__(self, env: AECEnv):
        check_type(env, AECEnv, "env")
        self.env = env

    def __getattr__(self, name: str) -> Any:
        if name == "env" or name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self.env, name)

    @property
    def core(self) -> CoreEnv:  # type: ignore[override]
        """The Env inside all wrappers."""
        return self.env.core

    @property
    def match(self) -> Match:  # type: ignore[override]
        """The match of the environment's game."""
        return self.env.match

    @property
    def observation_builder(self) -> ObservationBuilder:  # type: ignore[override]
        """The builder of the seats' observations."""
        return self.env.observation_builder

    @property
    def agent_selection(self) -> str | None:
        """The seat that steps next; after the end the seat of the last step."""
        return self.core.agent_selection

    @agent_selection.setter
    def agent_selection(self, agent: str | None) -> None:
        self.core.agent_selection = agent

    @property
    def unwrapped(self) -> CoreEnv:
        """The Env inside all wrappers."""
        return self.core

    def reset(self, seed: int | None = None, options: ResetOptions | None = None) -> None:
        self.memory = None
        self.env.reset(seed=seed, options=options)

    def submit(self, replies: SeatActions) -> Mapping[str, float]:
        return self.env.submit(replies)

    def observe(self, agent: str, *, turn: bool = False) -> Observation:
        return self.env.observe(agent, turn=turn)

    def info(self, agent: str, *, turn: bool = False) -> Info:
        return self.env.info(agent, turn=turn)

    def rules(self, agent: str) -> str:
        return self.env.rules(agent)

    def tools(self, agent: str) -> tuple[SeatTool, ...]:
        return self.env.tools(agent)

    def check_reply(self, agent: str, reply: object) -> None:
        self.env.check_reply(agent, reply)

    @property
    def blocking(self) -> bool:
        return self.env.blocking

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.env.observation_space(agent)

    def action_space(self, agent: str) -> ActionSpace:
        return self.env.action_space(agent)

    def state(self) -> np.ndarray:
        state: np.ndarray = self.env.state()
        return state

    def render(self, agent: str | None = None) -> RenderFrame:
        return self.core.render(agent)

    def close(self) -> None:
        self.env.close()

    def snapshot(self) -> Snapshot:
        inner = self.env.snapshot()
        return replace(inner, layers=(*inner.layers, self.memory))

    def restore(self, snapshot: Snapshot) -> None:
        check_type(snapshot, Snapshot, "snapshot")
        if not snapshot.layers:
            raise ValueError(
                f"expected a snapshot of {self!r}, got one of an environment without "
                f"{type(self).__name__}"
            )
        *inner, self.memory = snapshot.layers
        self.env.restore(replace(snapshot, layers=tuple(inner)))

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.env = self.env.copy()
        return twin

    def __str__(self) -> str:
        return str(self.core)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.env!r}>"


class RecordEpisodeStatistics(Wrapper):
    """Add `info["episode"]` when a seat is done: its return and reply count, the game's turns."""

    def reset(self, seed: int | None = None, options: ResetOptions | None = None) -> None:
        super().reset(seed=seed, options=options)
        self.memory = dict.fromkeys(self.match.seats, (0.0, 0))

    def submit(self, replies: SeatActions) -> Mapping[str, float]:
        if self.memory is None:
            raise ResetNeeded(
                "submit: no episode has begun in RecordEpisodeStatistics; call its reset() first"
            )
        rewards = super().submit(replies)
        self.memory = {
            agent: (total + rewards.get(agent, 0.0), count + (agent in replies))
            for agent, (total, count) in self.memory.items()
        }
        return rewards

    def info(self, agent: str, *, turn: bool = False) -> Info:
        info, match = super().info(agent, turn=turn), self.match
        if agent not in match.alive_seats:
            total, count = self.memory[agent]
            info["episode"] = {"return": total, "replies": count, "turns": match.turns}
        return info


class TimeLimit(Wrapper):
    """Truncate the episode after `max_turns` turns of the game.

    Examples:
        >>> import gem_ma
        >>> from gem_ma.wrappers import TimeLimit
        >>> env = TimeLimit(gem_ma.make("game:ConnectFour-v0"), max_turns=1)
        >>> env.reset(seed=0)
        >>> env.step("4")
        >>> env.truncations
        {'red': True, 'yellow': True}
    """

    def __init__(self, env: AECEnv, max_turns: int):
        if max_turns < 1:
            raise ValueError(f"max_turns={max_turns}: expected 1 or more")
        super().__init__(env)
        self.max_turns = max_turns

    def submit(self, replies: SeatActions) -> Mapping[str, float]:
        rewards = super().submit(replies)
        if self.match.waiting_seats and self.match.turns >= self.max_turns:
            self.core.truncate()
        return rewards


class TransformReward(Wrapper):
    """Pass every reward through `function(seat, reward)`.

    The function gets the reward of each seat that replied, even if it is 0, and all other rewards
    that are not 0. A cost of each reply is `lambda seat, reward: reward - 0.01`.
    """

    def __init__(self, env: AECEnv, function: Callable[[str, float], float]):
        super().__init__(env)
        self.function = function

    def submit(self, replies: SeatActions) -> Mapping[str, float]:
        return _map_rewards(super().submit(replies), replies, self.function)


def _map_rewards(
    rewards: Mapping[str, float], replies: SeatActions, function: Callable[[str, float], float]
) -> dict[str, float]:
    """Return the changed rewards that are not 0, also of seats that replied and earned 0."""
    rewards = {**dict.fromkeys(replies, 0.0), **rewards}
    return {agent: new for agent, old in rewards.items() if (new := function(agent, old))}


class ScaleReward(Wrapper):
    """Multiply every reward by a factor."""

    def __init__(self, env: AECEnv, factor: float):
        super().__init__(env)
        self.factor = factor

    def submit(self, replies: SeatActions) -> Mapping[str, float]:
        return {a: reward * self.factor for a, reward in super().submit(replies).items()}


class ClipReward(Wrapper):
    """Keep every reward between two bounds."""

    def __init__(self, env: AECEnv, low: float = -1.0, high: float = 1.0):
        if low > high:
            raise ValueError(f"low={low}, high={high}: expected low <= high")
        super().__init__(env)
        self.low, self.high = low, high

    def submit(self, replies: SeatActions) -> Mapping[str, float]:
        return _map_rewards(super().submit(replies), replies, self._clip)

    def _clip(self, agent: str, reward: float) -> float:
        return min(max(reward, self.low), self.high)


class TransformAction(Wrapper):
    """Pass every reply through `function(seat, reply)` before its action is parsed."""

    def __init__(self, env: AECEnv, function: Callable[[str, SeatAction], SeatAction]):
        super().__init__(env)
        self.function = function

    def submit(self, replies: SeatActions) -> Mapping[str, float]:
        check_type(replies, Mapping, "replies")
        return super().submit({a: self.function(a, reply) for a, reply in replies.items()})

    def check_reply(self, agent: str, reply: object) -> None:
        """Accept any reply: only the function's return value is checked, when it is submitted."""


class TextWrapper(Wrapper):
    """Change the text that seats read, in the observation or in the info."""

    def transform_text(self, agent: str, text: str, *, turn: bool) -> str:
        """Return the replacement of `text`."""
        raise NotImplementedError

    def observe(self, agent: str, *, turn: bool = False) -> Observation:
        return self._transform_parts(agent, super().observe(agent, turn=turn), turn)

    def info(self, agent: str, *, turn: bool = False) -> Info:
        return self._transform_parts(agent, super().info(agent, turn=turn), turn)

    def _transform_parts(self, agent: str, parts: dict[str, Any], turn: bool) -> dict[str, Any]:
        if "text" in parts:
            parts["text"] = self.transform_text(agent, parts["text"], turn=turn)
        return parts


class TransformText(TextWrapper):
    """Pass every text that a seat reads through `function(seat, text)`."""

    def __init__(self, env: AECEnv, function: Callable[[str, str], str]):
        super().__init__(env)
        self.function = function

    def transform_text(self, agent: str, text: str, *, turn: bool) -> str:
        return self.function(agent, text)


class TextHistory(TextWrapper):
    """Show a seat its whole history, for trainers that expect one growing text.

    Args:
        mode: "plain" joins the observed texts. "actions" adds the seat's replies between them.
            "chat" applies the chat template of `tokenizer`: observed texts are user messages,
            replies are assistant messages.
        last: The number of earlier turns to keep, in addition to the rules; None: all.
        tokenizer: A tokenizer with a chat template, for mode "chat" only.
        text_length: The maximum length in bytes; a longer text is cut in the middle.
    """

    def __init__(
        self,
        env: AECEnv,
        mode: Literal["plain", "actions", "chat"] = "actions",
        *,
        last: int | None = None,
        tokenizer: Any = None,
        text_length: int = 1 << 20,
    ):
        if mode not in ("plain", "actions", "chat"):
            raise ValueError(f"mode={mode!r}: expected 'plain', 'actions' or 'chat'")
        if (mode == "chat") != (tokenizer is not None):
            given = "no tokenizer" if tokenizer is None else "a tokenizer"
            raise ValueError(
                f"mode='chat' needs a tokenizer, and other modes take none; got mode={mode!r} and "
                f"{given}"
            )
        if last is not None and last < 0:
            raise ValueError(f"last={last}: expected 0 or more, or None for all")
        check_type(env, AECEnv, "env")
        if env.observation_builder.discrete:
            raise SeatError(
                "TextHistory needs texts, got a discrete environment; make it with actions='text'"
            )
        super().__init__(env)
        self.mode, self.keep, self.tokenizer = mode, last, tokenizer
        self.text_length = text_length
        self._spaces: dict[str, spaces.Dict] = {}

    def submit(self, replies: SeatActions) -> Mapping[str, float]:
        fields = {
            agent: self._observe_now(agent)
            for agent in replies
            if agent in self.match.waiting_seats
        }
        rewards = super().submit(replies)
        memory = dict(self.memory or {})
        for agent, text in fields.items():
            reply = replace_surrogates(str(replies[agent]))
            if agent in self.match.invalid_replies:  # an invalid reply can be very long
                reply = cut_middle(reply, MAX_INVALID_REPLY)
            memory[agent] = (*memory.get(agent, ()), (text, reply))
        self.memory = memory
        return rewards

    def _observe_now(self, agent: str) -> str:
        part = self.env.observe(agent, turn=True)
        if "text" not in part:
            part = self.env.info(agent, turn=True)
        return str(part["text"])

    def transform_text(self, agent: str, text: str, *, turn: bool) -> str:
        return cut_middle(self._join_history(agent, turn), self.text_length)

    def _join_history(self, agent: str, turn: bool) -> str:
        past = (self.memory or {}).get(agent, ())
        if self.keep is not None:
            past = past[len(past) - min(self.keep, len(past)) :]
        now = self._observe_now(agent)
        rules = [] if turn else [self.rules(agent)]
        if self.mode != "chat":
            both = self.mode == "actions"
            parts = [part for turn in past for part in (turn if both else turn[:1])]
            return "\n\n".join([*rules, *parts, now])
        messages = [{"role": "system", "content": rule} for rule in rules]
        for seen, reply in past:
            messages.append({"role": "user", "content": seen})
            messages.append({"role": "assistant", "content": reply})
        messages.append({"role": "user", "content": now})
        return str(
            self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        )

    def observation_space(self, agent: str) -> spaces.Dict:
        if agent not in self._spaces:
            from gem_ma.apis.text_space import UnicodeText

            parts = dict(super().observation_space(agent).items())
            if "text" in parts:
                parts["text"] = UnicodeText(self.text_length)
            self._spaces[agent] = spaces.Dict(parts)
        return self._spaces[agent]
