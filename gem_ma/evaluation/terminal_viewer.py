"""Matches in the terminal, with pictures drawn as coloured half blocks."""

from __future__ import annotations

import functools
import json
import math
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image
from rich.color import Color
from rich.console import Console, Group
from rich.live import Live
from rich.segment import Segment, Segments
from rich.style import Style
from rich.table import Column, Table
from rich.text import Text

from gem_ma.agents import load_seat_agents
from gem_ma.agents.human import HumanAgent
from gem_ma.apis import factory
from gem_ma.apis.env import Env
from gem_ma.apis.session import Session
from gem_ma.chat.agent import Agent
from gem_ma.chat.conversation import Step
from gem_ma.chat.messages import find_observation_pictures
from gem_ma.engine.action_parsing import strip_thinking
from gem_ma.engine.config import EnvOptions
from gem_ma.envs import registry
from gem_ma.evaluation.viewer.episode_files import find_episode_files, scan_episodes
from gem_ma.evaluation.viewer.spectator import Spectator, SpectatorView, UnseenEpisode, group_steps
from gem_ma.renderers.picture import Picture, join_pictures
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.records import RecordError
from gem_ma.validation.json_types import JSONMapping

_MIN_TEXT_COLUMNS = 30  # columns that text next to a picture needs
_MAX_REPLY_LENGTH = 2000  # characters of a reply that are shown
# Invisible characters that text needs; they are not escaped.
_ALLOWED_INVISIBLES = "\n\t\u200c\u200d"


class WatchError(ValueError):
    """The requested match or file cannot be watched; the message says what can."""


class ShownReply(NamedTuple):
    """A seat's reply and its result."""

    seat: str
    reply: str
    invalid: str  # why it was invalid; "": it was valid
    reward: float


class WatchFrame(NamedTuple):
    """The content of the screen between two moves."""

    title: str
    acting: tuple[str, ...]
    pixels: np.ndarray | None
    text: str
    replies: tuple[ShownReply, ...]  # since the previous frame
    returns: dict[str, float]


def watch(
    what: str,
    *,
    agents: str | Sequence[str] = "random",
    seat: str | None = None,
    seed: int | None = None,
    delay: float = 1.0,
    episode: int | None = None,
    trust: bool = False,
    console: Console | None = None,
    **make: Any,
) -> int:
    """Show a match of an environment, or the episodes of a file, and return an exit code.

    Args:
        trust: Replay episodes of a file without limits, even if their games are not registered
            here. This runs code that the file names.
        **make: Arguments of `gem_ma.make` for a match, such as theme and image_size.
    """
    if not (math.isfinite(delay) and delay >= 0):
        raise WatchError(f"--delay {delay}: expected seconds, 0 or more")
    if Path(what).is_file():
        if make:
            raise WatchError(
                f"{next(iter(make))}= does not apply to recorded episodes, which are shown as they "
                "were recorded; leave it out"
            )
        frames = replay_file_frames(Path(what), seat, episode, trust)
    elif Path(what).is_dir() or "/" in what or what.endswith(".jsonl"):
        raise WatchError(f"{what}: expected an environment, or a file of episodes")
    elif episode is not None:
        raise WatchError(
            f"--episode {episode} needs a file of episodes, got the environment {what}"
        )
    else:
        frames = play_match_frames(what, agents, seat, seed, make)
    console = console or Console()
    if console.is_terminal and console.color_system is not None and not console.is_dumb_terminal:
        _show_frames(frames, console, delay)
    else:
        for moment in frames:
            console.file.write(format_frame(moment))
            console.file.flush()
    return 0


def play_match_frames(
    id: str,
    agents: str | Sequence[str],
    seat: str | None,
    seed: int | None,
    make: EnvOptions,
) -> Iterator[WatchFrame]:
    """Play a match and yield its frames."""
    env = _make_env(id, make)
    seats = env.possible_agents
    _check_seat(seat, seats)
    players = dict(zip(seats, _load_players(agents, seats), strict=True))
    env.render_mode = "ansi"
    return _play_frames(env, players, seat, seed)


def _play_frames(
    env: Env, players: dict[str, Agent], seat: str | None, seed: int | None
) -> Iterator[WatchFrame]:
    session = Session(env)
    session.reset(seed)
    shown_replies: tuple[ShownReply, ...] = ()
    while True:
        title, acting = f"{env.id}, seed {env.episode_seed}, turn {env.turns + 1}", env.to_act
        pixels, text = env.picture(seat).array, env.render(seat)
        assert isinstance(text, str)  # guaranteed by render mode "ansi"
        yield WatchFrame(title, acting, pixels, text, shown_replies, dict(session.returns))
        if not acting:
            return
        replies: dict[str, str] = {}
        for name in acting:
            try:
                replies |= session.ask(players, [name])
            except ValueError as error:  # the agent cannot play this game
                raise WatchError(f"{name}: {error}") from None
        rewards = session.step(replies)
        shown_replies = tuple(
            ShownReply(
                name,
                _format_reply(session.conversations[name].steps[-1].counted_reply),
                _format_reason(env.info(name).get("invalid")),
                rewards.get(name, 0.0),
            )
            for name in replies
        )


