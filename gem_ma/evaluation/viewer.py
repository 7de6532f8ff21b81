"""Episodes as one HTML page that needs no server and no network.

The page holds blocks of episodes (JSON lines, deflated), squares of pictures (PNG) and an index;
a browser unpacks what is looked at. Everything of the episodes is in base64 until the page's
script puts it into text nodes, so nothing that a model wrote can be part of the page's code.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import os
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import numpy as np
from PIL import Image

from gem_ma.apis import factory
from gem_ma.apis.session import Session
from gem_ma.apis.workers import StepTimeout, WorkerDied, WorkerProcess
from gem_ma.chat.conversation import Step
from gem_ma.chat.messages import find_observation_pictures
from gem_ma.chat.reply import Reply
from gem_ma.chat.turn import Turn
from gem_ma.envs import registry
from gem_ma.renderers.picture import Picture, join_pictures
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.outcomes import describe_outcome, is_zero_sum
from gem_ma.rollouts.records import (
    RecordError,
    find_picture_folder,
    open_regular_file,
    parse_record_line,
)
from gem_ma.rollouts.replay import ReplayError, replay

_BLOCK_LENGTH = 1 << 18  # characters of JSON that are unpacked together
_TILE_SIDE = 28  # pixels of a square: the cells of boards are multiples of it
_TILES_ACROSS = 32  # squares in a row of a sheet, and rows
_REMOTE_NEEDS = ("hub", "network", "key:")  # needs of environments that are not played again
_COMPRESSION_LEVEL = 7  # of compression: 9 takes three times as long and saves 6 %
_MAX_REPORT_FIELDS = 12  # numbers of a report by which episodes are found and sorted
_MAX_CACHED_ENVS = 16  # environments that are kept for the next episode like theirs
_MAX_REPLAYED = 5_000  # episodes of a page that are played again
_MAX_PIXELS = 1 << 22  # of a picture that is drawn for a file that nobody vouches for
_MAX_SECONDS = 10.0  # for an episode with arguments that are not registered
_MAX_MEMORY = 2 << 30  # bytes, likewise
_MAX_STRIKES = 3  # episodes that went over these limits, before no other is tried
_START_TIMEOUT = 120.0  # seconds until the process for them is there
_CHEAP_ARGUMENTS = frozenset(  # arguments of Env that change what an episode costs by little
    (
        "actions",
        "format",
        "invalid",
        "max_invalid",
        "max_turns",
        "observe",
        "penalty",
        "theme",
        "noise",
        "panels",
    )
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# What an episode that was altered by hand can lead to when it is put into a page.
_DAMAGE_ERRORS = (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError)


class DamagedLine(NamedTuple):
    """A line of a file that is no episode."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"


class PageSummary(NamedTuple):
    """What was written."""

    episodes: int
    pictures: int
    unseen: int  # episodes without a spectator's view
    damaged: list[DamagedLine]


class UnreplayableEpisode(RuntimeError):
    """An episode cannot be played again here; the message says why."""


class SpectatorView(NamedTuple):
    """What a spectator sees at one moment, and the pictures of the seats that act."""

    pixels: np.ndarray
    text: str
    seats: Mapping[str, Picture]


def write_page(
    source: str | Path,
    out: str | Path,
    *,
    spectator: bool = True,
    most: int | None = _MAX_REPLAYED,
    trust: bool = False,
    study: str = "",
    progress: Callable[[int], None] | None = None,
) -> PageSummary:
    """Write the episodes of a file, or of all files in a folder, as a page.

    spectator: False leaves out what spectators saw, for which episodes are played again.
    most: only so many episodes are played again, the first ones; None: all.
    trust: play again whatever the files name, and without limits: it runs code.
    study: the beginning of an address where one may play on from a turn; each turn links to it,
        with the number of the episode and of the step behind it.
    progress: called after each episode with how many there are.
    """
    files = find_episode_files(source)
    out = Path(out).resolve()
    half = Path(f"{out}.{os.getpid()}")
    try:
        with half.open("w", encoding="ascii", newline="\n") as file, Spectator(trust) as again:
            page = _PageWriter(file, again, 0 if not spectator else most, study)
            for path in files:
                name = path.name if len(files) == 1 else path.relative_to(source).as_posix()
                for number, item in enumerate(scan_episodes(path, name), 1):
                    page.add_item(item, name, number)
                    if progress is not None:
                        progress(page.summary.episodes)
            page.close()
        half.replace(out)
    finally:
        half.unlink(missing_ok=True)
    return page.summary


