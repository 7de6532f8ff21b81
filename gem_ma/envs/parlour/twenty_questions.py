"""Twenty questions: by yes-no questions, one agent finds the thing that the other has in mind."""

from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.parlour.things import THING_WORDS, THINGS, TRUE_OF, asked, named
from gem_ma.game import Game, InvalidMove, Maybe, Message, clip_repr, parse_choice
from gem_ma.scene import WebPage

ASKER, ANSWERER = AGENTS = ("asker", "answerer")
QUESTIONS = tuple(TRUE_OF)
ANSWERS = ("yes", "no")
SILENCE = "silence"
SIGNS = {"yes": "+", "no": "-", SILENCE: "~"}  # earlier answers in the picture
NEWEST = 10  # questions that the picture shows in full
SHORT = {question: phrases[0].strip() for question, phrases in THING_WORDS.items()}
GUESSES = {f"Is it {'an' if t[0] in 'aeiou' else 'a'} {t}?": t for t in THINGS}


class Question(NamedTuple):
    about: str  # a question of QUESTIONS, or a thing
    text: str  # the words of the asker

    def __str__(self):
        return self.text


class State(NamedTuple):
    secret: str | None  # None: hidden
    left: int  # questions left
    asked: tuple[tuple[str, str], ...] = ()  # (question or thing, answer) pairs
    open: Maybe[str] = None  # the question to be answered
    found: bool = False

    def to_act(self):
        if self.open:
            return (ANSWERER,)
        return (ASKER,) if self.left and not self.found else ()

    def returns(self):
        return dict.fromkeys(AGENTS, 1.0 if self.found else 0.0)

    def seen_by(self, agent):
        return self if agent == ANSWERER else self._replace(secret=None)

    def legal(self, agent):
        if agent == ANSWERER:
            return (self.truth(),)
        past_questions = {about for about, _ in self.asked}
        guesses = [text for text, thing in GUESSES.items() if thing not in past_questions]
        return (*[q for q in QUESTIONS if q not in past_questions], *guesses)

    def truth(self):
        return "yes" if self.secret in TRUE_OF[self.open] else "no"

    def ask(self, about):
        after = self._replace(left=self.left - 1)
        if about is None:  # a lost turn
            return after
        if about in TRUE_OF:
            return after._replace(open=about)
        is_right = about == self.secret
        return after._replace(asked=(*self.asked, (about, ANSWERS[not is_right])), found=is_right)

    def answer(self, answer):
        return self._replace(asked=(*self.asked, (self.open, answer or SILENCE)), open=None)


class TwentyQuestions(Game[State]):
    """One agent answers yes or no, and both win if the other names its thing in time.

    Args:
        questions: how many the asker has, guesses included.
    """

    agents = AGENTS
    moves = (*QUESTIONS, *GUESSES, *ANSWERS)

    def __init__(self, questions: int = 20):
        if questions < 1:
            raise ValueError(f"questions={questions}: expected 1 or more")
        self.questions = questions

    def start(self, rng, options):
        return State(THINGS[int(rng.integers(len(THINGS)))], self.questions)

    def read(self, text, view, agent):
        if agent == ANSWERER:
            answer = parse_choice(text, ANSWERS)
            if answer != view.truth():
                raise InvalidMove(f"{answer} is not true of a {view.secret}: {view.open}")
            return answer
        about = named(text, THINGS) or asked(text, THING_WORDS)
        if any(about == past_question for past_question, _ in view.asked):
            raise InvalidMove(f"{clip_repr(about)} was asked already")
        return Question(about, text)

    def advance(self, state, moves, rng):
        ((agent, move),) = moves.items()
        return state.answer(move) if agent == ANSWERER else state.ask(move and move.about)

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((agent, move),) = moves.items()
        if move is None:
            return [Message(None, "game", f"{agent} lost its turn.")]
        messages = [Message(None, agent, str(move))]
        if after.open:
            messages.append(Message(None, "game", f"The question is: {after.open}"))
        elif agent == ASKER:
            verdict = "Found" if after.found else "Not found"
            messages.append(Message(None, "game", f"{verdict}: {move.about}."))
        if not after.to_act() and not after.found:
            messages.append(Message(None, "game", f"No question is left. It was: {before.secret}."))
        return messages

    def rules(self, agent):
        role = (
            "You are the asker: reply with a question, in words like those below, or with a guess "
            "such as: Is it a cat? A guess counts as a question."
            if agent == ASKER
            else "You are the answerer and know the thing: reply to each question with yes or no. "
            "Only the truth is taken."
        )
        return (
            "You are playing Twenty Questions, a game of two who win or lose together. The "
            "answerer has one of the things below in mind; the asker has to name it within "
            f"{self.questions} questions. {role}\n"
            f"Questions: {' '.join(QUESTIONS)}\n"
            f"Things: {', '.join(THINGS)}."
        )

    def describe(self, view, agent):
        secret_text = f"Thing: {view.secret}. " if view.secret else ""
        lines = [f"{secret_text}Questions left: {view.left}."]
        lines += [f"{about} {answer}" for about, answer in view.asked]
        if view.open:
            lines.append(view.open)
        return "\n".join(lines)

    def picture(self, view, agent):
        """Draw a page with the newest questions in full and one word for each earlier one."""
        earlier_count = len(view.asked) - NEWEST
        earlier = [
            SIGNS[answer] + SHORT.get(about, about) for about, answer in view.asked[:earlier_count]
        ]
        lines = [" ".join(earlier)] if earlier_count > 0 else []
        for number, (about, answer) in enumerate(
            view.asked[max(0, earlier_count) :], max(0, earlier_count) + 1
        ):
            lines.append(f"{number}. {about} {answer}")
        thing = f"The thing: {view.secret}" if view.secret else "What is the thing?"
        status = [f"Open: {view.open}"] if view.open else []
        status.append(f"Questions left: {view.left}")
        return WebPage(thing, tuple(lines), status=tuple(status))

    def encode(self, view, agent):
        """Return the answer per topic (1 yes, 0.5 no, 0.25 open), the thing, and what is left."""
        topics = (*QUESTIONS, *THINGS)
        row = np.zeros(len(topics) + len(THINGS) + 1, np.float32)
        for about, answer in view.asked:
            row[topics.index(about)] = {"yes": 1.0, "no": 0.5}.get(answer, 0.25)
        if view.open:
            row[topics.index(view.open)] = 0.25
        if view.secret:
            row[len(topics) + THINGS.index(view.secret)] = 1
        row[-1] = (view.left + 1) / (self.questions + 1)
        return row


env, parallel_env, raw_env = make_env_functions(__name__)
