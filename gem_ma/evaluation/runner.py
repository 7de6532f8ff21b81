"""Playing a suite, and the numbers that come of it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import inspect
import json
import math
import os
from collections import Counter
from collections.abc import (
    AsyncGenerator,
    Callable,
    Collection,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from types import NoneType
from typing import Any, NamedTuple, TypeAlias

from gem_ma import agents as players
from gem_ma.chat.agent import Agent, check_agent_seat
from gem_ma.chat.event_loops import run_async
from gem_ma.envs.registry import MissingRequirement, UnknownEnv
from gem_ma.evaluation import run_folder, suites
from gem_ma.evaluation.metrics import pass_at_k, pass_hat_k
from gem_ma.evaluation.statistics import (
    IntervalEstimate,
    average_estimates,
    estimate_mean,
    estimate_rate,
)
from gem_ma.evaluation.suite_leaderboard import RESULTS_SCHEMA
from gem_ma.evaluation.suites import BadSuite, Suite, SuiteEntry
from gem_ma.rollouts.episode import Episode, EpisodeFailure
from gem_ma.rollouts.progress import RolloutProgress
from gem_ma.rollouts.records import load_episodes
from gem_ma.rollouts.rollout import arollout
from gem_ma.rollouts.run import TooManyErrors
from gem_ma.validation.arguments import check_type
from gem_ma.validation.endpoints import redact_secrets

EVALUATION_KIND = "evaluation"
VERDICTS = ("win", "draw", "loss")
_TOLERANCE = 1e-9
TASKS_FILE = "cells.json"


TokenPrices: TypeAlias = "tuple[float, float] | Mapping[str, tuple[float, float]]"


class LoadedAgent:
    """An agent that many rollouts use under the name of its spec, loaded once."""

    def __init__(self, spec: str, agent: Any):
        self.spec = spec
        self.agent: Agent = players.load(agent)

    @property
    def act(self) -> Callable[..., Any]:
        return self.agent.act

    @property
    def blocking(self) -> bool:
        return bool(getattr(self.agent, "blocking", False))

    @property
    def portable(self) -> bool:
        return bool(getattr(self.agent, "portable", False))

    @property
    def singly(self) -> bool:
        return bool(getattr(self.agent, "singly", False))

    @property
    def seats(self) -> Any:
        return getattr(self.agent, "seats", None)

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


class EvalTask(NamedTuple):
    """One environment with one line-up: what one file of episodes is of."""

    entry: SuiteEntry
    lineup: tuple[str, ...]
    agents: dict[str, str]  # who sits in each seat
    file: str
    zero_sum: bool = True  # as the game says; what was earned may say otherwise

    @property
    def seat(self) -> str:
        if len(self.agents) > 1 and len(self.lineup) == len(self.agents):
            return "all"
        return "+".join(self.lineup)

    @property
    def title(self) -> str:
        if not self.lineup:  # of a tournament
            return f"{self.entry.name} {', '.join(self.agents.values())}"
        return f"{self.entry.name} {self.seat}" if len(self.agents) > 1 else self.entry.name

    @property
    def episode_count(self) -> int:
        return self.entry.tasks * self.entry.trials


@dataclass(slots=True)
class Evaluation:
    """What an evaluation has come to: a row for each cell, and what was left out and why."""

    suite: str
    rows: list[dict[str, Any]]
    overall: dict[str, Any]
    skipped: list[dict[str, str]] = field(default_factory=list)
    stopped: list[dict[str, str]] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)  # of what decides a score, what all share

    @property
    def exit_code(self) -> int:
        """What a command exits with: 1 if something failed, 3 if something was skipped."""
        if self.stopped or any(row["failed"] for row in self.rows):
            return 1
        return 3 if self.skipped else 0

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values; what cannot be told is null."""
        return {
            **self.about,
            "suite": self.suite,
            "overall": _row_to_dict(self.overall),
            "rows": [_row_to_dict(row) for row in self.rows],
            "skipped": self.skipped,
            "stopped": self.stopped,
        }


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
    named: Mapping[str, Any] | None = None,
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
    suite = _override_suite(suite, seed, tasks, trials)
    seats = dict(seats or {})
    cells, skipped = plan_tasks(suite, agents, seats)
    named = named or {}
    check_type(named, Mapping, "named")
    cells = [cell._replace(agents=_apply_sampling(cell, named)) for cell in cells]
    about = {"suite": suite.to_dict(), "agents": agents, "seats": seats, "skipped": skipped}
    shared = load_agents((spec for cell in cells for spec in cell.agents.values()), named)
    cells = [
        cell._replace(agents={seat: redact_secrets(spec) for seat, spec in cell.agents.items()})
        for cell in cells
    ]
    for seat, spec in sorted({pair for cell in cells for pair in cell.agents.items()}):
        check_agent_seat(shared[spec], seat, spec)
    if isinstance(prices, Mapping):
        prices = _resolve_prices(prices, shared)
    if concurrency < 1:
        raise BadSuite(f"concurrency={concurrency}: expected 1 or more")
    with run_folder.open_run_folder(
        out, EVALUATION_KIND, {key: about[key] for key in ("suite", "agents", "seats")}
    ) as path:
        folder = path / "episodes"
        folder.mkdir(exist_ok=True)
        listed = [{**cell._asdict(), "entry": cell.entry.name} for cell in cells]
        run_folder.write_json(path / TASKS_FILE, listed)
        limits = {"max_errors": max_errors, "workers": workers, "pictures": pictures}
        bar = None
        if progress or progress is None:
            bar = RolloutProgress.start(
                sum(cell.episode_count for cell in cells), force=bool(progress)
            )
        playing = SuiteRunner(folder, suite.seed, shared, concurrency, limits, bar, on_cell)
        try:
            run_async(lambda: playing.play_all(cells))
        finally:
            if bar is not None:
                bar.stop()
        found = summarize_evaluation(path, suite, cells, skipped, prices, playing.stopped)
        run_folder.write_json(path / "results.json", found.to_dict())
    return found