def find_episode_files(source: str | Path) -> list[Path]:
    """Return the files of episodes that a path means: itself, or those somewhere in a folder."""
    source = Path(source)
    if not source.exists():
        raise FileNotFoundError(f"{source}: there is no such file or folder")
    if not source.is_dir():
        if not _holds_episodes(source):
            raise RecordError(f"{source} is no file of episodes, as gem-ma run --out writes them")
        return [source]
    found = [path for path in sorted(source.rglob("*.jsonl")) if _holds_episodes(path)]
    if not found:
        raise RecordError(f"{source}: none of the files in this folder (*.jsonl) holds episodes")
    return found


def _holds_episodes(path: Path) -> bool:
    """Return whether a file has a line that begins as an episode does."""
    try:
        file = open_regular_file(path)
    except RecordError:  # a pipe, which nobody may ever write to
        return False
    with file:
        return any(line.startswith(b'{"gem_ma": ') for line in file)


def scan_episodes(path: Path, name: str = "") -> Iterator[Episode | DamagedLine]:
    """Yield every episode of a file, and what stands in the place of one."""
    folder = find_picture_folder(path)
    with open_regular_file(path) as file:
        for number, line in enumerate(file, 1):
            try:
                if not line.endswith(b"\n"):
                    raise RecordError("cut off, as when the writer was stopped")
                episode: Episode | DamagedLine = parse_record_line(line, folder)
            except RecordError as error:
                episode = DamagedLine(name or str(path), number, str(error)[:200])
            yield episode


# -- the spectator's view ----------------------------------------------------------------------


