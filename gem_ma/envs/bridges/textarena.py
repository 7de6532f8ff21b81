"""TextArena's games, any number of them at the same time, each with its own random numbers."""

from __future__ import annotations

import contextlib
import copy
import functools
import importlib
import random  # noqa: TID251 - what a running game draws from is made of its Random
import re
import sys
import threading
import warnings
from contextvars import ContextVar
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from gem_ma.envs import text_boards
from gem_ma.envs.bridges import textarena_moves
from gem_ma.envs.bridges.live import Bridge, Output
from gem_ma.envs.bridges.textarena_ids import Entry, entries
from gem_ma.envs.bridges.textarena_moves import TextArenaGame
from gem_ma.envs.registry import Spec
from gem_ma.game import InvalidMove, Message, clip_repr, parse_choice

LONGEST = 1000  # characters of an action; TextArena cuts messages of conversations there
TURNS = {"2048": 20_000}  # limits of games that need more than MOST_TURNS
MOST_TURNS = 1_000
WAIT = 200  # moves in a row for seats that have left, after which the game is stuck


class Fault(RuntimeError):
    """An error in TextArena's own code, which is no seat's fault."""


def specs() -> list[Spec]:
    """Return the ids of TextArena 0.7.4."""
    return [_spec(entry) for entry in _table().values()]


def find(id: str) -> Spec | None:
    """Return the Spec of an id that the installed TextArena knows, if it is not in the table."""
    name = id.partition(":")[2]
    with contextlib.suppress(ImportError):
        if name in _registry():
            return _spec(_entry(name))
    return None


_table = functools.cache(entries)


def _entry(name: str) -> Entry:
    family = name.partition("-v")[0]
    return _table().get(name) or Entry(name, family, None, 0, False, False, ("textarena",))


def _spec(entry: Entry) -> Spec:
    kind = "TextArenaTalk" if entry.family in textarena_moves.SILENCE else "TextArena"
    kwargs = {"name": entry.id, "max_turns": TURNS.get(entry.family, MOST_TURNS)}
    return Spec(f"ta:{entry.id}", f"{__name__}:{kind}", kwargs, entry.needs)


class _Chance:
    """The random generators of one step of one game, made when they are first used."""

    def __init__(self, seed: int):
        self.seed = seed

    @functools.cached_property
    def random(self) -> random.Random:
        return random.Random(self.seed)

    @functools.cached_property
    def numpy(self) -> np.random.RandomState:
        return np.random.RandomState(self.seed % (1 << 32))


_running: ContextVar[_Chance | None] = ContextVar("_running", default=None)


class _Random(ModuleType):
    """A stand-in for the module `random` that draws from the running game's generator."""

    def __getattr__(self, name: str) -> object:
        chance = _running.get()
        return getattr(random if chance is None else chance.random, name, None) or getattr(
            random, name
        )


class _NumpyRandom(ModuleType):
    """A stand-in for `numpy.random` that draws from the running game's generator."""

    def __getattr__(self, name: str) -> object:
        chance = _running.get()
        return getattr(np.random if chance is None else chance.numpy, name, None) or getattr(
            np.random, name
        )


class _Numpy(ModuleType):
    """A stand-in for numpy in which only `random` differs."""

    random = _NumpyRandom("numpy.random")

    def __getattr__(self, name: str) -> object:
        return getattr(np, name)


def _print(*args: object, **kwargs: Any) -> None:
    """Replace `print` in TextArena's games, some of which print solutions to the terminal."""
    if _running.get() is None:
        print(*args, **kwargs)  # noqa: T201 - somebody who uses TextArena without this bridge


class _Nltk(ModuleType):
    """A stand-in for nltk that downloads nothing while a game runs: its data are installed."""

    def __getattr__(self, name: str) -> object:
        if name == "download" and _running.get() is not None:
            return _no_download
        return getattr(sys.modules["nltk"], name)


def _no_download(*args: object, **kwargs: object) -> bool:
    return True


_STAND_INS = {"random": _Random("random"), "numpy": _Numpy("numpy"), "nltk": _Nltk("nltk")}
_lock = threading.Lock()


def _adopt() -> None:
    """Put the stand-ins into every module of TextArena that has been imported."""
    for name, module in list(sys.modules.items()):
        if name == "textarena" or name.startswith("textarena."):
            names = vars(module)
            for key, value in list(names.items()):
                if type(value) is ModuleType and value.__name__ in _STAND_INS:
                    names[key] = _STAND_INS[value.__name__]
            if name.startswith("textarena.envs."):
                names["print"] = _print
            if name == "textarena.envs.Sokoban.utils":
                names["reverse_playing"] = textarena_moves.search_sokoban_start
            dictionary = names.get("EnglishDictionary")
            if isinstance(dictionary, type):  # takes a second to build and is never changed
                names["EnglishDictionary"] = functools.cache(dictionary)