def load_evaluation(folder: str | os.PathLike[str]) -> tuple[Suite, list[EvalTask]]:
    """Return the suite and the cells that a folder is of; nothing has to be made for it."""
    about, file = run_folder.load_header(folder, EVALUATION_KIND), Path(folder) / TASKS_FILE
    try:
        data = about["suite"]
        suite = suites.parse_suite(
            {"entry": data["entries"], "seed": data["seed"], "description": data["description"]},
            data["name"],
        )
        entries = {entry.name: entry for entry in suite.entries}
        listed: list[Any] = run_folder.load_json(file, [])
        cells = [
            EvalTask(
                entries[one["entry"]],
                tuple(one["lineup"]),
                one["agents"],
                one["file"],
                one.get("zero_sum", True),
            )
            for one in listed
        ]
    except (KeyError, TypeError, RecursionError, json.JSONDecodeError) as error:
        raise run_folder.BadRunFolder(
            f"{folder} is damaged: {type(error).__name__}: {error}"
        ) from None
    return suite, cells


def plan_tasks(
    suite: Suite, agents: str | None, seats: Mapping[str, str]
) -> tuple[list[EvalTask], list[dict[str, str]]]:
    """Return the cells of a suite that can be played here, and which entries cannot, and why."""
    cells: list[EvalTask] = []
    skipped: list[dict[str, str]] = []
    known: set[str] = set()
    for entry in suite.entries:
        try:
            env = make_entry_env(entry)
        except (MissingRequirement, UnknownEnv, ImportError, OSError) as error:
            skipped.append({"entry": entry.name, "id": entry.id, "reason": str(error)})
            continue
        except (TypeError, ValueError) as error:  # arguments that make no sense
            raise BadSuite(f"{entry.name}: {error}") from None
        known |= set(env.possible_agents)
        if unknown := entry.sampling.keys() - set(env.possible_agents):
            there = ", ".join(env.possible_agents)
            raise BadSuite(f"{entry.name}: sampling of {min(unknown)!r}; the seats are {there}")
        lineups = entry.list_lineups(env.possible_agents)
        if agents is None and entry.seats == "each":  # those of whom it was said who sits there
            lineups = [one for one in lineups if set(one) <= set(seats)] or lineups
        for lineup in lineups:
            who = {
                seat: _choose_spec(entry, seat, lineup, agents, seats)
                for seat in env.possible_agents
            }
            name = run_folder.make_file_name(
                f"{entry.name} {'+'.join(lineup)}", [entry.name, lineup]
            )
            cells.append(EvalTask(entry, lineup, who, name, env.game.zero_sum))
    for seat in seats:
        if known and seat not in known:
            raise BadSuite(f"no seat {seat!r} in suite {suite.name}; {', '.join(sorted(known))}")
    return cells, skipped


def make_entry_env(entry: SuiteEntry) -> Any:
    from gem_ma.apis import factory
    from gem_ma.tools.wrapper import ToolEnv

    env = factory.make(entry.id, **entry.arguments)
    return ToolEnv(env, entry.tools) if entry.tools else env