class Spectator:
    """Plays recorded episodes again, and lets none of them run, or hold up, what it should not.

    Environments as they are registered are played here. Other arguments, which may ask for
    anything, are played in a process that is ended when it takes too long or too much memory.
    trust: play all of them here, without limits, and import what they name.
    """

    def __init__(self, trust: bool = False):
        self.trust = trust
        self._envs: dict[str, Any] = {}
        self._worker: WorkerProcess | None = None
        self._strikes = 0

    def replay_views(self, episode: Episode) -> Iterator[SpectatorView]:
        """Yield what a spectator sees before each moment, and at the end, or raise Unseen."""
        _check_replayable(episode, self.trust)
        if self.trust or _is_usual(episode):
            return _replay_cached(episode, self.trust, self._envs)
        return self._replay_limited(episode)

    def _replay_limited(self, episode: Episode) -> Iterator[SpectatorView]:
        if self._strikes >= _MAX_STRIKES:
            raise UnreplayableEpisode(
                f"{_MAX_STRIKES} like it took too long or too much memory; --trust plays it"
            )
        try:
            if self._worker is None:
                self._worker = WorkerProcess(_serve_spectator, patience=_MAX_SECONDS)
                self._worker.recv(_START_TIMEOUT)
            end = time.monotonic() + _MAX_SECONDS
            self._worker.send(episode)
            while isinstance(
                view := self._worker.recv(max(end - time.monotonic(), 0)), SpectatorView
            ):
                yield view
        except (StepTimeout, WorkerDied):
            self._strikes += 1
            self.close()
            raise UnreplayableEpisode(
                f"playing it again took more than {_MAX_SECONDS:g} s or {_MAX_MEMORY >> 30} GiB; "
                f"--trust "
                "sets no limit"
            ) from None
        except GeneratorExit:  # who asked needs no more, while more is on its way
            self.close()
            raise
        if view is not None:
            raise UnreplayableEpisode(view)

    def close(self) -> None:
        """End the process for episodes with limits."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _serve_spectator(connection: Connection) -> None:
    """Play the episodes that come, in a process with little memory, and send what is seen."""
    with contextlib.suppress(ImportError):  # Windows
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (_MAX_MEMORY, _MAX_MEMORY))
    connection.send(None)
    while True:
        episode = connection.recv()
        try:
            for view in spectate(episode):
                seats = {seat: Picture(one.array, one.alt) for seat, one in view.seats.items()}
                connection.send(view._replace(seats=seats))
        except UnreplayableEpisode as error:
            connection.send(str(error))
        else:
            connection.send(None)


def _is_usual(episode: Episode) -> bool:
    """Return whether an environment is as it is registered, but for what costs little."""
    spec, known = episode.spec, registry.find_registered(episode.spec.id)
    return (
        known is not None
        and all(
            value == known.kwargs.get(name) or name in _CHEAP_ARGUMENTS
            for name, value in spec.kwargs.items()
        )
        and all(map(factory.is_numeric, episode.options.values()))
    )


def spectate(episode: Episode, *, trust: bool = False) -> Iterator[SpectatorView]:
    """Play an episode again; yield what a spectator sees before each moment, and at the end."""
    _check_replayable(episode, trust)
    yield from _replay_cached(episode, trust, {})


def _check_replayable(episode: Episode, trust: bool) -> None:
    """Refuse an episode that is not to be played again; nothing that it names is imported."""
    if episode.wrappers:
        raise UnreplayableEpisode(f"it was played in {' in '.join(episode.wrappers)}")
    spec = episode.spec
    if not trust:
        if reason := factory.find_distrust_reason(spec):
            raise UnreplayableEpisode(f"{reason}; --trust does so")
        size = spec.kwargs.get("image_size")
        if size not in (None, "own") and not (
            factory.is_numeric(size) and np.prod(size) <= _MAX_PIXELS
        ):
            raise UnreplayableEpisode(
                f"its pictures are too large, {_shorten_name(size)}; --trust draws them"
            )
    known = registry.find_registered(spec.id)
    outside = registry.find_rules_host(spec.id) in (("server",) if trust else ("library", "server"))
    if outside or any(need.startswith(_REMOTE_NEEDS) for need in (known.needs if known else ())):
        raise UnreplayableEpisode("its environment lives elsewhere")


def _replay_cached(episode: Episode, trust: bool, envs: dict[str, Any]) -> Iterator[SpectatorView]:
    """Play an episode in an environment that was made for one like it, if there is any."""
    try:
        key = json.dumps([episode.spec.id, episode.spec.entry_point, dict(episode.spec.kwargs)])
        env = envs.pop(key, None) or factory.make(episode.spec, trust=trust)
        yield from _replay_views(episode, env)
        if len(envs) < _MAX_CACHED_ENVS:
            envs[key] = env
    except UnreplayableEpisode:
        raise
    except Exception as error:  # records of another release fail in any way
        raise UnreplayableEpisode(
            f"playing it again failed: {type(error).__name__}: {error}"
        ) from error


def _join_pictures(shown: tuple[Picture, ...]) -> Picture:
    return shown[0] if len(shown) == 1 else Picture(join_pictures(shown))


def _replay_views(episode: Episode, env: Any) -> Iterator[SpectatorView]:
    if env.blocking:
        raise UnreplayableEpisode("its environment is slow or lives elsewhere")
    env.render_mode = "ansi"
    number = 0
    try:
        for move in replay(Session(env), episode, _find_difference):
            pictures = {}
            for seat, turn in move.turns.items():
                if shown := find_observation_pictures(turn.observation):
                    pictures[seat] = _join_pictures(shown)
            yield SpectatorView(env.picture().array, env.render(), pictures)
            number = move.number + len(move.steps)
    except ReplayError as error:
        raise UnreplayableEpisode(f"played again, {error}") from None
    if number == len(episode.steps) and not any(s.reply is None for s in episode.steps[-1:]):
        yield SpectatorView(env.picture().array, env.render(), {})


def _find_difference(turn: Turn, step: Step) -> str:
    alts = [
        [one.alt for one in find_observation_pictures(o)]
        for o in (turn.observation, step.observation)
    ]
    if (turn.text, turn.results, alts[0]) != (step.text, step.results, alts[1]):
        return f"it sees something else at {step.number}"
    return ""


def group_steps(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Yield the steps that were taken together."""
    start = 0
    for end in range(1, len(steps) + 1):
        if end == len(steps) or steps[end].number != steps[start].number:
            yield list(steps[start:end])
            start = end


