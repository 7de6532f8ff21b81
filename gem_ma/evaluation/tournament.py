"""Tournaments: agents play each other from all seats on the same starts, and get ratings."""

from __future__ import annotations

import csv
import functools
import io
import itertools
import json
import math
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import numpy as np

from gem_ma.agents import AGENT_SPECS
from gem_ma.chat.agent import AgentSource, check_agent_seat
from gem_ma.chat.event_loops import run_async
from gem_ma.engine.config import EnvOptions
from gem_ma.engine.seeding import derive_seed
from gem_ma.evaluation import ratings, run_folder
from gem_ma.evaluation.contests import find_contest, find_outcome, is_contest
from gem_ma.evaluation.ratings import AgentRating, WinCycle
from gem_ma.evaluation.runner.eval_tasks import EvalTask, make_entry_env
from gem_ma.evaluation.runner.suite_runner import SuiteRunner, load_agents
from gem_ma.evaluation.statistics import IntervalEstimate, estimate_mean
from gem_ma.evaluation.suites import SuiteEntry
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.progress import RolloutProgress
from gem_ma.rollouts.records import load_episodes
from gem_ma.validation.arguments import check_each
from gem_ma.validation.files import write_atomically
from gem_ma.validation.json_types import JSONObject

TOURNAMENT_KIND = "tournament"
POOL_FILE = "agents.json"
GAMES_FILE = "games.json"
PLAN_FILE = "cells.json"
OUTCOME_COUNTS = ("win", "draw", "loss", "forfeit")


class BadTournament(ValueError):
    """The request is not a valid tournament."""


