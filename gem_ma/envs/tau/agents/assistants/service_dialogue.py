"""The common dialogue of assistants in shops and airlines: find wishes, and ask for details."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from gem_ma.envs.tau.agents.assistants.customer_records import SENTENCE_BREAK
from gem_ma.envs.tau.agents.assistants.dialogue_flow import DialogueFlow

Found = TypeVar("Found")
ELSE_QUESTION = "Is there anything else?"
_QUESTION = re.compile(
    r"\?|\b(?:know|how|what|which|wonder|tracking|total|price|figure out|check|question|tell me)\b",
    re.I,
)
_YES_WORD = re.compile(r"yes\b", re.I)
_NO_WORD = re.compile(r"no\b", re.I)


class TaskKnowledge(NamedTuple):
    """The part of a task that an informed assistant knows."""

    needs: tuple[str, ...]  # tools of the required changes, in order
    owed: tuple[str, ...]  # required outputs


class UserSentence(NamedTuple):
    """A sentence of the user, and its turn."""

    turn: int
    text: str


class ServiceDialogue:
    """One conversation: the user's messages, and the changes that are left to make."""

    wish_patterns: Mapping[str, re.Pattern[str]]  # pattern of a wish for each tool
    last: tuple[str, ...] = ()  # tools to call last, because others fail after them

    def __init__(self, task: TaskKnowledge, first: str):
        self.left = list(task.needs)
        self.owed = list(task.owed)
        self.heard = [first]
        self.tried_wishes: set[tuple[str, UserSentence]] = set()  # (tool, sentence) pairs

    def serve(self) -> DialogueFlow:
        """Make all changes that are requested and required; then ask for more, without end."""
        yield from self.identify_user()
        while True:
            next_wish = self.find_next_wish()
            if next_wish is not None:
                tool, wish = next_wish
                self.tried_wishes.add(next_wish)
                done = yield from self.grant_wish(tool, wish.text)
                if done:
                    self.left.remove(tool)
                    self.tried_wishes |= {(other, wish) for other in self.wish_patterns}
                    yield from self.say(f"That is done. {self._report_owed()}{ELSE_QUESTION}")
            elif self.owed and any(map(_QUESTION.search, self.heard)):
                yield from self.say(f"{self._report_owed()}{ELSE_QUESTION}")
            elif self.left:
                yield from self.say("I am sorry, that I cannot do. What else can I do for you?")
            else:
                yield from self.say(f"I am sorry, more I cannot do. {ELSE_QUESTION}")

    def _report_owed(self) -> str:
        """Return the required outputs once the user has asked a question, or ""."""
        if not self.owed or not any(map(_QUESTION.search, self.heard)):
            return ""
        answers, self.owed = ", ".join(self.owed), []
        return f"Here is what you asked for: {answers}. "

    def identify_user(self) -> DialogueFlow:
        """Find out who the user is."""
        raise NotImplementedError

    def grant_wish(self, tool: str, wish: str) -> DialogueFlow:
        """Make a change; return whether it was made."""
        raise NotImplementedError

    def find_next_wish(self) -> tuple[str, UserSentence] | None:
        """Return the next required tool that the user asks for, with the sentence, or None."""
        for tool in sorted(dict.fromkeys(self.left), key=self.last.__contains__):
            for one in self.list_sentences():
                if (tool, one) not in self.tried_wishes and self.wish_patterns[tool].search(
                    one.text
                ):
                    return tool, one
        return None

    def list_sentences(self) -> Iterator[UserSentence]:
        for turn, text in enumerate(self.heard):
            for one in SENTENCE_BREAK.split(text):
                yield UserSentence(turn, one)

    def say(self, text: str) -> DialogueFlow:
        """Send a message, and return the user's answer."""
        answer = yield text
        self.heard.append(answer)
        return answer

    def ask(
        self, question: str, find: Callable[[str], Found | None], text: str = ""
    ) -> DialogueFlow:
        """Return the value found in `text`, or in one of up to 5 answers to the question."""
        value = find(text) if text else None
        for _ in range(5):
            if value is not None:
                return value
            answer = yield from self.say(question)
            value = find(answer)
        return value

    def confirm(self, what: str) -> DialogueFlow:
        """Return whether the user agrees to an action."""
        for _ in range(3):
            answer = yield from self.say(f"I will {what}. Shall I proceed?")
            if _YES_WORD.match(answer):
                return True
            if _NO_WORD.match(answer):
                return False
        return False


def parse_tool_result(text: str) -> Any:
    """Return the JSON of a tool's answer, or {} if it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return {}
