"""Guess who: two agents question each other in turn; the first to name the other's person wins."""

from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.parlour.things import PEOPLE, PEOPLE_WORDS, TRUE_OF_PEOPLE, asked, named
from gem_ma.game import Game, InvalidMove, Maybe, Message, clip_repr, parse_choice
from gem_ma.scene import SKIN, Grid, Tile

AGENTS = ("first", "second")
QUESTIONS = tuple(TRUE_OF_PEOPLE)
ANSWERS = ("yes", "no")
SILENCE = "no answer"
GUESSES = {f"Is it {name}?": name for name in PEOPLE}
WIDE, WIDER, MANY = 6, 8, 10  # faces per row of the picture, WIDER from MANY answers on
HAIR = {f"{c} hair": c for c in ("black", "brown", "red", "white")} | {"blond hair": "yellow"}
SIGNS = {"yes": "+", "no": "-", SILENCE: "~"}  # how answers appear below the picture
SHORT = {question: phrases[0].strip() for question, phrases in PEOPLE_WORDS.items()}


def _face(name):
    """Return the shapes of a face, from back to front."""
    looks = _looks(name)
    hair_look = next((look for look in HAIR if look in looks), "")
    hair = HAIR[hair_look] if hair_look else "gray", *([hair_look] if hair_look else [])
    long, curly, woman = "long hair" in looks, "curly hair" in looks, "woman" in looks
    parts = (
        (long, "long hair", *hair),
        (curly, "curls", *hair),
        (True, "shoulders", "purple" if woman else "blue"),
        ("tie" in looks, "collar", "white"),
        (True, "head", SKIN),
        ("beard" in looks, "beard", *hair),
        (True, "nose", "brown"),
        ("freckles" in looks, "freckles", "red"),
        ("moustache" in looks, "moustache", *hair),
        (True, "smile" if "smiling" in looks else "mouth", "red" if woman else "black"),
        (woman, "lashes", "black"),
        (True, "eyes", "white"),
        ("blue eyes" in looks, "pupils", "blue", "blue eyes"),
        ("blue eyes" not in looks, "pupils", "black"),
        (not woman, "brows", "black"),
        (long, "fringe", *hair),
        (curly, "curly hair", *hair),
        (not (long or curly or "bald" in looks), "hair", *hair),
        ("glasses" in looks, "glasses", "black"),
        ("earrings" in looks, "earrings", "yellow"),
        ("scarf" in looks, "scarf", "orange"),
        ("tie" in looks, "tie", "red"),
        ("hat" in looks, "brimmed hat", "green"),
        ("hat" in looks, "hat band", "black"),
    )
    return tuple(tuple(part) for is_shown, *part in parts if is_shown)


def _looks(name):
    return [SHORT[question] for question, people in TRUE_OF_PEOPLE.items() if name in people]


CROSSED = {"ground": "gray", "name": "ruled out by the answers to you"}
TILES = (
    *[(name, Tile(text=name, parts=_face(name))) for name in PEOPLE],
    *[
        (f"{name} out", Tile(text=name, parts=(("crossed", "black"), *_face(name)), **CROSSED))
        for name in PEOPLE
    ],
    ("", Tile()),
)


class Question(NamedTuple):
    about: str  # a question of QUESTIONS, or a person
    text: str  # the words of the seat

    def __str__(self):
        return self.text


class State(NamedTuple):
    people: tuple[str | None, str | None]  # each seat's own person, None: hidden
    left: int  # questions left, of both seats together
    turn: int = 0  # index of the seat whose question it is
    asked: tuple[tuple[tuple[str, str], ...], ...] = ((), ())  # question and answer, by asker
    open: Maybe[str] = None  # the question to be answered
    winner: str | None = None

    def to_act(self):
        if self.winner or (not self.left and not self.open):
            return ()
        return (AGENTS[1 - self.turn if self.open else self.turn],)

    def returns(self):
        if self.winner is None:
            return dict.fromkeys(AGENTS, 0.0)
        return {a: 1.0 if a == self.winner else -1.0 for a in AGENTS}

    def seen_by(self, agent):
        if not self.to_act():
            return self
        first, second = self.people
        return self._replace(people=(first, None) if agent == AGENTS[0] else (None, second))

    def legal(self, agent):
        if self.open:
            return (self.truth(),)
        past_questions = {about for about, _ in self.asked[self.turn]}
        guesses = [text for text, name in GUESSES.items() if name not in self.people]
        return (*[q for q in QUESTIONS if q not in past_questions], *guesses)

    def truth(self):
        """Return the true answer to the open question."""
        return "yes" if self.people[1 - self.turn] in TRUE_OF_PEOPLE[self.open] else "no"

    def ask(self, about):
        after = self._replace(left=self.left - 1)
        if about is None:  # a lost turn
            return after._replace(turn=1 - self.turn)
        if about in TRUE_OF_PEOPLE:
            return after._replace(open=about)
        right = about == self.people[1 - self.turn]
        return after._replace(winner=AGENTS[self.turn if right else 1 - self.turn])

    def answer(self, answer):
        histories = list(self.asked)
        histories[self.turn] = (*histories[self.turn], (self.open, answer or SILENCE))
        return self._replace(asked=tuple(histories), open=None, turn=1 - self.turn)


