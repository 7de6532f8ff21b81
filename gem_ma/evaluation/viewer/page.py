"""Episodes as one HTML page that needs no server and no network.

The page holds blocks of episodes (deflated JSON lines), squares of pictures (PNG) and an index. The
browser unpacks only the blocks that are opened. Everything from the episodes is in base64 until the
page's script puts it into text nodes. So nothing that a model wrote can become code of the page.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from gem_ma.evaluation.viewer.episode_files import DamagedLine, find_episode_files, scan_episodes
from gem_ma.evaluation.viewer.recording import EpisodeRecording, count_written_tokens
from gem_ma.evaluation.viewer.spectator import Spectator, SpectatorView, UnseenEpisode, clip_name
from gem_ma.evaluation.viewer.squares import SQUARE_SIDE, SQUARES_ACROSS, SquareSheets
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.outcomes import describe_outcome, is_zero_sum
from gem_ma.validation.json_types import JSONMapping, JSONObject

_BLOCK_LENGTH = 1 << 18  # characters of JSON that are unpacked together
_COMPRESSION_LEVEL = 7  # of zlib: level 9 takes three times as long and saves 6 %
_FIELDS = 12  # numbers of a report for filters and sorting
_MAX_REPLAYED = 5_000  # episodes of a page that are replayed
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Errors that an episode altered by hand can raise when it is added to a page.
_DAMAGE_ERRORS = (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError)


class ViewerPage(NamedTuple):
    """What `write_page` wrote: counts, and the lines that are not episodes."""

    episodes: int
    pictures: int
    unseen: int  # episodes without a spectator's view
    damaged: list[DamagedLine]


def write_page(
    source: str | Path,
    out: str | Path,
    *,
    spectator: bool = True,
    most: int | None = _MAX_REPLAYED,
    trust: bool = False,
    study: str = "",
    progress: Callable[[int], None] | None = None,
) -> ViewerPage:
    """Write the episodes of a file, or of all files in a folder, as a page.

    Args:
        spectator: Whether to show what spectators saw; this replays the episodes.
        most: How many episodes, the first ones, are replayed. None: all.
        trust: Replay episodes without limits, even if their games are not registered here. This
            runs code that the files name.
        study: Start of an address where a user can continue to play from a turn. Each turn links to
            it, with the numbers of the episode and the step appended.
        progress: Called after each episode with the number of episodes so far.
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
                    page.take(item, name, number)
                    if progress is not None:
                        progress(page.done.episodes)
            page.close()
        half.replace(out)
    finally:
        half.unlink(missing_ok=True)
    return page.done


class _PageWriter:
    """A page that is written episode by episode; only its index is written at the end."""

    def __init__(self, file: IO[str], again: Spectator, most: int | None, study: str = ""):
        self._file, self._study = file, study
        self._spectator = again
        self._most = most  # number of episodes that are replayed
        page = _load_template()
        head, self._tail = page.split("<!-- the episodes -->")
        file.write(_check_ascii(head.replace("<!-- the policy -->", _make_policy(page))))
        self._block: list[str] = []
        self._length = 0
        self._blocks = 0
        self._index: list[JSONObject] = []
        self._damaged: list[DamagedLine] = []
        self._unseen = 0
        self._squares = SquareSheets(lambda number, sheet: self._put(f"sheet{number}", sheet))

    @property
    def done(self) -> ViewerPage:
        """What the page holds so far."""
        return ViewerPage(len(self._index), self._squares.pictures, self._unseen, self._damaged)

    def take(self, item: Episode | DamagedLine, file: str, number: int) -> None:
        """Add an episode, or note a damaged line."""
        if isinstance(item, Episode):
            try:
                self._add(item, file)
            except _DAMAGE_ERRORS as error:
                item = DamagedLine(file, number, f"not as gem_ma writes it ({error!r})"[:200])
        if isinstance(item, DamagedLine):
            self._damaged.append(item)

    def _add(self, episode: Episode, file: str) -> None:
        try:
            data = EpisodeRecording(self._squares, self._play_views(episode)).data(episode)
        except UnseenEpisode as error:
            data = EpisodeRecording(self._squares).data(episode)
            data["unseen"] = str(error)
        line = _dump_json(data)
        row = {**_make_row(episode, file), "block": self._blocks, "line": len(self._block)}
        _dump_json(row)  # raises here, and not when the index is written
        self._index.append(row)
        self._unseen += "unseen" in data
        self._block.append(line)
        self._length += len(line)
        if self._length >= _BLOCK_LENGTH:
            self._flush()

    def _play_views(self, episode: Episode) -> Iterator[SpectatorView]:
        if self._most == 0:
            raise UnseenEpisode("this page was written without spectators' views")
        if self._most is not None and len(self._index) >= self._most:
            raise UnseenEpisode(
                f"only the first {self._most} episodes are replayed; --spectators sets how many"
            )
        return self._spectator.replay_views(episode)

    def _flush(self) -> None:
        if self._block:
            self._put(
                f"block{self._blocks}",
                zlib.compress("\n".join(self._block).encode(), _COMPRESSION_LEVEL),
            )
            self._blocks += 1
            self._block, self._length = [], 0

    def _put(self, name: str, data: bytes) -> None:
        text = base64.b64encode(data).decode()
        self._file.write(f'<script type="text/plain" id="{name}">{text}</script>\n')

    def close(self) -> None:
        """Write the last block, the last sheet and the index."""
        self._flush()
        self._squares.close()
        about = {
            "episodes": self._index,
            "damaged": [str(damage) for damage in self._damaged],
            "blocks": self._blocks,
            "side": SQUARE_SIDE,
            "across": SQUARES_ACROSS,
            "study": self._study,
        }
        self._put("index", zlib.compress(_dump_json(about).encode(), _COMPRESSION_LEVEL))
        self._file.write(_check_ascii(self._tail))