# -- the page ----------------------------------------------------------------------------------


class _PageWriter:
    """A page that grows as episodes come: only its index waits for the end."""

    def __init__(self, file: IO[str], again: Spectator, most: int | None, study: str = ""):
        self._file, self._study = file, study
        self._spectator = again
        self._most = most  # episodes that are played again
        page = _load_template()
        head, self._tail = page.split("<!-- the episodes -->")
        file.write(_check_ascii(head.replace("<!-- the policy -->", _make_content_policy(page))))
        self._block: list[str] = []
        self._length = 0
        self._blocks = 0
        self._index: list[dict[str, Any]] = []
        self._damaged: list[DamagedLine] = []
        self._unseen = 0
        self._tiles = _TileStore(lambda number, sheet: self._write_data(f"sheet{number}", sheet))

    @property
    def summary(self) -> PageSummary:
        """What is in the page until now."""
        return PageSummary(len(self._index), self._tiles.picture_count, self._unseen, self._damaged)

    def add_item(self, item: Episode | DamagedLine, file: str, number: int) -> None:
        """Add an episode, or note what stands in its place."""
        if isinstance(item, Episode):
            try:
                self._add_episode(item, file)
            except _DAMAGE_ERRORS as error:
                item = DamagedLine(file, number, f"not as gem_ma writes it ({error!r})"[:200])
        if isinstance(item, DamagedLine):
            self._damaged.append(item)

    def _add_episode(self, episode: Episode, file: str) -> None:
        try:
            data = _EpisodeRecording(self._tiles, self._replay_views(episode)).build_data(episode)
        except UnreplayableEpisode as error:
            data = _EpisodeRecording(self._tiles).build_data(episode)
            data["unseen"] = str(error)
        line = _dump_json(data)
        row = {**_make_index_row(episode, file), "block": self._blocks, "line": len(self._block)}
        _dump_json(row)  # so that an index which cannot be written is this episode's fault
        self._index.append(row)
        self._unseen += "unseen" in data
        self._block.append(line)
        self._length += len(line)
        if self._length >= _BLOCK_LENGTH:
            self._flush()

    def _replay_views(self, episode: Episode) -> Iterator[SpectatorView]:
        if self._most == 0:
            raise UnreplayableEpisode("it was left out of this page")
        if self._most is not None and len(self._index) >= self._most:
            raise UnreplayableEpisode(
                f"only the first {self._most} are played again; --spectators sets how many"
            )
        return self._spectator.replay_views(episode)

    def _flush(self) -> None:
        if self._block:
            self._write_data(
                f"block{self._blocks}",
                zlib.compress("\n".join(self._block).encode(), _COMPRESSION_LEVEL),
            )
            self._blocks += 1
            self._block, self._length = [], 0

    def _write_data(self, name: str, data: bytes) -> None:
        text = base64.b64encode(data).decode()
        self._file.write(f'<script type="text/plain" id="{name}">{text}</script>\n')

    def close(self) -> None:
        """Write what is left, and the index."""
        self._flush()
        self._tiles.close()
        about = {
            "episodes": self._index,
            "damaged": [str(damage) for damage in self._damaged],
            "blocks": self._blocks,
            "side": _TILE_SIDE,
            "across": _TILES_ACROSS,
            "study": self._study,
        }
        self._write_data("index", zlib.compress(_dump_json(about).encode(), _COMPRESSION_LEVEL))
        self._file.write(_check_ascii(self._tail))


