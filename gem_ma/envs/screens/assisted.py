"""Assisted: a user who knows the goal and sees only the chat, and an assistant at the screen."""

import json
import re
from typing import Any, NamedTuple

from gem_ma.envs.coordinates import Coordinates
from gem_ma.envs.screens import families
from gem_ma.envs.screens.game import (
    HOW,
    begin,
    check,
    done,
    drawn,
    family,
    page,
    reader,
)
from gem_ma.envs.screens.screen_game import ScreenGame
from gem_ma.envs.screens.sheet import EDGE
from gem_ma.envs.screens.tree import described
from gem_ma.game import InvalidMove, Message, prefix_speaker
from gem_ma.scene import Chat, Terminal, text_metrics

AGENTS = ("user", "assistant")
STOP = "###STOP###"
LONGEST = 1000  # characters of a message
SILENT = "Nobody has said anything yet."
ASKING = "What can I do for you?"
LINES = 3  # lines of the last message that the screen shows
_SAY = re.compile(r'say ?\((?:"((?:[^"\\]|\\.){0,1500})"|([^"]{0,1500}))\)', re.DOTALL)


class Talk(NamedTuple):
    inner: Any  # the screen without its task for the assistant; hidden from the user
    goal: str  # the assistant knows it only from the user's messages
    talk: tuple[tuple[str, str], ...] = ()
    floor: str = "user"
    ended: bool = False

    def to_act(self):
        over = self.ended or self.inner.score is not None or not self.inner.left
        return () if over else (self.floor,)

    def returns(self):
        return dict.fromkeys(AGENTS, self.inner.score or 0.0)

    def seen_by(self, agent):
        if agent == "user":
            return self._replace(inner=None)
        return self._replace(inner=self.inner._replace(family="", model=None), goal="")

    def legal(self, agent):
        """Return some messages and actions, enough for random agents."""
        if agent == "user":
            return (self.goal, "Yes, please.", "No.", STOP)
        return (*self.inner.legal(agent), f'say("{ASKING}")')

    def hint(self, agent):
        """Return the next message or action of a perfect seat that relies on the chat."""
        has_goal = any(speaker == "user" and self.goal in text for speaker, text in self.talk)
        if agent == "user":
            return "Yes, please." if has_goal else self.goal
        return self.inner.hint(agent) if has_goal else f'say("{ASKING}")'

    @property
    def truncated(self):
        return not self.ended and self.inner.score is None and not self.inner.left


