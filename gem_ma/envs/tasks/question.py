"""The base of all tasks: one agent, one question, and a graded answer."""

import functools
from typing import Any, NamedTuple

import numpy as np

from gem_ma.game import Game, InvalidMove, Message
from gem_ma.scene import Panels, Pixels

AGENT = "player"
LONGEST = 50_000  # characters of an answer


class Item(NamedTuple):
    """One question of a task."""

    question: str
    answer: str  # one right answer, or "" if none is known
    key: Any = None  # the data that answers are graded against
    pictures: tuple[Pixels, ...] = ()


class Grade(NamedTuple):
    score: float
    trouble: str = ""  # why there is no real score, such as "timed out"


NOTHING = Grade(0.0)


class State(NamedTuple):
    question: str
    pictures: tuple[Pixels, ...]
    examples: tuple[str, ...]  # of answers
    index: int | None  # type: ignore[assignment]  # None: hidden, as it leads to the answer
    answer: str | None
    left: int  # tries
    score: float = 0.0
    grader: str = ""  # what went wrong in grading

    def to_act(self):
        return () if self.score >= 1 or not self.left else (AGENT,)

    def returns(self):
        return {AGENT: self.score}

    def seen_by(self, agent):
        question, pictures, examples, _, _, left, score, grader = self
        return State(question, pictures, examples, None, None, left, score, grader)

    def legal(self, agent):
        return self.examples


class Task(Game[State]):
    """A game of `size` questions: `make(index)` returns one as an Item, `grade` grades an answer.

    Attributes:
        about: the rules' text about the questions and the form of an answer.
        examples: answers that are legal for every question, for random play.
    """

    agents = (AGENT,)
    oracle = True
    reset_options = ("index",)
    size: int
    about: str
    examples: tuple[str, ...] = ("0", "1")

    def __init__(self, tries: int = 1):
        """Set how many replies an agent may give to a question."""
        if tries < 1:
            raise ValueError(f"tries={tries}: expected 1 or more")
        self.tries = tries
        # States hold the index, and an item can be made again from it.
        self.item = functools.lru_cache(256)(self.make)

    def make(self, index) -> Item:
        raise NotImplementedError

    def grade(self, answer, item) -> Grade:
        raise NotImplementedError

    def start(self, rng, options):
        """Draw a question, or take number i with options={"index": i}."""
        index = options.get("index")
        if index is None:
            index = int(rng.random() * self.size)
        elif type(index) is not int:
            if isinstance(index, bool) or not isinstance(index, np.integer):
                raise TypeError(f"index={index!r}: expected an int from 0 to {self.size - 1}")
            index = int(index)
        if not 0 <= index < self.size:
            raise ValueError(f"index={index}: this task has the questions 0 to {self.size - 1}")
        question, answer, _, pictures = self.item(index)
        return State(question, pictures, self.examples, index, answer, self.tries)

    def read(self, text, view, agent):
        if not text:
            raise InvalidMove("the reply has no answer")
        if len(text) > LONGEST:
            raise InvalidMove(f"an answer has at most {LONGEST} characters, not {len(text)}")
        return text

    def advance(self, state, moves, rng):
        question, pictures, examples, index, answer, left, best, _ = state
        reply = moves[AGENT]
        score, trouble = NOTHING if reply is None else self.grade(reply, self.item(index))
        best = max(best, score)
        return State(question, pictures, examples, index, answer, left - 1, best, trouble)

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        once = "You have one try" if self.tries == 1 else f"You have {self.tries} tries"
        return f"{self.about} {once}; a right answer earns 1, a wrong one nothing."

    def brief(self, view, agent):
        return f"Question: {view.question}" if view.pictures else ""

    def describe(self, view, agent):
        if not view.pictures:
            text = view.question
        else:  # an image may replace this text, so the question is in `brief`
            sizes = [f"{p.width} x {p.height}" for p in view.pictures]
            text = f"Pictures, shown as images, in pixels: {', '.join(sizes)}."
        if self.tries > 1:
            text += f"\nTries left: {view.left}."
        if agent is None and view.answer:
            text += f"\nAnswer: {view.answer}"
        return text

    def picture(self, view, agent):
        if not view.pictures:
            return None
        if len(view.pictures) == 1:
            return view.pictures[0]
        return Panels(tuple([(str(i), p) for i, p in enumerate(view.pictures, 1)]))

    def tell(self, before, moves, after):
        if after.score >= 1 or not after.left:
            return ()  # the report has the result
        if moves[AGENT] is None:
            text = "No answer."
        elif after.score > before.score:
            text = f"Score: {after.score:.2f}."
        else:
            text = "Wrong."
        return (Message(None, "game", text),)

    def report(self, state):
        report = {"index": state.index, "score": state.score, "right": state.score >= 1}
        if state.answer:
            report["answer"] = state.answer
        if state.grader:
            report["grader"] = state.grader
        return report


def epoch(env, seed, *, part=None):
    """Return the options of `reset` that ask every question of a task once, in seeded order.

    Rollouts take the list as their `options`: each group of episodes uses the next entry, and
    epoch(env, 0) + epoch(env, 1) is two epochs.

    Args:
        env: an environment of a task, or its Game.
        seed: the seed of the order.
        part: (i, n) for the i-th of n machines that share an epoch; None: the whole epoch.
    """
    size = getattr(getattr(env, "unwrapped", env), "game", env).size
    order = np.random.Generator(np.random.PCG64(seed)).permutation(size).tolist()
    if part is not None:
        i, n = part
        if not 0 <= i < n:
            raise ValueError(f"part={part}: expected (i, n) with 0 <= i < n")
        order = order[i::n]
    return [{"index": index} for index in order]
