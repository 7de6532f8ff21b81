"""Shards of a run, for processes and for Ray: which worker plays which episodes."""

from __future__ import annotations

import contextlib
import itertools
import signal
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from gem_ma.apis.workers import StepTimeout
from gem_ma.chat.agent import AgentSource, EpisodeAgents
from gem_ma.chat.tracing import WorkerTracing, start_worker_tracing
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.run import RolloutRun

# Deaths of workers while they play an episode alone, after which the episode fails.
_MAX_STRIKES = 5


class StepCounter(Protocol):
    """Memory that a worker shares with its parent: a counter that is odd during a step."""

    value: int


class Shard(RolloutRun):
    """The part of a run that one worker plays: the episodes whose numbers the parent sends."""

    def __init__(
        self,
        step_timeout: float | None,
        pulse: StepCounter | None = None,
        tracing: WorkerTracing | None = None,
        **run: Any,
    ):
        if tracing is not None:
            start_worker_tracing(tracing)
        super().__init__(out=None, resume=False, pictures=False, progress=False, **run)
        self.todo: deque[int] = deque()
        self.step_timeout = step_timeout
        self.alarm = None if step_timeout is None else StepAlarm(step_timeout, pulse)

    def add(self, numbers: Iterable[int]) -> None:
        """Add numbers of episodes to play."""
        self.todo.extend(numbers)
        self.has_more = True

    def iterate_numbers(self) -> Iterator[int]:
        while self.todo:
            yield self.todo.popleft()

    def drain_finished(self) -> Iterator[Episode]:
        while self.finished:
            yield self.finished.popleft()


class StepAlarm(contextlib.AbstractContextManager[None]):
    """A timer that raises StepTimeout in the main thread when a step takes too long.

    Code that computes without returning to Python is killed with its process, after 2 * seconds + 1
    seconds of CPU time.

    Args:
        pulse: Memory that the parent reads: a counter, odd during a step and different for each
            step.
    """

    def __init__(self, seconds: float, pulse: StepCounter | None = None):
        self.seconds = seconds
        self.pulse = pulse
        self.armed = False
        signal.signal(signal.SIGALRM, self.raise_timeout)

    def raise_timeout(self, *_: object) -> None:
        if self.armed:
            raise StepTimeout(f"a step took more than {self.seconds:g} s")

    def __enter__(self) -> None:
        self.armed = True
        if self.pulse is not None:
            self.pulse.value += 1
        signal.setitimer(signal.ITIMER_REAL, self.seconds, self.seconds)
        signal.setitimer(signal.ITIMER_PROF, 2 * self.seconds + 1)

    def __exit__(self, *_: object) -> None:
        self.armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if self.pulse is not None:
            self.pulse.value += 1


def make_shard_arguments(
    run: RolloutRun,
    agents: EpisodeAgents,
    far: Callable[[AgentSource], AgentSource],
    concurrency: int,
) -> dict[str, Any]:
    """Return the arguments of a Shard of a run, with every agent passed through `far`."""
    far_agents: EpisodeAgents
    if isinstance(agents, Mapping):
        far_agents = {seat: far(agent) for seat, agent in agents.items()}
    elif isinstance(agents, Sequence) and not isinstance(agents, str):
        far_agents = [far(agent) for agent in agents]
    else:
        far_agents = far(agents)
    return {
        "env": run.envs,
        "agents": far_agents,
        "episodes": run.total,
        "concurrency": concurrency,
        "seed": run.seed,
        "group": run.group,
        "shuffle": run.shuffle,
        "start": run.start,
        "options": run.options,
        "context": {seat: c for contexts in run.contexts for seat, c in contexts.items()} or None,
        "max_errors": run.total,
        "tracing": None if run.trace is None else run.trace.describe_for_workers(),
    }


class ShardScheduler:
    """A scheduler that assigns episodes to workers, and reassigns those of workers that died.

    Any of the episodes that a worker was playing may have caused its death. These are played again,
    each alone in a worker, until the cause is clear.
    """

    def __init__(self, run: RolloutRun):
        self.run = run
        self.unassigned = run.iterate_numbers()
        self.left = run.total - len([number for number in run.done if number < run.total])
        self.suspects: deque[int] = deque()
        self.strikes: dict[int, int] = {}
        self.assigned: dict[Hashable, dict[int, None]] = {}  # the episodes of each worker, in order
        self.isolated: set[Hashable] = set()  # workers that play a suspect alone

    def assign_episodes(self, worker: Hashable, wanted: int) -> list[int]:
        """Return the episodes that a worker gets in addition to those it has."""
        held = self.assigned.setdefault(worker, {})
        if worker in self.isolated:
            if held:
                return []
            self.isolated.discard(worker)
        if self.suspects and not held:
            self.isolated.add(worker)
            numbers = [self.suspects.popleft()]
        else:
            numbers = list(itertools.islice(self.unassigned, max(wanted - len(held), 0)))
        held.update(dict.fromkeys(numbers))
        return numbers

    def mark_finished(self, worker: Hashable, number: int) -> None:
        """Record that a worker has returned an episode."""
        del self.assigned[worker][number]
        self.left -= 1

    def reassign_episodes(self, worker: Hashable, error: BaseException) -> None:
        """Reassign the episodes of a worker that died."""
        held = self.assigned.pop(worker, {})
        if worker in self.isolated:
            self.isolated.discard(worker)
            for number in held:
                self.strikes[number] = self.strikes.get(number, 0) + 1
                if self.strikes[number] >= _MAX_STRIKES:
                    self.run.record_lost_episode(number, error)
                    self.left -= 1
                else:
                    self.suspects.append(number)
        else:
            self.suspects.extend(held)
