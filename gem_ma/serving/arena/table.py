"""One match that people and agents play, kept on disk at every move."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from gem_ma.apis import factory
from gem_ma.apis.session import to_json_value
from gem_ma.chat.turn import Turn
from gem_ma.renderers import THEMES, draw
from gem_ma.renderers.picture import Picture
from gem_ma.rollouts.agent_scheduler import PendingTurn
from gem_ma.rollouts.episode import Episode, EpisodeFailure
from gem_ma.rollouts.live_episode import LiveEpisode
from gem_ma.rollouts.outcomes import describe_outcome, is_zero_sum
from gem_ma.rollouts.prefix import EpisodePrefix
from gem_ma.rollouts.records import load_episodes, save_episodes
from gem_ma.rollouts.replay import ReplayError
from gem_ma.scene.screen import Screen
from gem_ma.validation.files import write_atomically

FORMAT = 1
BUTTONS = 120  # replies that have one each
SIDE = 672  # pixels of a picture
LONGEST = 20_000  # characters of a reply
WORDS = 500  # characters of what players say to each other
TALKED = 1000  # so often


class Refused(ValueError):
    """What somebody at a table may not do; the message says why, and what would work."""


class Said(NamedTuple):
    """A reply, the seconds that it took, and whether the clock gave it."""

    reply: str
    seconds: float
    late: bool = False


class About(NamedTuple):
    """What a match is, beside its moves.

    people: by seat who plays there, the name and the hash of the key that is asked for; a seat
        that nobody has taken yet has no name. agents: by seat the spec of an agent.
    watched: what spectators see before the end: nothing, "all", or what a seat sees.
    clock: seconds for a move, and bank: for all of a seat's moves, beside those. When both are
        used up a move is made by chance. Both 0: there is no clock.
    past: how the position came about that it began with, and of: which record that is.
    ended, returns: what became of it, once it is over.
    """

    id: str
    env: str
    arguments: dict[str, Any]
    seed: int
    people: dict[str, tuple[str, str]]
    agents: dict[str, str]
    watched: str = ""
    takes_back: bool = False
    chat: bool = True  # whether players may talk apart from the game
    clock: float = 0.0
    bank: float = 0.0
    begun: float = 0.0  # seconds since 1970
    options: dict[str, Any] = {}  # noqa: RUF012 - nobody writes into it
    past: tuple[Any, ...] = ()
    of: str = ""
    left: str = ""  # the seat that has left, and so ended it
    ended: str = ""
    returns: dict[str, float] = {}  # noqa: RUF012 - nor into this

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return what the folder of a match says."""
        told = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        if told.pop("format") != FORMAT:
            raise Refused(f"{folder} was written by another release")
        people = {seat: tuple(pair) for seat, pair in told.pop("people").items()}
        return cls(people=people, past=tuple(told.pop("past")), **told)

    @property
    def timed(self) -> bool:
        """Whether there is a clock."""
        return bool(self.clock or self.bank)

    @property
    def free(self) -> list[str]:
        """The seats that nobody has taken."""
        return [seat for seat, (name, _) in self.people.items() if not name]

    @property
    def outcome(self) -> str:
        """What became of it in words, once it is over."""
        if self.left:
            return f"{self.left} has left"
        return describe_outcome(self.returns, is_zero_sum(self.env)) or self.ended

    def names(self) -> dict[str, str]:
        """Return who sits where, as records say it."""
        people = {seat: f"human:{name}" for seat, (name, _) in self.people.items()}
        return {**people, **self.agents}