class Assisted(ScreenGame[Talk]):
    """A task of one of several families, whose goal only the user knows.

    Args:
        family: names joined by "+"; each episode takes one of them.
        coordinates: as for `Screens`.
        refs: as for `Screens`.
        look: as for `Screens`.
        limit: the largest number of actions and messages of the assistant; None:
            24 + 8 * difficulty.
    """

    agents = AGENTS
    conversation = True
    oracle = True
    reset_options = ("difficulty",)

    def __init__(
        self,
        family="login+booking+settings+inbox+contacts+calendar+cart",
        difficulty=2,
        coordinates="pixels",
        refs=False,
        look="flat",
        limit=None,
    ):
        self.families = chosen(family)
        check(difficulty, look)
        self.difficulty, self.coordinates, self.refs, self.look = (
            difficulty,
            Coordinates(coordinates),
            refs,
            look,
        )
        self.limit = limit

    def start(self, rng, options):
        difficulty = options.get("difficulty", self.difficulty)
        check(difficulty)
        name = self.families[int(rng.integers(len(self.families)))]
        limit, screen = self.limit or 24 + 8 * difficulty, self.coordinates.screen
        inner = begin(name, rng, difficulty, self.look, screen, limit, "\n" * (LINES - 1) + " ")
        return Talk(_shown(inner, ()), family(name).goal(inner.model))

    def read(self, text, view, agent):
        if agent == "assistant":
            message = spoken(text)
            if message is None:
                return reader(view.inner.page, self.coordinates).read(text)
            text = message
        if not text.strip() or len(text) > LONGEST:
            raise InvalidMove(f"a message has 1 to {LONGEST} characters, and not {len(text)}")
        return text

    def advance(self, state, moves, rng):
        ((agent, move),) = moves.items()
        inner = state.inner
        if agent == "assistant" and not isinstance(move, str):
            if move is None:
                return state._replace(inner=inner._replace(left=inner.left - 1))
            return state._replace(inner=done(inner, move))
        if move is None:  # an invalid reply
            move = "..."
        talk = (*state.talk, (agent, move))
        if agent == "assistant":
            inner = inner._replace(left=inner.left - 1)
        else:
            inner = _shown(inner, talk)
        other = AGENTS[agent == "user"]
        return state._replace(inner=inner, talk=talk, floor=other, ended=STOP in move)

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        if agent == "user":
            return (
                "You want something done at a computer that you do not see; an assistant sits "
                "there. Say what you want, in your own words, and answer what you are asked. The "
                f"task done earns 1. To give up, write {STOP}."
            )
        how = HOW.format(self.coordinates.describe())
        return (
            f"{how} What is to be done, a user tells you in a chat, "
            'of which the screen shows the last message; you answer with say("text"). The task '
            "done earns 1, anything else nothing."
        )

    def brief(self, view, agent):
        return f"Your wish: {view.goal}" if agent == "user" else ""

    def describe(self, view, agent):
        talk = "\n".join(prefix_speaker(speaker, text) for speaker, text in view.talk) or SILENT
        if view.inner is None:
            return talk
        return f"{talk}\n\n{described(view.inner.page, view.inner.ui, self.coordinates)}"

    def tell(self, before, moves, after):
        new = [Message((AGENTS[speaker == "user"],), speaker, text)
               for speaker, text in after.talk[len(before.talk):]]  # fmt: skip
        if after.inner.score is not None:
            new.append(Message(None, "game", "Done." if after.inner.score else "Wrong."))
        return new

    def picture(self, view, agent):
        if view.inner is not None:
            inner = view.inner
            return drawn(inner.page, inner.ui, self.refs, self.look, screen=inner.layout.screen)
        return Chat(view.talk, agent or "", seats=AGENTS) if view.talk else Terminal(SILENT)

    def report(self, state):
        question_count = sum(speaker == "assistant" for speaker, _ in state.talk)
        return {
            "done": bool(state.inner.score),
            "family": state.inner.family,
            "asked": question_count,
        }


def chosen(names, known=tuple(families.REGISTER)):
    """Return the families named in a string, joined by "+"."""
    selection = tuple(names.split("+")) if isinstance(names, str) else ()
    if not selection or not set(selection) <= set(known):
        raise ValueError(
            f"family={names!r}: expected one or more of {', '.join(known)}, joined by +"
        )
    return selection


def spoken(text):
    """Return the message of a reply to the user, or None if the reply is an action."""
    text = text.strip().rpartition("Action:")[2].strip()
    if text.startswith("{"):
        try:
            call = json.loads(text)
        except (ValueError, RecursionError):
            return None
        arguments = (
            call.get("arguments", call.get("input", call)) if isinstance(call, dict) else call
        )
        if isinstance(arguments, dict) and "say" in (call.get("name"), arguments.get("action")):
            return str(arguments.get("text", ""))
        return None
    match = _SAY.fullmatch(text)
    if match is None:
        return None
    return (match[1] or match[2] or "").replace("\\n", "\n").replace('\\"', '"')


def _shown(inner, talk):
    """Return the screen with the user's last message at its top."""
    message = next((text for speaker, text in reversed(talk) if speaker == "user"), "")
    strip = f"User: {message}" if message else SILENT
    room = inner.layout.screen[0] - 2 * EDGE
    lines = text_metrics.wrap_to_width(strip, inner.type, room)
    if len(lines) > LINES:
        strip = " ".join(
            [
                *lines[: LINES - 1],
                text_metrics.truncate_to_width(lines[LINES - 1] + "…", inner.type, room),
            ]
        )
    inner = inner._replace(strip=strip)
    return inner._replace(page=page(inner))