@contextlib.contextmanager
def _quietly():
    """Import without warnings, downloads, or changes of the global random state."""
    with _lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rng_state = random.getstate()  # importing rich, which TextArena needs, draws numbers
        import nltk

        download, nltk.download = nltk.download, _no_download
        try:
            yield
        finally:
            nltk.download = download
            random.setstate(rng_state)


@functools.cache
def _registry() -> dict[str, Any]:
    with _quietly():
        return importlib.import_module("textarena.envs.registration").ENV_REGISTRY


@functools.cache
def _class(entry_point: str | type) -> type:
    """Return a game's environment class, which draws from the running game's generators."""
    _registry()
    with _quietly():
        if isinstance(entry_point, str):
            module, _, name = entry_point.partition(":")
            kind: type = getattr(importlib.import_module(module), name)
        else:
            kind = entry_point
        _adopt()
    return kind


# Attributes that are in the order of a set or of a folder, and are sorted here.
_UNORDERED = {"WordChains": "word_list", "TwoDollar": "available_roles"}


def _begun(entry: Entry, players: int, seed: int) -> TextArenaGame:
    """Return an environment of TextArena at the start of an episode."""
    registry = _registry()
    if entry.id not in registry:
        raise ValueError(f"the installed textarena has no {entry.id}: pip install textarena==0.7.4")
    env_spec = registry[entry.id]
    kind = _class(env_spec.entry_point)
    running = _running.set(_Chance(seed))
    try:
        env = kind(**env_spec.kwargs)
        name = _UNORDERED.get(entry.family, "")
        if name:
            values = getattr(env, name)
            keys = sorted(values)
            ordered_values = (
                {key: values[key] for key in keys} if isinstance(values, dict) else keys
            )
            setattr(env, name, ordered_values)
        env.reset(num_players=players, seed=seed)
    finally:
        _running.reset(running)
    return env


_NEVER_CHANGED = ("dictionary", "universal_word_list", "word_list")  # large, so copies share them
_kept = functools.lru_cache(16)(_begun)
_turn = threading.Lock()  # Sokoban's search for a room uses globals


def _copied(entry: Entry, players: int, seed: int) -> TextArenaGame:
    """Return a copy of a cached result of `_begun`: a refused move starts the episode again."""
    with _turn:
        env = _kept(entry, players, seed)
    shared = [getattr(env, name, None) for name in _NEVER_CHANGED]
    return copy.deepcopy(env, {id(value): value for value in shared})


HeardMessage: TypeAlias = tuple[int, int, str, object]  # sender, receiver, text, kind