@dataclass(slots=True)
class Leaderboard:
    """The result of a tournament.

    Ratings, wins, draws and seats count only games in which seats win from each other.

    Attributes:
        wins: How often the agent of a row beat the agent of a column.
        draws: How often the agents of a row and a column drew.
        returns: By game and agent, its mean return over starts. If an agent has several seats,
            their returns are averaged.
        unrated: Games without winners.
        absent: Agents without a finished match.
        missing: Line-ups with fewer finished matches than requested.
        seats: By game, seat and agent, the numbers of wins, draws, losses and forfeits. A win is a
            return above the mean of all seats. A forfeit counts as nothing else.
    """

    agents: list[str]
    ratings: list[AgentRating]
    by_game: dict[str, list[AgentRating]]
    drawing: float  # probability that equal agents draw
    wins: np.ndarray
    draws: np.ndarray
    seats: dict[tuple[str, str, str], dict[str, int]]
    cycles: list[WinCycle]
    matches: int
    failed: int
    returns: dict[tuple[str, str], IntervalEstimate] = field(default_factory=dict)
    unrated: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    missing: list[JSONObject] = field(default_factory=list)
    skills: dict[str, tuple[float, float]] = field(default_factory=dict)  # Plackett-Luce
    stopped: list[dict[str, str]] = field(default_factory=list)

    def count_outcomes(self, agent: str) -> dict[str, int]:
        """Return how often an agent won, drew, lost and forfeited."""
        rows = [row for (_, _, who), row in self.seats.items() if who == agent]
        return {name: sum(row[name] for row in rows) for name in OUTCOME_COUNTS}

    def compute_points(self, row: int, column: int) -> float:
        """Return the share of points that one agent won from another; nan: they never played."""
        games = self.wins[row, column] + self.wins[column, row] + self.draws[row, column]
        won = self.wins[row, column] + self.draws[row, column] / 2
        return float(won / games) if games else math.nan

    def rank_agents(self) -> list[int]:
        """Return the indices of the agents in the tables, best rated first."""
        return [self.agents.index(one.agent) for one in self.ratings]

    def build_cross_table(self) -> list[list[str]]:
        """Return the points in percent of each agent against each other, best rated first."""
        order = self.rank_agents()
        out = [["agent", *(self.agents[i] for i in order)]]
        for i in order:
            cells = (
                "" if math.isnan(p := self.compute_points(i, j)) else f"{100 * p:.0f}"
                for j in order
            )
            out.append([self.agents[i], *cells])
        return out

    def to_csv(self) -> str:
        """Return the cross table as CSV."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self.build_cross_table())
        return text.getvalue()

    def build_scene(self) -> Any:
        """Return the cross table as a scene: green if the row won more, red if it won less."""
        from gem_ma.scene import Grid, Tile

        order = self.rank_agents()
        tiles, rows = {"": Tile(ground="gray")}, []
        for i in order:
            cells = []
            for j in order:
                share = self.compute_points(i, j)
                text = "" if math.isnan(share) else f"{100 * share:.0f}"
                if text:
                    ground = "green" if share > 0.5 else "red" if share < 0.5 else "yellow"
                    tiles[text + ground] = Tile(ground=ground, text=text)
                    text += ground
                cells.append(text)
            rows.append(tuple(cells))
        numbers = tuple(str(number) for number in range(1, len(order) + 1))
        names = tuple(
            f"{number} {one.agent} {one.points:+.0f}"
            for number, one in zip(numbers, self.ratings, strict=True)
        )
        return Grid(tuple(rows), tuple(tiles.items()), (), numbers, numbers, names)

    def to_dict(self) -> JSONObject:
        """Return the leaderboard as JSON values."""
        return {
            "matches": self.matches,
            "failed": self.failed,
            "drawing": _nan_to_none(self.drawing),
            "ratings": [
                {**one._asdict(), **self.count_outcomes(one.agent)} for one in self.ratings
            ],
            "by_game": {
                game: [one._asdict() for one in rows] for game, rows in self.by_game.items()
            },
            "plackett_luce": {
                agent: {"mu": mu, "sigma": sigma} for agent, (mu, sigma) in self.skills.items()
            },
            "agents": self.agents,
            "wins": self.wins.tolist(),
            "draws": self.draws.tolist(),
            "returns": [
                {
                    "game": game,
                    "agent": agent,
                    **{k: _nan_to_none(v) for k, v in one._asdict().items()},
                }
                for (game, agent), one in self.returns.items()
            ],
            "unrated": self.unrated,
            "absent": self.absent,
            "missing": self.missing,
            "seats": [
                {"game": game, "seat": seat, "agent": agent, **row}
                for (game, seat, agent), row in self.seats.items()
            ],
            "cycles": [one._asdict() for one in self.cycles],
            "stopped": self.stopped,
        }


def run_tournament(
    games: Sequence[str],
    agents: Sequence[str],
    out: str | os.PathLike[str],
    *,
    matches: int = 10,
    schedule: Literal["round-robin", "swiss"] = "round-robin",
    rounds: int | None = None,
    seating: Literal["all", "rotate"] = "all",
    anchors: Sequence[str] = ("random",),
    forfeits: Literal["loss", "leave-out"] = "loss",
    skills: bool = False,
    seed: int = 0,
    concurrency: int = 64,
    max_errors: int = 10,
    workers: int | None = None,
    named: Mapping[str, AgentSource] | None = None,
    progress: bool | None = None,
    on_cell: Callable[[str, int, int], None] | None = None,
    make: EnvOptions | None = None,
) -> Leaderboard:
    """Play the matches that the folder lacks, and return the leaderboard of all its matches.

    A folder can be continued with more agents, more matches, or another schedule. Only missing
    matches are played.

    Args:
        games: Ids of the games.
        agents: Specs, or NAME=SPEC, so that an agent can also play itself. Agents of earlier runs
            in this folder stay in the pool.
        out: Folder for episodes and results.
        matches: Number of starts, the same for all. Each group of agents plays each start in every
            seating.
        schedule: "round-robin": every group of agents plays. "swiss": agents with similar results
            play each other.
        rounds: Number of rounds of a Swiss tournament. None: the binary logarithm of the number of
            agents, rounded up.
        seating: "all": all permutations. "rotate": each agent once in each seat.
        anchors: Specs that join; the rating of the first is 0. Without any, the mean rating is 0.
        forfeits: "loss": ratings count a forfeit as a loss. "leave-out": they ignore it. Forfeits
            are counted separately in both cases.
        skills: Also rate by Plackett-Luce, which uses whole rankings and not only pairs.
        seed: Decides all starts, and the random choices of agents.
        concurrency: Number of episodes to play at the same time. It does not change the results.
        max_errors: Number of failed episodes to tolerate in each line-up; one more stops it.
        workers: Number of processes to play in. None: this process.
        named: Agents, or functions of a Turn, by the name that stands for each in place of a spec.
        progress: Show a bar on a terminal, and lines elsewhere. None: a bar on a terminal only.
        on_cell: Called at the end of a line-up, unless a bar is drawn, with its title and its
            numbers of finished and expected episodes.
        make: Arguments of `gem_ma.make` for all games.

    Returns:
        The leaderboard of all matches in this folder.

    Examples:
        >>> from gem_ma.evaluation import run_tournament
        >>> board = run_tournament(["game:TicTacToe-v0"], ["search"], "matches", matches=2)
        >>> [one.agent for one in board.ratings]
        ['search', 'random']
    """
    agents, anchors = [*check_each(agents, str, "agents")], [*check_each(anchors, str, "anchors")]
    counts = {"matches": matches, "concurrency": concurrency}
    counts |= {"rounds": rounds} if rounds is not None else {}
    _check_options(counts, schedule, seating, forfeits)
    if skills:
        ratings.fit_plackett_luce([])  # raises here if a requirement is missing, before any match
    entries = [_make_entry(id, matches, make or {}) for id in dict.fromkeys(games)]
    if not entries:
        raise BadTournament("got no game; name one or more of `gem-ma list`")
    about = {"games": [entry.id for entry in entries], "seed": seed}
    about |= {"make": json.loads(json.dumps(make))} if make else {}
    known = {*anchors, *agents, *(named or {})}
    pool = _load_pool(Path(out), [*anchors, *agents], known)
    _check_pool(pool, agents)
    named = {**_parse_named_specs(pool, entries), **(named or {})}
    shared = load_agents(pool, named)
    pool = list(shared)
    for seat in (seat for entry in entries for seat in make_entry_env(entry).possible_agents):
        for one, agent in shared.items():
            check_agent_seat(agent, seat, one)
    with run_folder.open_run_folder(out, TOURNAMENT_KIND, about) as path:
        pool = _load_pool(path, pool, known)  # others may have joined before the lock was free
        named = {**_parse_named_specs(pool, entries), **named}
        shared |= load_agents([one for one in pool if one not in shared], named)
        run_folder.write_json(path / POOL_FILE, pool)
        about_games = {entry.id: make_entry_env(entry).game.zero_sum for entry in entries}
        run_folder.write_json(path / GAMES_FILE, about_games)
        folder = path / "matches"
        folder.mkdir(exist_ok=True)
        limits = {"max_errors": max_errors, "workers": workers, "pictures": False}
        playing = SuiteRunner(folder, seed, shared, concurrency, limits, None, on_cell)
        if schedule == "round-robin":
            plans = [_plan_round_robin(entry, pool, seating) for entry in entries]
        else:
            plans = [_plan_swiss(entry, pool, seating, rounds, folder) for entry in entries]
        planned: JSONObject = run_folder.load_json(path / PLAN_FILE, {})
        for plan in plans:
            for cells in plan:
                _record_plan(planned, cells)
                run_folder.write_json(path / PLAN_FILE, planned)
                playing.bar = _start_progress(cells, progress)
                try:
                    run_async(functools.partial(playing.play_all, cells))
                finally:
                    if playing.bar is not None:
                        playing.bar.stop()
        board = build_leaderboard(path, anchors[0] if anchors else None, forfeits, skills)
        board.stopped = playing.stopped
        run_folder.write_json(path / "results.json", board.to_dict())
        write_atomically(path / "crosstable.csv", board.to_csv().encode())
    return board


def _record_plan(planned: JSONObject, cells: Sequence[EvalTask]) -> None:
    """Add the planned matches of some cells to those of earlier runs, by file."""
    for cell in cells:
        most = max(cell.episodes, planned.get(cell.file, {}).get("matches", 0))
        who = {"game": cell.entry.id, "agents": list(cell.agents.values())}
        planned[cell.file] = {**who, "matches": most}


def _check_options(counts: Mapping[str, int], schedule: str, seating: str, forfeits: str) -> None:
    for name, value in counts.items():
        if value < 1:
            raise BadTournament(f"{name}={value}: expected 1 or more")
    for name, word, known in (
        ("schedule", schedule, ("round-robin", "swiss")),
        ("seating", seating, ("all", "rotate")),
        ("forfeits", forfeits, ("loss", "leave-out")),
    ):
        if word not in known:
            raise BadTournament(f"{name}={word!r}: expected {' or '.join(known)}")


def _start_progress(cells: Sequence[EvalTask], progress: bool | None) -> RolloutProgress | None:
    if progress is False:
        return None
    return RolloutProgress.start(sum(cell.episodes for cell in cells), force=bool(progress))


def _load_pool(path: Path, agents: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the pool of a folder, or raise if loading an agent would run code not named now."""
    pool = _merge_pool(path, agents)
    for one in pool:
        if one not in known and AGENT_SPECS.runs_own_code(_split_name(one)[1]):
            raise BadTournament(
                f"{one} of {path} runs code of its own: name this agent again to allow that"
            )
    return pool


