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
from gem_ma.envs.registry import MissingNeed, UnknownEnv
from gem_ma.evaluation import store, suites
from gem_ma.evaluation.metrics import pass_at_k, pass_hat_k
from gem_ma.evaluation.standings import SCHEMA
from gem_ma.evaluation.statistics import Estimate, average, mean, rate
from gem_ma.evaluation.suites import BadSuite, Entry, Suite
from gem_ma.guards.given import need
from gem_ma.guards.remote import without_secrets
from gem_ma.rollouts.episode import Episode, Failure
from gem_ma.rollouts.progress import Progress
from gem_ma.rollouts.records import load_episodes
from gem_ma.rollouts.rollout import arollout
from gem_ma.rollouts.run import TooManyErrors

KIND = "evaluation"
VERDICTS = ("win", "draw", "loss")
_NEAR = 1e-9
CELLS = "cells.json"


Prices: TypeAlias = "tuple[float, float] | Mapping[str, tuple[float, float]]"


class Shared:
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
    def waits(self) -> bool:
        """Whether it has time for other episodes while it waits for a reply."""
        return inspect.iscoroutinefunction(self.agent.act)

    def __repr__(self) -> str:
        return self.spec


class Cell(NamedTuple):
    """One environment with one line-up: what one file of episodes is of."""

    entry: Entry
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
    def episodes(self) -> int:
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
    def code(self) -> int:
        """What a command exits with: 1 if something failed, 3 if something was skipped."""
        if self.stopped or any(row["failed"] for row in self.rows):
            return 1
        return 3 if self.skipped else 0

    def plain(self) -> dict[str, Any]:
        """Return it as JSON values; what cannot be told is null."""
        return {
            **self.about,
            "suite": self.suite,
            "overall": _plain(self.overall),
            "rows": [_plain(row) for row in self.rows],
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
    prices: Prices | None = None,
    named: Mapping[str, Any] | None = None,
    progress: bool | None = None,
    on_cell: Callable[[str, int, int], None] | None = None,
) -> Evaluation:
    """Play what of a suite is not in the folder yet, and return the numbers of all of it.

    agents: the spec of the agent that is evaluated. seats: specs of who else sits in a seat; with
        agents=None, of those who are evaluated too.
    tasks, trials: instead of what the suite says.
    prices: of a million tokens read, and of a million written, of the evaluated seats; or a table
        of such by the name of the model or the spec of an agent in any seat.
    named: agents, or functions of a Turn, by the name that stands for each instead of a spec.
    progress: show a bar on a terminal, and elsewhere a line now and then; None: on a terminal only.
    on_cell: called, unless a bar is drawn, with the title of a cell that has ended, and how many
        episodes it has of how many.
    """
    suite = suites.load(suite) if isinstance(suite, str) else suite
    need(suite, Suite, "suite", "a Suite or the name of one")
    need(agents, (str, NoneType), "agents", "a spec, such as 'random'")
    for two in prices.values() if isinstance(prices, Mapping) else [prices] if prices else []:
        if len(two) != 2:
            raise BadSuite(f"prices={two!r}: expected two, of a million tokens read and written")
    suite = _changed(suite, seed, tasks, trials)
    seats = dict(seats or {})
    cells, skipped = plan(suite, agents, seats)
    named = named or {}
    need(named, Mapping, "named")
    cells = [cell._replace(agents=_sampled(cell, named)) for cell in cells]
    about = {"suite": suite.plain(), "agents": agents, "seats": seats, "skipped": skipped}
    shared = loaded((spec for cell in cells for spec in cell.agents.values()), named)
    cells = [
        cell._replace(agents={seat: without_secrets(spec) for seat, spec in cell.agents.items()})
        for cell in cells
    ]
    for seat, spec in sorted({pair for cell in cells for pair in cell.agents.items()}):
        check_agent_seat(shared[spec], seat, spec)
    if isinstance(prices, Mapping):
        prices = _by_spec(prices, shared)
    if concurrency < 1:
        raise BadSuite(f"concurrency={concurrency}: expected 1 or more")
    with store.opened(out, KIND, {key: about[key] for key in ("suite", "agents", "seats")}) as path:
        folder = path / "episodes"
        folder.mkdir(exist_ok=True)
        listed = [{**cell._asdict(), "entry": cell.entry.name} for cell in cells]
        store.write(path / CELLS, listed)
        limits = {"max_errors": max_errors, "workers": workers, "pictures": pictures}
        bar = None
        if progress or progress is None:
            bar = Progress.start(sum(cell.episodes for cell in cells), force=bool(progress))
        playing = Playing(folder, suite.seed, shared, concurrency, limits, bar, on_cell)
        try:
            run_async(lambda: playing.all(cells))
        finally:
            if bar is not None:
                bar.stop()
        found = summary(path, suite, cells, skipped, prices, playing.stopped)
        store.write(path / "results.json", found.plain())
    return found


