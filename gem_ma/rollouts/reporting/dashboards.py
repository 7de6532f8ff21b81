"""Dashboards: one adapter for each library, which is imported when its dashboard is opened."""

from __future__ import annotations

import contextlib
import html
import importlib.util
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from gem_ma.validation.endpoints import redact_secrets
from gem_ma.validation.extras import require_extra
from gem_ma.validation.json_types import JSONObject

if TYPE_CHECKING:
    from gem_ma.chat.messages import Picture

_PROJECT = "gem-ma"


@dataclass(frozen=True)
class ReportedRun:
    """The run that a dashboard shows.

    Attributes:
        folder: Where a dashboard writes its files, if it has no place of its own.
        name: The run's name.
        config: The settings of the run.
        history: Rows of numbers of earlier updates, if the run is resumed.
    """

    folder: Path
    name: str
    config: JSONObject = field(default_factory=dict)
    history: Sequence[Mapping[str, float]] = ()

    def format_config(self) -> dict[str, str]:
        """Return the settings as texts without secrets."""
        return {name: redact_secrets(str(value)) for name, value in self.config.items()}


class Dashboard(Protocol):
    """A dashboard that is open for one run."""

    def log_numbers(self, numbers: Mapping[str, float], step: int) -> None:
        """Add a point to the curve of each number."""

    def log_table(
        self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], step: int
    ) -> None:
        """Show a table."""

    def log_pictures(self, name: str, pictures: Sequence[Picture], step: int) -> None:
        """Show pictures."""

    def close(self) -> None:
        """Write everything that is not written yet."""


class TensorBoardDashboard:
    """Event files for TensorBoard, in `tensorboard/NAME` of the run's folder.

    The environment variable TENSORBOARD_LOGGING_DIR names another folder than `tensorboard`.
    """

    def __init__(self, run: ReportedRun):
        with require_extra("tensorboard", "report_to='tensorboard'"):
            from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2
            from tensorboard.plugins.text.metadata import create_summary_metadata
            from tensorboard.summary.writer.event_file_writer import EventFileWriter
        self._events, self._summaries, self._tensors = event_pb2, summary_pb2, tensor_pb2
        self._text_metadata = create_summary_metadata("", "")
        given = os.environ.get("TENSORBOARD_LOGGING_DIR")
        folder = Path(given).expanduser() if given else run.folder / "tensorboard"
        folder /= re.sub(r"[^\w.-]+", "-", run.name).strip(".") or _PROJECT
        known = any(folder.glob("events.out.tfevents.*"))
        self._writer = EventFileWriter(os.fspath(folder))
        if known:  # hides updates that are made again
            session = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
            self._add(event_pb2.Event(session_log=session), len(run.history))
        else:
            _log_history(self, run)
        settings = list(run.format_config().items())
        self.log_table("config", ("name", "value"), settings, len(run.history))

    def _add(self, event: Any, step: int) -> None:
        event.step, event.wall_time = step, time.time()
        self._writer.add_event(event)

    def _add_summary(self, values: Iterable[Any], step: int) -> None:
        summary = self._summaries.Summary(value=values)
        self._add(self._events.Event(summary=summary), step)
        self._writer.flush()

    def log_numbers(self, numbers: Mapping[str, float], step: int) -> None:
        value = self._summaries.Summary.Value
        self._add_summary(
            [value(tag=name, simple_value=number) for name, number in numbers.items()], step
        )

    def log_table(
        self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], step: int
    ) -> None:
        """Write a table as text, because TensorBoard has no tables."""
        lines = [columns, ["---"] * len(columns), *rows]
        text = "\n".join(f"| {' | '.join(map(_format_cell, line))} |" for line in lines)
        tensor = self._tensors.TensorProto(dtype="DT_STRING", string_val=[text.encode()])
        tensor.tensor_shape.dim.add(size=1)
        value = self._summaries.Summary.Value(tag=name, metadata=self._text_metadata, tensor=tensor)
        self._add_summary([value], step)

    def log_pictures(self, name: str, pictures: Sequence[Picture], step: int) -> None:
        values = []
        for number, picture in enumerate(pictures):
            image = self._summaries.Summary.Image(
                height=picture.height,
                width=picture.width,
                colorspace=3,
                encoded_image_string=picture.png,
            )
            values.append(self._summaries.Summary.Value(tag=f"{name}/{number}", image=image))
        self._add_summary(values, step)

    def close(self) -> None:
        self._writer.close()