def _check_pool(pool: Sequence[str], agents: Sequence[str]) -> None:
    twice = next((one for one in agents if list(agents).count(one) > 1), None)
    if twice is not None:
        raise BadTournament(
            f"{twice} is named twice; for a match against itself, name one of them: again={twice}"
        )
    if len(pool) < 2:
        again = f", such as again={pool[0]} for a match against itself" if pool else ""
        got = f"only {pool[0]}" if pool else "no agent"
        raise BadTournament(f"got {got}; a tournament needs 2 agents or more{again}")


def _merge_pool(path: Path, agents: Sequence[str]) -> list[str]:
    """Return all agents that joined earlier, and the agents that join now."""
    before: list[str] = run_folder.load_json(path / POOL_FILE, [])
    return list(dict.fromkeys([*before, *agents]))


def _parse_named_specs(pool: Sequence[str], games: Sequence[SuiteEntry]) -> dict[str, str]:
    """Return the specs of the agents that are named by NAME=SPEC."""
    specs, seats = {}, {seat for entry in games for seat in make_entry_env(entry).possible_agents}
    for one in pool:
        name, spec = _split_name(one)
        if name:
            specs[one] = spec
            if name in seats:
                raise BadTournament(
                    f"{one}: {name} is a seat, but in a tournament every agent plays every seat; "
                    f"pass {spec} alone, or another name, such as my-{name}={spec}"
                )
    return specs


