"""Verification of evaluations: every episode is played again without a model, and scored anew.

A replay cannot tell who wrote the replies of a model. It finds records that the game, the suite or
the agents of this package contradict, and records that are missing or there twice.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from gem_ma.agents import AGENT_SPECS, load_agent
from gem_ma.apis.factory import find_distrust_reason
from gem_ma.apis.session import to_json_value
from gem_ma.chat.agent import Agent, ask_agent
from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.chat.turn import Turn
from gem_ma.envs.registry import Spec, find_registered
from gem_ma.evaluation import run_folder
from gem_ma.evaluation.runner.eval_tasks import (
    KIND,
    EvalTask,
    load_evaluation,
    load_task_episodes,
    make_entry_env,
    plan_tasks,
)
from gem_ma.evaluation.runner.results import summarize
from gem_ma.evaluation.suites import Suite, SuiteEntry
from gem_ma.game import clip_repr
from gem_ma.rollouts.episode import Episode, find_turn_difference
from gem_ma.rollouts.live_episode import LiveEpisode
from gem_ma.rollouts.replay import ReplayError, replay
from gem_ma.rollouts.run import RolloutRun
from gem_ma.rollouts.version import __version__
from gem_ma.validation.endpoints import redact_secrets
from gem_ma.validation.entry_points import load_entry_point
from gem_ma.validation.json_types import JSONMapping

RowFaults = dict[tuple[str, str], list[str]]  # by entry and seat; no faults: the row is verified
_MAX_LISTED = 5  # numbers of episodes in a fault
_MAX_LENGTH = 80  # characters of a value in a fault
_SAFE_TOOLS = {"python"}  # which reach nothing outside
_UNCHECKED = {"cost", "costs"}  # depend on prices, which no record has
_PLANNED = ("id", "group", "seed", "spec", "agents", "options", "contexts", "wrappers", "begun")
_PLAYED = ("returns", "ended", "report", "rules", "tools")


class BadRecord(ValueError):
    """Raised if a record differs from what was to be played, or from its replay."""


class EvaluationVerifier:
    """A verifier of evaluations, which also finds records that it has seen in another one."""

    def __init__(self) -> None:
        self.seen: dict[str, str] = {}  # from the fingerprint of a record to where it was

    def verify(self, folder: str | os.PathLike[str], results: JSONMapping) -> RowFaults:
        """Return the faults of each row of an evaluation.

        No code of the folder is run: its environments have to be registered here, with the
        arguments that are registered, numbers and options of `make`.

        Args:
            folder: A folder that `evaluate` wrote.
            results: The content of its results.json.
        """
        suite, cells = load_evaluation(folder)
        faults: RowFaults = {(cell.entry.name, cell.seat): [] for cell in cells}
        general = self._check_plan(Path(folder), suite, cells)
        if not general:
            for cell in cells:
                faults[cell.entry.name, cell.seat] += self._check_cell(Path(folder), suite, cell)
            if not any(faults.values()):
                general = _check_results(folder, suite, cells, results)
        keys = {(row["entry"], row["seat"]) for row in results["rows"]}
        for key in keys | faults.keys():
            faults[key] = [*general, *faults.get(key, ["the folder has no records of this row"])]
        return faults

    def _check_plan(self, folder: Path, suite: Suite, cells: Sequence[EvalTask]) -> list[str]:
        """Return the faults of the whole evaluation: entries, seats and agents of its suite."""
        for entry in suite.entries:
            if reason := _find_distrust(entry):
                return [reason]
        about = run_folder.load_header(folder, KIND)
        try:
            planned, skipped = plan_tasks(suite, about["agents"], about["seats"])
        except (KeyError, TypeError, ValueError) as error:
            return [f"its plan cannot be made again: {error}"]
        if skipped:
            return [f"{one['entry']} cannot be played here: {one['reason']}" for one in skipped]
        listed = {(cell.entry.name, cell.seat): cell for cell in cells}
        faults = []
        for cell in planned:
            there = listed.pop((cell.entry.name, cell.seat), None)
            if there is None:
                faults.append(f"the row {cell.title} of the suite is missing")
            elif (there.lineup, there.file) != (cell.lineup, cell.file):
                faults.append(f"the row {cell.title} names other seats or another file")
            elif there.agents != _name_agents(cell):
                faults.append(f"the row {cell.title} names other agents than the evaluation")
        return faults + [f"the row {' '.join(key)} is not of the suite" for key in listed]

    def _check_cell(self, folder: Path, suite: Suite, cell: EvalTask) -> list[str]:
        """Return the faults of the records of one row."""
        try:
            episodes = load_task_episodes(folder, cell)
        except (OSError, ValueError) as error:
            return [str(error)]
        faults = _check_numbers(episodes, cell.episodes)
        run = RolloutRun(
            make_entry_env(cell.entry),
            {seat: _SeatName(spec) for seat, spec in cell.agents.items()},
            cell.episodes,
            concurrency=1,
            seed=suite.seed,
            group=cell.entry.trials,
            shuffle=False,
            start="new",
            options=cell.entry.list_reset_options(),
            context=cell.entry.context or None,
            max_errors=0,
            out=None,
            resume=False,
            pictures=False,
            progress=False,
        )
        agents = {seat: _find_checkable(spec) for seat, spec in cell.agents.items()}
        for episode in episodes:
            name = f"episode {episode.number}"
            if copy := self._find_copy(episode, f"{name} of {folder / 'episodes' / cell.file}"):
                faults.append(f"{name} is the same record as {copy}")
            if episode.failure is None and 0 <= episode.number < cell.episodes:
                play = run.plan_episode(episode.number)
                try:
                    _check_episode(play, episode, agents)
                except (BadRecord, ReplayError) as error:
                    faults.append(f"{name}: {error}")
                except Exception as error:  # noqa: BLE001 - of a record that nobody has played
                    faults.append(f"{name} cannot be replayed: {type(error).__name__}: {error}")
                else:
                    play.home.append(play.env)
        run.close()
        return faults

    def _find_copy(self, episode: Episode, where: str) -> str:
        """Return where the same record was before; two plays never take exactly as long."""
        if not episode.seconds or not episode.steps:
            return ""
        text = json.dumps(
            [episode.seconds, [[one.agent, str(one.reply), one.seconds] for one in episode.steps]]
        )
        key = hashlib.sha256(text.encode()).hexdigest()
        found = self.seen.setdefault(key, where)
        return "" if found == where else found


class _SeatName:
    """A stand-in for an agent: it has the agent's name, and never plays."""

    def __init__(self, spec: str):
        self.spec = spec

    def act(self, turns: list[Turn]) -> NoReturn:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.spec


