"""Curriculum: difficulty levels of a game that follow the learner's success rate.

    curriculum = Curriculum("game:FrozenLake-v0", target=0.5)
    trainer = Trainer(curriculum, {"player": learner}, rebn)

The level, from 0 to 10, rises while the success rate is above the target and falls while it is
below. Episodes that always or never succeed teach little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.factory import make
from gem_ma.engine.seeding import derive_seed
from gem_ma.envs.difficulty_levels import MAX_DIFFICULTY
from gem_ma.rollouts.episode import Episode
from gem_ma.validation.arguments import check_each, check_type


class Curriculum:
    """Environments of one id, at difficulties drawn around a level that follows the success rate.

    A curriculum is deterministic: the same seeds and episodes give the same choices. To use it
    without a Trainer:

        for batch in range(100):
            envs = curriculum.sample_envs(64, seed=batch)
            curriculum.update(rollout(envs, agent, 64, seed=batch))

    Args:
        target: the success rate to aim at, above 0 and below 1.
        success: returns the success of an episode, from 0 to 1; None: the mean of its returns,
            clipped to this range.
        start: the level at first.
        rate: how far the level moves in one batch if success and target differ by 1.
        spread: standard deviation of the normal distribution around the level from which
            difficulties are drawn.
        most: the highest difficulty.
        **make: further arguments of `make`.
    """

    def __init__(
        self,
        env: str,
        *,
        target: float = 0.5,
        success: Callable[[Episode], float] | None = None,
        start: float = 0.0,
        rate: float = 1.0,
        spread: float = 1.0,
        most: int = MAX_DIFFICULTY,
        **make: Any,
    ):
        for name, value, fits, expected in (
            ("target", target, 0 < target < 1, "more than 0 and less than 1"),
            ("rate", rate, rate > 0, "more than 0"),
            ("spread", spread, spread >= 0, "0 or more"),
            ("most", most, 0 <= most <= MAX_DIFFICULTY, f"0 to {MAX_DIFFICULTY}"),
            ("start", start, 0 <= start <= most, f"0 to {most}"),
        ):
            if not fits:
                raise ValueError(f"{name}={value}: expected {expected}")
        self.env = env
        self.target = target
        self.success = success or _compute_success
        self.level = float(start)
        self.rate = rate
        self.spread = spread
        self.most = most
        self.make_kwargs = make
        self._env_cache: dict[int, AECEnv] = {}
        self.get_env(round(start))  # so that wrong arguments fail at once

    def get_env(self, difficulty: int) -> AECEnv:
        """Return the environment of a difficulty; it is made once and cached."""
        if difficulty not in self._env_cache:
            self._env_cache[difficulty] = make(self.env, difficulty=difficulty, **self.make_kwargs)
        return self._env_cache[difficulty]

    def sample_envs(self, groups: int, seed: int) -> list[AECEnv]:
        """Return an environment for each group of episodes of a batch."""
        return [self.get_env(one) for one in self.sample_difficulties(groups, seed)]

    def sample_difficulties(self, groups: int, seed: int) -> list[int]:
        """Return a difficulty for each group of episodes of a batch."""
        rng = np.random.Generator(np.random.PCG64(derive_seed(seed)))
        levels = self.level + self.spread * rng.standard_normal(groups)
        return [int(one) for one in np.clip(np.rint(levels), 0, self.most)]

    def update(self, episodes: Sequence[Episode]) -> None:
        """Move the level by the success of a batch of episodes; failed episodes do not count."""
        played = [one for one in check_each(episodes, Episode, "episodes") if one.failure is None]
        successes = [self.success(one) for one in played]
        if successes:
            moved = self.level + self.rate * (fmean(successes) - self.target)
            self.level = min(max(moved, 0.0), float(self.most))

    def state_dict(self) -> dict[str, float]:
        """Return the current level, under the name `place`."""
        return {"place": self.level}

    def load_state_dict(self, state: Mapping[str, float]) -> None:
        """Restore the level from a state of `state_dict`."""
        check_type(state, Mapping, "state")
        place = state.get("place")
        if not isinstance(place, int | float) or not 0 <= place <= self.most:
            raise ValueError(f"state={dict(state)!r}: expected a place from 0 to {self.most}")
        self.level = float(place)

    def __repr__(self) -> str:
        own = {"target": self.target, "rate": self.rate, "spread": self.spread, "most": self.most}
        arguments = ", ".join(
            f"{name}={value!r}" for name, value in {**own, **self.make_kwargs}.items()
        )
        return f"Curriculum({self.env!r}, {arguments})"


def _compute_success(episode: Episode) -> float:
    return min(max(fmean(episode.returns.values()), 0.0), 1.0)
