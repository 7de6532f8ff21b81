"""Games of two agents over any task: proposer and solver, solver and critic, or a debate.

`roles_ids` looks up their ids.
"""

from typing import NamedTuple

from gem_ma.envs import registry
from gem_ma.envs.game_factory import make_game
from gem_ma.envs.tasks.question import AGENT, Grade, Task
from gem_ma.envs.tasks.question import State as Asked
from gem_ma.game import Game, InvalidMove, Maybe, Message, clip_repr, parse_choice
from gem_ma.validation.json_types import JSONMapping

LONGEST = 4_000  # characters of a message
WORDS = ("I am sure of it.", "I am not sure.")  # for random play


class State(NamedTuple):
    seats: tuple[str, ...]
    turns: tuple[tuple[str, ...], ...]  # the seats that act in each turn; the last is an answer
    asked: tuple[Asked, ...]  # the question, or several to choose from
    chosen: Maybe[int] = None
    said: tuple[tuple[str, str], ...] = ()  # (seat, words), in order
    turn: int = 0
    paid: tuple[float, ...] = (0.0, 0.0)
    over: bool = False

    def to_act(self):
        return () if self.over else self.turns[self.turn]

    def returns(self):
        return dict(zip(self.seats, self.paid, strict=True))

    def seen_by(self, agent):
        return self._replace(asked=tuple([question.seen_by(agent) for question in self.asked]))

    def after(self, moves, **changed):
        messages = (*self.said, *((seat, move) for seat, move in moves.items() if move is not None))
        return self._replace(said=messages, turn=self.turn + 1, **changed)


class Roles(Game[State]):
    """A game of two agents over a task.

    Args:
        task: the id of the task.
        arguments: the arguments of the task; None: its defaults.
    """

    oracle = True
    reset_options = ("index",)

    def __init__(self, task: str = "math:Mini", arguments: JSONMapping | None = None):
        spec = registry.spec(task)
        game, _ = make_game(spec, arguments or {}, beside=spec.kwargs)
        if not isinstance(game, Task):
            raise ValueError(f"task={task!r}: expected the id of a task, such as math:Mini")
        self.task, self.blocking, self.size = game, game.blocking, game.size

    def ask(self, rng, options, many=1):
        return tuple([self.task.start(rng, options if many == 1 else {}) for _ in range(many)])

    def grade(self, state, answer):
        """Grade an answer to the chosen question."""
        if answer is None:
            return Grade(0.0)
        return self.task.grade(answer, self.task.item(state.asked[state.chosen].index))

    def answers(self, view, agent):
        """Return whether this seat has to give an answer now, and not a message."""
        raise NotImplementedError

    def read(self, text, view, agent):
        if len(text) > LONGEST:
            raise InvalidMove(
                f"say it in {LONGEST} characters; {clip_repr(text, 20)} has {len(text)}"
            )
        if self.answers(view, agent):
            return self.task.read(text, view.asked[view.chosen], AGENT)
        if not text:
            raise InvalidMove("the reply is empty")
        return text

    def skip(self, view, agent):
        return None

    def describe(self, view, agent):
        lines = []
        if view.chosen is None:
            lines += [f"Question {i}: {item.question}" for i, item in enumerate(view.asked, 1)]
        else:
            lines.append(self.task.describe(view.asked[view.chosen], agent and AGENT))
            lines += [str(Message(None, seat, words)) for seat, words in view.said]
        if agent is not None and not view.over and agent in view.to_act():
            lines.append(self.due(view, agent))
        return "\n".join(lines)

    def due(self, view, agent):
        """Return the sentence that says what this seat has to do now."""
        raise NotImplementedError

    def brief(self, view, agent):
        return "" if view.chosen is None else self.task.brief(view.asked[view.chosen], AGENT)

    def picture(self, view, agent):
        return None if view.chosen is None else self.task.picture(view.asked[view.chosen], AGENT)

    def tell(self, before, moves, after):
        return ()  # `describe` has all messages

    def report(self, state):
        question = state.asked[state.chosen or 0]
        return {"index": question.index, "answer": question.answer}