def _split_name(one: str) -> tuple[str, str]:
    """Return the name and the spec of NAME=SPEC; the name is "" for a spec alone."""
    name, equals, spec = one.partition("=")
    return (name, spec) if equals and re.fullmatch(r"[\w.-]+", name) else ("", one)


def _make_entry(id: str, matches: int, arguments: EnvOptions) -> SuiteEntry:
    entry = SuiteEntry(id, id, arguments, tasks=matches)
    seats = make_entry_env(entry).possible_agents
    if len(seats) < 2:
        raise BadTournament(f"{id} has one seat, a tournament needs 2 or more; use gem-ma eval")
    return entry


def _plan_round_robin(
    entry: SuiteEntry, pool: Sequence[str], seating: str
) -> Iterator[list[EvalTask]]:
    seats = make_entry_env(entry).possible_agents
    groups: Any = itertools.combinations(pool, len(seats))
    if len(pool) < len(seats):  # agents then take several seats
        every = itertools.combinations_with_replacement(pool, len(seats))
        groups = (group for group in every if len(set(group)) > 1)
    yield [cell for group in groups for cell in _list_seatings(entry, seats, group, seating)]


def _list_seatings(
    entry: SuiteEntry, seats: Sequence[str], group: Sequence[str], seating: str
) -> list[EvalTask]:
    """Return a cell for each way in which a group takes the seats."""
    if seating == "all":
        ways = list(itertools.permutations(group))
    else:
        ways = [(*group[i:], *group[:i]) for i in range(len(group))]
    cells = []
    for way in dict.fromkeys(ways):
        who = dict(zip(seats, way, strict=True))
        title = f"{entry.id} {' '.join(way)}"
        cells.append(EvalTask(entry, (), who, run_folder.make_file_name(title, [entry.id, way])))
    return cells