def _find_distrust(entry: SuiteEntry) -> str:
    """Return why the environment of an entry is not made here, or ""."""
    known = find_registered(entry.id)
    entry_point, kwargs = (known.entry_point, known.kwargs) if known else ("", {})
    spec = Spec(entry.id, entry_point, {**kwargs, **entry.arguments}, recorded=True)
    if reason := find_distrust_reason(spec):
        return f"{entry.name} is not replayed: {reason}"
    for tool in _list_texts(entry.tools):
        if tool.partition(":")[0].rpartition("=")[2] not in _SAFE_TOOLS:
            return f"{entry.name} is not replayed: its tool {clip_repr(tool)} reaches outside"
    return ""


def _list_texts(value: object) -> list[str]:
    """Return the specs in a text with commas, a list of texts, or a table of them."""
    if isinstance(value, str):
        return [one for one in value.split(",") if one]
    parts: Iterable[Any] = value.values() if isinstance(value, Mapping) else value  # type: ignore[assignment]
    return [text for part in parts for text in _list_texts(part)]


def _name_agents(cell: EvalTask) -> dict[str, str]:
    """Return the names of a planned row's agents in records, with the suite's sampling options."""
    names = {}
    for seat, spec in cell.agents.items():
        sampling = cell.entry.sampling.get(seat)
        names[seat] = redact_secrets(AGENT_SPECS.add_defaults(spec, sampling) if sampling else spec)
    return names


