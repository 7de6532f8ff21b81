"""A small readable trainer in one process and plain torch: play, compute advantages, take a step.

A Learner in a seat learns: an HFLearner for a transformers model, or a MenuLearner for your own
network (see `gem_ma.training.learners`). One learner in several seats shares its parameters;
different learners have separate parameters. All other agents only play. For large runs, use one of
the external trainers in `gem_ma.training.trainers`.

    learner = HFLearner(model, processor, lr=1e-5, max_new_tokens=32)
    trainer = Trainer("game:GuessTheNumber-v0", {"player": learner}, rebn)
    trainer.run(100, "run/checkpoint.pt")
"""

from __future__ import annotations

import contextlib
import inspect
import math
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from gem_ma.apis.factory import EnvSource, resolve_env
from gem_ma.chat.agent import Agent, AgentSource
from gem_ma.engine.seeding import derive_seed
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.progress import ProgressBar, count_completion_tokens
from gem_ma.rollouts.reporting.run_report import RunReport
from gem_ma.rollouts.rollout import rollout
from gem_ma.training.advantages import AdvantageEstimate, TurnTable, build_turn_table, rae
from gem_ma.training.background_rollouts import (
    BackgroundRollouts,
    RolloutPolicy,
    group_by_agent,
)
from gem_ma.training.checkpoint import (
    HistoryLog,
    load_checkpoint,
    make_history_path,
    save_checkpoint,
)
from gem_ma.training.curriculum import Curriculum
from gem_ma.training.selfplay import resolve_agent_name
from gem_ma.training.turn_values import TurnValue, estimate_turn_values
from gem_ma.validation.json_types import JSONMapping, JSONObject

_CHECKPOINT_FORMAT = 1


class SeatTrajectory(NamedTuple):
    """One seat's turns in an episode, with an advantage for each turn."""

    episode: Episode
    seat: str
    advantages: Sequence[float]
    targets: Sequence[float] = ()  # the critic's target for each turn
    staleness: Sequence[int] = ()  # updates since the weights that drew each turn


@runtime_checkable
class Learner(Agent, Protocol):
    """An agent that learns from its own turns."""

    seed: int  # decides its draws; the trainer sets it before every update

    def update(self, parts: Sequence[SeatTrajectory]) -> Mapping[str, float]:
        """Learn from these trajectories, and return metrics for the history."""

    def state_dict(self) -> JSONObject:
        """Return the state for an exact resume: tensors, numbers, texts, lists and dicts."""

    def load_state_dict(self, state: JSONMapping) -> None:
        """Restore a state of `state_dict`."""


