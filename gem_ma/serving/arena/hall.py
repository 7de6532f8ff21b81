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
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gem_ma.agents import load
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
from gem_ma.serving.arena.table import About, Refused, Table
from gem_ma.validation.endpoints import redact_secrets

NAME = 40  # characters of a name
OPEN = 200  # matches that are not over, at most
IDLE = 86_400  # seconds without a move; then a match ends if others want to begin one
FOUND = 12  # environments that a search shows
KEPT = 64  # matches that are over and in memory
CLOCK = 86_400  # seconds for a move, or for all of a seat's, at most
THUMB = (252, 252)  # of a picture in the lobby
SIDE = 448  # of a board, in the units of its squares
_LOG = logging.getLogger(__name__)
_SEATS = re.compile(r"[\w .-]{1,40}")
_SOURCE = re.compile(r"c?[0-9a-f]{10}|r\d{1,6}|all")


class Place(NamedTuple):
    """An environment that is offered."""

    id: str
    title: str
    seats: tuple[str, ...]
    about: str
    picture: bytes


class Rated(NamedTuple):
    """Somebody's strength: openskill's mean, and how far off it may be, 95 times in 100."""

    name: str
    mean: float
    doubt: float
    matches: int


class Hall:
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
        self.folder = folder / "matches"
        self.agents: dict[str, Agent] = {redact_secrets(one): load(one) for one in agents}
        self.places = {one.id: one for one in map(_place, envs)}
        self.others = others  # whether any other environment may be played
        self.found: dict[str, Place] = {}  # of those
        self.sources = [Path(one) for one in records]
        for one in self.sources:
            next(load_episodes(one), None)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = EpisodeFile(folder / "episodes.jsonl", pictures=False)
        self.abouts: dict[str, About] = {}  # of all matches
        self.tables: dict[str, Table] = {}  # of those that are played or looked at
        for path in sorted(self.folder.iterdir()):
            if (path / "about.json").exists():
                self.abouts[path.name] = About.read(path)
        written = {one.id for one in load_episodes(self.file.path)}
        for about in list(self.abouts.values()):
            if not about.ended or about.id not in written:
                table = self.table(about.id)
                if table.over:
                    self._file(table)
        self.rated: dict[str, list[Rated]] | None = None  # until there is news
        self.picked: dict[tuple[str, str], tuple[Any, ...]] = {}
        self.boards: dict[str, Any] = {}  # a Clicked each
        self.trouble: dict[str, str] = {}
        self.watching: dict[str, set[asyncio.Event]] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.clocks: dict[str, asyncio.TimerHandle] = {}

    def close(self) -> None:
        """Close the file of records."""
        self.file.close()

    def table(self, name: str) -> Table:
        """Return a match."""
        if name not in self.abouts:
            raise Refused("there is no such match")
        table = self.tables.pop(name, None) or Table.load(self.folder / name)
        self.tables[name] = table  # the latest is the last
        over = [one for one in self.tables.values() if one.over]
        for one in over[: max(0, len(over) - KEPT)]:
            if one is not table:
                del self.tables[one.about.id]
        return table

    def search(self, words: str) -> tuple[list[str], int]:
        """Return ids beside those in the lobby that have these words, and how many there are."""
        wanted = words.lower().split()
        ids = self.every if wanted else ()
        found = (id for id in ids if all(one in id.lower() for one in wanted))
        return sorted(found, key=lambda one: (len(one), one))[:FOUND], len(self.every)

    @functools.cached_property
    def every(self) -> frozenset[str]:
        """The ids beside those in the lobby that can be played with what is installed here."""
        ids = registry.list_envs() if self.others else ()
        return frozenset(one for one in ids if one not in self.places and _at_hand(one))

    def place(self, id: Any) -> Place:
        """Return an environment that may be played here."""
        if not isinstance(id, str) or (id not in self.places and id not in self.every):
            raise Refused(f"no environment {str(id)[:60]!r} is offered here")
        found = self.places.get(id) or self.found.get(id)
        if found is None:
            try:
                found = self.found[id] = _place(id)
            except Exception as error:  # noqa: BLE001 - of any library
                _LOG.exception("%s cannot be played", id)
                raise Refused(f"{id} cannot be played here: {type(error).__name__}") from None
        return found

    def begin(self, asked: Mapping[str, Any]) -> tuple[Table, dict[str, str]]:
        """Set up a table; return it, and the keys of the seats of whoever asked."""
        start = self._start(asked)
        self._make_room()
        seats = asked.get("seats")
        if not isinstance(seats, dict) or set(seats) != set(self.seats(start)):
            raise Refused(f"seats: say who sits in each of {', '.join(self.seats(start))}")
        name = self._person(asked.get("name"))
        keys: dict[str, str] = {}
        for seat, who in seats.items():
            if who == "me":
                keys[seat] = secrets.token_urlsafe(16)
                start.people[seat] = name, _hash(keys[seat])
            elif who == "open":
                start.people[seat] = "", ""
            elif isinstance(who, str) and who in self.agents:
                check_agent_seat(self.agents[who], seat, who)
                start.agents[seat] = who
            else:
                raise Refused(f"{seat}: me, open, or one of {', '.join(self.agents)}")
        watched = asked.get("watched", "")
        if watched not in ("", "all", *seats):
            raise Refused(f"spectators see nothing, all, or one of {', '.join(seats)}")
        clock, bank = asked.get("clock", 0), asked.get("bank", 0)
        if any(type(one) not in (int, float) or not 0 <= one <= CLOCK for one in (clock, bank)):
            raise Refused(f"a clock gives up to {CLOCK} seconds; 0: there is none")
        about = start._replace(
            id=secrets.token_hex(5),
            watched=watched,
            clock=float(clock),
            bank=float(bank),
            takes_back=asked.get("takes_back") is True,
            chat=asked.get("chat") is not False,
            begun=round(time.time(), 3),
        )
        table = Table.new(self.folder / about.id, about)
        self.abouts[about.id] = table.about
        self.tables[about.id] = table
        return table, keys

    def _start(self, asked: Mapping[str, Any]) -> About:
        """Return how a match begins: anew, or where a record stood."""
        if asked.get("of") is not None:
            return self.position(asked["of"], asked.get("number"), asked.get("turn"))
        id = self.place(asked.get("env")).id
        return About("", id, {}, secrets.randbits(32), {}, {})

    def _make_room(self) -> None:
        """End matches that nobody plays any more, if there are too many for one more."""
        running = [about for about in self.abouts.values() if not about.ended]
        if len(running) < OPEN:
            return
        table = min(map(self.table, (one.id for one in running)), key=lambda one: one.moved())
        if time.time() - table.moved() < IDLE:
            raise Refused(f"{OPEN} matches are being played; come back when one is over")
        table.abandon()
        self.tell(table)

    def _person(self, name: Any) -> str:
        """Return the name of somebody who plays, which is nobody else's kind of name."""
        checked = checked_name(name)
        if checked.lower() in (one.lower() for one in self.agents):
            raise Refused(f"{checked} is an agent here; take another name")
        return checked

    def seats(self, about: About) -> tuple[str, ...]:
        """Return the seats of what a match is played in."""
        known = self.places.get(about.env) or self.found.get(about.env)
        if known is not None and not about.arguments:
            return known.seats
        try:
            return tuple(factory.make(about.env, **about.arguments).possible_agents)
        except (LookupError, ValueError, TypeError, ImportError) as error:
            raise Refused(f"{about.env} cannot be played here: {error}") from None

    def position(self, source: Any, number: Any, turn: Any) -> About:
        """Return a match that begins where a record stood before one of its turns."""
        if type(turn) is not int or type(number) is not int or turn < 0 or number < 0:
            raise Refused("say which episode, and before which of its turns")
        episode = self._episode(source, number)
        if episode.wrappers:
            raise Refused(f"it was played in {' in '.join(episode.wrappers)}, which is not here")
        past = EpisodePrefix.from_record(episode, turn)
        return About(
            id="",
            env=episode.spec.id,
            arguments=dict(episode.spec.kwargs),
            seed=past.seed,
            people={},
            agents={},
            options=dict(past.options),
            past=past.moves,
            of=f"{source}:{number}:{turn}",
        )

    def _episode(self, source: Any, number: int) -> Episode:
        episode = next(itertools.islice(load_episodes(self.source(source)), number, None), None)
        if episode is None:
            raise Refused("there is no such episode")
        return episode

    def _origin(self, about: About) -> Episode:
        """Return the record that a match went on from."""
        source, number, turn = about.of.split(":") if about.of else ("", "0", "0")
        episode = self._episode(source, int(number))
        past = EpisodePrefix.from_record(episode, int(turn))
        if (past.seed, past.moves) != (about.seed, about.past):  # another file has its place
            raise Refused("the record that it went on from is not here any more")
        return episode

    def source(self, name: Any) -> Path:
        """Return the file of a match that is over, of all such, or of records that were given.

        c and the name of a match: it, and the record that it went on from.
        """
        if not isinstance(name, str) or not _SOURCE.fullmatch(name):
            raise Refused("there is no such record")
        if name == "all":
            if self.file.is_empty:
                raise Refused("no match is over yet")
            return self.file.path
        if name in self.abouts:
            return self.table(name).record()
        if name[0] != "r":
            return self.table(name[1:]).beside(self._origin(self.table(name[1:]).about))
        if int(name[1:]) >= len(self.sources):
            raise Refused("there is no such record")
        return self.sources[int(name[1:])]

    def sit(self, table: Table, seat: Any, name: Any) -> str:
        """Let somebody take an open seat; return its key."""
        name = self._person(name)
        there = table.about.people.get(seat) if isinstance(seat, str) else None
        if there is None or there[0] or table.over:
            free = [] if table.over else table.about.free
            raise Refused(f"that seat is not free; free are: {', '.join(free) or 'none'}")
        key = secrets.token_urlsafe(16)
        table.sit(seat, name, _hash(key))
        return key

    def seat_of(self, table: Table, key: str) -> str | None:
        """Return the seat that a key is of."""
        mine = _hash(key)
        for seat, (name, known) in table.about.people.items():
            if name and hmac.compare_digest(known, mine):
                return seat
        return None

    def ratings(self) -> dict[str, list[Rated]]:
        """Return who is how strong, by environment: of matches between two or more players."""
        if self.rated is None:
            played: dict[str, list[dict[str, float]]] = {}
            for about in sorted(self.abouts.values(), key=lambda one: one.begun):
                names = about.names()
                if len(names) < 2 or not is_zero_sum(about.env) or about.left or about.past:
                    continue
                earned = {name: about.returns.get(seat, 0.0) for seat, name in names.items()}
                if about.ended and len(earned) == len(names):
                    played.setdefault(about.env, []).append(earned)
            self.rated = {env: _rated(matches) for env, matches in played.items()}
        return self.rated

    def seen(self, table: Table, seat: str | None, theme: str = "light") -> dict[str, Any]:
        """Return what a seat or a spectator sees; of a board that can be clicked, its squares."""
        board = self._board(table, seat) if seat is not None and table.turn(seat) else None
        if board is None:
            told = table.seen(seat, theme)
        else:
            picture = Picture(draw(board.scene, (SIDE, SIDE), THEMES[theme])).png
            told = table.seen(seat, theme, picture)
            told["squares"], told["moves"] = board.squares, board.moves
        return told | {"trouble": self.trouble.get(table.about.id, "")}

    def _board(self, table: Table, seat: str) -> Any:
        picked = self.picked.get((table.about.id, seat), ())
        clicked = self._clicked(table)
        return clicked and clicked.board(table.view(seat), seat, picked)

    def _clicked(self, table: Table) -> Any:
        """Return what shows a table's game as a page to be clicked, if the pack screens is here."""
        about = table.about
        if about.id not in self.boards:
            spec: Any = registry.find_registered("screens:game")
            clicked: Any = None if spec is None else import_game_class(spec)
            self.boards[about.id] = clicked and clicked.around(table.game, about.env)
        return self.boards[about.id]

    def do(self, table: Table, seat: str, asked: Mapping[str, Any]) -> None:
        """Do what somebody in a seat asks for."""
        key = table.about.id, seat
        if asked.get("back") is True:
            self.picked.pop(key, None)
            table.back(seat)
        elif asked.get("leave") is True:
            table.leave(seat)
        elif "words" in asked:
            table.speak(seat, asked["words"])
        elif isinstance(asked.get("reply"), str):
            self._say(table, seat, asked["reply"])
        elif table.turn(seat) is None:
            raise Refused(f"it is not {seat}'s turn")
        elif isinstance(asked.get("square"), str):
            square = tuple(int(one) for one in re.findall(r"\d{1,3}", asked["square"])[:2])
            if len(square) != 2 or self._board(table, seat) is None:
                raise Refused("that is no square")
            clicked, view = self._clicked(table), table.view(seat)
            self.picked[key], reply = clicked.pick(view, seat, self.picked.get(key, ()), square)
            if reply is not None:
                self._say(table, seat, reply)
        elif isinstance(asked.get("move"), str) and self._clicked(table) is not None:
            picked = self.picked.get(key, ())
            clicked = self._clicked(table)
            self._say(table, seat, clicked.press(table.view(seat), seat, picked, asked["move"]))
        else:
            raise Refused("expected reply, square, move, back, words or leave")
        self.tell(table)

    def _say(self, table: Table, seat: str, reply: str) -> None:
        table.say(seat, reply)
        self.picked.pop((table.about.id, seat), None)

    def tell(self, table: Table) -> None:
        """Wake up whoever looks at a table, and let its agents play."""
        for event in self.watching.get(table.about.id, ()):
            event.set()
        self.drive(table)

    def drive(self, table: Table) -> None:
        """Let the agents of a table reply, as long as it waits for one, and mind its clock."""
        name = table.about.id
        if table.over:
            return self._finish(table)
        if name not in self.tasks and self._due(table):
            self.tasks[name] = asyncio.create_task(self._play(table))
        if name in self.clocks:
            self.clocks.pop(name).cancel()
        if (seconds := table.clock()) is not None:
            loop = asyncio.get_running_loop()
            self.clocks[name] = loop.call_later(seconds + 0.01, self._hurry, table)
        return None

    def _hurry(self, table: Table) -> None:
        self.clocks.pop(table.about.id, None)
        table.hurry()
        self.tell(table)

    def _finish(self, table: Table) -> None:
        """Write down what a match that is over was, once."""
        name = table.about.id
        if self.abouts[name].ended:
            return
        self.rated = None
        self._file(table)
        for kept in (self.boards, self.trouble, self.clocks):
            kept.pop(name, None)
        for key in [key for key in self.picked if key[0] == name]:
            del self.picked[key]

    def _file(self, table: Table) -> None:
        self.abouts[table.about.id] = table.about
        table.record()
        self.file.append(table.episode)

    def _due(self, table: Table) -> list[str]:
        return [seat for seat in table.waits() if seat in table.about.agents]

    async def _play(self, table: Table) -> None:
        name = table.about.id
        try:
            while due := self._due(table):
                await asyncio.gather(*(self._ask(table, seat) for seat in due))
        except Exception as error:  # noqa: BLE001 - an agent of any kind may fail in any way
            _LOG.exception("an agent of %s failed", name)
            self.trouble[name] = f"an agent failed: {type(error).__name__}"
        finally:
            del self.tasks[name]
            if table.over:
                self._finish(table)
            for event in self.watching.get(name, ()):
                event.set()

    async def _ask(self, table: Table, seat: str) -> None:
        turn = table.turn(seat)
        if turn is None:
            return
        agent = self.agents[table.about.agents[seat]]
        if inspect.iscoroutinefunction(agent.act):
            (reply,) = await ask_agent_async(agent, [turn])
        else:  # it may think for long, and the others' moves are answered meanwhile
            (reply,) = await asyncio.to_thread(ask_agent, agent, [turn])
        if table.turn(seat) is turn:  # unless a move was taken back meanwhile, or the clock moved
            table.say(seat, reply)
            self.tell(table)


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()


