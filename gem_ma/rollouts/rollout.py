"""rollout: play many episodes at once, and record each as its seats saw it."""

from __future__ import annotations

import contextlib
import os
import signal
import warnings
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from typing import Any

from gem_ma.agents.wrappers.cost_meter import CostLimitReached
from gem_ma.apis.factory import EnvSource, resolve_env
from gem_ma.chat.agent import EpisodeAgents
from gem_ma.chat.context import SeatContexts
from gem_ma.chat.event_loops import run_async
from gem_ma.game import ResetOptions
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.episode_runner import EpisodeRunner, collection_threshold
from gem_ma.rollouts.progress import RolloutProgress
from gem_ma.rollouts.run import RolloutRun, StartMode, TooManyErrors


class FailedEpisodesWarning(UserWarning):
    """Issued if some episodes failed and the others were played."""


class RolloutInterrupted(KeyboardInterrupt):
    """Raised if the run was interrupted from the keyboard; `episodes` has all that ended."""

    episodes: list[Episode]


async def arollout(
    env: EnvSource | Sequence[EnvSource],
    agents: EpisodeAgents,
    episodes: int = 1,
    *,
    concurrency: int = 64,
    seed: int | None = None,
    group: int = 1,
    shuffle: bool = False,
    start: StartMode = "new",
    options: ResetOptions | Sequence[ResetOptions] = (),
    context: SeatContexts | None = None,
    max_errors: int = 10,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    pictures: bool = True,
    progress: bool | RolloutProgress | None = None,
    workers: int | str | None = None,
    step_timeout: float | None = None,
    actor: Mapping[str, object] | None = None,
    **make: Any,
) -> AsyncGenerator[Episode, None]:
    """Play episodes and yield each as it ends; the arguments are those of `rollout`."""
    if workers is None and step_timeout is not None:
        raise ValueError(
            f"step_timeout={step_timeout} needs workers, such as workers=1: only the step of a "
            "worker process can be stopped"
        )
    if step_timeout is not None and not hasattr(signal, "setitimer"):
        raise ValueError(
            f"step_timeout={step_timeout} needs signal.setitimer of Linux or macOS, which this "
            "system lacks; leave step_timeout out"
        )
    several = [env] if isinstance(env, str) or not isinstance(env, Sequence) else env
    run = RolloutRun(
        [resolve_env(rollout, one, make) for one in several],
        agents,
        episodes,
        concurrency=concurrency,
        seed=seed,
        group=group,
        shuffle=shuffle,
        start=start,
        options=options,
        context=context,
        max_errors=max_errors,
        out=out,
        resume=resume,
        pictures=pictures,
        progress=progress,
    )
    try:
        if workers is None:
            playing = play_concurrently(run)
        else:
            playing = play_in_workers(run, agents, workers, step_timeout, actor)
        async with contextlib.aclosing(playing) as finished:
            async for episode in finished:
                yield episode
    finally:
        run.close()