def load(folder: str | os.PathLike[str]) -> tuple[Suite, list[Cell]]:
    """Return the suite and the cells that a folder is of; nothing has to be made for it."""
    about, file = store.read(folder, KIND), Path(folder) / CELLS
    try:
        data = about["suite"]
        suite = suites.parse(
            {"entry": data["entries"], "seed": data["seed"], "description": data["description"]},
            data["name"],
        )
        entries = {entry.name: entry for entry in suite.entries}
        listed: list[Any] = store.kept(file, [])
        cells = [
            Cell(
                entries[one["entry"]],
                tuple(one["lineup"]),
                one["agents"],
                one["file"],
                one.get("zero_sum", True),
            )
            for one in listed
        ]
    except (KeyError, TypeError, RecursionError, json.JSONDecodeError) as error:
        raise store.BadStore(f"{folder} is damaged: {type(error).__name__}: {error}") from None
    return suite, cells


def plan(
    suite: Suite, agents: str | None, seats: Mapping[str, str]
) -> tuple[list[Cell], list[dict[str, str]]]:
    """Return the cells of a suite that can be played here, and which entries cannot, and why."""
    cells: list[Cell] = []
    skipped: list[dict[str, str]] = []
    known: set[str] = set()
    for entry in suite.entries:
        try:
            env = make(entry)
        except (MissingNeed, UnknownEnv, ImportError, OSError) as error:
            skipped.append({"entry": entry.name, "id": entry.id, "reason": str(error)})
            continue
        except (TypeError, ValueError) as error:  # arguments that make no sense
            raise BadSuite(f"{entry.name}: {error}") from None
        known |= set(env.possible_agents)
        if unknown := entry.sampling.keys() - set(env.possible_agents):
            there = ", ".join(env.possible_agents)
            raise BadSuite(f"{entry.name}: sampling of {min(unknown)!r}; the seats are {there}")
        lineups = entry.lineups(env.possible_agents)
        if agents is None and entry.seats == "each":  # those of whom it was said who sits there
            lineups = [one for one in lineups if set(one) <= set(seats)] or lineups
        for lineup in lineups:
            who = {seat: _who(entry, seat, lineup, agents, seats) for seat in env.possible_agents}
            name = store.file_name(f"{entry.name} {'+'.join(lineup)}", [entry.name, lineup])
            cells.append(Cell(entry, lineup, who, name, env.game.zero_sum))
    for seat in seats:
        if known and seat not in known:
            raise BadSuite(f"no seat {seat!r} in suite {suite.name}; {', '.join(sorted(known))}")
    return cells, skipped


def make(entry: Entry) -> Any:
    from gem_ma.apis import making
    from gem_ma.tools.wrapper import ToolEnv

    env = making.make(entry.id, **entry.arguments)
    return ToolEnv(env, entry.tools) if entry.tools else env


def _who(
    entry: Entry,
    seat: str,
    lineup: Sequence[str],
    agents: str | None,
    seats: Mapping[str, str],
) -> str:
    if seat not in lineup:
        return seats.get(seat) or entry.opponent(seat)
    who = agents or seats.get(seat)
    if who is None:
        raise BadSuite(f"{entry.name}: nobody to evaluate in seat {seat}; name an agent for it")
    return who