class GuessWho(Game[State]):
    """Two seats ask about each other's person; the game is a draw when no questions are left.

    Args:
        questions: how many each seat may ask.
    """

    agents = AGENTS
    moves = (*QUESTIONS, *GUESSES, *ANSWERS)
    zero_sum = True

    def __init__(self, questions: int = 20):
        if questions < 1:
            raise ValueError(f"questions={questions}: expected 1 or more")
        self.questions = questions

    def start(self, rng, options):
        first, second = rng.choice(len(PEOPLE), 2, replace=False)
        return State((PEOPLE[first], PEOPLE[second]), 2 * self.questions)

    def read(self, text, view, agent):
        if view.open:
            answer = parse_choice(text, ANSWERS)
            if answer != view.truth():
                raise InvalidMove(f"{answer} is not true of your person: {view.open}")
            return answer
        name = named(text, PEOPLE)
        if name in view.people and name:
            raise InvalidMove(f"{name} is your own person; the other has another one")
        about = name or asked(text, PEOPLE_WORDS)
        if any(about == past_question for past_question, _ in view.asked[view.turn]):
            raise InvalidMove(f"you asked {clip_repr(about)} already")
        return Question(about, text)

    def advance(self, state, moves, rng):
        ((_, move),) = moves.items()
        return state.answer(move) if state.open else state.ask(move and move.about)

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((agent, move),) = moves.items()
        if move is None:
            messages = [Message(None, "game", f"{agent} lost its turn.")]
        else:
            messages = [Message(None, agent, str(move))]
        if after.open:
            messages.append(Message(None, "game", f"The question is: {after.open}"))
        if not after.to_act():
            if after.winner:
                right = "right" if after.winner == agent else "wrong"
                text = f"{agent} guesses {move.about}, which is {right}: {after.winner} wins."
            else:
                text = "No question is left: nobody wins."
            messages.append(Message(None, "game", text))
        return messages

    def rules(self, agent):
        table = "\n".join(f"{name}: {', '.join(_looks(name))}" for name in PEOPLE)
        return (
            f"You are playing Guess Who as {agent}; first begins. Each of the two players first "
            "and second has one of the people below, two different ones, which only that player "
            "knows. In turn you ask a question about the other's person, in words like those "
            "below, and the other replies with yes or no; only the truth is taken. Instead of a "
            "question you may guess, for example: Is it Ada? Whoever guesses right wins, whoever "
            f"guesses wrong loses. After {self.questions} questions each nobody wins.\n"
            f"Questions: {' '.join(QUESTIONS)}\n{table}"
        )

    def describe(self, view, agent):
        lines = []
        for name, person, history in zip(AGENTS, view.people, view.asked, strict=True):
            history_text = ", ".join(f"{SHORT[about]} {answer}" for about, answer in history)
            lines.append(f"{name} has {person or '?'} and asked: {history_text or 'nothing'}.")
        lines.append(f"Questions left: {view.left}.")
        return "\n".join([*lines, self.asks(view)])

    def asks(self, view):
        """Return the kind of reply that the game waits for."""
        if view.open:
            return f"Open: {view.open}"
        if view.to_act():
            return f"To ask: {AGENTS[view.turn]}"
        return f"Winner: {view.winner or 'nobody'}"

    def picture(self, view, agent):
        """Draw all faces, with a cross over those that the answers to this seat rule out."""
        seat = AGENTS.index(agent) if agent else view.turn
        wide = WIDE if sum(map(len, view.asked)) < MANY else WIDER
        faces = [
            name if name in view.people or _fits(name, view.asked[seat]) else f"{name} out"
            for name in PEOPLE
        ]
        faces += [""] * (-len(faces) % wide)
        rows = tuple(tuple(faces[i : i + wide]) for i in range(0, len(faces), wide))
        marks = [divmod(PEOPLE.index(person), wide) for person in view.people if person]
        status = []
        for name, person, history in zip(AGENTS, view.people, view.asked, strict=True):
            history_text = " ".join(SIGNS[answer] + SHORT[about] for about, answer in history)
            status.append(f"{name} ({person or '?'}) asked {history_text or 'nothing'}")
        status.append(f"{self.asks(view)} ({view.left} left)")
        return Grid(rows, TILES, tuple(marks), status=tuple(status))

    def encode(self, view, agent):
        """Return each seat's answers (1 yes, 0.5 no, 0.25 open) and its person, own seat first."""
        rows = np.zeros((2, len(QUESTIONS) + len(PEOPLE)), np.float32)
        for seat, (person, history) in enumerate(zip(view.people, view.asked, strict=True)):
            row = rows[seat if agent == AGENTS[0] else 1 - seat]
            for about, answer in history:
                row[QUESTIONS.index(about)] = {"yes": 1.0, "no": 0.5}.get(answer, 0.25)
            if view.open and seat == view.turn:
                row[QUESTIONS.index(view.open)] = 0.25
            if person:
                row[len(QUESTIONS) + PEOPLE.index(person)] = 1
        return rows


def _fits(name, known):
    """Return whether a person agrees with all these answers."""
    facts = [(about, answer) for about, answer in known if answer in ANSWERS]
    return all((name in TRUE_OF_PEOPLE[about]) == (answer == "yes") for about, answer in facts)


env, parallel_env, raw_env = make_env_functions(__name__)
