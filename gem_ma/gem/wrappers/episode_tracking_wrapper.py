"""EpisodeTrackingWrapper: counts the steps and sums the rewards of an episode."""

from __future__ import annotations

from gem_ma.gem.core import EnvLike, EnvWrapper, ResetResult, StepResult
from gem_ma.validation.json_types import JSONObject


class EpisodeTrackingWrapper(EnvWrapper):
    """A wrapper that adds an episode's steps and rewards to the info; it has to be outermost."""

    def __init__(self, env: EnvLike):
        super().__init__(env)
        self.step_counter, self.cumulative_rewards = 0, 0.0

    def reset(self, seed: int | None = None, **kwargs: object) -> ResetResult:
        """Begin an episode; the info also has the totals of the last one."""
        totals = {
            "prev_ep_step_counter": self.step_counter,
            "prev_ep_cumulative_rewards": self.cumulative_rewards,
        }
        observation, info = self.env.reset(seed=seed, **kwargs)
        self.step_counter, self.cumulative_rewards = 0, 0.0
        return observation, {**info, **totals, **self._make_totals()}

    def step(self, action: str) -> StepResult:
        """Take a reply."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.step_counter += 1
        self.cumulative_rewards += reward
        return observation, reward, terminated, truncated, {**info, **self._make_totals()}

    def _make_totals(self) -> JSONObject:
        return {"step_counter": self.step_counter, "cumulative_rewards": self.cumulative_rewards}
