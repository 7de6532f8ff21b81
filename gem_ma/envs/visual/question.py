"""The base of all visual tasks: one agent, one question about one picture, an exact answer."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from gem_ma.envs import answer_parsing, difficulty_levels
from gem_ma.envs.family_seeding import seed_by_name
from gem_ma.game import Game, Message, parse_choice, parse_number
from gem_ma.validation.json_types import JSONMapping

AGENT = "player"
LEVELS = {"easy": 2, "normal": 5, "hard": 8}  # difficulties from 0 to 10
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
AROUND = ".,:;!?\"'`*$()[]"
BESIDE = {  # words that are ignored in an answer
    *("the", "answer", "is", "it", "option", "exit", "piece", "cell", "time", "letter"),
    *("degrees", "steps", "units", "figure", "angle"),
}


class Question(NamedTuple):
    """One instance of a task: question, right answer, content of the picture, choices."""

    text: str
    answer: str
    shown: Any  # content of both words and picture
    choices: tuple[str, ...]


class State(NamedTuple):
    question: str
    answer: str | None  # None: hidden
    shown: Any
    choices: tuple[str, ...]
    left: int  # remaining tries
    earned: float = 0.0  # by the best reply
    at: Any = None  # the viewpoint, if only a part of `shown` is visible at a time

    def to_act(self):
        return () if self.earned == 1 or not self.left else (AGENT,)

    def returns(self):
        return {AGENT: self.earned}

    def seen_by(self, agent):
        return self._replace(answer=None, shown=seen(self), at=None)

    def legal(self, agent):
        return self.choices


class Task(Game[State]):
    """A task that samples a question (`draw`), and shows its content in words and as a Scene.

    Attributes:
        levels: the arguments of `draw` at each difficulty from 0 to 10.
        about: the rules: what the picture shows, and how to reply.
        has_own_seeds: whether a seed gives it other chances than other families that draw alike.
    """

    agents = (AGENT,)
    oracle = True
    levels: tuple[Any, ...]
    about: str
    pays = "the exact answer earns 1, any other nothing"
    has_own_seeds = False

    def __init__(self, level: str | int | None = "normal", tries: int = 1):
        """Take a level, or None to sample one for each episode, and the number of tries.

        A level is one of LEVELS, or a difficulty from 0 to 10.
        """
        if tries < 1:
            raise ValueError(f"tries={tries}: expected 1 or more")
        self.drawn = select_levels(self.levels, level)
        self.tries = tries

    def draw(self, rng, *level) -> Question:
        raise NotImplementedError

    def words(self, shown) -> str:
        raise NotImplementedError

    def scene(self, shown) -> object:
        raise NotImplementedError

    def start(self, rng, options: JSONMapping):
        if self.has_own_seeds:
            seed_by_name(rng, type(self).__name__)
        return State(*self.draw(rng, *difficulty_levels.sample_level(rng, self.drawn)), self.tries)

    def read(self, text, view, agent):
        """Parse a reply as a choice; if these are numbers, as any number in its shortest form."""
        words = [word for word in text.split() if word.strip(AROUND).casefold() not in BESIDE]
        bare = answer_parsing.strip_answer(" ".join(words) or text)
        if view.choices[0].isdecimal():
            bare = str(parse_number(answer_parsing.normalize_integer(bare)))
            if bare not in (self.moves or ()):  # a wrong answer, and no invalid reply
                return bare
        if view.choices[0] in LETTERS:
            bare = answer_parsing.normalize_option(bare)
        return parse_choice(bare, view.choices)

    def grade(self, answer, said) -> float:
        """Return the reward of a reply, 1 for the right answer."""
        return float(said == answer)

    def advance(self, state, moves, rng):
        reply = moves[AGENT]
        score = 0.0 if reply is None else self.grade(state.answer, reply)
        return state._replace(left=state.left - 1, earned=max(state.earned, score))

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        if after.earned == 1:
            return [Message(None, "game", "Right.")]
        message = "No answer." if moves[AGENT] is None else f"{moves[AGENT]} is wrong."
        if moves[AGENT] is not None and (score := self.grade(before.answer, moves[AGENT])):
            message = f"{moves[AGENT]} earns {score:.2f}."
        left = f" Tries left: {after.left}." if after.left else ""
        return [Message(None, "game", message + left)]

    def rules(self, agent):
        once = "You have one try" if self.tries == 1 else f"You have {self.tries} tries"
        return (
            "You are asked a question about a picture, which you see or read as words. "
            f"{self.about} {once}; {self.pays}."
        )

    def brief(self, view, agent):
        return f"Question: {view.question}"

    def describe(self, view, agent):
        return self.words(seen(view))

    def picture(self, view, agent):
        return self.scene(seen(view))

    def report(self, state):
        return {"answer": state.answer, "right": state.earned == 1}


def select_levels(levels, level: str | int | None) -> tuple[Any, ...]:
    """Return the levels that an argument `level` names; None names those of LEVELS."""
    if isinstance(level, str) and level not in LEVELS:
        raise ValueError(
            f"level={level!r}: expected one of {tuple(LEVELS)}, a number from 0 to "
            f"{difficulty_levels.MAX_DIFFICULTY}, or None to draw one"
        )
    difficulties: Iterable[int] = LEVELS.values()
    if level is not None:
        difficulties = (LEVELS[level] if isinstance(level, str) else level,)
    return tuple([difficulty_levels.select_level(levels, one) for one in difficulties])


def seen(view):
    """Return the visible part of `shown`; a spectator sees no more than the player."""
    return view.shown if view.at is None else view.shown.seen(view.at)


def numbers(most):
    """Return the whole numbers from 0 to `most` as answers."""
    return tuple(map(str, range(most + 1)))


def pick(rng, options):
    """Return one of the options at random."""
    return options[int(rng.integers(len(options)))]


def some(rng, options, many):
    """Return `many` different options in random order."""
    return tuple([options[i] for i in rng.permutation(len(options))[:many].tolist()])
