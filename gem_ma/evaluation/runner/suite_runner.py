"""SuiteRunner what of a suite is not on disk yet, several environments at once."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
from collections.abc import (
    AsyncGenerator,
    Callable,
    Collection,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import replace
from pathlib import Path
from types import NoneType
from typing import Any

from gem_ma import agents as players
from gem_ma.chat.agent import (
    Agent,
    AgentSource,
    check_agent_seat,
    get_traits,
    notify_episode_end,
    notify_rollout_end,
)
from gem_ma.chat.event_loops import run_async
from gem_ma.evaluation import run_folder, suites
from gem_ma.evaluation.runner.eval_tasks import (
    KIND,
    TASKS_FILE,
    EvalTask,
    make_entry_env,
    plan_tasks,
)
from gem_ma.evaluation.runner.results import Evaluation, TokenPrices, summarize
from gem_ma.evaluation.suites import BadSuite, Suite
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.progress import RolloutProgress
from gem_ma.rollouts.rollout import arollout
from gem_ma.rollouts.run import TooManyErrors
from gem_ma.validation.arguments import check_type
from gem_ma.validation.endpoints import redact_secrets


class LoadedAgent:
    """An agent that many rollouts use under the name of its spec, loaded once."""

    def __init__(self, spec: str, agent: Any):
        self.spec = spec
        self.agent: Agent = players.load_agent(agent)
        self.blocking, self.prefers_single_turns, self.portable, self.seats = get_traits(self.agent)

    @property
    def act(self) -> Callable[..., Any]:
        return self.agent.act

    def on_episode_end(self, episode: Episode) -> None:
        notify_episode_end(self.agent, episode)

    def on_rollout_end(self) -> None:
        notify_rollout_end(self.agent)

    @property
    def model(self) -> str:
        """The name of the model that the agent is, or that is inside it, or nothing."""
        agent: Any = self.agent
        while agent is not None:
            for name in (getattr(agent, "model", None), getattr(agent, "name", None)):
                if isinstance(name, str):
                    return name
            agent = getattr(agent, "agent", None)
        return ""

    @property
    def is_async(self) -> bool:
        """Whether it has time for other episodes while it waits for a reply."""
        return inspect.iscoroutinefunction(self.agent.act)

    def __repr__(self) -> str:
        return self.spec


def evaluate(
    suite: Suite | str,
    agents: str | None,
    out: str | os.PathLike[str],
    *,
    seats: Mapping[str, str] | None = None,
    seed: int | None = None,
    tasks: int | None = None,
    trials: int | None = None,
    concurrency: int = 64,
    max_errors: int = 10,
    workers: int | None = None,
    pictures: bool = False,
    prices: TokenPrices | None = None,
    named: Mapping[str, AgentSource] | None = None,
    progress: bool | None = None,
    on_cell: Callable[[str, int, int], None] | None = None,
) -> Evaluation:
    """Play what of a suite is not in the folder yet, and return the numbers of all of it.

    Args:
        suite: A Suite, or the name or file of one.
        agents: The spec of the agent that is evaluated; None: those of `seats` are.
        out: The folder that episodes and results are written to.
        seats: Specs of who else sits in a seat; with agents=None, of those who are evaluated too.
        seed: Decides all episodes, instead of what the suite says.
        tasks: How many starts there are, instead of what the suite says.
        trials: How often each start is played, instead of what the suite says.
        concurrency: Episodes alive at once. It changes no result.
        max_errors: Failed episodes that the run puts up with.
        workers: Play in so many processes; None: in this one.
        pictures: Whether to keep the pictures of the episodes.
        prices: The price of a million tokens read, and of a million written, of the evaluated
            seats; or a table of such by the name of the model or the spec of an agent in any seat.
        named: Agents, or functions of a Turn, by the name that stands for each instead of a spec.
        progress: Show a bar on a terminal, and elsewhere a line now and then; None: on a terminal
            only.
        on_cell: Called, unless a bar is drawn, with the title of a cell that has ended, and how
            many episodes it has of how many.

    Returns:
        The results of every environment of the suite, and of all together.

    Raises:
        BadSuite: There is no such suite, or what is asked for does not fit it.
    """
    suite = suites.load_suite(suite) if isinstance(suite, str) else suite
    check_type(suite, Suite, "suite", "a Suite or the name of one")
    check_type(agents, (str, NoneType), "agents", "a spec, such as 'random'")
    for two in prices.values() if isinstance(prices, Mapping) else [prices] if prices else []:
        if len(two) != 2:
            raise BadSuite(f"prices={two!r}: expected two, of a million tokens read and written")
    suite = _change_suite(suite, seed, tasks, trials)
    seats = dict(seats or {})
    cells, skipped = plan_tasks(suite, agents, seats)
    named = named or {}
    check_type(named, Mapping, "named")
    cells = [cell._replace(agents=_add_sampling(cell, named)) for cell in cells]
    about = {"suite": suite.to_dict(), "agents": agents, "seats": seats, "skipped": skipped}
    shared = load_agents((spec for cell in cells for spec in cell.agents.values()), named)
    cells = [
        cell._replace(agents={seat: redact_secrets(spec) for seat, spec in cell.agents.items()})
        for cell in cells
    ]
    for seat, spec in sorted({pair for cell in cells for pair in cell.agents.items()}):
        check_agent_seat(shared[spec], seat, spec)
    if isinstance(prices, Mapping):
        prices = _price_specs(prices, shared)
    if concurrency < 1:
        raise BadSuite(f"concurrency={concurrency}: expected 1 or more")
    with run_folder.open_run_folder(
        out, KIND, {key: about[key] for key in ("suite", "agents", "seats")}
    ) as path:
        folder = path / "episodes"
        folder.mkdir(exist_ok=True)
        listed = [{**cell._asdict(), "entry": cell.entry.name} for cell in cells]
        run_folder.write_json(path / TASKS_FILE, listed)
        limits = {"max_errors": max_errors, "workers": workers, "pictures": pictures}
        bar = None
        if progress or progress is None:
            bar = RolloutProgress.start(sum(cell.episodes for cell in cells), force=bool(progress))
        playing = SuiteRunner(folder, suite.seed, shared, concurrency, limits, bar, on_cell)
        try:
            run_async(lambda: playing.play_all(cells))
        finally:
            if bar is not None:
                bar.stop()
        results = summarize(path, suite, cells, skipped, prices, playing.stopped)
        run_folder.write_json(path / "results.json", results.to_dict())
    return results


def _add_sampling(cell: EvalTask, named: Collection[str]) -> dict[str, str]:
    """Return who sits in each seat, with the options that the suite gives whoever sits there."""
    return {
        seat: spec
        if spec in named
        else players.AGENT_SPECS.add_defaults(spec, cell.entry.sampling.get(seat, {}))
        for seat, spec in cell.agents.items()
    }


def _price_specs(
    prices: Mapping[str, tuple[float, float]], shared: Mapping[str, LoadedAgent]
) -> dict[str, tuple[float, float]]:
    """Return prices by spec; those of "" are of the evaluated seats that have no others."""
    price_by_agent = {"": prices[""]} if "" in prices else {}
    for name in prices.keys() - {""}:
        specs = [spec for spec, one in shared.items() if name in (spec, one.model)]
        if not specs:
            there = sorted({one.model or spec for spec, one in shared.items()})
            raise BadSuite(
                f"prices of {name!r}, which nobody here is; there are {', '.join(there)}"
            )
        price_by_agent |= dict.fromkeys(specs, prices[name])
    return price_by_agent


def _change_suite(suite: Suite, seed: int | None, tasks: int | None, trials: int | None) -> Suite:
    for name, value in (("tasks", tasks), ("trials", trials)):
        if value is not None and value < 1:
            raise BadSuite(f"{name}={value}: expected 1 or more")
    entries = tuple(
        replace(entry, tasks=tasks or entry.tasks, trials=trials or entry.trials)
        for entry in suite.entries
    )
    return replace(suite, entries=entries, seed=suite.seed if seed is None else seed)


def load_agents(specs: Iterable[str], named: Mapping[str, AgentSource]) -> dict[str, LoadedAgent]:
    """Load each agent once, under a name that may be written down."""
    check_type(named, Mapping, "named")
    agents_by_spec: dict[str, LoadedAgent] = {}
    for spec in dict.fromkeys(specs):
        name = redact_secrets(spec)
        if (
            name not in agents_by_spec or name != spec
        ):  # whoever has played before may come without secrets
            agents_by_spec[name] = LoadedAgent(name, named.get(spec, spec))
    return agents_by_spec


class SuiteRunner:
    """Cells on their way into the files of a folder; `stopped` says which had too many errors."""

    def __init__(
        self,
        folder: Path,
        seed: int,
        agents: Mapping[str, LoadedAgent],
        concurrency: int,
        limits: Mapping[str, Any],
        bar: RolloutProgress | None,
        on_cell: Callable[[str, int, int], None] | None,
    ):
        self.folder = folder
        self.seed = seed
        self.agents = agents
        self.concurrency = concurrency
        self.limits = limits
        self.bar = bar
        self.on_cell = on_cell
        self.stopped: list[dict[str, str]] = []

    async def play_all(self, cells: Sequence[EvalTask]) -> None:
        """Play all cells: several at once where agents wait for a server, else one by one."""
        async with contextlib.AsyncExitStack() as stack:
            for shared in self.agents.values():
                if hasattr(shared.agent, "__aenter__"):
                    await stack.enter_async_context(shared.agent)  # type: ignore[arg-type]
            everybody = self.agents.values()
            patient = any(one.is_async for one in everybody)
            if (
                patient
                and self.limits["workers"] is None
                and not any(one.blocking for one in everybody)
            ):
                await self.play_concurrently(cells)
            else:
                for cell in cells:
                    await self.play_task(cell, self.concurrency)

    async def play_concurrently(self, cells: Sequence[EvalTask]) -> None:
        """Play cells at once, no more episodes of all together than may be alive."""
        free, ready = self.concurrency, asyncio.Condition()

        async def one(cell: EvalTask) -> None:
            nonlocal free
            share = min(cell.episodes, self.concurrency)
            async with ready:
                await ready.wait_for(lambda: free >= share)
                free -= share
            try:
                await self.play_task(cell, share)
            finally:
                async with ready:
                    free += share
                    ready.notify_all()

        await _run_all([one(cell) for cell in cells])

    async def play_task(self, cell: EvalTask, concurrency: int) -> None:
        done = 0
        async with contextlib.aclosing(self.start_rollout(cell, concurrency)) as finished:
            try:
                async for episode in finished:
                    done += episode.failure is None
            except TooManyErrors as error:
                self.stopped.append({"what": cell.title, "reason": str(error)})
        if self.on_cell is not None and not (self.bar is not None and self.bar.drawn):
            self.on_cell(cell.title, done, cell.episodes)

    def start_rollout(self, cell: EvalTask, concurrency: int) -> AsyncGenerator[Episode, None]:
        entry = cell.entry
        return arollout(
            make_entry_env(entry),
            {seat: self.agents[spec] for seat, spec in cell.agents.items()},
            cell.episodes,
            concurrency=concurrency,
            seed=self.seed,
            group=entry.trials,
            options=entry.list_reset_options(),
            context=entry.context or None,
            out=self.folder / cell.file,
            resume=True,
            progress=self.bar if self.bar is not None else False,
            **self.limits,
        )


async def _run_all(work: Sequence[Coroutine[Any, Any, None]]) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except BaseExceptionGroup as errors:  # the others were stopped because of the first
        raise errors.exceptions[0] from None