def rollout(
    env: EnvSource | Sequence[EnvSource],
    agents: EpisodeAgents,
    episodes: int = 1,
    *,
    concurrency: int = 64,
    seed: int | None = None,
    group: int = 1,
    shuffle: bool = False,
    start: StartMode = "new",
    options: ResetOptions | Sequence[ResetOptions] = (),
    context: SeatContexts | None = None,
    max_errors: int = 10,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    pictures: bool = True,
    progress: bool | RolloutProgress | None = None,
    workers: int | str | None = None,
    step_timeout: float | None = None,
    actor: Mapping[str, object] | None = None,
    **make: Any,
) -> list[Episode]:
    """Play episodes and return them in order.

    Args:
        env: An id (with `make`, its arguments), an environment, or a list of these, used in turn.
        agents: One agent for all seats, a list in the order of the seats, or a mapping from seat to
            agent. An agent is an object with `act`, a function of a Turn, or a spec string such as
            "random".
        episodes: Number of episodes.
        concurrency: Episodes that are played at once. It does not change results.
        seed: Seed of all episodes; None: draw one.
        group: Number of consecutive episodes with the same start. They differ in what agents draw.
        shuffle: Draw for each episode which agent plays which seat.
        start: "new" for new starts. "here": continue each environment, such as a fork, from its
            present position. The record contains the earlier steps as well (`episode.begun` counts
            them). `seed` then only decides what agents draw.
        options: Options of `reset`; with several, each group takes the next.
        context: How much of its chat an agent reads: a Context, a text such as "turns=4,images=2",
            or a mapping from seat to these. None: all of it.
        max_errors: Number of failed episodes to tolerate; one more raises TooManyErrors.
        out: A file to which each episode is appended as it ends. Its pictures are saved next to the
            file, unless `pictures` is False. None: no file.
        resume: Play only episodes that are not in `out` yet or that failed.
        pictures: Whether to save pictures with `out`.
        progress: Show a bar on a terminal, and lines elsewhere; None: a bar on a terminal only. A
            RolloutProgress may be shared by several rollouts.
        workers: Number of worker processes, or "ray" or "ray:8" for Ray actors. Agents with
            `portable = True` (random, scripted, search) run in the workers. Others stay in this
            process and get the turns of all workers in one batch. With Ray, all agents are sent to
            the actors.
        step_timeout: With workers, seconds that a game may take for a step before its episode
            fails.
        actor: With Ray, the options of each actor, such as {"num_cpus": 2}.
        **make: Arguments of `make` if `env` is an id.

    Returns:
        The episodes, in order.

    Raises:
        TooManyErrors: More episodes failed than `max_errors`.
        CostLimitReached: A CostMeter of the agents has reached its limit.

    Examples:
        >>> import gem_ma
        >>> def first_free(turn):
        ...     return turn.legal[0]
        >>> agents = {"x": first_free, "o": "search"}
        >>> episodes = gem_ma.rollout("game:TicTacToe-v0", agents, episodes=2, seed=0)
        >>> [episode.returns for episode in episodes]
        [{'x': -1.0, 'o': 1.0}, {'x': -1.0, 'o': 1.0}]
    """
    finished = arollout(
        env,
        agents,
        episodes,
        concurrency=concurrency,
        seed=seed,
        group=group,
        shuffle=shuffle,
        start=start,
        options=options,
        context=context,
        max_errors=max_errors,
        out=out,
        resume=resume,
        pictures=pictures,
        progress=progress,
        workers=workers,
        step_timeout=step_timeout,
        actor=actor,
        **make,
    )
    done: list[Episode] = []

    async def collect_episodes() -> None:
        async with contextlib.aclosing(finished):
            async for episode in finished:
                done.append(episode)

    try:
        run_async(collect_episodes)
    except KeyboardInterrupt:
        interrupted = RolloutInterrupted(f"{len(done)} of {episodes} episodes are done")
        interrupted.episodes = _sort_episodes(done)
        raise interrupted from None
    except (TooManyErrors, CostLimitReached) as error:
        error.episodes = _sort_episodes(done)
        raise
    done = _sort_episodes(done)
    _warn_of_failures(done)
    return done


def _warn_of_failures(episodes: Sequence[Episode]) -> None:
    """Warn the caller of `rollout` that some episodes failed."""
    failures = [episode.failure for episode in episodes if episode.failure is not None]
    if failures:
        warnings.warn(
            f"{len(failures)} of {len(episodes)} episodes failed, and have no returns; the first "
            f"by {failures[0].kind}: {failures[0].message}",
            FailedEpisodesWarning,
            stacklevel=3,
        )


def _sort_episodes(episodes: Iterable[Episode]) -> list[Episode]:
    return sorted(episodes, key=lambda episode: episode.number)


async def play_concurrently(run: RolloutRun) -> AsyncGenerator[Episode, None]:
    """Play a run in this process; each episode continues as soon as its own replies are there."""
    async with run.open_agents(), contextlib.AsyncExitStack() as stack:
        loop = EpisodeRunner(run)
        stack.push_async_callback(loop.stop)
        stack.enter_context(collection_threshold.raised())
        async for episode in loop.run():
            yield episode


def play_in_workers(
    run: RolloutRun,
    agents: EpisodeAgents,
    workers: int | str,
    step_timeout: float | None,
    actor: Mapping[str, object] | None,
) -> AsyncGenerator[Episode, None]:
    """Play a run in workers; yield each episode as it ends."""
    if isinstance(workers, str):
        kind, _, count = workers.partition(":")
        if kind != "ray" or not (count or "1").isdecimal() or count == "0":
            raise ValueError(f"workers={workers!r}: expected a number, 'ray' or 'ray:8'")
        from gem_ma.rollouts.ray_pool import RayWorkerPool

        return RayWorkerPool(run, agents, int(count or 0), step_timeout, actor or {}).run()
    if actor is not None:
        raise ValueError(
            f"actor= holds options of Ray actors and needs workers='ray', got workers={workers!r}"
        )
    if not isinstance(workers, int) or workers < 1:
        raise ValueError(f"workers={workers}: expected a whole number of 1 or more")
    from gem_ma.rollouts.worker_pool import WorkerPool

    return WorkerPool(run, agents, workers, step_timeout).run()
