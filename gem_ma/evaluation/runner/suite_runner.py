"""The runner of a suite: it plays the episodes that are missing, several environments at once."""

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
from gem_ma.agents.providers.base import has_prices, set_cache
from gem_ma.agents.wrappers.cost_meter import (
    CostLimitReached,
    CostMeter,
    TokenPrices,
    find_model_name,
)
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
    load_task_episodes,
    make_entry_env,
    plan_tasks,
)
from gem_ma.evaluation.runner.evaluation_report import report_evaluation
from gem_ma.evaluation.runner.results import Evaluation, summarize
from gem_ma.evaluation.suites import BadSuite, Suite
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.progress import RolloutProgress
from gem_ma.rollouts.reporting.run_report import RunReport
from gem_ma.rollouts.rollout import arollout
from gem_ma.rollouts.run import TooManyErrors
from gem_ma.validation.arguments import check_type
from gem_ma.validation.endpoints import redact_secrets


class LoadedAgent:
    """An agent that is loaded once, and that many rollouts use under the name of its spec."""

    def __init__(self, spec: str, agent: Any):
        self.spec = spec
        self.agent: Agent = players.load_agent(agent)
        self.blocking, self.prefers_single_turns, self.portable, self.seats = get_traits(self.agent)

    def put_meter(self, meter: CostMeter, price: tuple[float, float] | None) -> None:
        """Put a meter around the agent, which then plays in this process."""
        self.agent = meter.wrap(self.agent, price, self.spec)
        self.portable = False

    @property
    def act(self) -> Callable[..., Any]:
        return self.agent.act

    def on_episode_end(self, episode: Episode) -> None:
        notify_episode_end(self.agent, episode)

    def on_rollout_end(self) -> None:
        notify_rollout_end(self.agent)

    @property
    def model(self) -> str:
        """The model name of the agent, or of an agent inside it; "" if there is none."""
        return find_model_name(self.agent)

    @property
    def is_async(self) -> bool:
        """Whether other episodes can continue while the agent waits for a reply."""
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
    max_cost: float | None = None,
    cache: str | None = None,
    named: Mapping[str, AgentSource] | None = None,
    progress: bool | None = None,
    on_cell: Callable[[str, int, int], None] | None = None,
    report_to: str | Sequence[str] | None = None,
) -> Evaluation:
    """Play the episodes of a suite that the folder lacks, and return the results of all.

    Args:
        suite: A Suite, or its name or TOML file.
        agents: Spec of the evaluated agent. None: the agents in `seats` are evaluated.
        out: Folder for episodes and results.
        seats: Agent specs by seat, for seats that are not evaluated. With agents=None, also for the
            evaluated seats.
        seed: Decides all episodes. None: the seed of the suite.
        tasks: Number of starts of each environment. None: as in the suite.
        trials: Number of episodes per start. None: the number in the suite.
        concurrency: Number of episodes to play at the same time. It does not change the results.
        max_errors: Number of failed episodes to tolerate in each cell; one more stops the cell.
        workers: Number of processes to play in. None: this process.
        pictures: Whether to save the pictures of the episodes.
        prices: Price of a million tokens read, and of a million written, for the evaluated seats.
            Or a table of such pairs by model name or agent spec, for any seat. New records then
            have `Reply.cost`.
        max_cost: What all replies in the folder may cost together. When it is reached, the cells
            that are not complete stop; with a higher limit, the same call continues.
        cache: Folder in which providers keep answers; see `ProviderAgent`.
        named: Agents, or functions of a Turn, by the name that stands for each in place of a spec.
        progress: True: show a bar on a terminal, and lines elsewhere. None: a bar on a terminal
            only.
        on_cell: Called at the end of a cell, unless a bar is drawn, with its title and its numbers
            of finished and expected episodes.
        report_to: Dashboards that show the results and some episodes: one or several of
            "tensorboard", "wandb" and "trackio"; "all": those that are installed.

    Returns:
        The results of every environment of the suite, and of all together.

    Raises:
        BadSuite: The suite does not exist, or an argument does not fit it.

    Examples:
        >>> from gem_ma.evaluation import evaluate, make_suite
        >>> suite = make_suite(["game:TicTacToe-v0"])
        >>> result = evaluate(suite, "search", "results", tasks=2, trials=1)
        >>> [(row["seat"], row["success"].value) for row in result.rows]
        [('x', 1.0), ('o', 1.0)]
    """
    suite = suites.load_suite(suite) if isinstance(suite, str) else suite
    check_type(suite, Suite, "suite", "a Suite or the name of one")
    check_type(agents, (str, NoneType), "agents", "a spec, such as 'random'")
    for two in prices.values() if isinstance(prices, Mapping) else [prices] if prices else []:
        if len(two) != 2:
            raise BadSuite(
                f"prices={two!r}: expected two numbers, the prices of a million input tokens and "
                "of a million output tokens"
            )
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
    if cache is not None:
        set_cache(cache, [one.agent for one in shared.values()])
    meter = _meter_agents(shared, cells, prices, max_cost)
    if concurrency < 1:
        raise BadSuite(f"concurrency={concurrency}: expected 1 or more")
    config = {"suite": suite.name, "agents": agents, "seats": seats, "seed": suite.seed}
    with (
        run_folder.open_run_folder(
            out, KIND, {key: about[key] for key in ("suite", "agents", "seats")}
        ) as path,
        RunReport(report_to, path, config=config) as report,
    ):
        folder = path / "episodes"
        folder.mkdir(exist_ok=True)
        listed = [{**cell._asdict(), "entry": cell.entry.name} for cell in cells]
        run_folder.write_json(path / TASKS_FILE, listed)
        limits = {"max_errors": max_errors, "workers": workers, "pictures": pictures}
        bar = None
        if progress or progress is None:
            bar = RolloutProgress.start(sum(cell.episodes for cell in cells), force=bool(progress))
        _add_recorded_costs(meter, path, cells)
        playing = SuiteRunner(folder, suite.seed, shared, concurrency, limits, bar, on_cell)
        try:
            run_async(lambda: playing.play_all(cells))
        finally:
            if bar is not None:
                bar.stop()
        results = summarize(path, suite, cells, skipped, prices, playing.stopped)
        run_folder.write_json(path / "results.json", results.to_dict())
        report_evaluation(report, results, path, cells)
    return results