def _make_env(id: str, make: EnvOptions) -> Env:
    try:
        return factory.make(id, **make)
    except (registry.UnknownEnv, registry.MissingRequirement, ValueError, TypeError) as error:
        raise WatchError(str(error)) from None


def _check_seat(seat: str | None, seats: Sequence[str]) -> None:
    if seat is not None and seat not in seats:
        raise WatchError(f"--seat {seat}: the seats are {', '.join(seats)}")


def _load_players(names: str | Sequence[str], seats: Sequence[str]) -> list[Agent]:
    try:
        players = load_seat_agents(names, seats)
    except (ValueError, ImportError, OSError) as error:
        raise WatchError(str(error)) from None
    if any(isinstance(player, HumanAgent) for player in players):
        raise WatchError("human cannot play in gem-ma watch; use gem-ma play")
    return players


def replay_file_frames(
    path: Path, seat: str | None, number: int | None, trust: bool = False
) -> Iterator[WatchFrame]:
    """Return the frames of all episodes of a file, or of the one with a number."""
    try:
        files = find_episode_files(path)
    except RecordError as error:
        raise WatchError(str(error)) from None
    episodes = (
        item
        for item in scan_episodes(files[0])
        if isinstance(item, Episode) and number in (None, item.number)
    )
    first = next(episodes, None)
    if first is None:
        which = "no episode" if number is None else f"no episode with the number {number}"
        raise WatchError(f"{path} has {which}")
    _check_seat(seat, list(first.agents))
    return _replay_all_frames(chain([first], episodes), seat, trust)


def _replay_all_frames(
    episodes: Iterable[Episode], seat: str | None, trust: bool
) -> Iterator[WatchFrame]:
    with Spectator(trust) as again:
        for episode in episodes:
            yield from _replay_frames(episode, seat, again)


def _replay_frames(
    episode: Episode, seat: str | None, spectator: Spectator
) -> Iterator[WatchFrame]:
    """Yield the frames of an episode: as a spectator sees them, or as the seats saw them."""
    returns = dict.fromkeys(episode.agents, 0.0)
    last_steps: Sequence[Step] = ()
    views: Iterator[SpectatorView] = iter(())
    why = ""
    if seat is None or _has_lost_pictures(episode):
        try:
            for _ in spectator.replay_views(episode):  # first checks the whole replay
                pass
            views = spectator.replay_views(episode)
        except UnseenEpisode as error:
            why = f" (as the seats saw it: {error})" if seat is None else ""
    pixels, text = None, ""
    together = list(group_steps(episode.steps))
    for number, steps in enumerate([*together, []]):
        view = next(views, None)
        rewards = {step.agent: step.reward for step in last_steps}
        if view is not None:  # the view knows which move earned a reward
            rewards = {one: view.earned.get(one, 0.0) - had for one, had in returns.items()}
        returns = {one: had + rewards.get(one, 0.0) for one, had in returns.items()}
        replies = tuple(
            ShownReply(
                step.agent,
                _format_reply(step.counted_reply),
                _format_reason(step.invalid),
                round(rewards.get(step.agent, 0.0), 9),
            )
            for step in last_steps
        )
        if seat is None and view is not None:
            pixels, text = view.pixels, view.text
        elif seen := [step for step in steps if seat is None or step.agent == seat]:
            again = view.seats.get(seen[0].agent) if view is not None else None
            pixels, text = _load_observation(seen[0], again)
        title = f"{episode.spec.id}, episode {episode.number}, {number} of {len(together)}{why}"
        if not steps:
            returns.update(episode.returns)
            title += f", {episode.ended}" + (
                f": {episode.failure.message}" if episode.failure else ""
            )
        yield WatchFrame(title, tuple(s.agent for s in steps), pixels, text, replies, dict(returns))
        last_steps = steps


def _has_lost_pictures(episode: Episode) -> bool:
    """Return whether an episode has pictures that were not saved."""
    return any(
        _join_pixels(find_observation_pictures(step.observation)) is None
        for step in episode.steps[:1]
    )


def _load_observation(step: Step, again: Picture | None) -> tuple[np.ndarray | None, str]:
    pictures = find_observation_pictures(step.observation)
    pixels = _join_pixels(pictures)
    if pixels is None and again is not None:
        pixels = again.array
    if pixels is None and pictures:
        return None, "\n\n".join(filter(None, (step.text, *(one.alt for one in pictures))))
    return pixels, step.text


def _join_pixels(shown: tuple[Picture, ...]) -> np.ndarray | None:
    try:
        return join_pictures(shown) if shown else None
    except (OSError, ValueError, SyntaxError):  # recorded without pictures
        return None