def _format_cell(value: object) -> str:
    """Return a cell of a Markdown table, in which a model's text can do nothing."""
    text = html.escape(str(value), quote=False)
    return re.sub(r"([\\`*_\[\]|])", r"\\\1", text).replace("\n", "<br>")


class _LibraryRun:
    """A run of a library with the interface of Weights & Biases."""

    _library: Any
    _run: Any

    def log_numbers(self, numbers: Mapping[str, float], step: int) -> None:
        self._run.log(dict(numbers), step=step)

    def log_table(
        self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], step: int
    ) -> None:
        table = self._library.Table(columns=list(columns), data=[list(row) for row in rows])
        self._run.log({name: table}, step=step)


class WandbDashboard(_LibraryRun):
    """A run of Weights & Biases, offline unless the environment variable WANDB_MODE says otherwise.

    WANDB_PROJECT, WANDB_NAME and WANDB_DIR are read as well.
    """

    def __init__(self, run: ReportedRun):
        mode = os.environ.get("WANDB_MODE") or "offline"
        if mode == "offline":
            os.environ.setdefault("WANDB_ERROR_REPORTING", "false")  # reports go over the network
        with require_extra("wandb", "report_to='wandb'"):
            import wandb
        self._library = wandb
        folder = os.environ.get("WANDB_DIR")
        if not folder:
            run.folder.mkdir(parents=True, exist_ok=True)
        self._run = wandb.init(
            project=os.environ.get("WANDB_PROJECT") or _PROJECT,
            name=os.environ.get("WANDB_NAME") or run.name,
            dir=folder or os.fspath(run.folder.absolute()),
            config=run.format_config(),
            mode=mode,
            reinit="create_new",  # a run of the caller stays as it is
            settings=wandb.Settings(console="off"),
        )
        _log_history(self, run)

    def log_pictures(self, name: str, pictures: Sequence[Picture], step: int) -> None:
        images = [self._library.Image(one.array, caption=one.alt or None) for one in pictures]
        self._run.log({name: images}, step=step)

    def close(self) -> None:
        self._run.finish()


class TrackioDashboard(_LibraryRun):
    """A run of Trackio in its local store, unless TRACKIO_SPACE_ID or TRACKIO_SERVER_URL is set."""

    def __init__(self, run: ReportedRun):
        with require_extra("trackio", "report_to='trackio'"):
            import trackio
        self._library = trackio
        with contextlib.redirect_stdout(sys.stderr):  # commands may print JSON there
            self._run = trackio.init(
                project=_PROJECT, name=run.name, config=run.format_config(), embed=False
            )
        _log_history(self, run)

    def log_pictures(self, name: str, pictures: Sequence[Picture], step: int) -> None:
        images = {
            f"{name}/{number}": self._library.Image(picture.array, caption=picture.alt or None)
            for number, picture in enumerate(pictures)
        }
        self._run.log(images, step=step)

    def close(self) -> None:
        with contextlib.redirect_stdout(sys.stderr):
            self._library.finish()


def _log_history(dashboard: Dashboard, run: ReportedRun) -> None:
    for step, row in enumerate(run.history):
        dashboard.log_numbers(row, step)


_DASHBOARDS: dict[str, Callable[[ReportedRun], Dashboard]] = {
    "tensorboard": TensorBoardDashboard,
    "trackio": TrackioDashboard,
    "wandb": WandbDashboard,
}
DASHBOARD_NAMES = tuple(_DASHBOARDS)


def choose_dashboards(report_to: str | Sequence[str] | None) -> list[str]:
    """Return the names of dashboards that `report_to` stands for, as in transformers.

    Args:
        report_to: One name or several; "all": those whose library is installed; "none" or None: no
            dashboard.
    """
    names = [report_to] if isinstance(report_to, str) else list(report_to or ())
    if names == ["all"]:
        return [name for name in DASHBOARD_NAMES if importlib.util.find_spec(name) is not None]
    if names == ["none"]:
        return []
    if unknown := [name for name in names if name not in _DASHBOARDS]:
        raise ValueError(
            f"report_to={unknown[0]!r}: expected some of {', '.join(DASHBOARD_NAMES)}, or all or "
            "none"
        )
    return list(dict.fromkeys(names))


def open_dashboard(name: str, run: ReportedRun) -> Dashboard:
    """Open a dashboard, or raise an ImportError that names the extra to install."""
    return _DASHBOARDS[name](run)
