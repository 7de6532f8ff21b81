"""The matches of an arena, with their seats and agents."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import hmac
import inspect
import itertools
import logging
import os
import re
import secrets
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from gem_ma.agents import load_agent
from gem_ma.chat.agent import Agent, ask_agent, ask_agent_async, check_agent_seat
from gem_ma.envs import registry
from gem_ma.envs.game_factory import import_game_class
from gem_ma.renderers import THEMES, draw
from gem_ma.renderers.picture import Picture
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.prefix import EpisodePrefix
from gem_ma.rollouts.records import load_episodes
from gem_ma.serving.arena.env_catalog import EnvCatalog
from gem_ma.serving.arena.match_files import (
    ArenaError,
    DamagedMatch,
    MatchInfo,
    StorageError,
    explain_failed_write,
    open_records,
)
from gem_ma.serving.arena.match_ratings import PlayerRating, rate_players
from gem_ma.serving.arena.match_session import MatchSession
from gem_ma.validation.endpoints import redact_secrets
from gem_ma.validation.json_types import JSONMapping, JSONObject

MAX_NAME_LENGTH = 40  # characters of a name
MAX_OPEN_MATCHES = 200  # unfinished matches
MAX_MATCHES_BY_VISITOR = 50  # unfinished matches that one visitor has begun
IDLE_SECONDS = 86_400  # seconds without a change, after which a match may be ended for a new one
UNPLAYED_SECONDS = 600  # the same for a match without any move
RETRY_SECONDS = 5  # seconds until a failed write is tried again
MAX_CACHED_MATCHES = 64  # finished matches in memory
MAX_CLOCK_SECONDS = 86_400  # the largest `clock` and `bank`
BOARD_SIDE = 448  # side of a board, in the units of its squares
_LOG = logging.getLogger(__name__)
_NAME_PATTERN = re.compile(r"[\w .-]{1,40}")
_RECORD_PATTERN = re.compile(r"c?[0-9a-f]{10}|r\d{1,6}|all")


class MatchUpdate(asyncio.Event):
    """An event that wakes one viewer of a match.

    Attributes:
        is_own: whether the viewer caused the update.
        is_seated: whether the viewer has a seat in the match.
    """

    is_own = False
    is_seated = False


class ArenaLobby:
    """The matches of a folder, their agents, and the viewers that wait for updates."""

    def __init__(
        self,
        folder: Path,
        agents: Iterable[str],
        envs: Iterable[str],
        records: Iterable[str | os.PathLike[str]] = (),
        *,
        others: bool = False,
    ):
        self.matches_folder = folder / "matches"
        self.agents: dict[str, Agent] = {redact_secrets(one): load_agent(one) for one in agents}
        self.catalog = EnvCatalog(envs, others)
        self.record_files = [Path(one) for one in records]
        for one in self.record_files:
            next(load_episodes(one), None)
        self.matches_folder.mkdir(parents=True, exist_ok=True)
        self.episode_file, recorded_ids = open_records(folder / "episodes.jsonl")
        self.match_infos: dict[str, MatchInfo] = {}  # of all matches
        self.match_sessions: dict[str, MatchSession] = {}  # matches that are loaded
        self.damaged_ids: set[str] = set()  # matches that cannot be read
        self.unrecorded_matches: dict[str, MatchSession] = {}  # finished, but not yet recorded
        for path in sorted(self.matches_folder.iterdir()):
            if any((path / name).exists() for name in ("about.json", "moves.jsonl")):
                try:
                    info = MatchInfo.load(path)
                    if info.id != path.name:
                        raise DamagedMatch(f"{path}: it is a copy of {info.id}")
                except DamagedMatch as error:
                    self._set_aside(path.name, error)
                else:
                    self.match_infos[path.name] = info
        for info in list(self.match_infos.values()):
            if not info.ended or info.id not in recorded_ids:
                with contextlib.suppress(ArenaError):  # a damaged match; the log has the reason
                    table = self.get_match(info.id)
                    self.match_infos[info.id] = table.info
                    if table.over and info.id not in recorded_ids:
                        self.unrecorded_matches[info.id] = table
        self._write_records()
        self.rating_cache: dict[str, list[PlayerRating]] | None = None  # None: not up to date
        self.picked_squares: dict[tuple[str, str], tuple[Any, ...]] = {}
        self.clickable_games: dict[str, Any] = {}  # a Clicked for each match
        self.agent_errors: dict[str, str] = {}
        self.update_events: dict[str, set[MatchUpdate]] = {}
        self.agent_tasks: dict[str, asyncio.Task[None]] = {}
        self.clock_timers: dict[str, asyncio.TimerHandle] = {}
        self.match_visitors: dict[str, str] = {}  # by unfinished match, who has begun it
        self.next_matches: dict[str, str] = {}  # by match, the next one of its players
        self.view_tasks: dict[tuple[str, str | None, str], asyncio.Task[JSONObject]] = {}
        self.painter = ThreadPoolExecutor(1, "arena-pictures")

    def close(self) -> None:
        """Close the file of records."""
        self.episode_file.close()
        self.painter.shutdown(cancel_futures=True)

    def get_match(self, name: str) -> MatchSession:
        """Return a match by its id, and load it if necessary."""
        if name in self.damaged_ids:
            raise ArenaError("this match is damaged; the log of the server says where, and why")
        if name not in self.match_infos:
            raise ArenaError("there is no such match")
        table = self.match_sessions.pop(name, None) or self._load_match(name)
        self.match_sessions[name] = table  # the order is that of the last use
        over = [one for one in self.match_sessions.values() if one.over]
        for one in over[: max(0, len(over) - MAX_CACHED_MATCHES)]:
            if one is not table:
                del self.match_sessions[one.info.id]
        return table

    def _load_match(self, name: str) -> MatchSession:
        try:
            return MatchSession.load(self.matches_folder / name)
        except DamagedMatch as error:
            self._set_aside(name, error)
            return self.get_match(name)  # raises ArenaError
        except OSError as error:
            _LOG.exception("match %s cannot be read now", name)
            raise ArenaError(f"this match cannot be read now ({error.strerror})") from None

    def _set_aside(self, name: str, error: DamagedMatch) -> None:
        """Exclude a match that cannot be read; its files are not changed."""
        _LOG.warning("match %s is set aside, and all others go on: %s", name, error)
        self.damaged_ids.add(name)
        self.match_infos.pop(name, None)
        self.rating_cache = None

    def begin_match(
        self, asked: JSONMapping, visitor: str | None = None
    ) -> tuple[MatchSession, dict[str, str]]:
        """Create a match; return it, and the keys of the seats that the visitor takes.

        Args:
            asked: The request of a browser.
            visitor: Who sends it, to count matches; None: not counted.
        """
        start = self._parse_start(asked)
        self._make_room(visitor)
        seats = asked.get("seats")
        if not isinstance(seats, dict) or set(seats) != set(self.catalog.list_seats(start)):
            raise ArenaError(
                f"seats: expected a player for each of {', '.join(self.catalog.list_seats(start))}"
            )
        name = self._check_player(asked.get("name"))
        keys: dict[str, str] = {}
        for seat, player in seats.items():
            if player == "me":
                keys[seat] = secrets.token_urlsafe(16)
                start.people[seat] = name, _hash_key(keys[seat])
            elif player == "open":
                start.people[seat] = "", ""
            elif isinstance(player, str) and player in self.agents:
                check_agent_seat(self.agents[player], seat, player)
                start.agents[seat] = player
            else:
                raise ArenaError(f"{seat}: expected me, open, or one of {', '.join(self.agents)}")
        spectator_view = asked.get("watched", "")
        if spectator_view not in ("", "all", *seats):
            raise ArenaError(f"watched: expected '' for nothing, all, or one of {', '.join(seats)}")
        clock, bank = asked.get("clock", 0), asked.get("bank", 0)
        if any(
            type(one) not in (int, float) or not 0 <= one <= MAX_CLOCK_SECONDS
            for one in (clock, bank)
        ):
            raise ArenaError(f"clock, bank: expected 0 (none) to {MAX_CLOCK_SECONDS} seconds")
        info = start._replace(
            id=secrets.token_hex(5),
            watched=spectator_view,
            clock=float(clock),
            bank=float(bank),
            takes_back=asked.get("takes_back") is True,
            chat=asked.get("chat") is not False,
            begun=round(time.time(), 3),
        )
        table = MatchSession.create(self.matches_folder / info.id, info)
        self.match_infos[info.id] = table.info
        self.match_sessions[info.id] = table
        if visitor is not None:
            self.match_visitors[info.id] = visitor
        return table, keys

    def play_again(
        self, table: MatchSession, keys: Iterable[str], visitor: str | None = None
    ) -> tuple[MatchSession, dict[str, str]]:
        """Begin a rematch for a player of a finished match, or take seats in one that exists."""
        info = table.info
        own_seats = {self.find_seat(table, key) for key in keys} - {None}
        if not table.over:
            raise ArenaError("the match is not over yet")
        if info.people and not own_seats:
            raise ArenaError("only its players can repeat a match; start one in the lobby")
        seats = [seat for seat in info.people if seat in own_seats]
        next_info = self.match_infos.get(self.next_matches.get(info.id, ""))
        if next_info is not None and not next_info.ended:
            free_seats = [seat for seat in seats if seat in next_info.free_seats]
            if free_seats or not seats:
                next_table, names = self.get_match(next_info.id), info.people
                return next_table, {
                    seat: self.take_seat(next_table, seat, names[seat][0]) for seat in free_seats
                }
        request: JSONObject = {
            "env": info.env,
            "name": info.people[seats[0]][0] if seats else "visitor",
            "seats": {**dict.fromkeys(info.people, "open"), **dict.fromkeys(seats, "me")},
            "watched": info.watched,
            "clock": info.clock,
            "bank": info.bank,
            "takes_back": info.takes_back,
            "chat": info.chat,
        }
        request["seats"] |= info.agents
        if info.of:
            source, number, turn = info.of.split(":")
            request |= {"of": source, "number": int(number), "turn": int(turn)}
        next_table, own_keys = self.begin_match(request, visitor)
        self.next_matches[info.id] = next_table.info.id
        self._wake_viewers(info.id)
        return next_table, own_keys

    def _parse_start(self, asked: JSONMapping) -> MatchInfo:
        """Return the start of a match: a new episode, or a position of a record."""
        if asked.get("of") is not None:
            return self.make_continuation(asked["of"], asked.get("number"), asked.get("turn"))
        id = self.catalog.find_env(asked.get("env")).id
        return MatchInfo("", id, {}, secrets.randbits(32), {}, {})

    def _make_room(self, visitor: str | None) -> None:
        """End an idle match if a limit of open matches is reached, or raise ArenaError."""
        open_ids = [info.id for info in self.match_infos.values() if not info.ended]
        own_ids = [id for id in open_ids if self.match_visitors.get(id, "") == visitor]
        if len(own_ids) >= MAX_MATCHES_BY_VISITOR:
            self._end_idle_match(
                own_ids,
                f"{MAX_MATCHES_BY_VISITOR} matches that you have begun are not over; leave one",
            )
        elif len(open_ids) >= MAX_OPEN_MATCHES:
            self._end_idle_match(
                open_ids,
                f"{MAX_OPEN_MATCHES} matches are being played; come back when one is over",
            )

    def _end_idle_match(self, ids: Iterable[str], problem: str) -> None:
        """End the match that has been idle longest, or raise ArenaError if none is idle enough."""
        idle_tables: list[tuple[float, MatchSession]] = []
        for id in ids:
            with contextlib.suppress(ArenaError):  # a damaged match
                table = self.get_match(id)
                idle = time.time() - table.find_last_change()
                if idle >= (IDLE_SECONDS if table.has_moved else UNPLAYED_SECONDS):
                    idle_tables.append((idle, table))
        if not idle_tables:
            raise ArenaError(problem)
        table = max(idle_tables, key=lambda pair: pair[0])[1]
        table.abandon()
        self.notify_viewers(table)

    def _check_player(self, name: object) -> str:
        """Return the valid name of a person, or raise ArenaError; an agent's name is refused."""
        player_name = check_player_name(name)
        if player_name.lower() in (one.lower() for one in self.agents):
            raise ArenaError(f"{player_name} is an agent here; take another name")
        return player_name

    def make_continuation(self, source: object, number: object, turn: object) -> MatchInfo:
        """Return a match that begins at a record's position before one of its turns."""
        if type(turn) is not int or type(number) is not int or turn < 0 or number < 0:
            raise ArenaError("expected the number of an episode and of a turn, 0 or more")
        episode = self._load_episode(source, number)
        if episode.wrappers:
            around = " in ".join(episode.wrappers)
            raise ArenaError(f"episodes of environments wrapped by {around} cannot be continued")
        prefix = EpisodePrefix.from_record(episode, turn)
        return MatchInfo(
            id="",
            env=episode.spec.id,
            arguments=dict(episode.spec.kwargs),
            seed=prefix.seed,
            people={},
            agents={},
            options=dict(prefix.options),
            past=prefix.moves,
            of=f"{source}:{number}:{turn}",
        )

    def _load_episode(self, source: object, number: int) -> Episode:
        episode = next(
            itertools.islice(load_episodes(self.find_record_file(source)), number, None), None
        )
        if episode is None:
            raise ArenaError("there is no such episode")
        return episode

    def _load_origin(self, about: MatchInfo) -> Episode:
        """Return the record from which a match continued."""
        source, number, turn = about.of.split(":") if about.of else ("", "0", "0")
        episode = self._load_episode(source, int(number))
        prefix = EpisodePrefix.from_record(episode, int(turn))
        if (prefix.seed, prefix.moves) != (about.seed, about.past):  # the file is another one now
            raise ArenaError("the record that this match continues is gone or has changed")
        return episode

    def find_record_file(self, name: object) -> Path:
        """Return a file of episodes by its name.

        Names are the id of a finished match, "all" for all of these, "r" and a number for a file
        of records, and "c" and the id of a match for it and the record that it continues.
        """
        if not isinstance(name, str) or not _RECORD_PATTERN.fullmatch(name):
            raise ArenaError("there is no such record")
        if name == "all":
            if self.episode_file.is_empty:
                raise ArenaError("no match is over yet")
            return self.episode_file.path
        if name in self.match_infos:
            with explain_failed_write():
                return self.get_match(name).write_record()
        if name[0] != "r":
            table = self.get_match(name[1:])
            origin = self._load_origin(table.info)
            with explain_failed_write():
                return table.write_comparison(origin)
        if int(name[1:]) >= len(self.record_files):
            raise ArenaError("there is no such record")
        return self.record_files[int(name[1:])]

    def take_seat(self, table: MatchSession, seat: Any, name: Any) -> str:
        """Take a free seat for a person, and return its key."""
        name = self._check_player(name)
        there = table.info.people.get(seat) if isinstance(seat, str) else None
        if there is None or there[0] or table.over:
            free = [] if table.over else table.info.free_seats
            raise ArenaError(f"this seat is not free; free seats: {', '.join(free) or 'none'}")
        key = secrets.token_urlsafe(16)
        table.take_seat(seat, name, _hash_key(key))
        self.match_infos[table.info.id] = table.info
        return key

    def find_seat(self, table: MatchSession, key: str) -> str | None:
        """Return the seat to which a key belongs, or None."""
        key_hash = _hash_key(key)
        for seat, (name, seat_hash) in table.info.people.items():
            if name and hmac.compare_digest(seat_hash, key_hash):
                return seat
        return None

    def compute_ratings(self) -> dict[str, list[PlayerRating]]:
        """Return the ratings of players by environment."""
        if self.rating_cache is None:
            self.rating_cache = rate_players(self.match_infos.values())
        return self.rating_cache

    async def load_view(
        self, table: MatchSession, seat: str | None, theme: str = "light"
    ) -> JSONObject:
        """Return the view of a seat or a spectator, with its picture in base64.

        A picture is drawn once for all viewers of the same view, in a thread of its own.
        """
        key = table.info.id, seat, theme
        if key not in self.view_tasks:
            description = self.describe_view(table, seat, theme)
            self.view_tasks[key] = asyncio.create_task(self._draw_view(description))
        content = await asyncio.shield(self.view_tasks[key])
        next_info = self.match_infos.get(self.next_matches.get(table.info.id, ""))
        more: JSONObject = {
            "trouble": self.agent_errors.get(table.info.id, ""),
            "next": next_info and {"id": next_info.id, "free": next_info.free_seats},
        }
        if seat is not None and table.info.has_clock and table.get_turn(seat) is not None:
            more["seconds"] = max(0.0, table.compute_time_left(seat))
        return content | more

    async def _draw_view(self, description: JSONObject) -> JSONObject:
        picture: Picture | None = description.get("image")
        if picture is None:
            return description
        loop = asyncio.get_running_loop()
        data = await loop.run_in_executor(self.painter, lambda: picture.base64)
        return description | {"image": data}

    def describe_view(
        self, table: MatchSession, seat: str | None, theme: str = "light"
    ) -> JSONObject:
        """Return the view of a seat or a spectator, with the squares of a clickable board."""
        board = self._make_board(table, seat) if seat is not None and table.get_turn(seat) else None
        if board is None:
            return table.describe_view(seat, theme)
        draw_board = functools.partial(draw, board.scene, (BOARD_SIDE, BOARD_SIDE), THEMES[theme])
        description = table.describe_view(seat, theme, Picture(draw_board))
        return description | {"squares": board.squares, "moves": board.moves}

    def _make_board(self, table: MatchSession, seat: str) -> Any:
        squares = self.picked_squares.get((table.info.id, seat), ())
        game = self._find_clickable_game(table)
        return game and game.board(table.make_view(seat), seat, squares)

    def _find_clickable_game(self, table: MatchSession) -> Any:
        """Return the game as a clickable page, or None without the pack screens or such a page."""
        info = table.info
        if info.id not in self.clickable_games:
            spec: Any = registry.find_registered("screens:game")
            game: Any = None if spec is None else import_game_class(spec)
            self.clickable_games[info.id] = game and game.around(table.game, info.env)
        return self.clickable_games[info.id]

    def apply_request(self, table: MatchSession, seat: str, asked: JSONMapping) -> None:
        """Carry out a request of a person in a seat."""
        key = table.info.id, seat
        if asked.get("back") is True:
            self.picked_squares.pop(key, None)
            table.take_back(seat)
        elif asked.get("leave") is True:
            table.leave(seat)
        elif "words" in asked:
            table.post_message(seat, asked["words"])
        elif isinstance(asked.get("reply"), str):
            self._submit_reply(table, seat, asked["reply"])
        elif table.get_turn(seat) is None:
            raise ArenaError(f"it is not {seat}'s turn")
        elif isinstance(asked.get("square"), str):
            square = tuple(int(one) for one in re.findall(r"\d{1,3}", asked["square"])[:2])
            if len(square) != 2 or self._make_board(table, seat) is None:
                raise ArenaError(f"{asked['square'][:20]!r} is no square of a board here")
            game, view = self._find_clickable_game(table), table.make_view(seat)
            self.picked_squares[key], reply = game.pick(
                view, seat, self.picked_squares.get(key, ()), square
            )
            if reply is not None:
                self._submit_reply(table, seat, reply)
        elif isinstance(asked.get("move"), str) and self._find_clickable_game(table) is not None:
            squares = self.picked_squares.get(key, ())
            game = self._find_clickable_game(table)
            self._submit_reply(
                table, seat, game.press(table.make_view(seat), seat, squares, asked["move"])
            )
        else:
            raise ArenaError("expected reply, square, move, back, words or leave")
        self.notify_viewers(table)

    def _submit_reply(self, table: MatchSession, seat: str, reply: str) -> None:
        table.submit_reply(seat, reply)
        self.picked_squares.pop((table.info.id, seat), None)

    def notify_viewers(self, table: MatchSession) -> None:
        """Update all viewers of a match, and let its agents play."""
        self.drop_views(table.info.id)
        self._wake_viewers(table.info.id)
        self.run_agents(table)

    def drop_views(self, name: str) -> None:
        """Remove the cached views of a match."""
        for key in [key for key in self.view_tasks if key[0] == name]:
            del self.view_tasks[key]

    def _wake_viewers(self, name: str) -> None:
        for event in self.update_events.get(name, ()):
            event.set()

    def run_agents(self, table: MatchSession) -> None:
        """Ask agents while it is their turn, and set the timer of the match's clock."""
        name = table.info.id
        if table.over:
            return self._finish_match(table)
        missing_agents = [one for one in table.info.agents.values() if one not in self.agents]
        if missing_agents:
            self.agent_errors[name] = f"{missing_agents[0]} is no agent of this server now"
        elif name not in self.agent_tasks and self._list_due_seats(table):
            self.agent_tasks[name] = asyncio.create_task(self._play_agents(table))
        if name in self.clock_timers:
            self.clock_timers.pop(name).cancel()
        if (seconds := table.compute_next_timeout()) is not None:
            loop = asyncio.get_running_loop()
            self.clock_timers[name] = loop.call_later(seconds + 0.01, self._apply_clock, table)
        return None

    def _apply_clock(self, table: MatchSession) -> None:
        try:
            table.apply_clock()
        except StorageError:  # the disk may have room again
            self.clock_timers[table.info.id] = asyncio.get_running_loop().call_later(
                RETRY_SECONDS, self._apply_clock, table
            )
            return
        self.clock_timers.pop(table.info.id, None)
        self.notify_viewers(table)

    def _finish_match(self, table: MatchSession) -> None:
        """Record a finished match, once."""
        name = table.info.id
        if self.match_infos[name].ended:
            return
        self.rating_cache = None
        self.match_infos[name] = table.info
        self.unrecorded_matches[name] = table
        self._write_records()
        for cache in (
            self.clickable_games, self.agent_errors, self.clock_timers, self.match_visitors
        ):  # fmt: skip
            cache.pop(name, None)
        for key in [key for key in self.picked_squares if key[0] == name]:
            del self.picked_squares[key]

    def _write_records(self) -> None:
        """Record finished matches; after an OSError, retry when the next match is finished."""
        for name, table in list(self.unrecorded_matches.items()):
            try:
                table.write_record()
                self.episode_file.append(table.episode)
            except OSError as error:
                _LOG.error("match %s is over, and its record is not written yet: %s", name, error)
                return
            del self.unrecorded_matches[name]

    def _list_due_seats(self, table: MatchSession) -> list[str]:
        return [seat for seat in table.list_due_seats() if seat in table.info.agents]

    async def _play_agents(self, table: MatchSession) -> None:
        name = table.info.id
        try:
            while due_seats := self._list_due_seats(table):
                await asyncio.gather(*(self._ask_agent(table, seat) for seat in due_seats))
        except Exception as error:  # noqa: BLE001 - an agent of any kind may fail in any way
            _LOG.exception("an agent of %s failed", name)
            self.agent_errors[name] = f"an agent failed: {type(error).__name__}"
        finally:
            del self.agent_tasks[name]
            if table.over:
                self._finish_match(table)
            self._wake_viewers(name)

    async def _ask_agent(self, table: MatchSession, seat: str) -> None:
        turn, name = table.get_turn(seat), table.info.id
        if turn is None:
            return
        agent = self.agents[table.info.agents[seat]]
        if inspect.iscoroutinefunction(agent.act):
            (reply,) = await ask_agent_async(agent, [turn])
        else:  # it may take long, and must not block other matches
            (reply,) = await asyncio.to_thread(ask_agent, agent, [turn])
        # Not if a move was taken back meanwhile, or the clock made a move.
        while table.get_turn(seat) is turn:
            try:
                table.submit_reply(seat, reply)
            except StorageError as error:  # the disk may have room again
                self.agent_errors[name] = str(error)
                self._wake_viewers(name)
                await asyncio.sleep(RETRY_SECONDS)
            else:
                self.agent_errors.pop(name, None)
                self.notify_viewers(table)


def _hash_key(key: str) -> str:
    return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()


def check_player_name(name: Any) -> str:
    """Return a name in the form that records allow, or raise ArenaError."""
    name = name.strip() if isinstance(name, str) else ""
    if not _NAME_PATTERN.fullmatch(name):
        raise ArenaError(
            f"a name has 1 to {MAX_NAME_LENGTH} letters, digits, spaces, dots or dashes"
        )
    return str(name)