def _format_reply(reply: str | None) -> str:
    """Return a reply without its thoughts, but with its tool calls."""
    if reply is None:
        return "no reply"
    calls = getattr(reply, "tool_calls", None) or ()
    call_texts = [
        json.dumps(call.get("function", call)) for call in calls if isinstance(call, dict)
    ]
    return "\n".join(filter(None, [strip_thinking(reply).strip(), *call_texts]))


def _format_reason(invalid: JSONMapping | None) -> str:
    return str(invalid.get("reason", "it is no move")) if invalid else ""


def escape_invisible(text: str) -> str:
    """Return a text with invisible and control characters spelled out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_escape_character, text.replace("\r\n", "\n")))


def _escape_character(one: str) -> str:
    if one in _ALLOWED_INVISIBLES or unicodedata.category(one) not in (
        "Cc",
        "Cf",
        "Cs",
        "Co",
        "Zl",
        "Zp",
    ):
        return one
    return chr(0x2400 + ord(one)) if one < " " else f"<U+{ord(one):04X}>"


def format_frame(moment: WatchFrame) -> str:
    """Return a frame as plain text, for output that is not a terminal."""
    lines = [*_format_replies(moment.replies), "", moment.title, moment.text]
    lines.append(_format_acting(moment))
    return escape_invisible("\n".join(lines) + "\n")


def _format_replies(said: Sequence[ShownReply]) -> Iterator[str]:
    for one in said:
        cut = (
            one.reply
            if len(one.reply) <= _MAX_REPLY_LENGTH
            else f"{one.reply[:_MAX_REPLY_LENGTH]} ... ({len(one.reply)})"
        )
        yield f"{one.seat}: {cut}"
        if one.invalid:
            yield f"  invalid: {one.invalid[:_MAX_REPLY_LENGTH]}"
        if one.reward:
            yield f"  reward {one.reward:+g}"


def _format_acting(moment: WatchFrame) -> str:
    if moment.acting:
        return f"to act: {', '.join(moment.acting)}"
    return "returns: " + ", ".join(f"{seat} {value:+g}" for seat, value in moment.returns.items())


def fit_picture(pixels: np.ndarray, columns: int, rows: int) -> tuple[int, int]:
    """Return the most columns and rows that a picture fills without a change of its shape."""
    height, width, _ = pixels.shape
    scale = min(columns / width, 2 * rows / height)  # a cell shows two pixels, one above the other
    return max(1, int(width * scale)), max(1, int(height * scale / 2))


def render_half_blocks(pixels: np.ndarray, columns: int, rows: int) -> Segments:
    """Return a picture as half blocks: upper pixels in the foreground, lower ones behind."""
    small = Image.fromarray(pixels).resize((columns, 2 * rows), Image.Resampling.BOX)
    lines = np.asarray(small).tolist()
    out = []
    for above, below in zip(lines[::2], lines[1::2], strict=True):
        for top, bottom in zip(above, below, strict=True):
            out.append(Segment("\u2580", _make_style(tuple(top), tuple(bottom))))
        out.append(Segment.line())
    return Segments(out)


@functools.lru_cache(maxsize=1 << 14)
def _make_style(top: tuple[int, int, int], bottom: tuple[int, int, int]) -> Style:
    return Style(color=Color.from_rgb(*top), bgcolor=Color.from_rgb(*bottom))


def render_frame(moment: WatchFrame, width: int, height: int) -> Group:
    """Return a frame that fits a terminal: the picture, with the text next to it or below it."""
    words = Text()
    for line in _format_replies(moment.replies):
        words.append(escape_invisible(line) + "\n", "red" if line.startswith("  invalid") else "")
    words.append(escape_invisible(_format_acting(moment)) + "\n", "bold")
    if moment.acting and any(moment.returns.values()):
        so_far = ", ".join(f"{seat} {value:+g}" for seat, value in moment.returns.items())
        words.append(f"so far: {escape_invisible(so_far)}\n")
    words.append("\n" + escape_invisible(moment.text))
    title = Text(escape_invisible(moment.title), "bold", no_wrap=True, overflow="ellipsis")
    if moment.pixels is None:
        return Group(title, words)
    columns, rows = fit_picture(moment.pixels, width * 3 // 5, height - 2)
    if width - columns < _MIN_TEXT_COLUMNS:
        columns, rows = fit_picture(moment.pixels, width, height * 3 // 5)
        return Group(title, render_half_blocks(moment.pixels, columns, rows), words)
    table = Table.grid(Column(width=columns), Column(), padding=(0, 2))
    table.add_row(render_half_blocks(moment.pixels, columns, rows), words)
    return Group(title, table)


def _show_frames(shown: Iterator[WatchFrame], console: Console, delay: float) -> None:
    """Show frames one after the other on the whole screen, and print the last one at the end."""
    moment: WatchFrame | None = None
    try:
        with Live(console=console, screen=True, auto_refresh=False) as live:
            for moment in shown:
                live.update(render_frame(moment, *console.size), refresh=True)
                time.sleep(delay)
    finally:
        if moment is not None:
            console.print(render_frame(moment, console.width, console.height - 2))
