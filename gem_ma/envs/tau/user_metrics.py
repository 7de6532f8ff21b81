"""Metrics of users: traits shown, failures that users caused, and success with each assistant.

All metrics are found by rule in the messages, so models and rule-based users are measured alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gem_ma.apis.factory import make
from gem_ma.engine.action_parsing import strip_thinking
from gem_ma.envs.tau.agents.users.shown_traits import (
    Shown,
    Talk,
    list_called_tools,
    remove_stop_marks,
    traits_shown,
)
from gem_ma.envs.tau.agents.users.telecom_simulator import find_identity
from gem_ma.envs.tau.agents.users.traits import TRAITS
from gem_ma.envs.tau.agents.users.user_faults import (
    find_phone_faults,
    get_task_text,
    list_tool_names,
)
from gem_ma.envs.tau.fidelity import judge
from gem_ma.envs.tau.wants.compiled import Wants
from gem_ma.evaluation.statistics import IntervalEstimate, estimate_rate
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.rollout import rollout
from gem_ma.validation.json_types import JSONMapping, JSONObject

SUCCESS = 0.999  # minimum reward of a success


class Row(NamedTuple):
    """The results of one assistant with one user."""

    user: str
    assistant: str
    success: IntervalEstimate
    faults: IntervalEstimate  # share of all episodes that failed by the user's fault
    success_without_faults: IntervalEstimate | None  # in the episodes without a fault of the user
    contradictions: int  # facts that were wrong and not corrected, or invented
    turns: float
    shown: Mapping[str, Shown]


@dataclass(frozen=True)
class Report:
    """Success of assistants with users, and the traits of the users."""

    env: str
    episodes: int  # per pair
    rows: tuple[Row, ...]

    @property
    def agreement(self) -> Mapping[str, float]:
        """Agreement of each user's ranking of the assistants with the ranking by mean success.

        The value is Spearman's rho. Users with equal success for all assistants are left out.
        """
        users = list(dict.fromkeys(row.user for row in self.rows))
        assistants = list(dict.fromkeys(row.assistant for row in self.rows))
        by = {(row.user, row.assistant): row.success.value for row in self.rows}
        mean = [sum(by[user, one] for user in users) / len(users) for one in assistants]
        agreement = {user: _spearman([by[user, one] for one in assistants], mean) for user in users}
        return {user: rho for user, rho in agreement.items() if rho is not None}

    def to_json(self) -> JSONObject:
        rows = [
            {
                **row._asdict(),
                "success": row.success._asdict(),
                "faults": row.faults._asdict(),
                "success_without_faults": row.success_without_faults
                and row.success_without_faults._asdict(),
                "shown": {name: one._asdict() for name, one in row.shown.items() if one.chances},
            }
            for row in self.rows
        ]
        return {
            "env": self.env,
            "episodes": self.episodes,
            "rows": rows,
            "agreement": dict(self.agreement),
        }

    def __str__(self) -> str:
        lines = [f"{self.env}: {self.episodes} episodes of each pair"]
        wide = max([len(row.user) for row in self.rows] + [4])
        other = max([len(row.assistant) for row in self.rows] + [9])
        head = (
            f"{'user':{wide}}  {'assistant':{other}}  success              the user's fault      "
            "without faults        turns"
        )
        lines.append(f"{head}  shown")
        for row in self.rows:
            estimates = (row.success, row.faults, row.success_without_faults)
            trait_shares = ", ".join(
                f"{name} {one.share:.2f}" for name, one in row.shown.items() if one.times
            )
            lines.append(
                f"{row.user:{wide}}  {row.assistant:{other}}  "
                f"{'  '.join(map(_format_estimate, estimates))}  {row.turns:5.1f}  "
                f"{trait_shares or '-'}"
            )
        for user, rho in self.agreement.items():
            lines.append(f"{user}: ranks the assistants as all do: {rho:.2f}")
        return "\n".join(lines)


def _format_estimate(one: IntervalEstimate | None) -> str:
    return f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]" if one else f"{'-':20}"


class EveryEpisodeFailed(RuntimeError):
    """Raised if no episode of a user with an assistant came to its end."""


def measure_users(
    env: str,
    users: Sequence[str],
    assistants: Sequence[str] = ("informed-assistant",),
    episodes: int = 100,
    seed: int = 0,
    **arguments: Any,
) -> Report:
    """Play every assistant with every user; report success rates and the users' traits.

    Args:
        env: an id of `tau:` or `tau2:`. All pairs get the same tasks, the first ones of the split.
        **arguments: arguments of `make`.

    Raises:
        RuntimeError: All episodes of a user with an assistant failed.
    """
    if episodes < 1:
        raise ValueError(f"episodes={episodes}: expected 1 or more")
    game = make(env, **arguments).game
    if not hasattr(game, "wants"):
        raise ValueError(f"{env} has no user with a task; use an environment of tau: or tau2:")
    many = getattr(game, "ids", None) or getattr(getattr(game, "content", None), "tasks", ())
    options = [{"task": place % len(many) if many else place} for place in range(episodes)]
    rows = []
    for user in users:
        for assistant in assistants:
            agents = {"user": user, "assistant": assistant}
            played_episodes = rollout(
                env, agents, episodes, seed=seed, options=options, **arguments
            )
            rows.append(row_of(user, assistant, played_episodes, game))
    return Report(env, episodes, tuple(rows))


def talk_of(episode: Episode) -> Talk:
    """Return the messages of an episode, and the user's calls between them."""
    said: list[str] = []
    heard: list[str] = []
    calls: list[frozenset[str]] = []
    results: list[tuple[str, ...]] = []
    last, names, shown = "", list[str](), list[str]()
    for step in episode.steps:
        reply = strip_thinking(step.reply or "")
        called = list_called_tools(step.reply, reply)
        if step.agent == "user":
            shown += step.results
            if called is not None:
                names += called
                continue
            said.append(remove_stop_marks(reply))
            heard.append(last)
            calls.append(frozenset(names))
            results.append(tuple(shown))
            names, shown = [], []
        elif called is None:
            last = reply
    return Talk(tuple(said), tuple(heard), tuple(calls), tuple(results))


