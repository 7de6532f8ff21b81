"""AsyncVectorEnv: environments stepped at the same time, each in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from gem_ma.gem.core import EnvLike, StepResult
from gem_ma.gem.vector.vector_env import AutoresetMode, VectorEnv


class AsyncVectorEnv(VectorEnv):
    """Step each environment in a thread of its own, which helps those that wait for something."""

    def __init__(
        self,
        env_ids: Sequence[str],
        env_fns: Sequence[Callable[[], EnvLike]],
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
    ):
        super().__init__(env_ids, env_fns, autoreset_mode)
        self._threads = ThreadPoolExecutor(max(1, self.num_envs))

    def _map_steps(
        self,
        step_env: Callable[[int, str], StepResult],
        indices: Iterable[int],
        actions: Iterable[str],
    ) -> Iterable[StepResult]:
        return self._threads.map(step_env, indices, actions)

    def close(self) -> None:
        """Close every environment, and end the threads."""
        self._threads.shutdown()
        super().close()
