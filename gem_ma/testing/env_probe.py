"""The base of all checks of the contract: making environments, playing them, and failing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gem_ma.apis import factory
from gem_ma.apis.aec import AECEnv
from gem_ma.engine.action_parsing import SeatAction
from gem_ma.engine.config import EnvOptions
from gem_ma.engine.seeding import derive_seed
from gem_ma.testing.fingerprints import fingerprint
from gem_ma.validation.arguments import check_type

UNKNOWN_MOVE = "?"  # the reply if no moves are listed


class ContractError(AssertionError):
    """An environment breaks the contract; the message says where and how."""


def make_fresh_env(env: str | AECEnv) -> AECEnv:
    """Return a new environment from an id, or a copy of an environment."""
    if isinstance(env, str):
        return factory.make(env)
    check_type(env, AECEnv, "env", "an id or an environment")
    return env.copy()


class EnvProbe:
    """An environment under test, with methods to make, play and judge it."""

    def __init__(self, base: AECEnv, seeds: range, max_turns: int):
        self.base, self.core, self.game = base, base.core, base.core.game
        self.seeds, self.max_turns = seeds, max_turns

    def expect(self, holds: object, message: str) -> None:
        if not holds:
            raise ContractError(f"{self.core.id}: {message}")

    def raises(self, error: type[Exception], call: Callable[[], object], when: str) -> None:
        try:
            call()
        except error:
            return
        self.expect(False, f"no {error.__name__} {when}")

    def make(self, **options: Any) -> AECEnv:
        """Return a new environment; options apply to an Env, but not inside a wrapper."""
        if not options or self.base is not self.core:
            return self.base.copy()
        config = {
            "max_turns": self.core.match.config.max_turns,
            "format": self.core.observation_builder.config.format,
        }
        return type(self.core)(self.game, id=self.core.id, **{**config, **options})

    def list_variants(self) -> Iterator[EnvOptions]:
        yield {}
        if self.base is self.core:
            yield {"observe": "both"}
            yield {"observe": "image"}
            if self.game.moves is not None:
                yield {"actions": "discrete"}
                yield {"actions": "discrete", "observe": "image"}

    def choose_action(self, env: AECEnv, agent: str, number: int) -> SeatAction:
        core = env.core
        legal: Any
        if core.observation_builder.discrete and agent in core.to_act:
            legal = np.flatnonzero(env.observe(agent)["action_mask"]).tolist()
        else:
            legal = env.info(agent).get("legal_actions")
        number = derive_seed(number, core.match.index[agent])
        return legal[number % len(legal)] if legal else UNKNOWN_MOVE

    def play_transcript(self, env: AECEnv, seed: int | None = None) -> Iterator[tuple[object, ...]]:
        """Play random moves to the end; yield all that the environment delivers."""
        if seed is not None:
            env.reset(seed=seed)
        core = env.core
        while core.to_act:
            self.expect(core.turns <= self.max_turns, f"no end after {self.max_turns} turns")
            observations = tuple((a, env.observe(a), env.info(a)) for a in core.agents)
            alive = core.agents
            replies = {a: self.choose_action(env, a, core.turns) for a in core.to_act}
            rewards = env.step_seats(replies)
            yield (
                observations,
                ({a: rewards.get(a, 0.0) for a in alive}, *core.collect_end_flags(alive)),
            )
        yield tuple((a, env.observe(a), env.info(a)) for a in env.possible_agents), None

    def fingerprint_steps(self, env: AECEnv, seed: int | None = None) -> list[bytes]:
        return [fingerprint(step) for step in self.play_transcript(env, seed)]
