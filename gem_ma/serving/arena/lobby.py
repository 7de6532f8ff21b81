"""All tables of an arena: who may sit where, and the agents that play there."""

from __future__ import annotations

import asyncio
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
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from gem_ma.agents import load_agent
from gem_ma.apis import factory
from gem_ma.chat.agent import Agent, ask_agent, ask_agent_async, check_agent_seat
from gem_ma.envs import registry
from gem_ma.envs.game_factory import import_game_class
from gem_ma.evaluation.ratings import fit_plackett_luce
from gem_ma.renderers import THEMES, draw
from gem_ma.renderers.picture import Picture
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.outcomes import is_zero_sum
from gem_ma.rollouts.prefix import EpisodePrefix
from gem_ma.rollouts.records import EpisodeFile, load_episodes
from gem_ma.serving.arena.match_session import ArenaError, MatchInfo, MatchSession
from gem_ma.validation.endpoints import redact_secrets
from gem_ma.validation.json_types import JSONMapping, JSONObject

MAX_NAME_LENGTH = 40  # characters of a name
MAX_OPEN_MATCHES = 200  # matches that are not over, at most
IDLE_SECONDS = 86_400  # seconds without a move; then a match ends if others want to begin one
MAX_SEARCH_RESULTS = 12  # environments that a search shows
MAX_CACHED_MATCHES = 64  # matches that are over and in memory
MAX_CLOCK_SECONDS = 86_400  # seconds for a move, or for all of a seat's, at most
THUMBNAIL_SIZE = (252, 252)  # of a picture in the lobby
BOARD_SIDE = 448  # of a board, in the units of its squares
_LOG = logging.getLogger(__name__)
_NAME_PATTERN = re.compile(r"[\w .-]{1,40}")
_RECORD_PATTERN = re.compile(r"c?[0-9a-f]{10}|r\d{1,6}|all")


class OfferedEnv(NamedTuple):
    """An environment that is offered."""

    id: str
    title: str
    seats: tuple[str, ...]
    about: str
    picture: bytes


class PlayerRating(NamedTuple):
    """Somebody's strength: openskill's mean, and how far off it may be, 95 times in 100."""

    name: str
    mean: float
    doubt: float
    matches: int


