"""What assistants of shops and airlines share: hearing wishes, and asking until they know."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from gem_ma.envs.tau.agents.assistants.flow import Flow
from gem_ma.envs.tau.agents.assistants.reading import SENTENCE

Found = TypeVar("Found")
ELSE = "Is there anything else?"
_QUESTION = re.compile(
    r"\?|\b(?:know|how|what|which|wonder|tracking|total|price|figure out|check|question|tell me)\b",
    re.I,
)
_YES = re.compile(r"yes\b", re.I)
_NO = re.compile(r"no\b", re.I)


class Task(NamedTuple):
    """What an informed assistant knows of a task."""

    needs: tuple[str, ...]  # the tools that make its changes, in order
    owed: tuple[str, ...]  # what it has to say


class Heard(NamedTuple):
    """A sentence of the user, and where in the talk it stands."""

    turn: int
    text: str


class Desk:
    """One talk: what was heard, and what is still to be done."""

    sounds: Mapping[str, re.Pattern[str]]  # of a wish for each tool
    last: tuple[str, ...] = ()  # tools after which others fail

    def __init__(self, task: Task, first: str):
        self.left = list(task.needs)
        self.owed = list(task.owed)
        self.heard = [first]
        self.used: set[tuple[str, Heard]] = set()  # what was tried with which tool

    def serve(self) -> Flow:
        """Do all that is asked for and needed, then ask for more, without end."""
        yield from self.greet()
        while True:
            found = self.next_wish()
            if found is not None:
                tool, wish = found
                self.used.add(found)
                done = yield from self.do(tool, wish.text)
                if done:
                    self.left.remove(tool)
                    self.used |= {(other, wish) for other in self.sounds}
                    yield from self.say(f"That is done. {self._told()}{ELSE}")
            elif self.owed and any(map(_QUESTION.search, self.heard)):
                yield from self.say(f"{self._told()}{ELSE}")
            elif self.left:
                yield from self.say("I am sorry, that I cannot do. What else can I do for you?")
            else:
                yield from self.say(f"I am sorry, more I cannot do. {ELSE}")

    def _told(self) -> str:
        """Return what it owes, once the user has asked for something."""
        if not self.owed or not any(map(_QUESTION.search, self.heard)):
            return ""
        told, self.owed = ", ".join(self.owed), []
        return f"Here is what you asked for: {told}. "

    def greet(self) -> Flow:
        """Find out who it is."""
        raise NotImplementedError

    def do(self, tool: str, wish: str) -> Flow:
        """Make a change; return whether it was made."""
        raise NotImplementedError

    def next_wish(self) -> tuple[str, Heard] | None:
        """Return the first tool that is needed and asked for, and the sentence that does so."""
        for tool in sorted(dict.fromkeys(self.left), key=self.last.__contains__):
            for one in self.sentences():
                if (tool, one) not in self.used and self.sounds[tool].search(one.text):
                    return tool, one
        return None

    def sentences(self) -> Iterator[Heard]:
        for turn, text in enumerate(self.heard):
            for one in SENTENCE.split(text):
                yield Heard(turn, one)

    def say(self, text: str) -> Flow:
        """Say something, and return what the user answers."""
        answer = yield text
        self.heard.append(answer)
        return answer

    def ask(self, question: str, find: Callable[[str], Found | None], text: str = "") -> Flow:
        """Return what is found in a text, or in an answer to a question asked until then."""
        found = find(text) if text else None
        for _ in range(5):
            if found is not None:
                return found
            answer = yield from self.say(question)
            found = find(answer)
        return found

    def sure(self, what: str) -> Flow:
        """Return whether the user wants it so."""
        for _ in range(3):
            answer = yield from self.say(f"I will {what}. Shall I proceed?")
            if _YES.match(answer):
                return True
            if _NO.match(answer):
                return False
        return False


def read(text: str) -> Any:
    """Return what a tool answered, or an empty object where it failed."""
    try:
        return json.loads(text)
    except ValueError:
        return {}
