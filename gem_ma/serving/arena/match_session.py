"""One match of people and agents, saved after every move."""

from __future__ import annotations

import json
import logging
import os
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

from gem_ma.apis import factory
from gem_ma.apis.session import Session, to_json_value
from gem_ma.chat.conversation import Step
from gem_ma.chat.turn import Turn
from gem_ma.game import Message
from gem_ma.renderers import THEMES, draw
from gem_ma.renderers.picture import Picture
from gem_ma.rollouts.episode import Episode, EpisodeFailure
from gem_ma.rollouts.live_episode import LiveEpisode, PendingTurn
from gem_ma.rollouts.outcomes import is_zero_sum
from gem_ma.rollouts.prefix import EpisodePrefix
from gem_ma.rollouts.records import load_episodes, save_episodes
from gem_ma.rollouts.replay import ReplayError, replay_moves
from gem_ma.scene.screen import Screen
from gem_ma.serving.arena.match_files import (
    ArenaError,
    DamagedMatch,
    MatchInfo,
    StorageError,
    explain_failed_write,
    read_lines,
)
from gem_ma.serving.arena.match_ratings import find_unrated_reason
from gem_ma.validation.files import append_line
from gem_ma.validation.json_types import JSONMapping, JSONObject

_LOG = logging.getLogger(__name__)
MAX_BUTTONS = 120  # legal replies; more are not shown as buttons
PICTURE_SIDE = 672  # pixels of a picture
MAX_REPLY_LENGTH = 20_000  # characters of a reply
MAX_CHAT_LENGTH = 500  # characters of a chat message
MAX_CHAT_MESSAGES = 1000  # chat messages of a match
_CHAT_FIELDS = {"seat", "name", "words"}


class MatchReply(NamedTuple):
    """A reply, the seconds that it took, and whether the clock made it (`late`)."""

    reply: str
    seconds: float
    late: bool = False


class MessageNotingPrefix(EpisodePrefix):
    """A prefix that calls `note_messages` for the seats of each turn while it is replayed."""

    note_messages: Callable[[Iterable[str]], None]

    def play(self, session: Session) -> None:
        for turns in replay_moves(session, self.moves):
            self.note_messages(turns)


