"""RunReport: the curves, episodes and boards of one run, in all its dashboards."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from gem_ma.apis.factory import make
from gem_ma.apis.session import Session
from gem_ma.chat.messages import Picture, find_observation_pictures
from gem_ma.engine.observations import cut_middle
from gem_ma.envs import registry
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.progress import count_completion_tokens
from gem_ma.rollouts.replay import replay
from gem_ma.rollouts.reporting.dashboards import (
    Dashboard,
    ReportedRun,
    choose_dashboards,
    open_dashboard,
)
from gem_ma.validation.arguments import check_each
from gem_ma.validation.json_types import JSONObject

COLUMNS = (
    *("episode", "environment", "agents", "returns", "ended"),
    *("turns", "invalid", "tokens", "seconds", "transcript"),
)
_MAX_ROWS = 100  # episodes in a table
_MAX_PICTURES = 4  # boards that are shown together
_MAX_TRANSCRIPT = 4000  # bytes of an episode's replies in a table


class RunReport(contextlib.AbstractContextManager["RunReport"]):
    """A report of one run to several dashboards; without any, it does nothing.

    Args:
        report_to: The names of dashboards, as `choose_dashboards` takes them.
        folder: Where dashboards write that have no place of their own.
        name: The run's name; "": the name of the folder.
        config: The settings of the run.
        history: Rows of numbers of earlier updates, if the run is resumed.
    """

    def __init__(
        self,
        report_to: str | Sequence[str] | None,
        folder: str | os.PathLike[str],
        name: str = "",
        *,
        config: JSONObject | None = None,
        history: Sequence[Mapping[str, float]] = (),
    ):
        folder = Path(folder)
        rows = [_drop_step(row) for row in history]
        run = ReportedRun(folder, name or folder.resolve().name, config or {}, rows)
        with contextlib.ExitStack() as stack:
            self.dashboards: list[Dashboard] = []
            for one in choose_dashboards(report_to):
                self.dashboards.append(open_dashboard(one, run))
                stack.callback(self.dashboards[-1].close)
            self._closing = stack.pop_all()

    def log_numbers(self, numbers: Mapping[str, float], step: int) -> None:
        """Add a point to the curve of each number."""
        for dashboard in self.dashboards:
            dashboard.log_numbers(_drop_step(numbers), step)

    def log_table(
        self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], step: int
    ) -> None:
        """Show a table."""
        for dashboard in self.dashboards:
            dashboard.log_table(name, columns, rows, step)

    def log_episodes(self, episodes: Sequence[Episode], step: int) -> None:
        """Show the first episodes in a table, and the last positions of some of them."""
        if not self.dashboards or not episodes:
            return
        self.log_table("episodes", COLUMNS, make_episode_rows(episodes[:_MAX_ROWS]), step)
        drawn = (draw_last_position(one) for one in episodes[:_MAX_PICTURES])
        if pictures := [one for one in drawn if one is not None]:
            for dashboard in self.dashboards:
                dashboard.log_pictures("boards", pictures, step)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()


def _drop_step(row: Mapping[str, float]) -> dict[str, float]:
    """Return the numbers of a row without its step, which is the x-axis of the others."""
    return {name: number for name, number in row.items() if name != "step"}


def report_episodes(
    episodes: Iterable[Episode],
    report_to: str | Sequence[str] | None,
    folder: str | os.PathLike[str] = ".",
    name: str = "",
    *,
    config: JSONObject | None = None,
) -> None:
    """Show episodes in dashboards: a curve for each number, a table, and pictures of boards.

    Args:
        episodes: The episodes, in order. The x-axis of the curves is the number of the episode.
        report_to: One or several of "tensorboard", "wandb" and "trackio"; "all": those that are
            installed; "none" or None: none.
        folder: Where TensorBoard and Weights & Biases write their files.
        name: The run's name; "": the name of the folder.
        config: The settings of the run.
    """
    played = list(check_each(episodes, Episode, "episodes"))
    with RunReport(report_to, folder, name, config=config) as report:
        log_rollout(report, played)


def log_rollout(report: RunReport, episodes: Sequence[Episode]) -> None:
    """Log the numbers of each episode, and all of them as a table with pictures."""
    for episode in episodes:
        report.log_numbers(measure_episode(episode), episode.number)
    report.log_episodes(episodes, max((one.number for one in episodes), default=0))


def measure_episode(episode: Episode) -> dict[str, float]:
    """Return the numbers of an episode: returns by seat, turns, tokens, invalid replies, time."""
    invalid = sum(step.invalid is not None for step in episode.steps)
    return {
        **{f"return/{seat}": value for seat, value in episode.returns.items()},
        "turns": len(episode.steps),
        "tokens": sum(count_completion_tokens(step.reply) for step in episode.steps),
        "invalid": invalid / max(len(episode.steps), 1),
        "failed": float(episode.failure is not None),
        "seconds": episode.seconds,
    }


def make_episode_rows(episodes: Iterable[Episode]) -> list[list[Any]]:
    """Return a row for each episode, with the cells of `COLUMNS`."""
    rows = []
    for episode in episodes:
        numbers = measure_episode(episode)
        talk = "\n".join(f"{step.agent}: {_format_reply(step.reply)}" for step in episode.steps)
        failure = episode.failure
        ended = episode.ended if failure is None else f"{failure.kind}: {failure.message}"
        rows.append(
            [
                episode.id,
                episode.spec.id,
                ", ".join(f"{seat}={name}" for seat, name in episode.agents.items()),
                ", ".join(f"{seat} {value:g}" for seat, value in episode.returns.items()),
                ended,
                *(numbers[name] for name in ("turns", "invalid", "tokens")),
                round(episode.seconds, 3),
                cut_middle(talk, _MAX_TRANSCRIPT),
            ]
        )
    return rows


def _format_reply(reply: object) -> str:
    calls = getattr(reply, "tool_calls", None)
    return f"{reply} {list(calls)}" if calls else str(reply)


def draw_last_position(episode: Episode) -> Picture | None:
    """Return a picture of the last position of an episode, or None if it cannot be drawn here.

    A game in this process is played again. Of others, the last picture that a seat saw is taken.
    """
    host = registry.find_rules_host(episode.spec.id)
    try:
        env = None if episode.wrappers or host else make(episode.spec)
        if env is not None and not env.blocking:
            for _ in replay(Session(env), episode):
                pass
            return env.picture()
        for step in reversed(episode.steps):
            if pictures := find_observation_pictures(step.observation):
                return pictures[0]
    except Exception:  # noqa: BLE001 - a missing picture must not end a run
        return None
    return None