def row_of(user: str, assistant: str, episodes: Sequence[Episode], game: Any) -> Row:
    """Return the results of one assistant with one user; episodes that failed do not count."""
    failures = [episode.failure for episode in episodes if episode.failure is not None]
    if len(failures) == len(episodes):
        raise EveryEpisodeFailed(
            f"all {len(episodes)} episodes of {user} with {assistant} failed, the first by "
            f"{failures[0].kind}: {failures[0].message}"
            if failures
            else "there are no episodes"
        )
    episodes = [episode for episode in episodes if episode.failure is None]
    trait_counts = dict.fromkeys(TRAITS, Shown())
    tools = list_tool_names(game.tools("user"))
    good: list[float] = []
    flawless: list[float] = []  # successes in the episodes without a fault of the user
    faults: list[float] = []
    wrong, turns = 0, 0
    for episode in episodes:
        report = episode.report
        task = game.task(report["task"])
        talk = talk_of(episode)
        wants = game.wants(task)
        if not wants.known:
            wants = wants._replace(known=find_identity(get_task_text(task)))
        for name, one in traits_shown(talk, wants, tools).items():
            trait_counts[name] += one
        solved = report.get("reward", 0.0) >= SUCCESS
        verdict = _judged(report, task, talk, solved, game.wants(task))
        stopped = report["ended"] == "user"
        at_fault = verdict["user_fault"] or find_phone_faults(talk, tools, stopped, solved)
        good.append(float(solved))
        flawless += [] if at_fault else [float(solved)]
        faults.append(float(bool(at_fault) and not solved))
        wrong += sum(one.startswith(("invented", "said the")) for one in verdict["user_errors"])
        turns += len(episode.steps)
    return Row(
        user,
        assistant,
        _estimate_share(good),
        _estimate_share(faults),
        _estimate_share(flawless) if flawless else None,
        wrong,
        turns / len(good),
        trait_counts,
    )


def _estimate_share(flags: Sequence[float]) -> IntervalEstimate:
    return estimate_rate(flags, [1.0] * len(flags))


def _judged(report: JSONMapping, task: Any, talk: Talk, solved: bool, wants: Wants) -> JSONMapping:
    """Return whose fault a failure was, from the report or else by `fidelity.judge`."""
    if "user_fault" in report:
        return report
    lines = []
    for user_text, assistant_text in zip(talk.said, talk.heard, strict=True):
        lines += [("assistant", assistant_text), ("user", user_text)]
    known = "\n".join([get_task_text(task), *[one for many in talk.results for one in many]])
    return judge(known, lines, report["ended"], float(solved), wants)


def _spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the rank correlation of two lists, or None if all values of a list are equal."""
    a, b = _ranks(one), _ranks(other)
    mean = sum(a) / len(a)
    over = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    under = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return over / under**0.5 if under else None


def _ranks(values: Sequence[float]) -> list[float]:
    return [
        sum(other < one for other in values) + (sum(other == one for other in values) - 1) / 2
        for one in values
    ]
