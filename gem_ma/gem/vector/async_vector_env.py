"""AsyncVectorEnv: environments stepped at the same time, each in a thread of its own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from gem_ma.gem.core import StepResult
from gem_ma.gem.vector.vector_env import VectorEnv


class AsyncVectorEnv(VectorEnv):
    """A VectorEnv that steps each environment in its own thread, which helps if they wait."""

    @functools.cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(max(1, self.num_envs))

    def _map_steps(
        self,
        step_env: Callable[[int, str], StepResult],
        indices: Iterable[int],
        actions: Iterable[str],
    ) -> Iterable[StepResult]:
        return self._threads.map(step_env, indices, actions)

    def close(self) -> None:
        """End the threads, and close every environment."""
        self._threads.shutdown()
        super().close()