class Trainer:
    """A training loop: each update plays episodes, and then the learners among the agents learn.

    Args:
        env: An id, an environment or several of them, as `rollout` takes it, or a Curriculum.
        agents: From seat to agent. Before each update the trainer sets the `seed` of all agents
            that have one.
        advantages: A function from a TurnTable to one advantage for each turn, such as `rebn`, or
            another estimator of `gem_ma.training.advantages` in a functools.partial. It gets the
            turns of one learner at a time. If the learner has a method `values`, the table has its
            predictions. Checkpoints contain the estimator's state (see RoleBaselines).
        episodes: How many episodes to play for each update.
        group: How many consecutive episodes have the same start.
        seed: Decides the episodes and the draws of the agents.
        train: The seats whose learners learn; None: all seats with a learner.
        starts: A seed, to begin every update from the same starts; None: new starts.
        measure: Returns numbers about an episode; the history contains their means.
        extra_rewards: Returns further rewards of seats for the episodes of an update: from seat to
            one number for each episode, such as `gem_ma.envs.tau.LikenessReward`. A seat gets its
            reward at its last turn of the episode. The history contains the means.
        max_staleness: How many updates old the weights that play may be. 0: play first, then learn.
            Above 0: the next episodes are played in a thread while the learners learn. Episodes in
            progress continue with each new version of the weights, and each reply records its
            version (`Reply.policy_version`). The episodes then depend on timing.
        players: Policies that play in place of the learners of some seats, such as a VLLMPolicy.
            The trainer publishes the weights after each update. None: the learners play.
        continuations: How many times to continue the position before and after each turn of a
            learner. The table of turns then has `value` and `action_value`, which `vine` and `gae`
            read. 0: none.
        rollout: Further arguments of `rollout`, including those of the environment. If `options` is
            a list, such as the tasks of a data set, each update takes the next ones. With
            shuffle=True, the history columns of a seat are about the agent assigned to it in
            `agents`, in any seat that the agent plays.

    Raises:
        ValueError: A seat of `train` has no learner, or no seat has one.

    Examples:
        >>> import numpy as np
        >>> import torch
        >>> from gem_ma.training import MenuLearner, Trainer, rebn
        >>> def read(messages):  # what the network sees, and its choices
        ...     return np.ones(1, np.float32), ("rock", "paper", "scissors")
        >>> _ = torch.manual_seed(0)
        >>> learner = MenuLearner(torch.nn.Linear(1, 3), read, lr=0.2)
        >>> agents = {"left": learner, "right": lambda turn: "rock"}
        >>> trainer = Trainer("game:RockPaperScissors-v0", agents, rebn, episodes=8)
        >>> history = trainer.run(8)
        >>> history[-1]["return/left"] > 5  # it has learnt to reply with paper
        True
    """

    lock: threading.RLock  # held while the playing or learning thread uses shared state

    def __init__(
        self,
        env: EnvSource | Sequence[EnvSource] | Curriculum,
        agents: Mapping[str, AgentSource],
        advantages: Callable[[TurnTable], Any],
        *,
        episodes: int = 64,
        group: int = 1,
        seed: int = 0,
        train: Sequence[str] | None = None,
        starts: int | None = None,
        measure: Callable[[Episode], Mapping[str, float]] | None = None,
        extra_rewards: Callable[[Sequence[Episode]], Mapping[str, Sequence[float]]] | None = None,
        max_staleness: int = 0,
        players: Mapping[str, RolloutPolicy] | None = None,
        continuations: int = 0,
        rollout: Mapping[str, Any] | None = None,
    ):
        self.env = env
        self.agents: dict[str, Any] = dict(agents)  # including Learners
        self.advantages = advantages
        self.episodes = episodes
        self.group = group
        self.seed = seed
        self.starts = starts
        self.measure = measure
        self.extra_rewards = extra_rewards
        self.rollout = {"max_errors": 0, "progress": False, **(rollout or {})}
        able = [seat for seat, agent in self.agents.items() if isinstance(agent, Learner)]
        self.train = tuple(able if train is None else train)
        unable = [seat for seat in self.train if seat not in able]
        if unable or not self.train:
            what = f"cannot train {', '.join(unable)}" if unable else "no seat to train"
            raise ValueError(f"{what}; the seats with learners are {', '.join(able) or 'none'}")
        if group < 1 or episodes % group:
            raise ValueError(
                f"episodes={episodes} and group={group}: expected a multiple of the group"
            )
        if max_staleness < 0:
            raise ValueError(f"max_staleness={max_staleness}: expected 0 or more")
        self.max_staleness = max_staleness
        self.players = dict(players or {})
        for seat, policy in self.players.items():
            if seat not in self.train or policy.learner is not self.agents[seat]:
                raise ValueError(
                    f"players: the policy of {seat} is not of a learner that is trained there; "
                    f"expected RolloutPolicy(agents[{seat!r}]) of a trained seat"
                )
        if continuations < 0:
            raise ValueError(f"continuations={continuations}: expected 0 or more")
        self.continuations = continuations
        self.lock = threading.RLock()
        names = [resolve_agent_name(agent) for agent, _ in group_by_agent(self.agents)]
        if self.rollout.get("shuffle") and len(set(names)) < len(names):
            raise ValueError(f"shuffle=True needs agents with different names, got {names}")
        self.step = self.saved_step = 0  # updates made so far, and in the last checkpoint
        self.history: list[dict[str, float]] = []
        self.played: list[Episode] = []  # the episodes of the latest update
        self._before_learning: list[Callable[[Trainer, Mapping[str, float]], None]] = []

    def run(
        self,
        updates: int,
        path: str | os.PathLike[str] | None = None,
        *,
        every: int | None = None,
        after: Callable[[Trainer], None] | Sequence[Callable[[Trainer], None]] = (),
        progress: bool | None = None,
        report_to: str | Sequence[str] | None = None,
    ) -> list[dict[str, float]]:
        """Train up to a total number of updates, and return the history.

        Args:
            updates: Total number of updates, including those in the checkpoint.
            path: Where to write checkpoints. If the file exists, training resumes from it, with the
                same results as without the interruption. With a `max_staleness`, the episodes that
                were in progress are played again. The history is written to the same folder, one
                line after each update: for `checkpoint.pt` to `history.jsonl`, for `user.pt` to
                `user.history.jsonl`. None: write nothing.
            every: Updates between two checkpoints; None: as often as writing takes at most about
                5% of the time. The last update always writes one.
            after: One or several functions of the trainer to call after each update: to evaluate,
                to update opponents, or to stop a failing run (see
                `gem_ma.training.callbacks`). If one has a method
                `before_learning(trainer, row)`, it is called after the episodes are played and
                before any learner learns.
            progress: Show a bar on a terminal, and elsewhere a line every few seconds; None: on a
                terminal only.
            report_to: Dashboards that show the history, and episodes of about 20 updates: one or
                several of "tensorboard", "wandb" and "trackio"; "all": those that are installed.
                Their files are written to the folder of `path`, or the current one.

        Returns:
            The history, which has a row of numbers for each update.
        """
        calls = [after] if callable(after) else list(after or ())
        self._before_learning = [
            call.before_learning for call in calls if hasattr(call, "before_learning")
        ]
        log = None
        folder = Path() if path is None else Path(path).parent
        if path is not None:
            if Path(path).exists():
                self.load(path)
            log = HistoryLog(make_history_path(path), self.history)
        shown = max(updates // 20, 1)  # updates between two tables of episodes
        settings = self._collect_settings()
        with (
            RunReport(report_to, folder, config=settings, history=self.history) as report,
            ProgressBar(updates, self.step, progress) as bar,
            self._open_background(updates) as background,
        ):
            start, before = time.monotonic(), self.step
            due = start  # time of the next checkpoint
            while self.step < updates:
                if background is None:
                    self.update()
                else:
                    self._learn(background.wait_for_batch(self.step))
                    background.publish()
                try:
                    with self.lock:
                        for call in calls:
                            call(self)
                finally:
                    if log is not None:
                        log.add(self.history[-1])
                    report.log_numbers(self.history[-1], self.step - 1)
                if self.step == updates or (self.step - 1) % shown == 0:
                    report.log_episodes(self.played, self.step - 1)
                bar.update(
                    self.step,
                    self._format_progress((time.monotonic() - start) / (self.step - before)),
                )
                now = time.monotonic()
                turn = now >= due if every is None else self.step % every == 0
                if path is not None and (turn or self.step == updates):
                    self.save(path)
                    self.saved_step = self.step
                    due = now + 20 * (time.monotonic() - now)
        return self.history

    def _open_background(
        self, updates: int
    ) -> contextlib.AbstractContextManager[BackgroundRollouts | None]:
        if not self.max_staleness:
            return contextlib.nullcontext()
        return BackgroundRollouts(self, updates)

    def update(self) -> dict[str, float]:
        """Make one update: play episodes, let all learners learn, and return the history row."""
        for policy in self.players.values():
            if policy.version != self.step:
                policy.publish(self.step)
        return self._learn(self.play_batch(self.step, {**self.agents, **self.players}))

    def derive_agent_seed(self, step: int) -> int:
        """Return the seed of all agents for the episodes of an update."""
        return derive_seed(self.seed, step, 1)

    def play_batch(self, step: int, agents: Mapping[str, Any]) -> list[Episode]:
        """Play the episodes of an update with these agents, after setting their seeds."""
        self._seed_agents(step, agents)
        env = self.env
        if isinstance(env, Curriculum):
            with self.lock:
                env = env.sample_envs(self.episodes // self.group, derive_seed(self.seed, step, 2))
        elif isinstance(env, Sequence) and not isinstance(env, str):
            env = self._rotate(env, step)
        return rollout(
            env,
            agents,
            self.episodes,
            group=self.group,
            seed=derive_seed(self.seed, step) if self.starts is None else self.starts,
            **{**self.rollout, "options": self._select_options(step)},
        )

    def _seed_agents(self, step: int, agents: Mapping[str, Any]) -> None:
        for agent, _ in group_by_agent(agents):
            if hasattr(agent, "seed"):
                agent.seed = self.derive_agent_seed(step)

    def _learn(self, episodes: Sequence[Episode]) -> dict[str, float]:
        """Let every learner learn from a batch of episodes, and return the history row."""
        self.played = played = [episode for episode in episodes if episode.failure is None]
        self._seed_agents(self.step, self.agents)  # `measure` may read their seeds
        row: dict[str, float] = {"step": self.step}
        if isinstance(self.env, Curriculum):
            row["difficulty"] = self.env.level
        for seat in self.agents:
            sat = [(e, self._find_seats(e, [seat])) for e in played]
            row[f"return/{seat}"] = _compute_mean(
                [e.returns[one] for e, seats in sat for one in seats]
            )
            own = [step for e, seats in sat for step in e.steps if step.agent in seats]
            row[f"invalid/{seat}"] = _compute_mean([step.invalid is not None for step in own])
        row["turns"] = _compute_mean([len(e.steps) for e in played])
        row["tokens"] = _compute_mean(
            [sum(count_completion_tokens(step.reply) for step in e.steps) for e in played]
        )
        if self.max_staleness or self.players:
            ages = [
                age
                for episode in played
                for age in self._list_ages(episode, self._find_seats(episode, self.train))
            ]
            row["staleness"] = _compute_mean(ages)
            row["staleness/most"] = max(ages, default=0)
        with self.lock:
            measured = [self.measure(episode) for episode in played] if self.measure else []
            extra = self.extra_rewards(played) if self.extra_rewards else {}
        for name in measured[0] if measured else ():
            row[name] = _compute_mean([one[name] for one in measured])
        for seat, rewards in extra.items():
            row[f"extra/{seat}"] = _compute_mean(rewards)
        for tell in self._before_learning:
            tell(self, row)
        if isinstance(self.env, Curriculum):
            with self.lock:
                self.env.update(played)
        trained = {seat: self.agents[seat] for seat in self.train}
        values = self._estimate_turn_values(played) if self.continuations else None
        for learner, seats in group_by_agent(trained):
            metrics = learner.update(self.compute_advantages(played, seats, values, extra))
            row |= {f"{name}/{seats[0]}": float(value) for name, value in metrics.items()}
        self.step += 1
        self.history.append(row)
        return row

    def _estimate_turn_values(
        self, episodes: Sequence[Episode]
    ) -> dict[tuple[str, int], TurnValue]:
        """Return the values of the learners' turns, by episode and step, from continuations."""
        sources: list[Any] = []  # those of a Curriculum are made from the records
        if not isinstance(self.env, Curriculum):
            sources = [*self.env] if isinstance(self.env, list | tuple) else [self.env]
        known = inspect.signature(rollout).parameters
        options = {name: value for name, value in self.rollout.items() if name not in known}
        values = estimate_turn_values(
            episodes,
            {**self.agents, **self.players},
            self.continuations,
            seats={seat for one in episodes for seat in self._find_seats(one, self.train)},
            seed=derive_seed(self.seed, self.step, 3),
            env=[resolve_env(rollout, one, options) for one in sources],
            context=self.rollout.get("context"),
        )
        return {
            (episode.id, step): value
            for episode, own in zip(episodes, values, strict=True)
            for step, value in own.items()
        }

    def compute_advantages(
        self,
        episodes: Sequence[Episode],
        seats: Sequence[str],
        turn_values: Mapping[tuple[str, int], TurnValue] | None = None,
        extra_rewards: Mapping[str, Sequence[float]] | None = None,
    ) -> list[SeatTrajectory]:
        """Return the trajectories of these seats, with one advantage for each turn."""
        rows = build_turn_table(episodes)
        for seat, rewards in (extra_rewards or {}).items():
            more = {one.id: reward for one, reward in zip(episodes, rewards, strict=True)}
            paid = [more[id] for id in rows.episode.tolist()]
            reward = rows.reward + np.where(rows.last & (rows.seat == seat), paid, 0.0)
            rows = replace(rows, reward=reward)
        theirs = {(e.id, seat) for e in episodes for seat in self._find_seats(e, seats)}
        pairs = zip(rows.episode.tolist(), rows.seat.tolist(), strict=True)
        rows = rows[np.array([pair in theirs for pair in pairs], bool)]
        parts: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
        keys = list(zip(rows.episode.tolist(), rows.seat.tolist(), strict=True))
        by_id = {episode.id: episode for episode in episodes}
        values = getattr(self.agents[seats[0]], "values", None)
        if turn_values is not None:
            steps = zip(keys, rows.step.tolist(), strict=True)
            turns = [(turn_values[id, step], seat) for (id, seat), step in steps]
            rows = replace(
                rows,
                value=np.array([one.value[seat] for one, seat in turns], float),
                action_value=np.array([one.action_value[seat] for one, seat in turns], float),
            )
        elif values is not None:
            asked = list(dict.fromkeys(keys))
            told = values([SeatTrajectory(by_id[id], seat, ()) for id, seat in asked])
            if told is not None:
                expected = {key: iter(one) for key, one in zip(asked, told, strict=True)}
                rows = replace(rows, value=np.array([next(expected[key]) for key in keys], float))
        judged = self.advantages(rows)
        worth, targets = judged if isinstance(judged, AdvantageEstimate) else (judged, ())
        for number, key in enumerate(keys):
            own, to_learn = parts.setdefault(key, ([], []))
            own.append(float(worth[number]))
            if len(targets):
                to_learn.append(float(targets[number]))
        return [
            SeatTrajectory(by_id[id], seat, *told, self._list_ages(by_id[id], [seat]))
            for (id, seat), told in parts.items()
        ]

    def _list_ages(self, episode: Episode, seats: Sequence[str]) -> list[int]:
        """Return how many updates ago the weights were current that drew these seats' replies."""
        versions = [
            getattr(step.reply, "policy_version", None)
            for seat in seats
            for step in episode.steps
            if step.agent == seat
        ]
        return [self.step - version for version in versions if version is not None]

    def _select_options(self, step: int) -> Any:
        """Return the options of an update."""
        options = self.rollout.get("options", ())
        return options if isinstance(options, Mapping) else self._rotate(options, step)

    def _rotate(self, values: Sequence[Any], step: int) -> Sequence[Any]:
        """Return a list rotated so that an update continues after the one before."""
        if not values or self.starts is not None:
            return values
        first = step * (self.episodes // self.group) % len(values)
        return [*values[first:], *values[:first]]

    def _find_seats(self, episode: Episode, seats: Sequence[str]) -> list[str]:
        """Return the seats that the agents of the given seats had in an episode."""
        if not self.rollout.get("shuffle"):
            return list(seats)
        names = {resolve_agent_name(self.agents[seat]) for seat in seats}
        return [seat for seat, name in episode.agents.items() if name in names]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint atomically: a killed process leaves the previous checkpoint."""
        with self.lock:
            state = self._collect_state()
        save_checkpoint(path, state)

    def _collect_state(self) -> JSONObject:
        return {
            "settings": self._collect_settings(),
            "step": self.step,
            "history": self.history,
            "advantages": self._get_advantage_state(),
            "curriculum": self.env.state_dict() if isinstance(self.env, Curriculum) else None,
            "agents": {
                seats[0]: agent.state_dict()
                for agent, seats in group_by_agent(self.agents)
                if hasattr(agent, "state_dict")
            },
        }

    def load(self, path: str | os.PathLike[str]) -> None:
        """Restore a checkpoint; raise ValueError if its settings differ from the trainer's."""
        state = load_checkpoint(path)
        settings = self._collect_settings()
        if state["settings"] != settings:
            old = state["settings"]
            differences = [
                f"{name} was {old.get(name)!r} and is now {settings.get(name)!r}"
                for name in {**old, **settings}
                if old.get(name) != settings.get(name)
            ]
            raise ValueError(
                f"{path} comes from another training: {'; '.join(differences)}; use the same "
                "settings, or another file"
            )
        self.step, self.history = state["step"], state["history"]
        self.saved_step = self.step
        if isinstance(self.env, Curriculum):
            self.env.load_state_dict(state["curriculum"])
        if state["advantages"] is not None:
            self.advantages.load_state_dict(state["advantages"])  # type: ignore[attr-defined]
        for agent, seats in group_by_agent(self.agents):
            if hasattr(agent, "state_dict"):
                agent.load_state_dict(state["agents"][seats[0]])

    def _get_advantage_state(self) -> Any:
        return self.advantages.state_dict() if hasattr(self.advantages, "state_dict") else None

    def _format_progress(self, seconds: float) -> str:
        """Return the text next to the progress bar; `seconds` is the mean time of an update."""
        row = self.history[-1]
        parts = [
            f"{self.episodes * row[name] / seconds:.0f} {name}/s" for name in ("turns", "tokens")
        ]
        shown = ("return", "invalid", "entropy")
        parts += [f"{n} {x:.3g}" for n, x in row.items() if n.partition("/")[0] in shown]
        return "  ".join(parts)

    def _collect_settings(self) -> JSONObject:
        names = ("episodes", "group", "seed", "starts", "train")
        envs = self.env if isinstance(self.env, list | tuple) else [self.env]
        settings = {name: getattr(self, name) for name in names}
        return {"format": _CHECKPOINT_FORMAT, "envs": [str(env) for env in envs], **settings}


class RoleBaselines:
    """An advantage estimator that applies `rae` and keeps its baselines between updates."""

    def __init__(self, decay: float = 0.95, by: Sequence[str] = ("env", "seat")):
        self.decay = decay
        self.by = by
        self.baselines: dict[str, float] = {}

    def __call__(self, rows: TurnTable) -> Any:
        advantages, self.baselines = rae(rows, self.baselines, self.decay, self.by)
        return advantages

    def state_dict(self) -> dict[str, float]:
        return self.baselines

    def load_state_dict(self, state: Mapping[str, float]) -> None:
        self.baselines = dict(state)


def _compute_mean(numbers: Sequence[float]) -> float:
    return math.fsum(numbers) / len(numbers) if numbers else math.nan