def _load_template() -> str:
    """Return the page without episodes: its frame, its style and its script."""
    folder = resources.files(__package__).joinpath("page")
    page, look, style, script = (
        folder.joinpath(name).read_text("utf-8")
        for name in ("page.html", "look.css", "page.css", "page.js")
    )
    page = page.replace("<!-- the style -->", f"\n{look}{style}")
    return page.replace("<!-- the script -->", f"\n{script}")


def _make_content_policy(page: str) -> str:
    """Return a policy under which the page's own script and style work, and nothing else does."""
    allowed = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    for name in ("script", "style"):
        start, end = page.index(f"<{name}>") + len(name) + 2, page.index(f"</{name}>")
        digest = hashlib.sha256(page[start:end].encode()).digest()
        allowed.append(f"{name}-src 'sha256-{base64.b64encode(digest).decode()}'")
    return f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(allowed)}">'


def _check_ascii(page: str) -> str:
    if not page.isascii():
        raise ValueError("the template is ASCII, so that no encoding can change the script's hash")
    return page


def _dump_json(value: Any) -> str:
    """Return JSON that every parser reads: no NaN, no half of a character."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_replace_nonfinite(value), ensure_ascii=False, separators=(",", ":"))
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _replace_nonfinite(value: Any) -> Any:
    if isinstance(value, float):
        return value if np.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {str(key): _replace_nonfinite(one) for key, one in value.items()}
    return [_replace_nonfinite(one) for one in value] if isinstance(value, list | tuple) else value


def _hash_start(episode: Episode) -> str:
    """Return what tells from where an episode began; those of the same can be compared."""
    spec = episode.spec
    start = [spec.id, spec.entry_point, spec.kwargs, episode.seed, episode.options]
    return hashlib.blake2b(repr(start).encode(), digest_size=8).hexdigest()


def _make_index_row(episode: Episode, file: str) -> dict[str, Any]:
    """Return what the list shows of an episode."""
    steps, report = episode.steps, _select_numbers(episode.report)
    return {
        **({"report": report} if report else {}),
        "file": file,
        "id": _shorten_name(episode.id),
        "number": int(episode.number),
        "env": _shorten_name(episode.spec.id),
        "agents": [
            (_shorten_name(seat), _shorten_name(agent)) for seat, agent in episode.agents.items()
        ],
        "returns": [episode.returns.get(seat) for seat in episode.agents],
        "outcome": _shorten_name(_format_outcome(episode)),
        "ended": _shorten_name(episode.ended),
        "turns": len(steps),
        "tokens": sum(_count_written_tokens(step.reply) for step in steps),
        "invalid": sum(1 for step in steps if step.invalid),
        "seconds": float(episode.seconds),
        "start": _hash_start(episode),
    }


def _select_numbers(report: Mapping[str, Any]) -> dict[str, float]:
    """Return what of a report can be compared."""
    some = [
        (_shorten_name(name), one)
        for name, one in report.items()
        if isinstance(one, int | float) and np.isfinite(one)
    ]
    return dict(some[:_MAX_REPORT_FIELDS])


def _shorten_name(value: Any) -> str:
    return str(value)[:200]


def _format_outcome(episode: Episode) -> str:
    if episode.failure is not None:
        return "failed"
    return describe_outcome(episode.returns, is_zero_sum(episode.spec.id)) or str(episode.ended)


def _count_written_tokens(reply: Any) -> int:
    """Return how many tokens a model wrote, if it told."""
    told = reply.usage.get("completion_tokens") if isinstance(reply, Reply) else None
    if isinstance(told, int):
        return told
    return len(getattr(reply, "token_ids", None) or ())


class _EpisodeRecording:
    """What is shown of one episode; its pictures are told as changes to the one seen before."""

    def __init__(self, squares: _TileStore, views: Iterator[SpectatorView] | None = None):
        self._tiles = squares
        self._views = views
        self._pictures: list[dict[str, Any]] = []
        self._numbers: dict[Any, int] = {}  # a key, or what is in a picture -> its place
        # who looks -> what was seen last
        self._last: dict[str | None, tuple[int, _TiledPicture]] = {}

    def build_data(self, episode: Episode) -> dict[str, Any]:
        """Return what the page holds of an episode, or raise Unseen if its views say so."""
        out: dict[str, Any] = {
            name: getattr(episode, name)
            for name in Episode.__slots__
            if name not in ("spec", "steps", "failure")
        }
        out["seed"] = str(episode.seed)  # a browser's numbers are not as exact
        out["spec"] = {"id": episode.spec.id, "kwargs": episode.spec.kwargs}
        out["failure"] = episode.failure and episode.failure._asdict()
        views, out["steps"] = [], []
        before = self._tiles.picture_count
        try:
            for steps in (*group_steps(episode.steps), ()):
                view = next(self._views, None) if self._views is not None else None
                if view is not None:
                    shown = self._add_picture(None, view.pixels)
                    views.append({"picture": shown, "text": view.text})
                seats = view.seats if view is not None else {}
                out["steps"] += [self._build_step(step, seats.get(step.agent)) for step in steps]
            for _ in self._views or ():  # to its end: what is kept is put back there
                pass
        except UnreplayableEpisode:
            self._tiles.picture_count = before
            raise
        if self._views is not None:
            out["views"] = views
        out["pictures"] = self._pictures
        return out

    def _build_step(self, step: Step, again: Picture | None) -> dict[str, Any]:
        reply = step.reply
        out: dict[str, Any] = {"agent": step.agent, "number": step.number, "text": step.text}
        for name in ("results", "calls", "move", "reward", "invalid", "seconds"):
            out[name] = getattr(step, name)
        out["reply"] = None if reply is None else str(reply)
        if isinstance(reply, Reply):
            out |= {"tool_calls": reply.tool_calls, "usage": reply.usage}
            out |= {"latency": reply.latency, "finish_reason": reply.finish_reason}
            out["tokens"] = _count_written_tokens(reply)
            if reply.logprobs:
                out["logprob"] = sum(reply.logprobs) / len(reply.logprobs)
        if shown := find_observation_pictures(step.observation):
            out["alt"] = "\n".join(picture.alt for picture in shown if picture.alt)
            try:
                out["picture"] = self._add_recorded_picture(step.agent, _join_pictures(shown))
            except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
                if again is None:  # recorded without pictures, or the folder is elsewhere
                    out["lost"] = True
                else:
                    out["picture"] = self._add_picture(step.agent, again.array)
        return out

    def _add_recorded_picture(self, seat: str, picture: Picture) -> int:
        """Return the number of a recorded picture in this episode, which is new or not."""
        number = self._numbers.get(picture.key)
        if number is None:
            number = self._numbers[picture.key] = self._add_picture(seat, picture.array)
        return number

    def _add_picture(self, who: str | None, pixels: np.ndarray) -> int:
        base, old = self._last.get(who, (None, None))
        new = self._tiles.split_picture(pixels, old)
        content = new.size, new.numbers.tobytes()
        number = self._numbers.setdefault(content, len(self._pictures))
        if number == len(self._pictures):
            told: dict[str, Any] = {"width": new.size[0], "height": new.size[1]}
            if old is None or old.size != new.size:
                told["squares"] = new.numbers.tolist()
            else:
                where = np.flatnonzero(new.numbers != old.numbers)
                told["base"] = base
                told["changes"] = np.stack([where, new.numbers[where]], 1).ravel().tolist()
            self._pictures.append(told)
            self._tiles.picture_count += 1
        self._last[who] = number, new
        return number


class _TiledPicture(NamedTuple):
    """A picture in squares, row by row."""

    size: tuple[int, int]
    numbers: np.ndarray
    pixels: np.ndarray  # as many as all squares have


class _TileStore:
    """The squares of all pictures, each stored once: pictures of a board share nearly all."""

    def __init__(self, put: Callable[[int, bytes], None]):
        self._write_sheet = put
        self._numbers: dict[bytes, int] = {}
        self._sheet: list[bytes] = []  # squares that are yet to be written
        self._sheets = 0
        self.picture_count = 0

    def split_picture(
        self, picture: np.ndarray, before: _TiledPicture | None = None
    ) -> _TiledPicture:
        """Return a picture in squares; those that are as they were before are not looked up."""
        height, width, _ = picture.shape
        down, across = -(-height // _TILE_SIDE), -(-width // _TILE_SIDE)
        pixels = np.ascontiguousarray(picture)
        if (down * _TILE_SIDE, across * _TILE_SIDE) != (height, width):
            pixels = np.zeros((down * _TILE_SIDE, across * _TILE_SIDE, 3), np.uint8)
            pixels[:height, :width] = picture
        if before is not None and before.size == (width, height):
            numbers = before.numbers.copy()
            changed = _find_changed_tiles(pixels, before.pixels)
        else:
            numbers = np.zeros(down * across, np.int64)
            changed = list(range(down * across))
        for i in changed:
            top, left = i // across * _TILE_SIDE, i % across * _TILE_SIDE
            numbers[i] = self._number_tile(
                pixels[top : top + _TILE_SIDE, left : left + _TILE_SIDE].tobytes()
            )
        return _TiledPicture((width, height), numbers, pixels)

    def _number_tile(self, square: bytes) -> int:
        key = hashlib.blake2b(square, digest_size=16).digest()
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            self._sheet.append(square)
            if len(self._sheet) == _TILES_ACROSS**2:
                self.close()
        return number

    def close(self) -> None:
        """Write the squares that are not in a sheet yet."""
        if not self._sheet:
            return
        blank = [bytes(_TILE_SIDE * _TILE_SIDE * 3)] * (-len(self._sheet) % _TILES_ACROSS)
        squares = np.frombuffer(b"".join(self._sheet + blank), np.uint8)
        sheet = squares.reshape(-1, _TILES_ACROSS, _TILE_SIDE, _TILE_SIDE, 3).swapaxes(1, 2)
        self._write_sheet(
            self._sheets, _encode_png(sheet.reshape(-1, _TILES_ACROSS * _TILE_SIDE, 3))
        )
        self._sheets += 1
        self._sheet = []


def _find_changed_tiles(new: np.ndarray, old: np.ndarray) -> list[int]:
    """Return the squares in which two pictures differ: rows of squares first, most are equal."""
    down, across = new.shape[0] // _TILE_SIDE, new.shape[1] // _TILE_SIDE
    rows = [one.reshape(down, -1).view(np.uint64) for one in (new, old)]
    cut = [one.reshape(down, _TILE_SIDE, across, -1).view(np.uint32) for one in (new, old)]
    return [
        row * across + column
        for row in np.flatnonzero((rows[0] != rows[1]).any(1)).tolist()
        for column in np.flatnonzero((cut[0][row] != cut[1][row]).any((0, 2))).tolist()
    ]


def _encode_png(pixels: np.ndarray) -> bytes:
    """Return pixels as the smallest PNG file that Pillow makes without loss."""
    image = Image.fromarray(pixels)
    if image.getcolors(256) is not None:
        few = image.quantize(256, dither=Image.Dither.NONE)
        if np.array_equal(np.array(few.convert("RGB")), pixels):
            image = few
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()