def _add_sampling(cell: EvalTask, named: Collection[str]) -> dict[str, str]:
    """Return the spec in each seat, with the suite's sampling options added."""
    return {
        seat: spec
        if spec in named
        else players.AGENT_SPECS.add_defaults(spec, cell.entry.sampling.get(seat, {}))
        for seat, spec in cell.agents.items()
    }


def _price_specs(
    prices: Mapping[str, tuple[float, float]], shared: Mapping[str, LoadedAgent]
) -> dict[str, tuple[float, float]]:
    """Return prices by spec; the price of "" applies to evaluated seats without another price."""
    price_by_agent = {"": prices[""]} if "" in prices else {}
    for name in prices.keys() - {""}:
        specs = [spec for spec, one in shared.items() if name in (spec, one.model)]
        if not specs:
            there = sorted({one.model or spec for spec, one in shared.items()})
            raise BadSuite(
                f"prices for {name!r}, but no agent has this name; the agents are "
                f"{', '.join(there)}"
            )
        price_by_agent |= dict.fromkeys(specs, prices[name])
    return price_by_agent


def _meter_agents(
    shared: Mapping[str, LoadedAgent],
    cells: Sequence[EvalTask],
    prices: TokenPrices | None,
    max_cost: float | None,
) -> CostMeter:
    """Put a meter around the agents that have a price, here or of their own; return the meter."""
    meter = CostMeter(max_cost)
    table = prices if isinstance(prices, Mapping) else {"": prices} if prices else {}
    evaluated = {cell.agents[seat] for cell in cells for seat in cell.lineup}
    priced = False
    for spec, one in shared.items():
        price = table.get(spec) or (table.get("") if one.model and spec in evaluated else None)
        if price or has_prices(one.agent):
            one.put_meter(meter, price)
            priced = True
    if max_cost is not None and not priced:
        raise BadSuite(
            f"max_cost={max_cost:g} needs the prices of a model: pass price=, or an agent with "
            "prices of its own"
        )
    return meter


def _add_recorded_costs(meter: CostMeter, folder: Path, cells: Sequence[EvalTask]) -> None:
    """Add what the replies of earlier runs cost, if the meter has a limit."""
    for cell in cells if meter.limit is not None else ():
        for episode in load_task_episodes(folder, cell):
            meter.add_steps(episode.steps)


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
    """Load each agent once, under its spec without secrets."""
    check_type(named, Mapping, "named")
    agents_by_spec: dict[str, LoadedAgent] = {}
    for spec in dict.fromkeys(specs):
        name = redact_secrets(spec)
        if (
            name not in agents_by_spec or name != spec
        ):  # an agent of an earlier run may be named without its secrets
            agents_by_spec[name] = LoadedAgent(name, named.get(spec, spec))
    return agents_by_spec


class SuiteRunner:
    """A runner that plays cells into files of a folder; `stopped` lists the cells it gave up."""

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
        """Play all cells: several at once if agents wait for a server, else one after the other."""
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
        """Play cells at once, with at most `concurrency` episodes of all together."""
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
            except (TooManyErrors, CostLimitReached) as error:
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
    except BaseExceptionGroup as errors:  # the first error cancelled the others
        raise errors.exceptions[0] from None