class MatchSession:
    """A match, with the turns that are due, the views of seats, and its record.

    Every reply is written to `moves.jsonl` before it is applied. A match that is loaded again is
    therefore in the same position, however the process ended.
    """

    def __init__(self, folder: Path, about: MatchInfo):
        self.folder, self.info = folder, about
        self.reply_history: list[dict[str, MatchReply]] = []  # replies of seats that act together
        self.pending_replies: dict[str, MatchReply] = {}
        self.chat_messages: list[JSONObject] = []
        self.asked_at: dict[str, float] = {}  # Unix time at which a seat's turn began
        self._env = factory.make(about.env, **about.arguments)
        self._replay_replies([])

    @classmethod
    def create(cls, folder: Path, about: MatchInfo) -> Self:
        """Create a match in a folder of its own."""
        table = cls(folder, about)
        with explain_failed_write():
            folder.mkdir(parents=True)
        try:
            about.save(folder)
        except StorageError:
            folder.rmdir()
            raise
        return table

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load a match in its position after the last complete line of its files.

        Raises:
            DamagedMatch: It cannot be replayed: files are damaged, or rules have changed.
        """
        info = MatchInfo.load(folder)
        chat_messages = read_lines(folder / "chat.jsonl")
        for number, line in enumerate(chat_messages, 1):
            if line.keys() != _CHAT_FIELDS or not all(map(str.__instancecheck__, line.values())):
                raise DamagedMatch(
                    f"{folder / 'chat.jsonl'}, line {number}: expected texts for seat, name and "
                    f"words, got {line!r:.60}"
                )
        where = f"{folder / 'about.json'}: {info.env}"
        try:
            table = cls(folder, info)
            table.chat_messages = chat_messages
            for number, line in enumerate(read_lines(folder / "moves.jsonl"), 1):
                where = f"{folder / 'moves.jsonl'}, line {number}: {line!r:.60}"
                table._apply_line(line)
        except DamagedMatch:
            raise
        except Exception as error:  # missing environments, changed rules
            raise DamagedMatch(f"{where}: {type(error).__name__}: {error}") from error
        if info.left:
            table._fail_episode()
        elif info.ended:
            ends = [(one.ended, dict(one.returns)) for one in (info, table.episode)]
            if ends[0] != ends[1]:
                raise DamagedMatch(
                    f"{folder}: the match ended as {ends[0]}, but its replay ends as {ends[1]}: "
                    "moves are lost, or the rules have changed"
                )
        return table

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
        """The record of the match so far."""
        return self.live_episode.episode

    @property
    def game(self) -> Any:
        """The game that is played."""
        return self._env.game

    def make_view(self, seat: str) -> Any:
        """Return a seat's view of the state."""
        return self._env.match.make_view(seat)

    def get_turn(self, seat: str) -> Turn | None:
        """Return the turn of a seat, or None if the seat is not to act."""
        return self._due_turns.get(seat) if self.ready and not self.info.left else None

    def list_due_seats(self) -> list[str]:
        """Return the seats that are to act."""
        return [seat for seat in self._due_turns if self.get_turn(seat) is not None]

    def compute_next_timeout(self) -> float | None:
        """Return the seconds until the clock makes a move for a seat, or None without a clock."""
        remaining = [self.compute_time_left(seat) for seat in self.list_due_seats()]
        return max(0.0, min(remaining)) if self.info.has_clock and remaining else None

    def compute_bank(self, seat: str) -> float:
        """Return the seconds that are left of a seat's bank."""
        durations = [one[seat].seconds for one in self.reply_history if seat in one]
        return max(0.0, self.info.bank - sum(max(0.0, one - self.info.clock) for one in durations))

    def compute_time_left(self, seat: str) -> float:
        """Return the seconds that a seat that is to act has left."""
        return self.asked_at[seat] + self.info.clock + self.compute_bank(seat) - time.time()

    def take_seat(self, seat: str, name: str, key: str) -> None:
        """Give a free seat to a person; `key` is the hash of the person's key."""
        info = self.info._replace(people={**self.info.people, seat: (name, key)})
        info.save(self.folder)
        self.info = info
        self.live_episode.episode.agents.update(info.list_players())
        self.asked_at = dict.fromkeys(self._due_turns, time.time())

    def submit_reply(self, seat: str, reply: str) -> None:
        """Save a seat's reply, and apply it."""
        if not self.ready:
            raise ArenaError("the match begins when every seat is taken")
        if self.get_turn(seat) is None:
            raise ArenaError("the match is over" if self.over else f"it is not {seat}'s turn")
        if not isinstance(reply, str) or len(reply) > MAX_REPLY_LENGTH:
            raise ArenaError(f"a reply is a text of at most {MAX_REPLY_LENGTH} characters")
        self._log_reply(seat, str(reply))

    def apply_clock(self) -> None:
        """Make a random legal move, or an empty reply, for seats whose time is up."""
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
        """Add a chat message, which is not part of the game."""
        if not self.info.chat:
            raise ArenaError("this match has no chat")
        if not isinstance(words, str) or not 0 < len(words.strip()) <= MAX_CHAT_LENGTH:
            raise ArenaError(f"a chat message has 1 to {MAX_CHAT_LENGTH} characters")
        if len(self.chat_messages) >= MAX_CHAT_MESSAGES:
            raise ArenaError(f"the chat is full: a match has at most {MAX_CHAT_MESSAGES} messages")
        line = {"seat": seat, "name": self.info.people[seat][0], "words": words.strip()}
        self._append_line("chat", line)
        self.chat_messages.append(line)

    def leave(self, seat: str) -> None:
        """End the match because a seat leaves it."""
        if self.over:
            raise ArenaError("the match is over")
        returns = {}
        if seat in self.info.people and self.has_moved:
            wins = len(self.seats) == 2 and is_zero_sum(self.info.env)
            returns = {one: -1.0 if one == seat else float(bool(wins)) for one in self.seats}
        info = self.info._replace(left=seat, ended="failed", returns=returns)
        info.save(self.folder)
        self.info = info
        self._fail_episode()

    def abandon(self) -> None:
        """End the match as left by a seat that is to act, or by a free seat."""
        seats = [*self.list_due_seats(), *self.info.free_seats, *self.seats]
        self.leave(seats[0])

    @property
    def has_moved(self) -> bool:
        """Whether a person, or in a match without people an agent, has made a move."""
        players = self.info.people or self.info.agents
        moments = [*self.reply_history, self.pending_replies]
        return any(not one[seat].late for one in moments for seat in one if seat in players)

    def find_last_change(self) -> float:
        """Return the Unix time of the last change of the match's files."""
        files = (self.folder / name for name in ("about.json", "moves.jsonl", "chat.jsonl"))
        return max(one.stat().st_mtime for one in files if one.exists())

    def _fail_episode(self) -> None:
        seat, episode = self.info.left, self.live_episode.episode
        name = self._find_player_name(seat) or seat
        episode.ended, episode.returns = "failed", {}
        episode.failure = EpisodeFailure(seat, "Left", f"{name} has left the match")
        self._finish()

    def take_back(self, seat: str) -> None:
        """Undo all moves from this seat's last one on."""
        if not self.info.takes_back:
            raise ArenaError("moves cannot be taken back in this match")
        indices = [at for at, replies in enumerate(self.reply_history) if seat in replies]
        if self.over or not indices:
            raise ArenaError("the match is over" if self.over else f"{seat} has not moved yet")
        self._append_line("moves", {"back": indices[-1]})
        self._replay_replies(self.reply_history[: indices[-1]])

    def _append_line(self, name: str, line: JSONMapping) -> None:
        with explain_failed_write():
            append_line(self.folder / f"{name}.jsonl", json.dumps(line).encode() + b"\n")

    def _apply_line(self, line: JSONObject) -> None:
        """Apply a line of `moves.jsonl` again."""
        if "back" in line:
            if line["back"] not in range(len(self.reply_history)):
                raise ValueError(f"back: expected less than {len(self.reply_history)}")
            self._replay_replies(self.reply_history[: line["back"]])
            return
        reply = MatchReply(line["reply"], line["seconds"], line.get("late", False))
        if not isinstance(reply.reply, str) or not isinstance(reply.seconds, int | float):
            raise TypeError("expected a text in reply and a number in seconds")
        if line["seat"] not in self._due_turns:
            raise ValueError(f"seat: expected one of {', '.join(self._due_turns) or 'none'}")
        self._apply_reply(line["seat"], reply)

    def _apply_reply(self, seat: str, said: MatchReply) -> None:
        self.pending_replies[seat] = said
        self._due_turns.pop(seat)
        if self._due_turns:
            return
        play, replies = self.live_episode, self.pending_replies
        self.reply_history.append(dict(replies))
        self._note_messages(replies)
        for one, (text, seconds, late) in replies.items():
            play.session.reply(one, text, seconds)
            if late:
                self.late_steps.append(play.session.conversations[one].steps[-1])
        self.pending_replies = {}
        self._update_turns(play.advance())

    def _replay_replies(self, said: list[dict[str, MatchReply]]) -> None:
        """Start the episode again, and apply these replies."""
        info = self.info
        prefix = MessageNotingPrefix(info.seed, info.options, info.past)
        prefix.note_messages = self._note_messages
        # By seat, for each of its replies, the messages that it had received before.
        self.heard_messages: dict[str, list[list[Message]]] = {
            seat: [] for seat in self._env.possible_agents
        }
        names = info.list_players()
        agents = {seat: names[seat] for seat in self._env.possible_agents}
        self.live_episode = LiveEpisode.create(self._env, prefix, info.id, agents)
        self.reply_history, self.pending_replies = [], {}
        self.late_steps: list[Step] = []  # steps that the clock made
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
        """Save the result of the match, once."""
        episode = self.live_episode.episode
        if not self.info.ended:
            returns = dict(episode.returns)
            self.info = self.info._replace(ended=episode.ended, returns=returns)
            if self.folder.exists():
                try:
                    self.info.save(self.folder)
                except StorageError:  # loading the moves again saves it
                    _LOG.warning(
                        "%s: the match is over, and about.json does not say so", self.folder
                    )
        if self.late_steps:
            seats = [step.agent for step in self.late_steps]
            episode.report["out of time"] = {seat: seats.count(seat) for seat in set(seats)}

    def describe_view(
        self, seat: str | None, theme: str = "light", picture: Picture | None = None
    ) -> JSONObject:
        """Return the view of a seat or a spectator, as JSON with a Picture under "image".

        Before the end, a seat gets only its own view, its own conversation, and the messages about
        others that it received. It does not learn whose turn it is, which is a secret in games
        with secret roles.

        Args:
            seat: the seat; None: a spectator.
            theme: the name of a theme of the renderer.
            picture: a picture to show instead of the drawn one; None: draw one.
        """
        if seat is not None and seat not in self.seats:
            raise ArenaError(f"no seat {seat!r}; the seats are {', '.join(self.seats)}")
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
            "unrated": find_unrated_reason(info),
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
            description["image"] = self._make_picture(None, theme)
        elif spectator_view:
            description |= self._describe_seat_view(spectator_view, theme) | {
                "yours": False,
                "legal": None,
                "screen": False,
            }
        return description

    def _describe_seat_view(
        self, seat: str, theme: str, picture: Picture | None = None
    ) -> JSONObject:
        turn, play = self.get_turn(seat), self.live_episode
        own_steps = [one for one in play.session.conversations[seat].steps if one.reply is not None]
        description = {
            "said": self._format_steps(own_steps, self.heard_messages[seat]),
            "heard": self._format_messages(seat, self._env.match.list_messages(seat)),
            "rules": self._env.rules(seat),
            "yours": turn is not None,
            "legal": self._list_legal_replies(turn),
            "text": turn.text if turn is not None else self._read_text(seat),
            "image": picture or self._make_picture(seat, theme),
        }
        if self.over:  # every seat may see everything
            description |= {"said": self._format_steps(play.episode.steps), "heard": []}
        scene = self._env.scene(seat)
        description["screen"] = turn is not None and isinstance(scene, Screen)
        if description["screen"]:
            description["legal"] = None
        if self.info.bank:
            description["bank"] = self.compute_bank(seat)
        return description

    def _make_picture(self, seat: str | None, theme: str) -> Picture:
        """Return a seat's picture, which is drawn when it is first read."""
        scene = self._env.scene(seat)
        if scene is None:  # the environment draws itself
            return self._env.picture(seat)
        return Picture(partial(draw, scene, (PICTURE_SIDE, PICTURE_SIDE), THEMES[theme]))

    def _note_messages(self, seats: Iterable[str]) -> None:
        """Store the messages that seats have received before their next reply."""
        for seat in seats:
            self.heard_messages[seat].append(self._env.match.list_messages(seat))

    def _format_messages(self, seat: str, messages: Iterable[Message]) -> list[JSONObject]:
        """Return messages to a seat about other seats, and the game's messages to all."""
        return [
            {"seat": one.role if one.role in self.seats else "", "text": one.text}
            for one in messages
            if (one.role in self.seats and one.role != seat)
            or (one.role == "game" and one.to is None and len(self.seats) > 1)
        ]

    def _list_legal_replies(self, turn: Turn | None) -> list[str] | None:
        """Return the legal replies that are shown as buttons, or None for a text field."""
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

    def _format_steps(
        self, steps: list[Step], messages: Sequence[list[Message]] = ()
    ) -> list[JSONObject]:
        return [
            {
                "seat": step.agent,
                "text": step.text,
                "reply": step.reply,
                "invalid": to_json_value(step.invalid),
                "late": any(step is one for one in self.late_steps),
                "heard": self._format_messages(step.agent, messages[i]) if messages else [],
            }
            for i, step in enumerate(steps)
        ]

    def write_record(self) -> Path:
        """Write a finished match as an episode, and return the file."""
        if not self.over:
            raise ArenaError("the match is not over yet")
        return self._write_once("episode.jsonl", [self.episode])

    def write_comparison(self, origin: Episode) -> Path:
        """Write the original record and the match's own to a file for comparison; return it."""
        (episode,) = load_episodes(self.write_record())
        origin.number, episode.number = 0, 1
        return self._write_once("beside.jsonl", [origin, episode])

    def _write_once(self, name: str, episodes: list[Episode]) -> Path:
        path = self.folder / name
        if not path.exists():
            half = self.folder / f"half-{os.getpid()}.jsonl"
            half.unlink(missing_ok=True)
            try:
                save_episodes(episodes, half, pictures=False)
                half.replace(path)
            except BaseException:  # a full disk
                half.unlink(missing_ok=True)
                raise
        return path

    def verify_record(self) -> bool:
        """Return whether a replay reproduces the record."""
        (episode,) = load_episodes(self.write_record())
        try:
            episode.replay()
        except ReplayError:
            return False
        return True
