"""The tasks of an evaluation: each environment of a suite with each line-up of agents."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gem_ma.apis.aec import AECEnv
from gem_ma.envs.registry import MissingRequirement, UnknownEnv
from gem_ma.evaluation import run_folder, suites
from gem_ma.evaluation.suites import BadSuite, Suite, SuiteEntry
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.records import load_episodes

KIND = "evaluation"
TASKS_FILE = "cells.json"


class EvalTask(NamedTuple):
    """One cell of an evaluation: an environment with one line-up, in one file of episodes."""

    entry: SuiteEntry
    lineup: tuple[str, ...]
    agents: dict[str, str]  # spec of the agent in each seat
    file: str
    zero_sum: bool = True  # as the game declares; the returns may show otherwise

    @property
    def seat(self) -> str:
        if len(self.agents) > 1 and len(self.lineup) == len(self.agents):
            return "all"
        return "+".join(self.lineup)

    @property
    def title(self) -> str:
        if not self.lineup:  # a match of a tournament
            return f"{self.entry.name} {', '.join(self.agents.values())}"
        return f"{self.entry.name} {self.seat}" if len(self.agents) > 1 else self.entry.name

    @property
    def episodes(self) -> int:
        return self.entry.tasks * self.entry.trials


def load_evaluation(folder: str | os.PathLike[str]) -> tuple[Suite, list[EvalTask]]:
    """Return the suite and the cells of an evaluation folder, without making environments."""
    about, file = run_folder.load_header(folder, KIND), Path(folder) / TASKS_FILE
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
    """Return the cells of a suite that can be played here, and the other entries with reasons."""
    cells: list[EvalTask] = []
    skipped: list[dict[str, str]] = []
    known: set[str] = set()
    for entry in suite.entries:
        try:
            env = make_entry_env(entry)
        except (MissingRequirement, UnknownEnv, ImportError, OSError) as error:
            skipped.append({"entry": entry.name, "id": entry.id, "reason": str(error)})
            continue
        except (TypeError, ValueError) as error:  # arguments that do not fit
            raise BadSuite(f"{entry.name}: {error}") from None
        known |= set(env.possible_agents)
        if unknown := entry.sampling.keys() - set(env.possible_agents):
            there = ", ".join(env.possible_agents)
            raise BadSuite(
                f"{entry.name}: sampling has no seat {min(unknown)!r}; the seats are {there}"
            )
        lineups = entry.list_lineups(env.possible_agents)
        if agents is None and entry.seats == "each":  # only the seats that have an agent
            lineups = [one for one in lineups if set(one) <= set(seats)] or lineups
        for lineup in lineups:
            who = {
                seat: _find_spec(entry, seat, lineup, agents, seats) for seat in env.possible_agents
            }
            name = run_folder.make_file_name(
                f"{entry.name} {'+'.join(lineup)}", [entry.name, lineup]
            )
            cells.append(EvalTask(entry, lineup, who, name, env.game.zero_sum))
    for seat in seats:
        if known and seat not in known:
            raise BadSuite(
                f"no seat {seat!r} in suite {suite.name}; the seats are {', '.join(sorted(known))}"
            )
    return cells, skipped


def make_entry_env(entry: SuiteEntry) -> AECEnv:
    """Make the environment of an entry, with the tools of the entry."""
    from gem_ma.apis import factory
    from gem_ma.tools.tool_env import ToolEnv

    env = factory.make(entry.id, **entry.arguments)
    return ToolEnv(env, entry.tools) if entry.tools else env


def _find_spec(
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
        raise BadSuite(
            f"{entry.name}: no agent to evaluate in seat {seat}; name one, such as {seat}=random"
        )
    return who


def load_task_episodes(folder: str | os.PathLike[str], cell: EvalTask) -> list[Episode]:
    """Return the episodes of a cell that are on disk, ordered by number."""
    path = Path(folder) / "episodes" / cell.file
    return sorted(load_episodes(path), key=lambda one: one.number) if path.exists() else []
