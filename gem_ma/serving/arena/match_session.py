"""One match that people and agents play, kept on disk at every move."""

from __future__ import annotations

import json
import os
import secrets
import time
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
from gem_ma.validation.json_types import JSONMapping, JSONObject

MATCH_FORMAT = 1
MAX_BUTTONS = 120  # replies that have one each
PICTURE_SIDE = 672  # pixels of a picture
MAX_REPLY_LENGTH = 20_000  # characters of a reply
MAX_CHAT_LENGTH = 500  # characters of what players say to each other
MAX_CHAT_MESSAGES = 1000  # so often


class ArenaError(ValueError):
    """What somebody at a table may not do; the message says why, and what would work."""


class MatchReply(NamedTuple):
    """A reply, the seconds that it took, and whether the clock gave it."""

    reply: str
    seconds: float
    late: bool = False


class MatchInfo(NamedTuple):
    """What a match is, beside its moves.

    Attributes:
        people: by seat who plays there, the name and the hash of the key that is asked for; a seat
            that nobody has taken yet has no name.
        agents: by seat the spec of an agent.
        watched: what spectators see before the end: nothing, "all", or what a seat sees.
        clock: seconds for a move.
        bank: for all of a seat's moves, beside those. When both are used up a move is made by
            chance. Both 0: there is no clock.
        past: how the position came about that it began with.
        of: which record that is.
        ended: how it ended, once it is over.
        returns: what each seat has earned, once it is over.
    """

    id: str
    env: str
    arguments: JSONObject
    seed: int
    people: dict[str, tuple[str, str]]
    agents: dict[str, str]
    watched: str = ""
    takes_back: bool = False
    chat: bool = True  # whether players may talk apart from the game
    clock: float = 0.0
    bank: float = 0.0
    begun: float = 0.0  # seconds since 1970
    options: JSONObject = {}  # noqa: RUF012 - nobody writes into it
    past: tuple[Any, ...] = ()
    of: str = ""
    left: str = ""  # the seat that has left, and so ended it
    ended: str = ""
    returns: dict[str, float] = {}  # noqa: RUF012 - nor into this

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Return what the folder of a match says."""
        fields = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        if fields.pop("format") != MATCH_FORMAT:
            raise ArenaError(f"{folder} was written by another release")
        people = {seat: tuple(pair) for seat, pair in fields.pop("people").items()}
        return cls(people=people, past=tuple(fields.pop("past")), **fields)

    @property
    def has_clock(self) -> bool:
        """Whether there is a clock."""
        return bool(self.clock or self.bank)

    @property
    def free_seats(self) -> list[str]:
        """The seats that nobody has taken."""
        return [seat for seat, (name, _) in self.people.items() if not name]

    @property
    def outcome(self) -> str:
        """What became of it in words, once it is over."""
        if self.left:
            return f"{self.left} has left"
        return describe_outcome(self.returns, is_zero_sum(self.env)) or self.ended

    def list_players(self) -> dict[str, str]:
        """Return who sits where, as records say it."""
        people = {seat: f"human:{name}" for seat, (name, _) in self.people.items()}
        return {**people, **self.agents}


class MatchSession:
    """A match: whom it waits for, what a seat sees, and what became of what was said.

    Every reply is a line of `moves.jsonl` before it counts, so that a table which is loaded again
    stands where it stood, whatever has ended the process before.
    """

    def __init__(self, folder: Path, about: MatchInfo):
        self.folder, self.info = folder, about
        self.reply_history: list[dict[str, MatchReply]] = []  # by moment
        self.pending_replies: dict[str, MatchReply] = {}
        self.chat_messages: list[dict[str, str]] = _read_lines(folder / "chat.jsonl")
        self.asked_at: dict[str, float] = {}  # when a seat was asked
        self._env = factory.make(about.env, **about.arguments)
        self._replay_replies([])

    @classmethod
    def create(cls, folder: Path, about: MatchInfo) -> Self:
        """Set up a table in a folder of its own."""
        table = cls(folder, about)
        folder.mkdir(parents=True)
        table.save_info()
        return table

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Return a table as it stood after the last whole line that was written."""
        table = cls(folder, MatchInfo.load(folder))
        for move in _read_lines(folder / "moves.jsonl"):
            if "back" in move:
                table._replay_replies(table.reply_history[: move["back"]])
            else:
                reply = MatchReply(move["reply"], move["seconds"], move.get("late", False))
                table._apply_reply(move["seat"], reply)
        if table.info.left:
            table._fail_episode()
        return table

    def save_info(self) -> None:
        """Write down what the match is: who sits where may have changed."""
        data = {"format": MATCH_FORMAT, **self.info._asdict()}
        write_atomically(self.folder / "about.json", (json.dumps(data, indent=1) + "\n").encode())

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(self._env.possible_agents)

    @property
    def ready(self) -> bool:
        """Whether every seat is taken."""
        return all(name for name, _ in self.info.people.values())

    @property
    def over(self) -> bool:
        return not self.live_episode.session.due or bool(self.info.left)

    @property
    def episode(self) -> Episode:
        """The record of it, as far as it was played."""
        return self.live_episode.episode

    @property
    def game(self) -> Any:
        """The rules that are played by."""
        return self._env.game

    def make_view(self, seat: str) -> Any:
        """Return the state as a seat may see it."""
        return self._env.match.make_view(seat)

    def get_turn(self, seat: str) -> Turn | None:
        """Return the turn that a seat is to reply to, if it is its turn."""
        return self._due_turns.get(seat) if self.ready and not self.info.left else None

    def list_due_seats(self) -> list[str]:
        """Return the seats that are to reply."""
        return [seat for seat in self._due_turns if self.get_turn(seat) is not None]

    def compute_next_timeout(self) -> float | None:
        """Return in how many seconds a move is made for somebody, if ever."""
        remaining = [self.compute_time_left(seat) for seat in self.list_due_seats()]
        return max(0.0, min(remaining)) if self.info.has_clock and remaining else None

    def compute_bank(self, seat: str) -> float:
        """Return the seconds that a seat has beside those of each move."""
        durations = [one[seat].seconds for one in self.reply_history if seat in one]
        return max(0.0, self.info.bank - sum(max(0.0, one - self.info.clock) for one in durations))

    def compute_time_left(self, seat: str) -> float:
        """Return the seconds in which a seat that is asked may reply."""
        return self.asked_at[seat] + self.info.clock + self.compute_bank(seat) - time.time()

    def take_seat(self, seat: str, name: str, key: str) -> None:
        """Let somebody take a seat that is free; the key is a hash of theirs."""
        self.info.people[seat] = name, key
        self.live_episode.episode.agents.update(self.info.list_players())
        self.asked_at = dict.fromkeys(self._due_turns, time.time())
        self.save_info()

    def submit_reply(self, seat: str, reply: str) -> None:
        """Take a seat's reply, written down first."""
        if not self.ready:
            raise ArenaError("the match begins when every seat is taken")
        if self.get_turn(seat) is None:
            raise ArenaError("the match is over" if self.over else f"it is not {seat}'s turn")
        if not isinstance(reply, str) or len(reply) > MAX_REPLY_LENGTH:
            raise ArenaError(f"a reply is a text of at most {MAX_REPLY_LENGTH} characters")
        self._log_reply(seat, str(reply))

    def apply_clock(self) -> None:
        """Move for those whose time is up: by chance, or without a word."""
        for seat in self.list_due_seats():
            if self.compute_time_left(seat) > 0:
                continue
            legal = self._due_turns[seat].legal
            self._log_reply(seat, secrets.choice(legal) if legal else "", late=True)

    def _log_reply(self, seat: str, reply: str, late: bool = False) -> None:
        seconds = round(time.time() - self.asked_at.get(seat, time.time()), 3)
        match_reply = MatchReply(reply, seconds, late)
        self._append_line("moves", {"seat": seat, **match_reply._asdict()})
        self._apply_reply(seat, match_reply)

    def post_message(self, seat: str, words: str) -> None:
        """Say something to the others that is not of the game."""
        if not self.info.chat:
            raise ArenaError("players do not talk in this match")
        if not isinstance(words, str) or not 0 < len(words.strip()) <= MAX_CHAT_LENGTH:
            raise ArenaError(f"say 1 to {MAX_CHAT_LENGTH} characters")
        if len(self.chat_messages) >= MAX_CHAT_MESSAGES:
            raise ArenaError(f"{MAX_CHAT_MESSAGES} times was said enough")
        line = {"seat": seat, "name": self.info.people[seat][0], "words": words.strip()}
        self._append_line("chat", line)
        self.chat_messages.append(line)

    def leave(self, seat: str) -> None:
        """End the match: somebody does not play on."""
        if self.over:
            raise ArenaError("the match is over")
        self.info = self.info._replace(left=seat)
        self._fail_episode()
        self.save_info()

    def abandon(self) -> None:
        """End the match as whoever it waits for has left it."""
        seats = [*self.list_due_seats(), *self.info.free_seats, *self.seats]
        self.leave(seats[0])

    def find_last_change(self) -> float:
        """Return when anything was last written down of it."""
        files = (self.folder / name for name in ("about.json", "moves.jsonl", "chat.jsonl"))
        return max(one.stat().st_mtime for one in files if one.exists())

    def _fail_episode(self) -> None:
        seat, episode = self.info.left, self.live_episode.episode
        name = self._find_player_name(seat) or seat
        episode.ended, episode.returns = "failed", {}
        episode.failure = EpisodeFailure(seat, "Left", f"{name} has left the match")
        self._finish()

    def take_back(self, seat: str) -> None:
        """Go back to where this seat made its last move."""
        if not self.info.takes_back:
            raise ArenaError("nothing is taken back in this match")
        indices = [at for at, replies in enumerate(self.reply_history) if seat in replies]
        if self.over or not indices:
            raise ArenaError("the match is over" if self.over else f"{seat} has not moved yet")
        self._append_line("moves", {"back": indices[-1]})
        self._replay_replies(self.reply_history[: indices[-1]])

    def _append_line(self, name: str, line: JSONMapping) -> None:
        with (self.folder / f"{name}.jsonl").open("ab") as file:
            file.write(json.dumps(line).encode() + b"\n")

    def _apply_reply(self, seat: str, said: MatchReply) -> None:
        self.pending_replies[seat] = said
        self._due_turns.pop(seat)
        if self._due_turns:
            return
        play, replies = self.live_episode, self.pending_replies
        self.reply_history.append(dict(replies))
        for one, (text, seconds, late) in replies.items():
            play.session.reply(one, text, seconds)
            if late:
                self.late_steps.append(play.session.conversations[one].steps[-1])
        self.pending_replies = {}
        self._update_turns(play.advance())

    def _replay_replies(self, said: list[dict[str, MatchReply]]) -> None:
        """Begin anew, and play so much of what was said."""
        info = self.info
        prefix = EpisodePrefix(info.seed, info.options, info.past)
        names = info.list_players()
        agents = {seat: names[seat] for seat in self._env.possible_agents}
        self.live_episode = LiveEpisode.create(self._env, prefix, info.id, agents)
        self.reply_history, self.pending_replies = [], {}
        self.late_steps: list[Any] = []  # steps that the clock took
        self._update_turns(self.live_episode.advance())
        for replies in said:
            for seat, one in replies.items():
                self._apply_reply(seat, one)

    def _update_turns(self, turns: list[PendingTurn]) -> None:
        self._due_turns = {one.seat: one.turn for one in turns}
        now = time.time()
        self.asked_at = dict.fromkeys(self._due_turns, now)
        if not self.live_episode.session.due:
            self._finish()

    def _finish(self) -> None:
        """Write down what became of it, once."""
        episode = self.live_episode.episode
        if not self.info.ended:
            returns = dict(episode.returns)
            self.info = self.info._replace(ended=episode.ended, returns=returns)
            if self.folder.exists():
                self.save_info()
        if self.late_steps:
            seats = [step.agent for step in self.late_steps]
            episode.report["out of time"] = {seat: seats.count(seat) for seat in set(seats)}

    def describe_view(
        self, seat: str | None, theme: str = "light", picture: bytes | None = None
    ) -> JSONObject:
        """Return what a seat sees of it, or a spectator, as JSON and a picture under "image".

        A seat gets what its masked view and its own chat hold, and nothing else before the end: not
        even whose turn it is, which in games with secret roles is a secret.

        Args:
            picture: is shown instead of the one that would be drawn.
        """
        if seat is not None and seat not in self.seats:
            raise ArenaError(f"there is no seat {seat!r}")
        info, play = self.info, self.live_episode
        description: JSONObject = {
            "id": info.id,
            "env": info.env,
            "seat": seat,
            "seats": {one: self._find_player_name(one) for one in self.seats},
            "ready": self.ready,
            "over": self.over,
            "takes_back": info.takes_back,
            "chat": self.chat_messages if info.chat else None,
            "clock": info.clock,
            "left": info.left,
            "of": info.of,
        }
        if self.over:
            description |= {"returns": dict(info.returns), "outcome": info.outcome}
        if seat is not None:
            return description | self._describe_seat_view(seat, theme, picture)
        spectator_view = "all" if self.over else info.watched
        if spectator_view == "all":
            description |= {
                "text": self._describe_state(),
                "said": self._format_steps(play.episode.steps),
            }
            description["image"] = self._draw_view(None, theme)
        elif spectator_view:
            description |= self._describe_seat_view(spectator_view, theme) | {
                "yours": False,
                "legal": None,
                "screen": False,
            }
        return description

    def _describe_seat_view(
        self, seat: str, theme: str, picture: bytes | None = None
    ) -> JSONObject:
        turn, chat = self.get_turn(seat), self.live_episode.session.conversations[seat]
        description = {
            "rules": self._env.rules(seat),
            "yours": turn is not None,
            "legal": self._list_legal_replies(turn),
            "text": turn.text if turn is not None else self._read_text(seat),
            "said": self._format_steps([step for step in chat.steps if step.reply is not None]),
            "image": picture or self._draw_view(seat, theme),
        }
        scene = self._env.scene(seat)
        description["screen"] = turn is not None and isinstance(scene, Screen)
        if description["screen"]:
            description["legal"] = None
        if turn is not None and self.info.has_clock:
            description["seconds"] = max(0.0, self.compute_time_left(seat))
        if self.info.bank:
            description["bank"] = self.compute_bank(seat)
        return description

    def _draw_view(self, seat: str | None, theme: str) -> bytes:
        scene = self._env.scene(seat)
        if scene is None:  # it draws itself
            return self._env.picture(seat).png
        return Picture(draw(scene, (PICTURE_SIDE, PICTURE_SIDE), THEMES[theme])).png

    def _list_legal_replies(self, turn: Turn | None) -> list[str] | None:
        """Return the replies that may each have a button; None: words are to be written."""
        if turn is None or turn.legal is None or self.game.conversation:
            return None
        return list(turn.legal) if len(turn.legal) <= MAX_BUTTONS else None

    def _find_player_name(self, seat: str) -> str:
        if seat in self.info.people:
            return self.info.people[seat][0]
        return self.info.agents[seat]

    def _read_text(self, seat: str) -> str:
        observation = self._env.observe(seat)
        return str(observation.get("text") or self._env.info(seat).get("text", ""))

    def _describe_state(self) -> str:
        return str(self._env.game.describe(self._env.match.state, None))

    def _format_steps(self, steps: list[Any]) -> list[JSONObject]:
        return [
            {
                "seat": step.agent,
                "text": step.text,
                "reply": step.reply,
                "invalid": to_json_value(step.invalid),
                "late": any(step is one for one in self.late_steps),
            }
            for step in steps
        ]

    def write_record(self) -> Path:
        """Return the file that holds the match as an episode, once it is over."""
        if not self.over:
            raise ArenaError("the match is not over yet")
        return self._write_once("episode.jsonl", [self.episode])

    def write_comparison(self, origin: Episode) -> Path:
        """Return a file of the record that it went on from, and of its own, to be compared."""
        (episode,) = load_episodes(self.write_record())
        origin.number, episode.number = 0, 1
        return self._write_once("beside.jsonl", [origin, episode])

    def _write_once(self, name: str, episodes: list[Episode]) -> Path:
        path = self.folder / name
        if not path.exists():
            half = self.folder / f"half-{os.getpid()}.jsonl"
            half.unlink(missing_ok=True)
            save_episodes(episodes, half, pictures=False)
            half.replace(path)
        return path

    def verify_record(self) -> bool:
        """Return whether the record, played again, goes as it went."""
        (episode,) = load_episodes(self.write_record())
        try:
            episode.replay()
        except ReplayError:
            return False
        return True


def _read_lines(path: Path) -> list[JSONObject]:
    """Return what the whole lines of a file say; half a line, of a machine that stopped, goes."""
    whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
    if path.exists() and path.stat().st_size != (size := len(whole) + bool(whole)):
        os.truncate(path, size)
    return [json.loads(line) for line in whole.split(b"\n") if line]