def _sampled(cell: Cell, named: Collection[str]) -> dict[str, str]:
    """Return who sits in each seat, with the options that the suite gives whoever sits there."""
    return {
        seat: spec
        if spec in named
        else players.SPECS.with_defaults(spec, cell.entry.sampling.get(seat, {}))
        for seat, spec in cell.agents.items()
    }


def _by_spec(
    prices: Mapping[str, tuple[float, float]], shared: Mapping[str, Shared]
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


def _changed(suite: Suite, seed: int | None, tasks: int | None, trials: int | None) -> Suite:
    for name, value in (("tasks", tasks), ("trials", trials)):
        if value is not None and value < 1:
            raise BadSuite(f"{name}={value}: expected 1 or more")
    entries = tuple(
        replace(entry, tasks=tasks or entry.tasks, trials=trials or entry.trials)
        for entry in suite.entries
    )
    return replace(suite, entries=entries, seed=suite.seed if seed is None else seed)


def loaded(specs: Iterable[str], named: Mapping[str, Any]) -> dict[str, Shared]:
    """Load each agent once, under a name that may be written down."""
    need(named, Mapping, "named")
    found: dict[str, Shared] = {}
    for spec in dict.fromkeys(specs):
        name = without_secrets(spec)
        if name not in found or name != spec:  # whoever has played before may come without secrets
            found[name] = Shared(name, named.get(spec, spec))
    return found


class Playing:
    """Cells on their way into the files of a folder; `stopped` says which had too many errors."""

    def __init__(
        self,
        folder: Path,
        seed: int,
        agents: Mapping[str, Shared],
        concurrency: int,
        limits: Mapping[str, Any],
        bar: Progress | None,
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

    async def all(self, cells: Sequence[Cell]) -> None:
        """Play all cells: several at once where agents wait for a server, else one by one."""
        async with contextlib.AsyncExitStack() as stack:
            for shared in self.agents.values():
                if hasattr(shared.agent, "__aenter__"):
                    await stack.enter_async_context(shared.agent)  # type: ignore[arg-type]
            everybody = self.agents.values()
            patient = any(one.waits for one in everybody)
            if (
                patient
                and self.limits["workers"] is None
                and not any(one.blocking for one in everybody)
            ):
                await self.together(cells)
            else:
                for cell in cells:
                    await self.play(cell, self.concurrency)

    async def together(self, cells: Sequence[Cell]) -> None:
        """Play cells at once, no more episodes of all together than may be alive."""
        free, ready = self.concurrency, asyncio.Condition()

        async def one(cell: Cell) -> None:
            nonlocal free
            share = min(cell.episodes, self.concurrency)
            async with ready:
                await ready.wait_for(lambda: free >= share)
                free -= share
            try:
                await self.play(cell, share)
            finally:
                async with ready:
                    free += share
                    ready.notify_all()

        await _gather([one(cell) for cell in cells])

    async def play(self, cell: Cell, concurrency: int) -> None:
        done = 0
        async with contextlib.aclosing(self.rollout(cell, concurrency)) as finished:
            try:
                async for episode in finished:
                    done += episode.failure is None
            except TooManyErrors as error:
                self.stopped.append({"what": cell.title, "reason": str(error)})
        if self.on_cell is not None and not (self.bar is not None and self.bar.drawn):
            self.on_cell(cell.title, done, cell.episodes)

    def rollout(self, cell: Cell, concurrency: int) -> AsyncGenerator[Episode, None]:
        entry = cell.entry
        return arollout(
            make(entry),
            {seat: self.agents[spec] for seat, spec in cell.agents.items()},
            cell.episodes,
            concurrency=concurrency,
            seed=self.seed,
            group=entry.trials,
            options=entry.resets(),
            context=entry.context or None,
            out=self.folder / cell.file,
            resume=True,
            progress=self.bar if self.bar is not None else False,
            **self.limits,
        )


async def _gather(work: Sequence[Coroutine[Any, Any, None]]) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except BaseExceptionGroup as errors:  # the others were stopped because of the first
        raise errors.exceptions[0] from None


# -- the numbers -----------------------------------------------------------------------------------


def episodes_of(folder: str | os.PathLike[str], cell: Cell) -> list[Episode]:
    """Return the episodes of a cell that are on disk."""
    path = Path(folder) / "episodes" / cell.file
    return sorted(load_episodes(path), key=lambda one: one.number) if path.exists() else []


def summary(
    folder: str | os.PathLike[str],
    suite: Suite,
    cells: Sequence[Cell],
    skipped: Sequence[Mapping[str, str]] = (),
    prices: Prices | None = None,
    stopped: Sequence[Mapping[str, str]] = (),
) -> Evaluation:
    """Return the numbers of all episodes that a folder holds; prices are by spec, if a table."""
    rows: list[dict[str, Any]] = []
    kinds: dict[str, list[bool | None]] = {}
    for cell in cells:
        episodes = episodes_of(folder, cell)
        rows.append(row(cell, episodes, prices))
        kinds.setdefault(cell.entry.name, []).append(contested(episodes, cell.zero_sum))
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
        overall[name] = average([one[name] for one in played])
    for name in ("turns", "tokens", "seconds"):
        overall[f"{name} in all"] = sum(one[name].value * one["episodes"] for one in played)
    costs: Counter[str] = Counter()
    for one in played:
        costs.update({seat: each.value * one["episodes"] for seat, each in one["costs"].items()})
    overall |= {"cost in all": sum(costs.values()), "costs in all": dict(costs)}
    told = suite.plain()
    about = {"schema": SCHEMA, "version": _releases(rows), "seed": suite.seed}
    about |= {"entries": told["entries"]}
    return Evaluation(suite.name, rows, overall, left, [dict(one) for one in stopped], about)


def _releases(rows: Iterable[dict[str, Any]]) -> str:
    """Return the releases that have played; they leave the rows."""
    return ", ".join(sorted({one for row in rows for one in row.pop("versions")}))


def row(cell: Cell, episodes: Sequence[Episode], prices: Prices | None = None) -> dict[str, Any]:
    """Return the numbers of one cell; prices are by spec, if a table."""
    entry, seats = cell.entry, cell.lineup
    done = [episode for episode in episodes if episode.failure is None]
    priced = _priced(cell, prices)
    facts = [_facts(cell, episode, priced) for episode in done]
    tasks: dict[int, list[dict[str, float]]] = {}
    for episode, fact in zip(done, facts, strict=True):
        tasks.setdefault(episode.group, []).append(fact)

    def share(name: str, of: str = "one") -> Estimate:
        parts = tasks.values()
        counts = [sum(fact[of] for fact in part) for part in parts]
        weights = [1] * len(parts) if of == "one" else counts  # starts weigh alike, as in all means
        return rate([sum(fact[name] for fact in part) for part in parts], counts, weights)

    def mean_of(name: str) -> Estimate:
        return mean([fmean(fact[name] for fact in part) for part in tasks.values()])

    trials = {task: [fact["success"] for fact in part] for task, part in tasks.items()}
    contest = len(cell.agents) > len(seats) and is_contest(
        [contested(episodes, cell.zero_sum)], cell.zero_sum
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
        "expected": cell.episodes,
        "failed": len(episodes) - len(done),
        "failure": next((_told(one.failure) for one in episodes[::-1] if one.failure), None),
        "truncated": sum(episode.ended == "truncated" for episode in done),
        "success": share("success"),
        "pass_at": _curve(pass_at_k, trials, entry.trials),
        "pass_hat": _curve(pass_hat_k, trials, entry.trials),
        "return": mean_of("return"),
        **{name: share(name) if contest and done else None for name in VERDICTS},
        "forfeit": share("forfeit"),
        "invalid": share("invalid", of="replies"),
        "turns": mean_of("replies"),
        "tokens": mean_of("tokens"),
        "cost": mean_of("cost"),
        "costs": {seat: mean_of(f"cost of {seat}") for seat in priced if done},
        "seconds": mean_of("seconds"),
        "latency": mean([_per_reply(part) for part in tasks.values()]),
        "data": ", ".join(sorted({str(one.report.get("data", "")) for one in done})),
        "prompts": _prompts(episodes, seats),
        "diagnosis": diagnoses(done),
        "versions": {one.version for one in done},
    }


def _prompts(episodes: Sequence[Episode], seats: Sequence[str]) -> str:
    """Return a name for the rules that evaluated seats were told in the first episode."""
    if not episodes:
        return ""
    rules = min(episodes, key=lambda one: one.number).rules
    told = repr([rules.get(seat, "") for seat in seats]).encode()
    return hashlib.blake2b(told, digest_size=8).hexdigest()


def diagnoses(episodes: Iterable[Episode]) -> dict[str, dict[str, int]]:
    """Count what the reports of episodes say of why they were not paid, where they say it.

    seats: whose part was not done. actions, assertions, records: what was not called, what did not
    hold, and the tables in which records differ; each once an episode.
    """
    found: dict[str, Counter[str]] = {}
    for episode in episodes:
        said = episode.report.get("diagnosis")
        for kind in ("seats", "actions", "assertions", "records"):
            listed = said.get(kind) if isinstance(said, Mapping) else None
            names = {_named(one) for one in listed} if isinstance(listed, list) else set()
            found.setdefault(kind, Counter()).update(names)
    return {kind: dict(counts.most_common()) for kind, counts in found.items() if counts}


def _named(one: Any) -> str:
    """Return what one thing of a diagnosis is called."""
    if not isinstance(one, Mapping):
        return str(one)
    return str(one["table"]) if "table" in one else f"{one.get('seat')}: {one.get('name')}"


def _told(failure: Failure) -> str:
    return f"{failure.kind}: {failure.message}"


def _per_reply(facts: Sequence[Mapping[str, float]]) -> float:
    """Return the seconds that a reply took on average; a seat may never have been asked."""
    replies = sum(fact["replies"] for fact in facts)
    return sum(fact["seconds"] for fact in facts) / replies if replies else 0.0


def _curve(
    function: Callable[..., float], trials: Mapping[int, Sequence[float]], most: int
) -> dict[int, Estimate]:
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
            out[k] = rate(came, tries, [1] * len(parts))
    return out


def _priced(cell: Cell, prices: Prices | None) -> dict[str, tuple[float, float]]:
    """Return the prices of the seats that have some."""
    if not isinstance(prices, Mapping):
        return dict.fromkeys(cell.lineup, prices) if prices else {}
    found = {}
    for seat, spec in cell.agents.items():
        price = prices.get(spec) or (prices.get("") if seat in cell.lineup else None)
        if price:
            found[seat] = price
    return found


def _facts(
    cell: Cell, episode: Episode, priced: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    """Return what one episode says about the evaluated agent, and what each seat cost."""
    seats = cell.lineup
    steps = [step for step in episode.steps if step.agent in seats]
    earned = fmean(episode.returns[seat] for seat in seats)
    used = dict.fromkeys(cell.agents, (0, 0))
    for step in episode.steps:
        (read, written), more = used[step.agent], tokens(step.reply)
        used[step.agent] = read + more[0], written + more[1]
    costs = {
        seat: (used[seat][0] * price[0] + used[seat][1] * price[1]) / 1e6
        for seat, price in priced.items()
    }
    verdict = outcome(episode.returns, seats)
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
        "seconds": sum(_latency(step) for step in steps),
    }


def contested(episodes: Iterable[Episode], zero_sum: bool) -> bool | None:
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
        return None if all(low < _NEAR for low, _ in ends) else False
    told = [low < -_NEAR and high > _NEAR for low, high in ends if max(high, -low) > _NEAR]
    return all(told) if told else None


def is_contest(found: Iterable[bool | None], zero_sum: bool) -> bool:
    """Return whether a game has winners; where what was earned does not tell, as it says."""
    told = [one for one in found if one is not None]
    return all(told) if told else zero_sum


def outcome(returns: Mapping[str, float], seats: Sequence[str]) -> str:
    """Return whether seats earned more than the mean of all: "win", "draw" or "loss"."""
    own = fmean(returns[seat] for seat in seats)
    gap = own - fmean(returns.values())
    if abs(gap) < 1e-9:
        return "draw"
    return "win" if gap > 0 else "loss"


def tokens(reply: Any) -> tuple[int, int]:
    """Return how many tokens a reply took to read and to write, as far as it says."""
    usage = getattr(reply, "usage", None) or {}
    ids = getattr(reply, "token_ids", None) or ()
    return int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", len(ids)))


def _latency(step: Any) -> float:
    told = getattr(step.reply, "latency", None)
    return float(step.seconds if told is None else told)


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _number(value) for key, value in row.items()}


def _number(value: Any) -> Any:
    if isinstance(value, Estimate):
        return {name: _number(one) for name, one in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(key): _number(one) for key, one in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


# -- two evaluations -------------------------------------------------------------------------------

COMPARED = {"success": +1, "return": +1, "invalid": -1, "tokens": 0}  # whether more is better


@dataclass(frozen=True, slots=True)
class Difference:
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


class _Compared(NamedTuple):
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
    def told(self) -> bool:
        return self.metric == "success" or any((*self.old.values(), *self.new.values()))


def compare(
    old: str | os.PathLike[str], new: str | os.PathLike[str], level: float = 0.05
) -> tuple[list[Difference], list[str]]:
    """Return what changed between two evaluations, and what of them cannot be compared, and why.

    Starts that both have played are compared one by one, and no others count; without any the two
    means are compared. A change counts if chance alone does as much less often than `level`,
    whichever of the numbers it shows in. The last ones are of all rows that have pairs, where
    there are several; they are a question of their own.
    """
    from gem_ma.evaluation.statistics import difference

    parts = []
    for folder in (old, new):
        _, cells = load(folder)
        parts.append({(cell.entry.name, cell.seat): (cell, folder) for cell in cells})
    before, after = parts
    found: list[_Compared] = []
    notes = [
        f"{entry} {seat}: only in {old if (entry, seat) in before else new}"
        for entry, seat in before.keys() ^ after.keys()
    ]
    for key in before.keys() & after.keys():
        (was, where), (now, there) = before[key], after[key]
        episodes = episodes_of(where, was), episodes_of(there, now)
        tables = _by_task(was, episodes[0]), _by_task(now, episodes[1])
        common = [task for task in tables[0] if task in tables[1]]
        notes += [f"{key[0]} {key[1]}: {one}" for one in _doubts(was, now, tables, (old, new))]
        left_out = _left_out(tables, episodes) if common else ""
        for metric in COMPARED if all(tables) else ():
            one, two = ({task: table[task][metric] for task in common or table} for table in tables)
            change = difference(one, two)
            found.append(_Compared(key, was.entry.id, metric, one, two, change, left_out))
    order = list(before)
    found.sort(key=lambda one: order.index(one.key))  # as they are in the suite
    out = _judged([([one], one.change) for one in found if one.told], level)
    return out + _judged(_over_all(found), level), sorted(notes)


def _over_all(found: Sequence[_Compared]) -> list[tuple[list[_Compared], Any]]:
    """Return for the success and the return their rows that have pairs, and the change of all."""
    from gem_ma.evaluation.statistics import together

    out = []
    for metric in ("success", "return"):
        rows = [one for one in found if one.metric == metric and one.change.paired]
        if len(rows) > 1 and any(one.told for one in rows):
            gaps = [
                {(one.id, task): gap for task, gap in zip(one.old, one.gaps, strict=True)}
                for one in rows
            ]
            out.append((rows, together(gaps)))
    return out


def _judged(asked: Sequence[tuple[list[_Compared], Any]], level: float) -> list[Difference]:
    """Return what became of numbers that are one question, each of rows, with the change of all.

    Where nothing differs there is nothing to test, and numbers of the same rows that changed alike,
    as success and return often do, are one test.
    """
    from gem_ma.evaluation.statistics import holm

    twins: list[int | None] = []  # which number before it has the same test
    for place, (rows, _) in enumerate(asked):
        earlier = (i for i in range(place) if twins[i] is None and _alike(asked[i][0], rows))
        twins.append(next(earlier, None))
    tests = [
        place
        for place, (rows, _) in enumerate(asked)
        if twins[place] is None and any(one.unlike for one in rows)
    ]
    chances = dict(zip(tests, holm([asked[i][1].p for i in tests]), strict=True))
    out = []
    for place, (rows, change) in enumerate(asked):
        twin = twins[place]
        p = chances.get(place if twin is None else twin, 1.0)
        first, pairs = rows[0], sum(len(one.old) for one in rows) if change.paired else 0
        unlike = sum(one.unlike for one in rows)
        verdict = "undecided" if unlike else "same"
        if p < level:
            sign = COMPARED[first.metric] * change.value
            verdict = "changed" if not sign else "better" if sign > 0 else "worse"
        out.append(
            Difference(
                *(first.key if len(rows) == 1 else ("all", f"{len(rows)} rows")),
                first.metric,
                old=fmean(fmean(one.old.values()) for one in rows),
                new=fmean(fmean(one.new.values()) for one in rows),
                change=change,
                p=p,
                verdict=verdict,
                pairs=pairs,
                unlike=unlike if change.paired else 0,
                why=_why(rows, change, p, len(tests), level),
                left_out=first.left_out if len(rows) == 1 else "",
                same_as="" if twin is None else asked[twin][0][0].metric,
                rows=len(rows),
            )
        )
    return out


def _alike(one: Sequence[_Compared], two: Sequence[_Compared]) -> bool:
    """Return whether two numbers of the same rows changed alike, by a factor for all of them."""
    if [row.key for row in one] != [row.key for row in two]:
        return False
    gaps = [[gap for row in rows for gap in row.gaps] for rows in (one, two)]
    largest = max(range(len(gaps[0])), key=lambda i: abs(gaps[0][i]), default=0)
    if not all(map(any, gaps)) or not gaps[1][largest]:
        return False
    factor = gaps[1][largest] / gaps[0][largest]
    near = _NEAR * abs(gaps[1][largest])
    return all(abs(b - factor * a) <= near for a, b in zip(*gaps, strict=True))


def _doubts(was: Cell, now: Cell, tables: Sequence[Any], folders: Sequence[Any]) -> list[str]:
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


def _why(rows: Sequence[_Compared], change: Any, p: float, numbers: int, level: float) -> str:
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


def _left_out(
    tables: tuple[Mapping[str, Any], Mapping[str, Any]],
    episodes: tuple[Sequence[Episode], Sequence[Episode]],
) -> str:
    """Return how many starts only one of two evaluations has, and why."""
    words = []
    for mine, other, which in ((0, 1, "before"), (1, 0, "after")):
        alone = tables[mine].keys() - tables[other].keys()
        failed = alone & {_task(one) for one in episodes[other] if one.failure is not None}
        elsewhere = "after" if which == "before" else "before"
        if failed:
            words.append(f"{len(failed)} that failed {elsewhere}")
        if len(alone) > len(failed):
            words.append(f"{len(alone) - len(failed)} played {which} only")
    nowhere = {_task(one) for part in episodes for one in part} - {*tables[0], *tables[1]}
    if nowhere:
        words.append(f"{len(nowhere)} that came to no end in either")
    return ", ".join(words)


def _task(episode: Episode) -> str:
    """Return a name of a start that other runs have for it too."""
    return f"{episode.seed} {json.dumps(episode.options, sort_keys=True)}"


def _by_task(cell: Cell, episodes: Sequence[Episode]) -> dict[str, dict[str, float]]:
    """Return the mean of every number by start, under a name that other runs have for it too."""
    parts: dict[str, list[dict[str, float]]] = {}
    for episode in episodes:
        if episode.failure is None:
            parts.setdefault(_task(episode), []).append(_facts(cell, episode, {}))
    out = {}
    for task, part in parts.items():
        sums: Counter[str] = Counter()
        for fact in part:
            sums.update(fact)
        means = {name: value / len(part) for name, value in sums.items()}
        means["invalid"] = sums["invalid"] / sums["replies"] if sums["replies"] else 0.0
        out[task] = means
    return out