class _Live:
    """A running game of TextArena that records its messages and the moves that it refuses."""

    boards: list[str]  # the last board of each seat
    briefs: list[str]
    seen: dict[str, tuple[str, str]]

    def __init__(self, entry: Entry, players: int, seed: int):
        self.env = env = (_copied if entry.slow else _begun)(entry, players, seed)
        ta = sys.modules["textarena"]
        self.board = ta.ObservationType.GAME_BOARD
        self.adds = type(env).get_observation is not ta.Env.get_observation
        self.state = state = env.state
        self.id, self.family = entry.id, entry.family
        self.heard: list[HeardMessage] = []
        self.refused: str | None = None
        self.gone: list[int] = []
        self.stuck = False
        if state.max_turns is None:
            state.max_turns = sys.maxsize  # the code compares with the limit even if it is None
        state.error_allowance = 0
        first = state.observations
        state.observations = {seat: [] for seat in range(state.num_players)}
        for seat, messages in first.items():
            self.heard += [(from_id, seat, text, kind) for from_id, text, kind in messages]
        state.add_observation = self.add_observation
        state.set_invalid_move = self.set_invalid_move
        if not hasattr(state, "set_outcome"):
            state.set_outcome = self.set_outcome

    def add_observation(self, message, observation_type=None, from_id=-1, to_id=-1):
        if not isinstance(message, str):  # three games pass these in an older order
            from_id, message, observation_type = message, observation_type, from_id
        self.heard.append((from_id, to_id, message, observation_type))

    def set_invalid_move(self, *args, **kwargs):
        if self.state.current_player_id in self.gone:
            return type(self.state).set_invalid_move(self.state, *args, **kwargs)
        words = [arg for arg in (*kwargs.values(), *args) if isinstance(arg, str)]
        if self.refused is None:
            self.refused = words[0] if words else "it is not accepted"
        self.state.made_invalid_move = True
        return False

    def set_outcome(self, reward, reason):
        """Set the winner for Briscola and Golf, whose state lacks this for three or more seats."""
        self.state.set_winners([int(re.findall(r"Player (\d+) wins", reason)[0])], reason)

    def step(self, text: str, chance: int) -> None:
        """Make a move, and then the moves of the seats that have left."""
        running = _running.set(_Chance(chance))
        try:
            self._step(text)
            if self.refused is not None:
                raise InvalidMove(self.refused.strip().rstrip("."))
            if self.gone:
                self.sit_out()
        finally:
            _running.reset(running)

    def leave(self, seat: int, chance: int) -> None:
        """Remove a seat: from now on moves that do not matter are made for it."""
        self.gone.append(seat)
        running = _running.set(_Chance(chance))
        try:
            self.sit_out()
        finally:
            _running.reset(running)

    def sit_out(self) -> None:
        state = self.state
        if state.num_players - len(self.gone) < 2:
            return
        for _ in range(WAIT):
            seat = state.current_player_id
            if state.done or seat not in self.gone:
                return
            move = textarena_moves.stand_in(self.family, self.env, seat)
            if move is not None:
                self._step(move)
                continue
            state.add_elimination(seat)
            state.current_player_id = state.next_alive_player()
        self.stuck = True

    def _step(self, text: str) -> None:
        try:
            self.env.step(text)
        except Exception as error:  # of any kind: TextArena cannot handle the text or state
            problem = f"{type(error).__name__}: {error}"
            raise Fault(f"{self.id} of TextArena failed on {clip_repr(text)}: {problem}") from error

    def news(self) -> list[HeardMessage]:
        """Return the messages since the last call."""
        messages = self.heard[:]
        self.heard.clear()
        if self.adds and not self.state.done:
            seat, observations = self.env.get_observation()
            messages += [(from_id, seat, text, kind) for from_id, text, kind in observations]
        return messages