class ArenaLobby:
    """The tables of a folder, and whoever waits for news of them."""

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
        self.offered_envs = {one.id: one for one in map(_make_offered_env, envs)}
        self.others = others  # whether any other environment may be played
        self.searched_envs: dict[str, OfferedEnv] = {}  # of those
        self.record_files = [Path(one) for one in records]
        for one in self.record_files:
            next(load_episodes(one), None)
        self.matches_folder.mkdir(parents=True, exist_ok=True)
        self.episode_file = EpisodeFile(folder / "episodes.jsonl", pictures=False)
        self.match_infos: dict[str, MatchInfo] = {}  # of all matches
        self.match_sessions: dict[str, MatchSession] = {}  # of those that are played or looked at
        for path in sorted(self.matches_folder.iterdir()):
            if (path / "about.json").exists():
                self.match_infos[path.name] = MatchInfo.load(path)
        recorded_ids = {one.id for one in load_episodes(self.episode_file.path)}
        for info in list(self.match_infos.values()):
            if not info.ended or info.id not in recorded_ids:
                table = self.get_match(info.id)
                if table.over:
                    self._append_record(table)
        self.rating_cache: dict[str, list[PlayerRating]] | None = None  # until there is news
        self.picked_squares: dict[tuple[str, str], tuple[Any, ...]] = {}
        self.clickable_games: dict[str, Any] = {}  # a Clicked each
        self.agent_errors: dict[str, str] = {}
        self.update_events: dict[str, set[asyncio.Event]] = {}
        self.agent_tasks: dict[str, asyncio.Task[None]] = {}
        self.clock_timers: dict[str, asyncio.TimerHandle] = {}

    def close(self) -> None:
        """Close the file of records."""
        self.episode_file.close()

    def get_match(self, name: str) -> MatchSession:
        """Return a match."""
        if name not in self.match_infos:
            raise ArenaError("there is no such match")
        table = self.match_sessions.pop(name, None) or MatchSession.load(self.matches_folder / name)
        self.match_sessions[name] = table  # the latest is the last
        over = [one for one in self.match_sessions.values() if one.over]
        for one in over[: max(0, len(over) - MAX_CACHED_MATCHES)]:
            if one is not table:
                del self.match_sessions[one.info.id]
        return table

    def search_envs(self, words: str) -> tuple[list[str], int]:
        """Return ids beside those in the lobby that have these words, and how many there are."""
        terms = words.lower().split()
        ids = self.other_ids if terms else ()
        matching_ids = (id for id in ids if all(one in id.lower() for one in terms))
        return sorted(matching_ids, key=lambda one: (len(one), one))[:MAX_SEARCH_RESULTS], len(
            self.other_ids
        )

    @functools.cached_property
    def other_ids(self) -> frozenset[str]:
        """The ids beside those in the lobby that can be played with what is installed here."""
        ids = registry.list_envs() if self.others else ()
        return frozenset(one for one in ids if one not in self.offered_envs and _is_available(one))

    def find_env(self, id: object) -> OfferedEnv:
        """Return an environment that may be played here."""
        if not isinstance(id, str) or (id not in self.offered_envs and id not in self.other_ids):
            raise ArenaError(f"no environment {str(id)[:60]!r} is offered here")
        env = self.offered_envs.get(id) or self.searched_envs.get(id)
        if env is None:
            try:
                env = self.searched_envs[id] = _make_offered_env(id)
            except Exception as error:  # noqa: BLE001 - of any library
                _LOG.exception("%s cannot be played", id)
                raise ArenaError(f"{id} cannot be played here: {type(error).__name__}") from None
        return env

    def begin_match(self, asked: JSONMapping) -> tuple[MatchSession, dict[str, str]]:
        """Set up a table; return it, and the keys of the seats of whoever asked."""
        start = self._parse_start(asked)
        self._end_idle_match()
        seats = asked.get("seats")
        if not isinstance(seats, dict) or set(seats) != set(self.list_seats(start)):
            raise ArenaError(f"seats: say who sits in each of {', '.join(self.list_seats(start))}")
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
                raise ArenaError(f"{seat}: me, open, or one of {', '.join(self.agents)}")
        spectator_view = asked.get("watched", "")
        if spectator_view not in ("", "all", *seats):
            raise ArenaError(f"spectators see nothing, all, or one of {', '.join(seats)}")
        clock, bank = asked.get("clock", 0), asked.get("bank", 0)
        if any(
            type(one) not in (int, float) or not 0 <= one <= MAX_CLOCK_SECONDS
            for one in (clock, bank)
        ):
            raise ArenaError(f"a clock gives up to {MAX_CLOCK_SECONDS} seconds; 0: there is none")
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
        return table, keys

    def _parse_start(self, asked: JSONMapping) -> MatchInfo:
        """Return how a match begins: anew, or where a record stood."""
        if asked.get("of") is not None:
            return self.make_continuation(asked["of"], asked.get("number"), asked.get("turn"))
        id = self.find_env(asked.get("env")).id
        return MatchInfo("", id, {}, secrets.randbits(32), {}, {})

    def _end_idle_match(self) -> None:
        """End matches that nobody plays any more, if there are too many for one more."""
        open_matches = [info for info in self.match_infos.values() if not info.ended]
        if len(open_matches) < MAX_OPEN_MATCHES:
            return
        table = min(
            map(self.get_match, (one.id for one in open_matches)),
            key=lambda one: one.find_last_change(),
        )
        if time.time() - table.find_last_change() < IDLE_SECONDS:
            raise ArenaError(
                f"{MAX_OPEN_MATCHES} matches are being played; come back when one is over"
            )
        table.abandon()
        self.notify_viewers(table)

    def _check_player(self, name: object) -> str:
        """Return the name of somebody who plays, which is nobody else's kind of name."""
        player_name = check_player_name(name)
        if player_name.lower() in (one.lower() for one in self.agents):
            raise ArenaError(f"{player_name} is an agent here; take another name")
        return player_name

    def list_seats(self, about: MatchInfo) -> tuple[str, ...]:
        """Return the seats of what a match is played in."""
        offered_env = self.offered_envs.get(about.env) or self.searched_envs.get(about.env)
        if offered_env is not None and not about.arguments:
            return offered_env.seats
        try:
            return tuple(factory.make(about.env, **about.arguments).possible_agents)
        except (LookupError, ValueError, TypeError, ImportError) as error:
            raise ArenaError(f"{about.env} cannot be played here: {error}") from None

    def make_continuation(self, source: object, number: object, turn: object) -> MatchInfo:
        """Return a match that begins where a record stood before one of its turns."""
        if type(turn) is not int or type(number) is not int or turn < 0 or number < 0:
            raise ArenaError("say which episode, and before which of its turns")
        episode = self._load_episode(source, number)
        if episode.wrappers:
            raise ArenaError(f"it was played in {' in '.join(episode.wrappers)}, which is not here")
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
        """Return the record that a match went on from."""
        source, number, turn = about.of.split(":") if about.of else ("", "0", "0")
        episode = self._load_episode(source, int(number))
        prefix = EpisodePrefix.from_record(episode, int(turn))
        if (prefix.seed, prefix.moves) != (about.seed, about.past):  # another file has its place
            raise ArenaError("the record that it went on from is not here any more")
        return episode

    def find_record_file(self, name: object) -> Path:
        """Return the file of a match that is over, of all such, or of records that were given.

        c and the name of a match: it, and the record that it went on from.
        """
        if not isinstance(name, str) or not _RECORD_PATTERN.fullmatch(name):
            raise ArenaError("there is no such record")
        if name == "all":
            if self.episode_file.is_empty:
                raise ArenaError("no match is over yet")
            return self.episode_file.path
        if name in self.match_infos:
            return self.get_match(name).write_record()
        if name[0] != "r":
            return self.get_match(name[1:]).write_comparison(
                self._load_origin(self.get_match(name[1:]).info)
            )
        if int(name[1:]) >= len(self.record_files):
            raise ArenaError("there is no such record")
        return self.record_files[int(name[1:])]

    def take_seat(self, table: MatchSession, seat: Any, name: Any) -> str:
        """Let somebody take an open seat; return its key."""
        name = self._check_player(name)
        there = table.info.people.get(seat) if isinstance(seat, str) else None
        if there is None or there[0] or table.over:
            free = [] if table.over else table.info.free_seats
            raise ArenaError(f"that seat is not free; free are: {', '.join(free) or 'none'}")
        key = secrets.token_urlsafe(16)
        table.take_seat(seat, name, _hash_key(key))
        return key

    def find_seat(self, table: MatchSession, key: str) -> str | None:
        """Return the seat that a key is of."""
        key_hash = _hash_key(key)
        for seat, (name, seat_hash) in table.info.people.items():
            if name and hmac.compare_digest(seat_hash, key_hash):
                return seat
        return None

    def compute_ratings(self) -> dict[str, list[PlayerRating]]:
        """Return who is how strong, by environment: of matches between two or more players."""
        if self.rating_cache is None:
            returns_by_env: dict[str, list[dict[str, float]]] = {}
            for info in sorted(self.match_infos.values(), key=lambda one: one.begun):
                names = info.list_players()
                if len(names) < 2 or not is_zero_sum(info.env) or info.left or info.past:
                    continue
                returns = {name: info.returns.get(seat, 0.0) for seat, name in names.items()}
                if info.ended and len(returns) == len(names):
                    returns_by_env.setdefault(info.env, []).append(returns)
            self.rating_cache = {
                env: _rate_players(matches) for env, matches in returns_by_env.items()
            }
        return self.rating_cache

    def describe_view(
        self, table: MatchSession, seat: str | None, theme: str = "light"
    ) -> JSONObject:
        """Return what a seat or a spectator sees; of a board that can be clicked, its squares."""
        board = self._make_board(table, seat) if seat is not None and table.get_turn(seat) else None
        if board is None:
            description = table.describe_view(seat, theme)
        else:
            picture = Picture(draw(board.scene, (BOARD_SIDE, BOARD_SIDE), THEMES[theme])).png
            description = table.describe_view(seat, theme, picture)
            description["squares"], description["moves"] = board.squares, board.moves
        return description | {"trouble": self.agent_errors.get(table.info.id, "")}

    def _make_board(self, table: MatchSession, seat: str) -> Any:
        squares = self.picked_squares.get((table.info.id, seat), ())
        game = self._find_clickable_game(table)
        return game and game.board(table.make_view(seat), seat, squares)

    def _find_clickable_game(self, table: MatchSession) -> Any:
        """Return what shows a table's game as a page to be clicked, if the pack screens is here."""
        info = table.info
        if info.id not in self.clickable_games:
            spec: Any = registry.find_registered("screens:game")
            game: Any = None if spec is None else import_game_class(spec)
            self.clickable_games[info.id] = game and game.around(table.game, info.env)
        return self.clickable_games[info.id]

    def apply_request(self, table: MatchSession, seat: str, asked: JSONMapping) -> None:
        """Do what somebody in a seat asks for."""
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
                raise ArenaError("that is no square")
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
        """Wake up whoever looks at a table, and let its agents play."""
        for event in self.update_events.get(table.info.id, ()):
            event.set()
        self.run_agents(table)

    def run_agents(self, table: MatchSession) -> None:
        """Let the agents of a table reply, as long as it waits for one, and mind its clock."""
        name = table.info.id
        if table.over:
            return self._finish_match(table)
        if name not in self.agent_tasks and self._list_due_seats(table):
            self.agent_tasks[name] = asyncio.create_task(self._play_agents(table))
        if name in self.clock_timers:
            self.clock_timers.pop(name).cancel()
        if (seconds := table.compute_next_timeout()) is not None:
            loop = asyncio.get_running_loop()
            self.clock_timers[name] = loop.call_later(seconds + 0.01, self._apply_clock, table)
        return None

    def _apply_clock(self, table: MatchSession) -> None:
        self.clock_timers.pop(table.info.id, None)
        table.apply_clock()
        self.notify_viewers(table)

    def _finish_match(self, table: MatchSession) -> None:
        """Write down what a match that is over was, once."""
        name = table.info.id
        if self.match_infos[name].ended:
            return
        self.rating_cache = None
        self._append_record(table)
        for cache in (self.clickable_games, self.agent_errors, self.clock_timers):
            cache.pop(name, None)
        for key in [key for key in self.picked_squares if key[0] == name]:
            del self.picked_squares[key]

    def _append_record(self, table: MatchSession) -> None:
        self.match_infos[table.info.id] = table.info
        table.write_record()
        self.episode_file.append(table.episode)

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
            for event in self.update_events.get(name, ()):
                event.set()

    async def _ask_agent(self, table: MatchSession, seat: str) -> None:
        turn = table.get_turn(seat)
        if turn is None:
            return
        agent = self.agents[table.info.agents[seat]]
        if inspect.iscoroutinefunction(agent.act):
            (reply,) = await ask_agent_async(agent, [turn])
        else:  # it may think for long, and the others' moves are answered meanwhile
            (reply,) = await asyncio.to_thread(ask_agent, agent, [turn])
        if (
            table.get_turn(seat) is turn
        ):  # unless a move was taken back meanwhile, or the clock moved
            table.submit_reply(seat, reply)
            self.notify_viewers(table)