class ProposerAndSolver(Roles):
    """A game in which one agent picks a question that is hard for the other, but solvable."""

    agents = ("proposer", "solver")

    def __init__(
        self,
        task: str = "math:Mini",
        arguments: JSONMapping | None = None,
        choices: int = 3,
    ):
        super().__init__(task, arguments)
        if choices < 1:
            raise ValueError(f"choices={choices}: expected 1 or more questions")
        self.choices = choices

    def start(self, rng, options):
        turns = (("proposer",), ("solver",), ("solver",))
        return _Proposed(self.agents, turns, self.ask(rng, options, self.choices))

    def answers(self, view, agent):
        return agent == "solver"

    def read(self, text, view, agent):
        if agent == "proposer":
            return parse_choice(text, view.legal(agent))
        return super().read(text, view, agent)

    def advance(self, state, moves, rng):
        ((seat, move),) = moves.items()
        if seat == "proposer":
            return state.after({}, chosen=int(move or 1) - 1)
        right = self.grade(state, move).score >= 1
        first = state.turn == 1
        payoffs = (float(right and not first), float(right))
        return state.after(moves, paid=payoffs, over=right or not first)

    def rules(self, agent):
        payment = (
            "The solver earns 1 for a right answer, at the first or the second try. The proposer "
            "earns 1 if the second try is right and the first was not: pick a question that is "
            "hard, but not too hard."
        )
        if agent == "proposer":
            return f"You propose one of several questions to a solver. {payment}"
        return f"A proposer has picked a question for you. {payment} {self.task.about}"

    def due(self, view, agent):
        if agent == "proposer":
            return "Reply with the number of the question to propose."
        return "Answer the question." if view.turn == 1 else "That is wrong. Answer again."


class _Proposed(State):
    __slots__ = ()

    def legal(self, agent):
        if self.chosen is None:
            return tuple(map(str, range(1, len(self.asked) + 1)))
        return self.asked[self.chosen].legal(AGENT)


class _Spoken(State):
    __slots__ = ()

    def legal(self, agent):
        last = self.turn == len(self.turns) - 1
        if last or (self.turn == 0 and agent == "solver"):
            return self.asked[self.chosen].legal(AGENT)
        return WORDS


class SolverAndCritic(Roles):
    """A game in which one agent answers, the other criticises, and the first answers again."""

    agents = ("solver", "critic")

    def start(self, rng, options):
        turns = (("solver",), ("critic",), ("solver",))
        return _Spoken(self.agents, turns, self.ask(rng, options), chosen=0)

    def answers(self, view, agent):
        return agent == "solver"

    def advance(self, state, moves, rng):
        if state.turn < 2:
            return state.after(moves)
        score = self.grade(state, moves["solver"]).score
        return state.after(moves, paid=(score, score), over=True)

    def rules(self, agent):
        both = (
            "A solver answers a question, a critic who does not know the answer either says "
            "whether it looks right and what is wrong with it, and the solver answers once more. "
            "Both earn what the last answer is worth: 1 if it is right."
        )
        if agent == "critic":
            return f"{both} You are the critic. Reply with your criticism."
        return f"{both} You are the solver. {self.task.about}"

    def due(self, view, agent):
        if agent == "critic":
            return "Say what you think of the answer."
        return "Answer the question." if view.turn == 0 else "Give your last answer."


class Debate(Roles):
    """A game in which two agents argue, then answer at once, and the grader rewards the right."""

    agents = ("first", "second")
    zero_sum = True

    def __init__(
        self,
        task: str = "math:Mini",
        arguments: JSONMapping | None = None,
        rounds: int = 2,
    ):
        super().__init__(task, arguments)
        if rounds < 0:
            raise ValueError(f"rounds={rounds}: expected 0 or more")
        self.rounds = rounds

    def start(self, rng, options):
        turns = (*((seat,) for _ in range(self.rounds) for seat in self.agents), self.agents)
        return _Spoken(self.agents, turns, self.ask(rng, options), chosen=0)

    def answers(self, view, agent):
        return view.turn == len(view.turns) - 1

    def advance(self, state, moves, rng):
        if state.turn < len(state.turns) - 1:
            return state.after(moves)
        first, second = (self.grade(state, moves[seat]).score for seat in self.agents)
        return state.after(moves, paid=(first - second, second - first), over=True)

    def rules(self, agent):
        return (
            f"You are {agent} in a debate about a question. You and the other speak in turn, "
            f"{self.rounds} times each, in plain words; you may convince or mislead. Then both "
            "answer at the same time. If one answer is right and the other wrong, the right one "
            f"wins 1 and the other loses 1; else both get 0. {self.task.about}"
        )

    def due(self, view, agent):
        if self.answers(view, agent):
            return "Give your answer."
        return "Speak."
