"""Reference game: a speaker describes the picture it sees; a listener finds it among several."""

import math
from dataclasses import dataclass, replace

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.parlour import pictures
from gem_ma.game import Game, InvalidMove, Maybe, Message, parse_number
from gem_ma.scene import Panels

SPEAKER, LISTENER = AGENTS = ("speaker", "listener")
QUESTION = "Can you tell me more?"


@dataclass(frozen=True, slots=True)
class State:
    pictures: tuple[tuple[str, ...], ...]  # in the listener's order; the speaker sees only one
    target: Maybe[int]  # None: hidden
    rounds: int
    turn: int = 0  # replies so far
    chosen: int | None = None
    right: bool = False

    def to_act(self):
        is_over = self.chosen is not None or self.turn == 2 * self.rounds
        return () if is_over else (AGENTS[self.turn % 2],)

    def returns(self):
        return dict.fromkeys(AGENTS, float(self.right))

    def seen_by(self, agent):
        if agent == LISTENER:
            return replace(self, target=None)
        return replace(self, pictures=(self.pictures[self.target],), target=0)

    def legal(self, agent):
        if agent == SPEAKER:
            return pictures.sentences(self.pictures[self.target])
        numbers = tuple([str(i + 1) for i in range(len(self.pictures))])
        return numbers if self.last_round() else (*numbers, QUESTION)

    def last_round(self):
        return self.turn >= 2 * self.rounds - 2

    def choose(self, picture):
        return replace(self, turn=self.turn + 1, chosen=picture, right=picture == self.target)


class ReferenceGame(Game[State]):
    agents = AGENTS
    unlisted_moves = pictures.FREE_TALK

    def __init__(self, pictures: int = 4, rounds: int = 1, size: int = 3, objects: int = 4):
        if not 2 <= pictures <= 9 or rounds < 1:
            raise ValueError(
                f"pictures={pictures}, rounds={rounds}: expected pictures 2 to 9, rounds at least 1"
            )
        if not 2 <= size <= 5 or not 2 <= objects < size * size:
            raise ValueError(
                f"size={size}, objects={objects}: expected size 2 to 5, objects 2 to "
                "size * size - 1"
            )
        self.pictures, self.rounds, self.size, self.objects = pictures, rounds, size, objects

    def start(self, rng, options):
        """Draw variants of one picture; the original is left out, so that none stands out."""
        base_picture = pictures.scatter(rng, self.size, pictures.objects(rng, self.objects))
        unique_pictures = set()
        order: list[tuple[str, ...]] = []
        while len(order) < self.pictures:
            picture = _vary(rng, base_picture)
            if picture not in unique_pictures:
                unique_pictures.add(picture)
                order.append(picture)
        return State(tuple(order), int(rng.integers(self.pictures)), self.rounds)

    def read(self, text, view, agent):
        if agent == SPEAKER:
            return pictures.message(text)
        try:
            choice = parse_number(text)
        except InvalidMove:
            if view.last_round():
                raise InvalidMove(
                    f"this is the last round: choose a picture, 1 to {self.pictures}"
                ) from None
            return pictures.message(text)
        if not 1 <= choice <= self.pictures:
            raise InvalidMove(f"there is no picture {choice}, only 1 to {self.pictures}")
        return choice - 1

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        if isinstance(move, int):
            return state.choose(move)
        return replace(state, turn=state.turn + 1)

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        if move is None:
            return [Message(None, "game", f"{seat} lost its turn.")]
        if isinstance(move, int):
            return [Message(None, "game", f"The listener chose a picture: {_outcome(after)}.")]
        other = AGENTS[1 - AGENTS.index(seat)]
        return [Message((other,), seat, move)]

    def rules(self, agent):
        if self.rounds == 1:
            course = (
                "The speaker sends one message, then the listener chooses a picture by its number."
            )
        else:
            course = (
                f"There are {self.rounds} rounds: in each the speaker sends a message, then the "
                "listener asks something in its own words or chooses a picture by its number; in "
                "the last round it has to choose."
            )
        if agent == SPEAKER:
            reply = (
                f"Reply with a message for the listener, {pictures.LONGEST} characters at the most."
            )
        elif self.rounds == 1:
            reply = "Reply with a number."
        else:
            reply = (
                "Reply with a number, or with a question for the speaker, "
                f"{pictures.LONGEST} characters at the most."
            )
        return (
            f"You are playing a reference game as {agent}, together with the other player. The "
            f"listener sees {self.pictures} pictures, numbered from 1, that differ in little: the "
            "figure, the colour or the place of an object. The speaker sees one of them, the "
            f"target, without its number. {course} If it is the target, both of you earn 1, "
            f"otherwise nothing. {pictures.naming(self.size)} {reply}"
        )

    def describe(self, view, agent):
        if agent == SPEAKER:
            lines = [f"The target: {pictures.words(view.pictures[0])}."]
        else:
            lines = [
                f"{self.title(view, i)}: {pictures.words(picture)}."
                for i, picture in enumerate(view.pictures)
            ]
        return "\n".join([*lines, *(f"{line.capitalize()}." for line in self.status(view))])

    def title(self, view, i):
        return f"{i + 1} (target)" if view.target == i else str(i + 1)

    def status(self, view):
        if view.chosen is not None:
            return (_outcome(view),)
        if self.rounds == 1:
            return ()
        return (f"round {min(view.turn // 2 + 1, self.rounds)} of {self.rounds}",)

    def picture(self, view, agent):
        status = self.status(view)
        if agent == SPEAKER:
            return pictures.board(view.pictures[0], status)
        scenes = [
            (self.title(view, i), pictures.board(picture, status))
            for i, picture in enumerate(view.pictures)
        ]
        return Panels(tuple(scenes), math.ceil(math.sqrt(len(scenes))))


def _outcome(state):
    return f"{state.chosen + 1} is {'right' if state.right else 'wrong'}"


def _vary(rng, picture):
    """Change the figure, the shade or the place of one object."""
    occupied_cells = pictures.taken(picture)
    cell = occupied_cells[int(rng.integers(len(occupied_cells)))]
    aspect = ("figure", "shade", "place")[int(rng.integers(3))]
    if aspect != "place":
        return pictures.put(picture, cell, pictures.another(rng, picture[cell], aspect))
    free_cells = [c for c, thing in enumerate(picture) if thing == pictures.EMPTY]
    free_cell = free_cells[int(rng.integers(len(free_cells)))]
    moved_picture = pictures.put(picture, free_cell, picture[cell])
    return pictures.put(moved_picture, cell, pictures.EMPTY)


env, parallel_env, raw_env = make_env_functions(__name__)