class Table:
    """A match: whom it waits for, what a seat sees, and what became of what was said.

    Every reply is a line of `moves.jsonl` before it counts, so that a table which is loaded again
    stands where it stood, whatever has ended the process before.
    """

    def __init__(self, folder: Path, about: About):
        self.folder, self.about = folder, about
        self.said: list[dict[str, Said]] = []  # by moment
        self.pending: dict[str, Said] = {}
        self.talked: list[dict[str, str]] = _lines(folder / "chat.jsonl")
        self.since: dict[str, float] = {}  # when a seat was asked
        self._env = factory.make(about.env, **about.arguments)
        self._again([])

    @classmethod
    def new(cls, folder: Path, about: About) -> Self:
        """Set up a table in a folder of its own."""
        table = cls(folder, about)
        folder.mkdir(parents=True)
        table.keep()
        return table

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Return a table as it stood after the last whole line that was written."""
        table = cls(folder, About.read(folder))
        for move in _lines(folder / "moves.jsonl"):
            if "back" in move:
                table._again(table.said[: move["back"]])
            else:
                said = Said(move["reply"], move["seconds"], move.get("late", False))
                table._take(move["seat"], said)
        if table.about.left:
            table._leave()
        return table

    def keep(self) -> None:
        """Write down what the match is: who sits where may have changed."""
        data = {"format": FORMAT, **self.about._asdict()}
        write_atomically(self.folder / "about.json", (json.dumps(data, indent=1) + "\n").encode())

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(self._env.possible_agents)

    @property
    def ready(self) -> bool:
        """Whether every seat is taken."""
        return all(name for name, _ in self.about.people.values())

    @property
    def over(self) -> bool:
        return not self.play.session.due or bool(self.about.left)

    @property
    def episode(self) -> Episode:
        """The record of it, as far as it was played."""
        return self.play.episode

    @property
    def game(self) -> Any:
        """The rules that are played by."""
        return self._env.game

    def view(self, seat: str) -> Any:
        """Return the state as a seat may see it."""
        return self._env.match.make_view(seat)

    def turn(self, seat: str) -> Turn | None:
        """Return the turn that a seat is to reply to, if it is its turn."""
        return self._turns.get(seat) if self.ready and not self.about.left else None

    def waits(self) -> list[str]:
        """Return the seats that are to reply."""
        return [seat for seat in self._turns if self.turn(seat) is not None]

    def clock(self) -> float | None:
        """Return in how many seconds a move is made for somebody, if ever."""
        left = [self.left(seat) for seat in self.waits()]
        return max(0.0, min(left)) if self.about.timed and left else None

    def bank(self, seat: str) -> float:
        """Return the seconds that a seat has beside those of each move."""
        took = [one[seat].seconds for one in self.said if seat in one]
        return max(0.0, self.about.bank - sum(max(0.0, one - self.about.clock) for one in took))

    def left(self, seat: str) -> float:
        """Return the seconds in which a seat that is asked may reply."""
        return self.since[seat] + self.about.clock + self.bank(seat) - time.time()

    def sit(self, seat: str, name: str, key: str) -> None:
        """Let somebody take a seat that is free; the key is a hash of theirs."""
        self.about.people[seat] = name, key
        self.play.episode.agents.update(self.about.names())
        self.since = dict.fromkeys(self._turns, time.time())
        self.keep()

    def say(self, seat: str, reply: str) -> None:
        """Take a seat's reply, written down first."""
        if not self.ready:
            raise Refused("the match begins when every seat is taken")
        if self.turn(seat) is None:
            raise Refused("the match is over" if self.over else f"it is not {seat}'s turn")
        if not isinstance(reply, str) or len(reply) > LONGEST:
            raise Refused(f"a reply is a text of at most {LONGEST} characters")
        self._reply(seat, str(reply))

    def hurry(self) -> None:
        """Move for those whose time is up: by chance, or without a word."""
        for seat in self.waits():
            if self.left(seat) > 0:
                continue
            legal = self._turns[seat].legal
            self._reply(seat, secrets.choice(legal) if legal else "", late=True)

    def _reply(self, seat: str, reply: str, late: bool = False) -> None:
        seconds = round(time.time() - self.since.get(seat, time.time()), 3)
        said = Said(reply, seconds, late)
        self._log("moves", {"seat": seat, **said._asdict()})
        self._take(seat, said)

    def speak(self, seat: str, words: str) -> None:
        """Say something to the others that is not of the game."""
        if not self.about.chat:
            raise Refused("players do not talk in this match")
        if not isinstance(words, str) or not 0 < len(words.strip()) <= WORDS:
            raise Refused(f"say 1 to {WORDS} characters")
        if len(self.talked) >= TALKED:
            raise Refused(f"{TALKED} times was said enough")
        line = {"seat": seat, "name": self.about.people[seat][0], "words": words.strip()}
        self._log("chat", line)
        self.talked.append(line)

    def leave(self, seat: str) -> None:
        """End the match: somebody does not play on."""
        if self.over:
            raise Refused("the match is over")
        self.about = self.about._replace(left=seat)
        self._leave()
        self.keep()

    def abandon(self) -> None:
        """End the match as whoever it waits for has left it."""
        waited = [*self.waits(), *self.about.free, *self.seats]
        self.leave(waited[0])

    def moved(self) -> float:
        """Return when anything was last written down of it."""
        files = (self.folder / name for name in ("about.json", "moves.jsonl", "chat.jsonl"))
        return max(one.stat().st_mtime for one in files if one.exists())

    def _leave(self) -> None:
        seat, episode = self.about.left, self.play.episode
        name = self._name(seat) or seat
        episode.ended, episode.returns = "failed", {}
        episode.failure = EpisodeFailure(seat, "Left", f"{name} has left the match")
        self._close()

    def back(self, seat: str) -> None:
        """Go back to where this seat made its last move."""
        if not self.about.takes_back:
            raise Refused("nothing is taken back in this match")
        own = [at for at, replies in enumerate(self.said) if seat in replies]
        if self.over or not own:
            raise Refused("the match is over" if self.over else f"{seat} has not moved yet")
        self._log("moves", {"back": own[-1]})
        self._again(self.said[: own[-1]])

    def _log(self, name: str, line: Mapping[str, Any]) -> None:
        with (self.folder / f"{name}.jsonl").open("ab") as file:
            file.write(json.dumps(line).encode() + b"\n")

    def _take(self, seat: str, said: Said) -> None:
        self.pending[seat] = said
        self._turns.pop(seat)
        if self._turns:
            return
        play, replies = self.play, self.pending
        self.said.append(dict(replies))
        for one, (text, spent, late) in replies.items():
            play.session.reply(one, text, spent)
            if late:
                self.late.append(play.session.conversations[one].steps[-1])
        self.pending = {}
        self._wait(play.advance())

    def _again(self, said: list[dict[str, Said]]) -> None:
        """Begin anew, and play so much of what was said."""
        about = self.about
        prefix = EpisodePrefix(about.seed, about.options, about.past)
        names = about.names()
        agents = {seat: names[seat] for seat in self._env.possible_agents}
        self.play = LiveEpisode.create(self._env, prefix, about.id, agents)
        self.said, self.pending = [], {}
        self.late: list[Any] = []  # steps that the clock took
        self._wait(self.play.advance())
        for replies in said:
            for seat, one in replies.items():
                self._take(seat, one)

    def _wait(self, turns: list[PendingTurn]) -> None:
        self._turns = {one.seat: one.turn for one in turns}
        now = time.time()
        self.since = dict.fromkeys(self._turns, now)
        if not self.play.session.due:
            self._close()

    def _close(self) -> None:
        """Write down what became of it, once."""
        episode = self.play.episode
        if not self.about.ended:
            returns = dict(episode.returns)
            self.about = self.about._replace(ended=episode.ended, returns=returns)
            if self.folder.exists():
                self.keep()
        if self.late:
            seats = [step.agent for step in self.late]
            episode.report["out of time"] = {seat: seats.count(seat) for seat in set(seats)}

    def seen(
        self, seat: str | None, theme: str = "light", picture: bytes | None = None
    ) -> dict[str, Any]:
        """Return what a seat sees of it, or a spectator, as JSON and a picture under "image".

        picture: is shown instead of the one that would be drawn.

        A seat gets what its masked view and its own chat hold, and nothing else before the end: not
        even whose turn it is, which in games with secret roles is a secret.
        """
        if seat is not None and seat not in self.seats:
            raise Refused(f"there is no seat {seat!r}")
        about, play = self.about, self.play
        told: dict[str, Any] = {
            "id": about.id,
            "env": about.env,
            "seat": seat,
            "seats": {one: self._name(one) for one in self.seats},
            "ready": self.ready,
            "over": self.over,
            "takes_back": about.takes_back,
            "chat": self.talked if about.chat else None,
            "clock": about.clock,
            "left": about.left,
            "of": about.of,
        }
        if self.over:
            told |= {"returns": dict(about.returns), "outcome": about.outcome}
        if seat is not None:
            return told | self._seen(seat, theme, picture)
        watched = "all" if self.over else about.watched
        if watched == "all":
            told |= {"text": self._words(), "said": self._talk(play.episode.steps)}
            told["image"] = self._drawn(None, theme)
        elif watched:
            told |= self._seen(watched, theme) | {"yours": False, "legal": None, "screen": False}
        return told

    def _seen(self, seat: str, theme: str, picture: bytes | None = None) -> dict[str, Any]:
        turn, chat = self.turn(seat), self.play.session.conversations[seat]
        told = {
            "rules": self._env.rules(seat),
            "yours": turn is not None,
            "legal": self._legal(turn),
            "text": turn.text if turn is not None else self._text(seat),
            "said": self._talk([step for step in chat.steps if step.reply is not None]),
            "image": picture or self._drawn(seat, theme),
        }
        scene = self._env.scene(seat)
        told["screen"] = turn is not None and isinstance(scene, Screen)
        if told["screen"]:
            told["legal"] = None
        if turn is not None and self.about.timed:
            told["seconds"] = max(0.0, self.left(seat))
        if self.about.bank:
            told["bank"] = self.bank(seat)
        return told

    def _drawn(self, seat: str | None, theme: str) -> bytes:
        scene = self._env.scene(seat)
        if scene is None:  # it draws itself
            return self._env.picture(seat).png
        return Picture(draw(scene, (SIDE, SIDE), THEMES[theme])).png

    def _legal(self, turn: Turn | None) -> list[str] | None:
        """Return the replies that may each have a button; None: words are to be written."""
        if turn is None or turn.legal is None or self.game.conversation:
            return None
        return list(turn.legal) if len(turn.legal) <= BUTTONS else None

    def _name(self, seat: str) -> str:
        if seat in self.about.people:
            return self.about.people[seat][0]
        return self.about.agents[seat]

    def _text(self, seat: str) -> str:
        observation = self._env.observe(seat)
        return str(observation.get("text") or self._env.info(seat).get("text", ""))

    def _words(self) -> str:
        return str(self._env.game.describe(self._env.match.state, None))

    def _talk(self, steps: list[Any]) -> list[dict[str, Any]]:
        return [
            {
                "seat": step.agent,
                "text": step.text,
                "reply": step.reply,
                "invalid": to_json_value(step.invalid),
                "late": any(step is one for one in self.late),
            }
            for step in steps
        ]

    def record(self) -> Path:
        """Return the file that holds the match as an episode, once it is over."""
        if not self.over:
            raise Refused("the match is not over yet")
        return self._saved("episode.jsonl", [self.episode])

    def beside(self, origin: Episode) -> Path:
        """Return a file of the record that it went on from, and of its own, to be compared."""
        (own,) = load_episodes(self.record())
        origin.number, own.number = 0, 1
        return self._saved("beside.jsonl", [origin, own])

    def _saved(self, name: str, episodes: list[Episode]) -> Path:
        path = self.folder / name
        if not path.exists():
            half = self.folder / f"half-{os.getpid()}.jsonl"
            half.unlink(missing_ok=True)
            save_episodes(episodes, half, pictures=False)
            half.replace(path)
        return path

    def verified(self) -> bool:
        """Return whether the record, played again, goes as it went."""
        (episode,) = load_episodes(self.record())
        try:
            episode.replay()
        except ReplayError:
            return False
        return True


def _lines(path: Path) -> list[dict[str, Any]]:
    """Return what the whole lines of a file say; half a line, of a machine that stopped, goes."""
    whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
    if path.exists() and path.stat().st_size != (size := len(whole) + bool(whole)):
        os.truncate(path, size)
    return [json.loads(line) for line in whole.split(b"\n") if line]