class TextArena(Bridge[_Live]):
    """A game of TextArena.

    Args:
        name: TextArena's id of the game.
        num_players: the number of seats, for games that allow several numbers; None: the game's
            default, or the fewest that it allows.
    """

    def __init__(self, name: str, num_players: int | None = None):
        super().__init__()
        self.entry = entry = _entry(name)
        seats = entry.seats
        if num_players is None:
            num_players = entry.default or _fewest(entry)
        elif seats is not None and num_players not in seats:
            player_range = f"{seats[0]}" if len(seats) == 1 else f"{seats[0]} to {seats[-1]}"
            parity = ", an even number" if seats.step == 2 else ""
            raise ValueError(
                f"num_players={num_players}: {name} is for {player_range} players{parity}"
            )
        self.agents = tuple(f"player_{seat}" for seat in range(num_players))
        self.conversation = entry.talk
        self.zero_sum = num_players == 2
        self.blocking = "network" in entry.needs
        self._moves = textarena_moves.LISTS.get(entry.family)
        self.listed = self._moves is not None
        self._strict = entry.family in textarena_moves.STRICT
        self._nothing = dict.fromkeys(self.agents, 0.0)
        self._seat = {agent: seat for seat, agent in enumerate(self.agents)}

    def open(self, seed, options):
        live = _Live(self.entry, len(self.agents), seed)
        briefs: list[list[str]] = [[] for _ in self.agents]
        live.boards = [""] * len(self.agents)
        for _, seat, text, kind in live.news():
            if kind is live.board and not self.conversation:
                live.boards[seat] = text.strip("\n")
            else:
                briefs[seat].append(text.strip())
        live.briefs = ["\n\n".join(parts) for parts in briefs]
        live.seen = self._see(live)
        return live, self._output(live, ())

    def play(self, live, moves, chance):
        ((agent, text),) = moves.items()
        if text is None:
            live.leave(self._seat[agent], chance)
            return self._output(live, (), self._missed(live, self._hear(live)))
        live.step(text, chance)
        return self._output(live, self._hear(live))

    def _hear(self, live):
        """Return the new messages, and store the new boards."""
        news, agents, boards_changed = [], self.agents, False
        for from_id, to_id, text, kind in live.news():
            if kind is live.board and not self.conversation:
                text, boards_changed = text.strip("\n"), True
                if to_id < 0:
                    live.boards = [text] * len(agents)
                else:
                    live.boards[to_id] = text
            elif from_id not in live.gone:
                role = "game" if from_id < 0 else agents[from_id]
                news.append(Message(None if to_id < 0 else (agents[to_id],), role, text.strip()))
        if boards_changed:
            live.seen = self._see(live)
        return news

    def _see(self, live):
        return {a: (live.briefs[seat], live.boards[seat]) for a, seat in self._seat.items()}

    def _missed(self, live, news):
        """Return the seats' views with these messages, which are sent in no other way."""
        views = {}
        for agent, (brief, board) in live.seen.items():
            lines = [str(m) for m in news if m.to is None or agent in m.to]
            views[agent] = brief, "\n".join([*lines, *filter(None, (board,))])
        return views

    def _output(self, live, news, seen=None):
        state, agents, forfeits = live.state, self.agents, live.gone
        out_agents = tuple([agents[seat] for seat in forfeits]) if forfeits else ()
        legal = None
        if self._moves is not None and not state.done:
            seat = state.current_player_id
            legal = {agents[seat]: self._moves(live.env, live.boards[seat], seat)}
            live.stuck |= not legal[agents[seat]]  # TextArena would wait for a move for ever
        if not (state.done or live.stuck or (forfeits and len(agents) - len(forfeits) < 2)):
            agent = agents[state.current_player_id]
            returns = self._nothing
            if forfeits:
                returns = {**returns, **dict.fromkeys(out_agents, -1.0)}
            return Output((agent,), returns, seen or live.seen, legal, out_agents, tuple(news))
        rewards, details = live.env.close() if state.done else ({}, {})
        returns = {a: float((rewards or {}).get(seat, 0.0)) for seat, a in enumerate(agents)}
        if forfeits and not state.done:
            returns |= {
                a: 1.0 for a in agents if a not in out_agents and len(agents) - len(forfeits) == 1
            }
        returns |= dict.fromkeys(out_agents, -1.0)
        reason = details.get(0, {}).get("reason") or ""
        if reason:
            news = [*news, Message(None, "game", str(reason))]
        roles = {agents[seat]: str(info["role"]) for seat, info in details.items()}
        report = {"reason": str(reason), "roles": roles}
        legal = {} if self.listed else None
        return Output((), returns, seen or live.seen, legal, out_agents, tuple(news), report)

    def read(self, text, view, agent):
        """Return a message of a conversation unchanged, or the bracketed parts of a reply."""
        if len(text) > LONGEST:
            raise InvalidMove(f"a reply has at most {LONGEST} characters, this one {len(text)}")
        if self.conversation:
            text = text.strip()
            if not text:
                raise InvalidMove("the message is empty")
            return text
        text = bracketed(text)
        return parse_choice(text, view.legal(agent)) if self._strict else text

    def forfeit(self, state, agent, rng):
        return self.advance(state, {agent: None}, rng) if len(self.agents) > 2 else None

    def rules(self, agent):
        game = f"{self.entry.id}, a game of TextArena"
        if len(self.agents) == 1:
            return f"You play {game}."
        return (
            f"You are {agent} of {len(self.agents)} players in {game}, which calls you Player "
            f"{self._seat[agent]}."
        )

    def brief(self, view, agent):
        return view.output.seen[agent][0]

    def describe(self, view, agent):
        output = view.output
        if agent is None:
            boards = {board: None for _, board in output.seen.values() if board}
            text = "\n\n".join(boards)
        else:
            text = output.seen[agent][1]
        if text:
            return text
        if not output.to_act:
            return "The game is over."
        (actor,) = output.to_act
        return "It is your turn." if actor == agent else f"It is the turn of {actor}."

    def picture(self, view, agent):
        return text_boards.build_text_scene(self.describe(view, agent))


class TextArenaTalk(TextArena):
    """A game of TextArena in which a seat may say nothing."""

    def skip(self, view, agent):
        return textarena_moves.SILENCE[self.entry.family]


def _fewest(entry: Entry) -> int:
    """Return the smallest number of players of a game that is not in the table."""
    for players in range(1, 16):
        try:
            _Live(entry, players, 0)
        except (AssertionError, ValueError, KeyError, IndexError):
            continue
        return players
    raise ValueError(
        f"{entry.id} starts with no number of players from 1 to 15; pass num_players=..."
    )


def bracketed(text: str) -> str:
    """Return the bracketed parts of a reply, or the whole reply in brackets if it has none."""
    if "[" not in text and "]" not in text:
        return f"[{text.strip()}]"
    if text[0] == "[" and text.find("]") == len(text) - 1 and text.rfind("[") == 0:
        return text
    parts, depth, start = [], 0, 0
    for match in _BRACKET.finditer(text):
        if match[0] == "[":
            start = start if depth else match.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                parts.append(text[start : match.end()])
    if depth or not parts:
        raise InvalidMove(f"a bracket is not closed in {clip_repr(text)}")
    return " ".join(parts)


_BRACKET = re.compile(r"[\[\]]")