def _choose_spec(
    entry: SuiteEntry,
    seat: str,
    lineup: Sequence[str],
    agents: str | None,
    seats: Mapping[str, str],
) -> str:
    if seat not in lineup:
        return seats.get(seat) or entry.find_opponent(seat)
    who = agents or seats.get(seat)
    if who is None:
        raise BadSuite(f"{entry.name}: nobody to evaluate in seat {seat}; name an agent for it")
    return who


def _apply_sampling(cell: EvalTask, named: Collection[str]) -> dict[str, str]:
    """Return who sits in each seat, with the options that the suite gives whoever sits there."""
    return {
        seat: spec
        if spec in named
        else players.SPECS.add_defaults(spec, cell.entry.sampling.get(seat, {}))
        for seat, spec in cell.agents.items()
    }


def _resolve_prices(
    prices: Mapping[str, tuple[float, float]], shared: Mapping[str, LoadedAgent]
) -> dict[str, tuple[float, float]]:
    """Return prices by spec; those of "" are of the evaluated seats that have no others."""
    found = {"": prices[""]} if "" in prices else {}
    for name in prices.keys() - {""}:
        specs = [spec for spec, one in shared.items() if name in (spec, one.model)]
        if not specs:
            there = sorted({one.model or spec for spec, one in shared.items()})
            raise BadSuite(
                f"prices of {name!r}, which nobody here is; there are {', '.join(there)}"
            )
        found |= dict.fromkeys(specs, prices[name])
    return found


def _override_suite(suite: Suite, seed: int | None, tasks: int | None, trials: int | None) -> Suite:
    for name, value in (("tasks", tasks), ("trials", trials)):
        if value is not None and value < 1:
            raise BadSuite(f"{name}={value}: expected 1 or more")
    entries = tuple(
        replace(entry, tasks=tasks or entry.tasks, trials=trials or entry.trials)
        for entry in suite.entries
    )
    return replace(suite, entries=entries, seed=suite.seed if seed is None else seed)