def checked_name(name: Any) -> str:
    """Return a name as it may stand in records."""
    name = name.strip() if isinstance(name, str) else ""
    if not _SEATS.fullmatch(name):
        raise Refused(f"a name has 1 to {NAME} letters, digits, spaces, dots or dashes")
    return str(name)


def _rated(matches: list[dict[str, float]]) -> list[Rated]:
    found = fit_plackett_luce(matches)
    often = Counter(name for match in matches for name in match)
    rated = [Rated(name, mu, 1.96 * sigma, often[name]) for name, (mu, sigma) in found.items()]
    return sorted(rated, key=lambda one: (-one.mean, one.name))


def _place(id: str) -> Place:
    spec = registry.spec(id)
    env = factory.make(spec)
    env.reset(seed=1)
    scene = env.scene(env.possible_agents[0])
    picture = env.picture(env.possible_agents[0]) if scene is None else Picture(draw(scene, THUMB))
    return Place(spec.id, _titled(spec.id), tuple(env.possible_agents), spec.summary, picture.png)


def _at_hand(id: str) -> bool:
    """Return whether an environment can be played with what is there, and asks no network."""
    needs = registry.spec(id)
    return not needs.list_missing() and not {"hub", "network"}.intersection(needs.needs)


def _titled(id: str) -> str:
    """Return an id as words: game:ConnectFour-v0 is Connect Four."""
    name = re.sub(r"-v\d+", "", id.partition(":")[2] or id)
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[-_]", " ", name)
    return words[:1].upper() + words[1:]