def _check_numbers(episodes: Sequence[Episode], expected: int) -> list[str]:
    """Return the faults in the numbers of a row's episodes: missing, twice, too many, failed."""
    counts = Counter(episode.number for episode in episodes)
    kinds = {
        "missing": [number for number in range(expected) if number not in counts],
        "there more than once": [number for number, count in counts.items() if count > 1],
        f"beyond the {expected} of the row": [n for n in counts if not 0 <= n < expected],
        "failed": sorted({one.number for one in episodes if one.failure is not None}),
        f"played by another release than {__version__}": [
            one.number for one in episodes if one.version != __version__
        ],
    }
    return [
        f"{what}: {'episode' if len(numbers) == 1 else 'episodes'} {_format_numbers(numbers)}"
        for what, numbers in kinds.items()
        if numbers
    ]


def _format_numbers(numbers: Sequence[int]) -> str:
    listed = ", ".join(map(str, numbers[:_MAX_LISTED]))
    more = len(numbers) - _MAX_LISTED
    return f"{listed} and {more} more" if more > 0 else listed


def _find_checkable(spec: str) -> Agent | None:
    """Return an agent of this package whose replies depend on its turns alone, or None."""
    entry = AGENT_SPECS.known.get(spec.partition(":")[0])
    if entry is None or not isinstance(entry.maker, str):
        return None
    try:
        maker = load_entry_point(entry.maker)
    except ImportError:  # its extra is not installed
        return None
    return load_agent(spec) if getattr(maker, "portable", None) is True else None


def _check_episode(play: LiveEpisode, record: Episode, agents: Mapping[str, Agent | None]) -> None:
    """Raise BadRecord or ReplayError unless the episode is as planned, and as its replay."""
    planned, session = play.episode, play.session
    for name in _PLANNED:
        _check_equal(name, getattr(planned, name), getattr(record, name))
    _check_equal("redrawn", planned.redrawn, record.redrawn)
    for move in replay(session, record, find_turn_difference):
        for step in move.steps:
            agent = agents[step.agent]
            reply = None if agent is None else ask_agent(agent, [move.turns[step.agent]])[0]
            if reply is not None and str(reply) != str(step.reply):
                raise BadRecord(
                    f"{step.agent}, played by {record.agents[step.agent]}, replies "
                    f"{clip_repr(str(reply))}, and the record has {clip_repr(str(step.reply))}"
                )
    if session.due:
        raise BadRecord(f"it stops before its end: {', '.join(session.due)} is to act")
    for at, (new, old) in enumerate(zip(session.steps, record.steps, strict=True)):
        for name in ("number", "move", "reward", "invalid", "calls"):
            _check_equal(f"{name} of step {at}", getattr(new, name), getattr(old, name))
    match, chats = session.env.match, session.conversations
    planned.ended = "truncated" if match.truncated else "terminated"
    planned.report = to_json_value(match.game.report(match.state))
    planned.rules = {seat: chat.rules for seat, chat in chats.items() if chat.steps}
    planned.tools = to_json_value(
        {seat: make_tool_schemas(chat.tools) for seat, chat in chats.items() if chat.tools}
    )
    for name in _PLAYED:
        _check_equal(name, getattr(planned, name), to_json_value(getattr(record, name)))


def _check_equal(name: str, new: object, old: object) -> None:
    if new != old:
        raise BadRecord(
            f"{name} is {_shorten(new)} in the replay, and {_shorten(old)} in the record"
        )


def _check_results(
    folder: str | os.PathLike[str],
    suite: Suite,
    cells: Sequence[EvalTask],
    results: JSONMapping,
) -> list[str]:
    """Return how results.json differs from the results of the verified records."""
    new = json.loads(json.dumps(summarize(folder, suite, cells).to_dict()))
    differences = _list_differences(
        {name: new[name] for name in ("suite", "seed", "entries", "version")}, results
    )
    rows = {(row["entry"], row["seat"]): row for row in results["rows"]}
    if len(rows) < len(results["rows"]):
        differences.append("results.json has a row twice")
    for row in new["rows"]:
        key = row["entry"], row["seat"]
        there = rows.get(key)
        if there is None:
            differences.append(f"results.json lacks the row {' '.join(key)}")
            continue
        differences += [f"{' '.join(key)}: {one}" for one in _list_differences(row, there)]
    return differences


def _list_differences(new: JSONMapping, old: JSONMapping) -> list[str]:
    return [
        f"results.json has {name} {_shorten(old.get(name))}, and the records give {_shorten(value)}"
        for name, value in new.items()
        if name not in _UNCHECKED and old.get(name) != value
    ]


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}..."