def _plan_swiss(
    entry: SuiteEntry, pool: Sequence[str], seating: str, rounds: int | None, folder: Path
) -> Iterator[list[EvalTask]]:
    """Yield the cells of each round; the groups depend on the results of earlier rounds."""
    seats = make_entry_env(entry).possible_agents
    if len(pool) < len(seats):
        raise BadTournament(
            f"got {len(pool)} agents for the {len(seats)} seats of {entry.id}; name more, or use "
            "schedule='round-robin', where an agent may take several seats"
        )
    met: dict[frozenset[str], int] = {}
    scores: dict[str, list[float]] = {agent: [] for agent in pool}
    for _ in range(rounds or max(1, math.ceil(math.log2(len(pool))))):
        cells = []
        for group in _form_groups(pool, scores, met, len(seats)):
            for pair in itertools.combinations(group, 2):
                met[frozenset(pair)] = met.get(frozenset(pair), 0) + 1
            cells += _list_seatings(entry, seats, group, seating)
        yield cells
        for cell in cells:
            for episode in _load_finished_episodes(folder / cell.file, entry.tasks):
                for seat, agent in cell.agents.items():
                    verdict = find_outcome(episode.returns, [seat])
                    scores[agent].append({"win": 1.0, "draw": 0.5, "loss": 0.0}[verdict])


def _form_groups(
    pool: Sequence[str],
    scores: Mapping[str, Sequence[float]],
    met: Mapping[frozenset[str], int],
    size: int,
) -> list[list[str]]:
    """Return groups of agents with similar scores and few common matches; others rest."""
    standing = {agent: fmean(own) if own else 0.5 for agent, own in scores.items()}
    order = sorted(pool, key=lambda agent: (-standing[agent], pool.index(agent)))
    resting = len(pool) % size
    # Agents with the most matches rest, and among them the lowest.
    rest = sorted(order, key=lambda agent: (-len(scores[agent]), -order.index(agent)))[:resting]
    left = [agent for agent in order if agent not in rest]
    groups = []
    while left:
        group = [left.pop(0)]
        while len(group) < size:
            fewest = min(
                left,
                key=lambda agent: (
                    sum(met.get(frozenset((agent, other)), 0) for other in group),
                    left.index(agent),
                ),
            )
            left.remove(fewest)
            group.append(fewest)
        groups.append(group)
    return groups


def _load_finished_episodes(path: Path, most: int | None = None) -> list[Episode]:
    episodes = (one for one in load_episodes(path) if one.failure is None) if path.exists() else ()
    return [one for one in episodes if most is None or one.number < most]


def build_leaderboard(
    folder: str | os.PathLike[str],
    anchor: str | None = "random",
    forfeits: str = "loss",
    skills: bool = False,
) -> Leaderboard:
    """Return the leaderboard of all matches that a folder holds."""
    about = run_folder.load_header(folder, TOURNAMENT_KIND)
    files = sorted((Path(folder) / "matches").glob("*.jsonl"))
    by_file = {file.name: list(load_episodes(file)) for file in files}
    played = [one for own in by_file.values() for one in own]
    done = [one for one in played if one.failure is None]
    by_game = {game: [one for one in done if one.spec.id == game] for game in about["games"]}
    zero_sum: dict[str, bool] = run_folder.load_json(Path(folder) / GAMES_FILE, {})
    games = [
        game
        for game, own in by_game.items()
        if own
        and is_contest([find_contest(own, zero_sum.get(game, True))], zero_sum.get(game, True))
    ]
    rivals = [one for game in games for one in by_game[game]]
    agents = sorted({agent for one in rivals for agent in one.agents.values()})
    units = {game: _build_resample_units(by_game[game], agents, forfeits) for game in games}
    together = [unit for game in games for unit in units[game]]
    zero = anchor if anchor in agents else None
    rated, drawing = ratings.fit_bradley_terry(agents, together, zero) if agents else ([], math.nan)
    total = sum((unit.sum(0) for unit in together), np.zeros((len(agents), len(agents), 2)))
    there = {agent for one in done for agent in one.agents.values()}
    board = Leaderboard(
        agents=agents,
        ratings=rated,
        by_game={
            game: ratings.fit_bradley_terry(agents, units[game], zero)[0]
            for game in games
            if len(games) > 1
        },
        drawing=drawing,
        wins=total[..., 0],
        draws=total[..., 1],
        seats=_count_by_seat(rivals),
        cycles=ratings.find_cycles(agents, total[..., 0], total[..., 1]),
        matches=len(done),
        failed=len(played) - len(done),
        returns={
            key: one for game, own in by_game.items() for key, one in _average_returns(game, own)
        },
        unrated=[game for game, own in by_game.items() if own and game not in games],
        absent=[agent for agent in _merge_pool(Path(folder), ()) if agent not in there],
        missing=_find_missing(Path(folder), by_file),
    )
    if skills and rivals:
        order = _shuffle_episodes(rivals)
        board.skills = ratings.fit_plackett_luce([_average_by_agent(one) for one in order])
    return board