def _load_template() -> str:
    """Return the page without episodes: its HTML, its style and its script."""
    folder = resources.files("gem_ma.evaluation").joinpath("page")
    page, look, style, script = (
        folder.joinpath(name).read_text("utf-8")
        for name in ("page.html", "look.css", "page.css", "page.js")
    )
    page = page.replace("<!-- the style -->", f"\n{look}{style}")
    return page.replace("<!-- the script -->", f"\n{script}")


def _make_policy(page: str) -> str:
    """Return a Content-Security-Policy that allows only the page's own script and style."""
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


def _dump_json(value: object) -> str:
    """Return JSON that every parser reads: no NaN, and lone surrogates escaped."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_make_finite(value), ensure_ascii=False, separators=(",", ":"))
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _make_finite(value: object) -> object:
    if isinstance(value, float):
        return value if np.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {str(key): _make_finite(one) for key, one in value.items()}
    return [_make_finite(one) for one in value] if isinstance(value, list | tuple) else value


def _hash_start(episode: Episode) -> str:
    """Return a hash of the start of an episode; episodes with the same hash can be compared."""
    spec = episode.spec
    start = [spec.id, spec.entry_point, spec.kwargs, episode.seed, episode.options]
    return hashlib.blake2b(repr(start).encode(), digest_size=8).hexdigest()


def _make_row(episode: Episode, file: str) -> JSONObject:
    """Return the row of an episode in the page's list."""
    steps, report = episode.steps, _find_numbers(episode.report)
    return {
        **({"report": report} if report else {}),
        "file": file,
        "id": clip_name(episode.id),
        "number": int(episode.number),
        "env": clip_name(episode.spec.id),
        "agents": [(clip_name(seat), clip_name(agent)) for seat, agent in episode.agents.items()],
        "returns": [episode.returns.get(seat) for seat in episode.agents],
        "outcome": clip_name(_describe_outcome(episode)),
        "ended": clip_name(episode.ended),
        "turns": len(steps),
        "tokens": sum(count_written_tokens(step.reply) for step in steps),
        "invalid": sum(1 for step in steps if step.invalid),
        "seconds": float(episode.seconds),
        "start": _hash_start(episode),
    }


def _find_numbers(report: JSONMapping) -> dict[str, float]:
    """Return the finite numbers of a report, up to 12 of them."""
    some = [
        (clip_name(name), one)
        for name, one in report.items()
        if isinstance(one, int | float) and np.isfinite(one)
    ]
    return dict(some[:_FIELDS])


def _describe_outcome(episode: Episode) -> str:
    if episode.failure is not None:
        return "failed"
    return describe_outcome(episode.returns, is_zero_sum(episode.spec.id)) or str(episode.ended)