def load_agents(specs: Iterable[str], named: Mapping[str, Any]) -> dict[str, LoadedAgent]:
    """Load each agent once, under a name that may be written down."""
    check_type(named, Mapping, "named")
    found: dict[str, LoadedAgent] = {}
    for spec in dict.fromkeys(specs):
        name = redact_secrets(spec)
        if name not in found or name != spec:  # whoever has played before may come without secrets
            found[name] = LoadedAgent(name, named.get(spec, spec))
    return found


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

        async def play_share(cell: EvalTask) -> None:
            nonlocal free
            share = min(cell.episode_count, self.concurrency)
            async with ready:
                await ready.wait_for(lambda: free >= share)
                free -= share
            try:
                await self.play_task(cell, share)
            finally:
                async with ready:
                    free += share
                    ready.notify_all()

        await _run_together([play_share(cell) for cell in cells])

    async def play_task(self, cell: EvalTask, concurrency: int) -> None:
        done = 0
        async with contextlib.aclosing(self.start_rollout(cell, concurrency)) as finished:
            try:
                async for episode in finished:
                    done += episode.failure is None
            except TooManyErrors as error:
                self.stopped.append({"what": cell.title, "reason": str(error)})
        if self.on_cell is not None and not (self.bar is not None and self.bar.drawn):
            self.on_cell(cell.title, done, cell.episode_count)

    def start_rollout(self, cell: EvalTask, concurrency: int) -> AsyncGenerator[Episode, None]:
        entry = cell.entry
        return arollout(
            make_entry_env(entry),
            {seat: self.agents[spec] for seat, spec in cell.agents.items()},
            cell.episode_count,
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


async def _run_together(work: Sequence[Coroutine[Any, Any, None]]) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except BaseExceptionGroup as errors:  # the others were stopped because of the first
        raise errors.exceptions[0] from None


# -- the numbers -----------------------------------------------------------------------------------


def load_task_episodes(folder: str | os.PathLike[str], cell: EvalTask) -> list[Episode]:
    """Return the episodes of a cell that are on disk."""
    path = Path(folder) / "episodes" / cell.file
    return sorted(load_episodes(path), key=lambda one: one.number) if path.exists() else []


def summarize_evaluation(
    folder: str | os.PathLike[str],
    suite: Suite,
    cells: Sequence[EvalTask],
    skipped: Sequence[Mapping[str, str]] = (),
    prices: TokenPrices | None = None,
    stopped: Sequence[Mapping[str, str]] = (),
) -> Evaluation:
    """Return the numbers of all episodes that a folder holds; prices are by spec, if a table."""
    rows: list[dict[str, Any]] = []
    kinds: dict[str, list[bool | None]] = {}
    for cell in cells:
        episodes = load_task_episodes(folder, cell)
        rows.append(compute_row(cell, episodes, prices))
        kinds.setdefault(cell.entry.name, []).append(infer_contest(episodes, cell.zero_sum))
    for cell, one in zip(cells, rows, strict=True):  # of all seats of an environment alike
        if not is_contest(kinds[cell.entry.name], cell.zero_sum):
            one |= dict.fromkeys(VERDICTS)
    played = [one for one in rows if one["episodes"]]
    left = [dict(one) for one in skipped]
    overall: dict[str, Any] = {
        "rows": len(played),
        "rows left out": len(rows) - len(played),
        "environments": len({one["entry"] for one in played}),
        "environments left out": len({one["entry"] for one in (*rows, *left)})
        - len({one["entry"] for one in played}),
        "episodes": sum(one["episodes"] for one in rows),
        "failed": sum(one["failed"] for one in rows),
        "missing": sum(one["expected"] - one["episodes"] for one in rows),
    }
    for name in ("success", "invalid", "forfeit"):
        overall[name] = average_estimates([one[name] for one in played])
    for name in ("turns", "tokens", "seconds"):
        overall[f"{name} in all"] = sum(one[name].value * one["episodes"] for one in played)
    costs: Counter[str] = Counter()
    for one in played:
        costs.update({seat: each.value * one["episodes"] for seat, each in one["costs"].items()})
    overall |= {"cost in all": sum(costs.values()), "costs in all": dict(costs)}
    told = suite.to_dict()
    about = {"schema": RESULTS_SCHEMA, "version": _pop_versions(rows), "seed": suite.seed}
    about |= {"entries": told["entries"]}
    return Evaluation(suite.name, rows, overall, left, [dict(one) for one in stopped], about)


def _pop_versions(rows: Iterable[dict[str, Any]]) -> str:
    """Return the releases that have played; they leave the rows."""
    return ", ".join(sorted({one for row in rows for one in row.pop("versions")}))


def compute_row(
    cell: EvalTask, episodes: Sequence[Episode], prices: TokenPrices | None = None
) -> dict[str, Any]:
    """Return the numbers of one cell; prices are by spec, if a table."""
    entry, seats = cell.entry, cell.lineup
    done = [episode for episode in episodes if episode.failure is None]
    priced = _select_prices(cell, prices)
    facts = [_measure_episode(cell, episode, priced) for episode in done]
    tasks: dict[int, list[dict[str, float]]] = {}
    for episode, fact in zip(done, facts, strict=True):
        tasks.setdefault(episode.group, []).append(fact)

    def compute_share(name: str, of: str = "one") -> IntervalEstimate:
        parts = tasks.values()
        counts = [sum(fact[of] for fact in part) for part in parts]
        weights = [1] * len(parts) if of == "one" else counts  # starts weigh alike, as in all means
        return estimate_rate([sum(fact[name] for fact in part) for part in parts], counts, weights)

    def compute_mean(name: str) -> IntervalEstimate:
        return estimate_mean([fmean(fact[name] for fact in part) for part in tasks.values()])

    trials = {task: [fact["success"] for fact in part] for task, part in tasks.items()}
    contest = len(cell.agents) > len(seats) and is_contest(
        [infer_contest(episodes, cell.zero_sum)], cell.zero_sum
    )
    return {
        "entry": entry.name,
        "id": entry.id,
        "seat": cell.seat,
        "agents": cell.agents,
        "evaluated": list(seats),
        "records": f"episodes/{cell.file}",
        "tasks": entry.tasks,
        "trials": entry.trials,
        "episodes": len(done),
        "expected": cell.episode_count,
        "failed": len(episodes) - len(done),
        "failure": next(
            (_format_failure(one.failure) for one in episodes[::-1] if one.failure), None
        ),
        "truncated": sum(episode.ended == "truncated" for episode in done),
        "success": compute_share("success"),
        "pass_at": _compute_pass_curve(pass_at_k, trials, entry.trials),
        "pass_hat": _compute_pass_curve(pass_hat_k, trials, entry.trials),
        "return": compute_mean("return"),
        **{name: compute_share(name) if contest and done else None for name in VERDICTS},
        "forfeit": compute_share("forfeit"),
        "invalid": compute_share("invalid", of="replies"),
        "turns": compute_mean("replies"),
        "tokens": compute_mean("tokens"),
        "cost": compute_mean("cost"),
        "costs": {seat: compute_mean(f"cost of {seat}") for seat in priced if done},
        "seconds": compute_mean("seconds"),
        "latency": estimate_mean([_compute_mean_latency(part) for part in tasks.values()]),
        "data": ", ".join(sorted({str(one.report.get("data", "")) for one in done})),
        "prompts": _hash_prompts(episodes, seats),
        "diagnosis": count_diagnoses(done),
        "versions": {one.version for one in done},
    }


def _hash_prompts(episodes: Sequence[Episode], seats: Sequence[str]) -> str:
    """Return a name for the rules that evaluated seats were told in the first episode."""
    if not episodes:
        return ""
    rules = min(episodes, key=lambda one: one.number).rules
    told = repr([rules.get(seat, "") for seat in seats]).encode()
    return hashlib.blake2b(told, digest_size=8).hexdigest()


def count_diagnoses(episodes: Iterable[Episode]) -> dict[str, dict[str, int]]:
    """Count what the reports of episodes say of why they were not paid, where they say it.

    seats: whose part was not done. actions, assertions, records: what was not called, what did not
    hold, and the tables in which records differ; each once an episode.
    """
    found: dict[str, Counter[str]] = {}
    for episode in episodes:
        said = episode.report.get("diagnosis")
        for kind in ("seats", "actions", "assertions", "records"):
            listed = said.get(kind) if isinstance(said, Mapping) else None
            names = (
                {_format_diagnosis(one) for one in listed} if isinstance(listed, list) else set()
            )
            found.setdefault(kind, Counter()).update(names)
    return {kind: dict(counts.most_common()) for kind, counts in found.items() if counts}


def _format_diagnosis(one: Any) -> str:
    """Return what one thing of a diagnosis is called."""
    if not isinstance(one, Mapping):
        return str(one)
    return str(one["table"]) if "table" in one else f"{one.get('seat')}: {one.get('name')}"


def _format_failure(failure: EpisodeFailure) -> str:
    return f"{failure.kind}: {failure.message}"


def _compute_mean_latency(facts: Sequence[Mapping[str, float]]) -> float:
    """Return the seconds that a reply took on average; a seat may never have been asked."""
    replies = sum(fact["replies"] for fact in facts)
    return sum(fact["seconds"] for fact in facts) / replies if replies else 0.0


def _compute_pass_curve(
    function: Callable[..., float], trials: Mapping[int, Sequence[float]], most: int
) -> dict[int, IntervalEstimate]:
    """Return pass@k or pass^k for k = 1, 2, 4, ... and the number of trials."""
    out = {}
    for k in sorted({*(2**i for i in range(most.bit_length())), most}):
        if k > most:
            continue
        # a task that was not played k times, because an episode failed, says nothing about k
        parts = [one for one in trials.values() if len(one) >= k]
        if parts:
            tries = [len(one) / k for one in parts]  # so that for one trial it is the success
            shares = [function({0: one}, k) for one in parts]
            came = [share * count for share, count in zip(shares, tries, strict=True)]
            out[k] = estimate_rate(came, tries, [1] * len(parts))
    return out


def _select_prices(cell: EvalTask, prices: TokenPrices | None) -> dict[str, tuple[float, float]]:
    """Return the prices of the seats that have some."""
    if not isinstance(prices, Mapping):
        return dict.fromkeys(cell.lineup, prices) if prices else {}
    found = {}
    for seat, spec in cell.agents.items():
        price = prices.get(spec) or (prices.get("") if seat in cell.lineup else None)
        if price:
            found[seat] = price
    return found


def _measure_episode(
    cell: EvalTask, episode: Episode, priced: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    """Return what one episode says about the evaluated agent, and what each seat cost."""
    seats = cell.lineup
    steps = [step for step in episode.steps if step.agent in seats]
    earned = fmean(episode.returns[seat] for seat in seats)
    used = dict.fromkeys(cell.agents, (0, 0))
    for step in episode.steps:
        (read, written), more = used[step.agent], count_usage_tokens(step.reply)
        used[step.agent] = read + more[0], written + more[1]
    costs = {
        seat: (used[seat][0] * price[0] + used[seat][1] * price[1]) / 1e6
        for seat, price in priced.items()
    }
    verdict = classify_outcome(episode.returns, seats)
    given_up = bool(set(episode.forfeits) & set(seats))
    return {
        "one": 1,
        "success": float(earned >= cell.entry.success - 1e-9),
        "return": earned,
        **{name: float(verdict == name) for name in VERDICTS},
        "forfeit": float(given_up),
        "replies": len(steps),
        "invalid": sum(step.invalid is not None for step in steps),
        "tokens": sum(sum(used[seat]) for seat in seats),
        "cost": sum(
            costs.get(seat, 0.0 if used[seat] == (0, 0) and priced else math.nan) for seat in seats
        ),
        **{f"cost of {seat}": cost for seat, cost in costs.items()},
        "seconds": sum(_find_latency(step) for step in steps),
    }


def infer_contest(episodes: Iterable[Episode], zero_sum: bool) -> bool | None:
    """Return whether seats win from each other, as far as what they earned tells; None: not at all.

    In a game that says it is zero-sum they do, unless all have gained at once. In another they do
    if, whenever they did not end level at 0, some earned more than 0 and others less, as teams
    and tables of many do. They do not where they earn the same together, where only one of them
    is paid, or where each looks after itself. Episodes that a seat left by invalid replies say
    nothing, as the referee has paid for that.
    """
    ends = [
        (min(one.returns.values()), max(one.returns.values()))
        for one in episodes
        if one.failure is None and not one.forfeits
    ]
    if zero_sum:
        return None if all(low < _TOLERANCE for low, _ in ends) else False
    told = [
        low < -_TOLERANCE and high > _TOLERANCE
        for low, high in ends
        if max(high, -low) > _TOLERANCE
    ]
    return all(told) if told else None


def is_contest(found: Iterable[bool | None], zero_sum: bool) -> bool:
    """Return whether a game has winners; where what was earned does not tell, as it says."""
    told = [one for one in found if one is not None]
    return all(told) if told else zero_sum


def classify_outcome(returns: Mapping[str, float], seats: Sequence[str]) -> str:
    """Return whether seats earned more than the mean of all: "win", "draw" or "loss"."""
    own = fmean(returns[seat] for seat in seats)
    gap = own - fmean(returns.values())
    if abs(gap) < 1e-9:
        return "draw"
    return "win" if gap > 0 else "loss"


def count_usage_tokens(reply: Any) -> tuple[int, int]:
    """Return how many tokens a reply took to read and to write, as far as it says."""
    usage = getattr(reply, "usage", None) or {}
    ids = getattr(reply, "token_ids", None) or ()
    return int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", len(ids)))


def _find_latency(step: Any) -> float:
    told = getattr(step.reply, "latency", None)
    return float(step.seconds if told is None else told)


def _row_to_dict(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _to_json_value(value) for key, value in row.items()}


def _to_json_value(value: Any) -> Any:
    if isinstance(value, IntervalEstimate):
        return {name: _to_json_value(one) for name, one in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(key): _to_json_value(one) for key, one in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


# -- two evaluations -------------------------------------------------------------------------------

# whether more is better
COMPARED_METRICS = {"success": +1, "return": +1, "invalid": -1, "tokens": 0}


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """What changed in one number of one cell, or of all cells, over the starts that both played."""

    entry: str
    seat: str
    metric: str
    old: float
    new: float
    change: Any  # a statistics.Change: with its p, before others were looked at
    p: float  # that allows for how many numbers were compared
    verdict: str  # "better", "worse" or "changed"; "undecided"; "same": nothing differs at all
    pairs: int
    unlike: int  # pairs of which differ
    why: str  # which test, of how many pairs, and what it came to
    left_out: str  # which starts are in no number, and why
    same_as: str = ""  # the number of this cell that changed as this one did, and has its test
    rows: int = 1  # that it is the mean of


class _MetricPair(NamedTuple):
    """What one number of one cell was and is, by start."""

    key: tuple[str, str]
    id: str
    metric: str
    old: Mapping[str, float]
    new: Mapping[str, float]
    change: Any
    left_out: str

    @property
    def gaps(self) -> list[float]:
        """By how much starts differ, or, without pairs, values from the first of them."""
        if self.change.paired:
            return [self.new[task] - was for task, was in self.old.items()]
        first, *others = (*self.old.values(), *self.new.values())
        return [other - first for other in others]

    @property
    def unlike(self) -> int:
        return sum(bool(gap) for gap in self.gaps)

    @property
    def is_informative(self) -> bool:
        return self.metric == "success" or any((*self.old.values(), *self.new.values()))


def compare(
    old: str | os.PathLike[str], new: str | os.PathLike[str], level: float = 0.05
) -> tuple[list[MetricDifference], list[str]]:
    """Return what changed between two evaluations, and what of them cannot be compared, and why.

    Starts that both have played are compared one by one, and no others count; without any the two
    means are compared. A change counts if chance alone does as much less often than `level`,
    whichever of the numbers it shows in. The last ones are of all rows that have pairs, where
    there are several; they are a question of their own.
    """
    from gem_ma.evaluation.statistics import estimate_change

    parts = []
    for folder in (old, new):
        _, cells = load_evaluation(folder)
        parts.append({(cell.entry.name, cell.seat): (cell, folder) for cell in cells})
    before, after = parts
    found: list[_MetricPair] = []
    notes = [
        f"{entry} {seat}: only in {old if (entry, seat) in before else new}"
        for entry, seat in before.keys() ^ after.keys()
    ]
    for key in before.keys() & after.keys():
        (was, where), (now, there) = before[key], after[key]
        episodes = load_task_episodes(where, was), load_task_episodes(there, now)
        tables = _average_by_start(was, episodes[0]), _average_by_start(now, episodes[1])
        common = [task for task in tables[0] if task in tables[1]]
        notes += [f"{key[0]} {key[1]}: {one}" for one in _find_doubts(was, now, tables, (old, new))]
        left_out = _describe_left_out(tables, episodes) if common else ""
        for metric in COMPARED_METRICS if all(tables) else ():
            one, two = ({task: table[task][metric] for task in common or table} for table in tables)
            change = estimate_change(one, two)
            found.append(_MetricPair(key, was.entry.id, metric, one, two, change, left_out))
    order = list(before)
    found.sort(key=lambda one: order.index(one.key))  # as they are in the suite
    out = _judge_changes([([one], one.change) for one in found if one.is_informative], level)
    return out + _judge_changes(_average_metrics(found), level), sorted(notes)


def _average_metrics(found: Sequence[_MetricPair]) -> list[tuple[list[_MetricPair], Any]]:
    """Return for the success and the return their rows that have pairs, and the change of all."""
    from gem_ma.evaluation.statistics import average_changes

    out = []
    for metric in ("success", "return"):
        rows = [one for one in found if one.metric == metric and one.change.paired]
        if len(rows) > 1 and any(one.is_informative for one in rows):
            gaps = [
                {(one.id, task): gap for task, gap in zip(one.old, one.gaps, strict=True)}
                for one in rows
            ]
            out.append((rows, average_changes(gaps)))
    return out


def _judge_changes(
    asked: Sequence[tuple[list[_MetricPair], Any]], level: float
) -> list[MetricDifference]:
    """Return what became of numbers that are one question, each of rows, with the change of all.

    Where nothing differs there is nothing to test, and numbers of the same rows that changed alike,
    as success and return often do, are one test.
    """
    from gem_ma.evaluation.statistics import adjust_p_values

    twins: list[int | None] = []  # which number before it has the same test
    for place, (rows, _) in enumerate(asked):
        earlier = (
            i for i in range(place) if twins[i] is None and _is_same_change(asked[i][0], rows)
        )
        twins.append(next(earlier, None))
    tests = [
        place
        for place, (rows, _) in enumerate(asked)
        if twins[place] is None and any(one.unlike for one in rows)
    ]
    chances = dict(zip(tests, adjust_p_values([asked[i][1].p for i in tests]), strict=True))
    out = []
    for place, (rows, change) in enumerate(asked):
        twin = twins[place]
        p = chances.get(place if twin is None else twin, 1.0)
        first, pairs = rows[0], sum(len(one.old) for one in rows) if change.paired else 0
        unlike = sum(one.unlike for one in rows)
        verdict = "undecided" if unlike else "same"
        if p < level:
            sign = COMPARED_METRICS[first.metric] * change.value
            verdict = "changed" if not sign else "better" if sign > 0 else "worse"
        out.append(
            MetricDifference(
                *(first.key if len(rows) == 1 else ("all", f"{len(rows)} rows")),
                first.metric,
                old=fmean(fmean(one.old.values()) for one in rows),
                new=fmean(fmean(one.new.values()) for one in rows),
                change=change,
                p=p,
                verdict=verdict,
                pairs=pairs,
                unlike=unlike if change.paired else 0,
                why=_explain_test(rows, change, p, len(tests), level),
                left_out=first.left_out if len(rows) == 1 else "",
                same_as="" if twin is None else asked[twin][0][0].metric,
                rows=len(rows),
            )
        )
    return out


def _is_same_change(one: Sequence[_MetricPair], two: Sequence[_MetricPair]) -> bool:
    """Return whether two numbers of the same rows changed alike, by a factor for all of them."""
    if [row.key for row in one] != [row.key for row in two]:
        return False
    gaps = [[gap for row in rows for gap in row.gaps] for rows in (one, two)]
    largest = max(range(len(gaps[0])), key=lambda i: abs(gaps[0][i]), default=0)
    if not all(map(any, gaps)) or not gaps[1][largest]:
        return False
    factor = gaps[1][largest] / gaps[0][largest]
    near = _TOLERANCE * abs(gaps[1][largest])
    return all(abs(b - factor * a) <= near for a, b in zip(*gaps, strict=True))


def _find_doubts(
    was: EvalTask, now: EvalTask, tables: Sequence[Any], folders: Sequence[Any]
) -> list[str]:
    """Return why two cells cannot be compared, or not as they should be."""
    out = []
    for name in ("id", "arguments", "success", "context", "tools", "sampling"):
        one, two = getattr(was.entry, name), getattr(now.entry, name)
        if one != two:
            out.append(f"{name} was {one!r} and is {two!r}, so more than the agent may differ")
    for seat in was.agents:
        one, two = was.agents[seat], now.agents.get(seat)
        if seat not in was.lineup and one != two:
            out.append(f"in seat {seat} sat {one}, and then {two}: not the agent alone differs")
    empty = [str(folder) for folder, table in zip(folders, tables, strict=True) if not table]
    if empty:
        out.append(f"no episode came to its end in {' nor in '.join(empty)}")
    elif not tables[0].keys() & tables[1].keys():
        out.append("no start in common, so the means of different starts are compared")
    return out


def _explain_test(
    rows: Sequence[_MetricPair], change: Any, p: float, numbers: int, level: float
) -> str:
    """Return which test says so, of how many starts, and what it came to."""
    first, unlike = rows[0], sum(one.unlike for one in rows)
    if not change.paired:
        test = f"permutations of {len(first.old)} starts before and {len(first.new)} others after"
        return f"{test}: p={change.p:.2g}, {p:.2g} as one of {numbers} tests"
    test = f"sign flips of {change.tasks} pairs, {unlike} of which differ"
    if len(rows) > 1:
        pairs = sum(len(one.old) for one in rows)
        test = (
            f"sign flips of {change.tasks} starts with {pairs} pairs in {len(rows)} rows, "
            f"{unlike} of which differ"
        )
    if not unlike:
        return test
    words = f"{test}: p={change.p:.2g}, {p:.2g} as one of {numbers} tests"
    least = min(1.0, 2.0 ** (1 - change.unlike))
    if p >= level and least >= level:
        words += f"; so few cannot be below {least:.2g}"
    return words


def _describe_left_out(
    tables: tuple[Mapping[str, Any], Mapping[str, Any]],
    episodes: tuple[Sequence[Episode], Sequence[Episode]],
) -> str:
    """Return how many starts only one of two evaluations has, and why."""
    words = []
    for mine, other, which in ((0, 1, "before"), (1, 0, "after")):
        alone = tables[mine].keys() - tables[other].keys()
        failed = alone & {
            _make_start_key(one) for one in episodes[other] if one.failure is not None
        }
        elsewhere = "after" if which == "before" else "before"
        if failed:
            words.append(f"{len(failed)} that failed {elsewhere}")
        if len(alone) > len(failed):
            words.append(f"{len(alone) - len(failed)} played {which} only")
    nowhere = {_make_start_key(one) for part in episodes for one in part} - {*tables[0], *tables[1]}
    if nowhere:
        words.append(f"{len(nowhere)} that came to no end in either")
    return ", ".join(words)


def _make_start_key(episode: Episode) -> str:
    """Return a name of a start that other runs have for it too."""
    return f"{episode.seed} {json.dumps(episode.options, sort_keys=True)}"


def _average_by_start(cell: EvalTask, episodes: Sequence[Episode]) -> dict[str, dict[str, float]]:
    """Return the mean of every number by start, under a name that other runs have for it too."""
    parts: dict[str, list[dict[str, float]]] = {}
    for episode in episodes:
        if episode.failure is None:
            parts.setdefault(_make_start_key(episode), []).append(
                _measure_episode(cell, episode, {})
            )
    out = {}
    for task, part in parts.items():
        sums: Counter[str] = Counter()
        for fact in part:
            sums.update(fact)
        means = {name: value / len(part) for name, value in sums.items()}
        means["invalid"] = sums["invalid"] / sums["replies"] if sums["replies"] else 0.0
        out[task] = means
    return out
