"""RayBackend: holds the environments of a vector in Ray actors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gem_ma.apis.vector.sub_envs import SubEnv
from gem_ma.apis.workers import (
    JobResult,
    StepTimeout,
    WorkerDied,
    WorkerJob,
    group_jobs,
    run_jobs,
    shard_items,
)


def connect_ray() -> Any:
    """Return the module ray, connected to an existing cluster or to a new local one."""
    try:
        import ray
    except ImportError as error:
        raise ImportError("Ray is not installed: pip install 'gem-ma[ray]'") from error
    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False)
    return ray


class RayBackend:
    """Sub-environments in Ray actors; one call carries all jobs of an actor."""

    renders_locally = False

    def __init__(self, slots: Sequence[SubEnv], workers: int | None, timeout: float | None):
        self.ray = connect_ray()
        self.timeout = timeout
        cpus = max(int(self.ray.cluster_resources().get("CPU", 1)), 1)
        count = min(len(slots), workers or cpus)
        remote = self.ray.remote(_SubEnvActor)
        self.actors = [remote.remote(share) for share in shard_items(slots, count)]
        self.calls: list[Any] = []

    def submit(self, jobs: Sequence[WorkerJob], together: bool) -> None:
        parts = group_jobs(jobs, len(self.actors))
        self.calls += [self.actors[number].run.remote(part) for number, part in parts.items()]

    def collect(self, wanted: int) -> list[JobResult]:
        ready, self.calls = self.ray.wait(self.calls, num_returns=1, timeout=self.timeout)
        if not ready:
            raise StepTimeout(
                f"a step took more than {self.timeout:g} s in its actor; make another vector, "
                "with a larger step_timeout"
            )
        try:
            return [result for part in self.ray.get(ready) for result in part]
        except self.ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except self.ray.exceptions.RayActorError as error:
            raise WorkerDied(str(error)) from None

    def kill(self) -> None:
        for actor in self.actors:
            self.ray.kill(actor)

    close = kill


class _SubEnvActor:
    """An actor with some environments of a vector."""

    def __init__(self, slots: dict[int, SubEnv]):
        self.slots = slots

    def run(self, jobs: Sequence[WorkerJob]) -> list[JobResult]:
        return run_jobs(self.slots, jobs)