def _hash_key(key: str) -> str:
    return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()


def check_player_name(name: Any) -> str:
    """Return a name as it may stand in records."""
    name = name.strip() if isinstance(name, str) else ""
    if not _NAME_PATTERN.fullmatch(name):
        raise ArenaError(
            f"a name has 1 to {MAX_NAME_LENGTH} letters, digits, spaces, dots or dashes"
        )
    return str(name)


def _rate_players(matches: list[dict[str, float]]) -> list[PlayerRating]:
    estimates = fit_plackett_luce(matches)
    match_counts = Counter(name for match in matches for name in match)
    rated = [
        PlayerRating(name, mu, 1.96 * sigma, match_counts[name])
        for name, (mu, sigma) in estimates.items()
    ]
    return sorted(rated, key=lambda one: (-one.mean, one.name))


def _make_offered_env(id: str) -> OfferedEnv:
    spec = registry.spec(id)
    env = factory.make(spec)
    env.reset(seed=1)
    scene = env.scene(env.possible_agents[0])
    picture = (
        env.picture(env.possible_agents[0])
        if scene is None
        else Picture(draw(scene, THUMBNAIL_SIZE))
    )
    return OfferedEnv(
        spec.id, _format_title(spec.id), tuple(env.possible_agents), spec.summary, picture.png
    )


def _is_available(id: str) -> bool:
    """Return whether an environment can be played with what is there, and asks no network."""
    spec = registry.spec(id)
    return not spec.list_missing() and not {"hub", "network"}.intersection(spec.needs)


def _format_title(id: str) -> str:
    """Return an id as words: game:ConnectFour-v0 is Connect Four."""
    name = re.sub(r"-v\d+", "", id.partition(":")[2] or id)
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[-_]", " ", name)
    return words[:1].upper() + words[1:]