def _find_missing(folder: Path, episodes: Mapping[str, Sequence[Episode]]) -> list[JSONObject]:
    """Return the line-ups with fewer finished matches than requested."""
    planned: dict[str, JSONObject] = run_folder.load_json(folder / PLAN_FILE, {})
    out = []
    for file, cell in planned.items():
        played = sum(one.failure is None for one in episodes.get(file, ()))
        if played < cell["matches"]:
            out.append({**cell, "played": played})
    return out


def _build_resample_units(
    episodes: Sequence[Episode], agents: Sequence[str], forfeits: str
) -> list[np.ndarray]:
    """Return wins and draws by group of agents and by start, which are resampled together."""
    place = {agent: i for i, agent in enumerate(agents)}
    groups: dict[tuple[str, ...], dict[int, np.ndarray]] = {}
    for episode in episodes:
        starts = groups.setdefault(tuple(sorted(episode.agents.values())), {})
        table = starts.setdefault(episode.number, np.zeros((len(agents), len(agents), 2)))
        left = set(episode.forfeits)
        for one, two in itertools.combinations(episode.agents, 2):
            a, b = place[episode.agents[one]], place[episode.agents[two]]
            if a == b or (forfeits == "leave-out" and left & {one, two}):
                continue
            # After a forfeit, the other seat has won, regardless of the returns.
            gap = episode.returns[one] - episode.returns[two]
            gap = (two in left) - (one in left) or gap
            if abs(gap) < 1e-9:
                table[a, b, 1] += 1
                table[b, a, 1] += 1
            else:
                table[(a, b, 0) if gap > 0 else (b, a, 0)] += 1
    return [np.stack(list(starts.values())) for starts in groups.values()]


def _count_by_seat(episodes: Sequence[Episode]) -> dict[tuple[str, str, str], dict[str, int]]:
    out: dict[tuple[str, str, str], dict[str, int]] = {}
    for episode in episodes:
        left = set(episode.forfeits)
        for seat, agent in episode.agents.items():
            row = out.setdefault((episode.spec.id, seat, agent), dict.fromkeys(OUTCOME_COUNTS, 0))
            row["forfeit" if seat in left else find_outcome(episode.returns, [seat])] += 1
    return out


def _average_returns(
    game: str, episodes: Sequence[Episode]
) -> list[tuple[tuple[str, str], IntervalEstimate]]:
    """Return each agent's mean return in a game: the mean over starts of its mean per start."""
    parts: dict[str, dict[int, list[float]]] = {}
    for episode in episodes:
        for agent, earned in _average_by_agent(episode).items():
            parts.setdefault(agent, {}).setdefault(episode.number, []).append(earned)
    return [
        ((game, agent), estimate_mean([fmean(values) for values in starts.values()]))
        for agent, starts in sorted(parts.items())
    ]


def _nan_to_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _average_by_agent(episode: Episode) -> dict[str, float]:
    """Return the mean return of each agent over its seats."""
    parts: dict[str, list[float]] = {}
    for seat, agent in episode.agents.items():
        parts.setdefault(agent, []).append(episode.returns[seat])
    return {agent: fmean(values) for agent, values in parts.items()}


def _shuffle_episodes(episodes: Sequence[Episode]) -> list[Episode]:
    """Return episodes in a fixed random order, for ratings that depend on the order."""
    return sorted(
        episodes, key=lambda one: (derive_seed(one.seed, 1), one.spec.id, *one.agents.values())
    )
