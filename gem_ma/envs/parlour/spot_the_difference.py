"""Spot the difference: two seats see nearly the same picture and find by talk where they differ."""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.parlour import pictures
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, InvalidMove, Maybe, Message, clip_repr
from gem_ma.scene import Panels

AGENTS = ("player_0", "player_1")
ANSWER = "answer"


class Answer(NamedTuple):
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State:
    pictures: tuple[Maybe[tuple[str, ...]], ...]  # of each seat, None: hidden
    many: int  # number of differences
    turns: int  # of each seat
    turn: int = 0  # replies so far
    found: tuple[int, ...] = ()  # cells, sorted
    wrong: int | None = None  # the cell of a wrong answer

    def to_act(self):
        is_over = self.wrong is not None or len(self.found) == self.many
        return () if is_over or self.turn == 2 * self.turns else (AGENTS[self.turn % 2],)

    def returns(self):
        return dict.fromkeys(AGENTS, len(self.found) / self.many)

    def seen_by(self, agent):
        seat = AGENTS.index(agent)
        visible_pictures = tuple(
            [picture if i == seat else None for i, picture in enumerate(self.pictures)]
        )
        return replace(self, pictures=visible_pictures)

    def legal(self, agent):
        """Return all answers that name one cell, and example messages."""
        picture = self.pictures[AGENTS.index(agent)]
        names = pictures.cells(math.isqrt(len(picture)))
        answers = [f"{ANSWER}: {name}" for i, name in enumerate(names) if i not in self.found]
        return (*pictures.sentences(picture), *answers)

    def differing(self):
        return [cell for cell, (a, b) in enumerate(zip(*self.pictures, strict=True)) if a != b]

    def answer(self, cells):
        """Check the named cells one by one, up to the first wrong one."""
        found_cells = self.found
        for cell in cells:
            if cell not in self.differing():
                return replace(self, found=found_cells, wrong=cell)
            found_cells = tuple(sorted((*found_cells, cell)))
        return replace(self, found=found_cells)


class SpotTheDifference(Game[State]):
    agents = AGENTS
    unlisted_moves = pictures.FREE_TALK

    def __init__(
        self, differences: int | None = None, size: int = 5, objects: int = 10, turns: int = 10
    ):
        if not 2 <= size <= 6 or not 3 <= objects <= size * size or turns < 1:
            raise ValueError(
                f"size={size}, objects={objects}, turns={turns}: expected size 2 to 6, objects 3 "
                "to size * size, turns at least 1"
            )
        if differences is not None and not 1 <= differences <= 3:
            raise ValueError(f"differences={differences}: expected 1 to 3, or None to draw it")
        self.differences, self.size = differences, size
        self.objects, self.turns = objects, turns

    def start(self, rng, options):
        many = self.differences or int(rng.integers(1, 4))
        picture = pictures.scatter(rng, self.size, pictures.objects(rng, self.objects))
        board_pair = [picture, picture]
        for cell in rng.permutation(pictures.taken(picture))[:many].tolist():
            kind = ("figure", "shade", "missing")[int(rng.integers(3))]
            missing = kind == "missing"
            other = pictures.EMPTY if missing else pictures.another(rng, picture[cell], kind)
            side = int(rng.integers(2))
            board_pair[side] = pictures.put(board_pair[side], cell, other)
        return State(tuple(board_pair), many, self.turns)

    def read(self, text, view, agent):
        text = pictures.message(text)
        first, *words = text.casefold().replace(":", " ").split() or [""]
        if first != ANSWER:
            return text
        names = pictures.cells(self.size)
        cells: list[int] = []
        for word in words:
            name = word.strip(".,;!").upper()
            if name not in names:
                raise InvalidMove(
                    f"{clip_repr(word)} is no cell; an answer is like answer: {names[-1]}"
                )
            cell = names.index(name)
            if cell in (*view.found, *cells):
                raise InvalidMove(f"{name} was named already")
            cells.append(cell)
        if not 1 <= len(cells) <= view.many - len(view.found):
            raise InvalidMove(
                "an answer names 1 cell or more, and no more than are to be found: "
                f"{view.many - len(view.found)}"
            )
        return Answer(tuple(cells))

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        after = state.answer(move.cells) if isinstance(move, Answer) else state
        return replace(after, turn=state.turn + 1)

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        if move is None:
            return [Message(None, "game", f"{seat} lost its turn.")]
        if isinstance(move, Answer):
            progress, end = self.status(after)
            text = f"{seat} answers {self.names(move.cells)}: {progress}, {end}."
            return [Message(None, "game", text)]
        return [Message((AGENTS[1 - AGENTS.index(seat)],), seat, move)]

    def rules(self, agent):
        return (
            f"You are playing Spot the Difference as {agent}, together with the other player. Each "
            "of you sees a picture, and the two are the same but for a few objects: one has "
            "another figure or another colour, or is missing from one of the pictures. You reply "
            f"in turn, {2 * self.turns} replies in all: with a message of at most "
            f"{pictures.LONGEST} characters for the other player, or with an answer that names the "
            "cell of a difference, such as answer: A1, or of several, such as answer: A1 B2. Each "
            "difference that is named earns both of you the same share of 1; a wrong cell ends the "
            f"game, and so does the last difference. {pictures.naming(self.size)}"
        )

    def describe(self, view, agent):
        seats = AGENTS if agent is None else (agent,)
        lines = [
            f"{'Your' if agent else seat} picture: {pictures.words(picture) or 'empty'}."
            for seat in seats
            for picture in [view.pictures[AGENTS.index(seat)]]
        ]
        progress, end = self.status(view)
        names = f": {self.names(view.found)}" if view.found else ""
        return "\n".join(
            [*lines, f"{progress.capitalize()}{names}.", f"{end[0].upper()}{end[1:]}."]
        )

    def names(self, cells):
        return " ".join([pictures.cells(self.size)[cell] for cell in cells])

    def status(self, view):
        if view.wrong is not None:
            return f"found {len(view.found)} of {view.many}", f"{self.names([view.wrong])} is wrong"
        replies_left = 2 * view.turns - view.turn
        return f"found {len(view.found)} of {view.many}", f"replies left: {replies_left}"

    def picture(self, view, agent):
        status = *self.status(view), *make_turn_caption(view)
        if agent is not None:
            picture = view.pictures[AGENTS.index(agent)]
            return pictures.board(picture, status, marks=view.found)
        pairs = zip(AGENTS, view.pictures, strict=True)
        return Panels(
            tuple(
                [
                    (seat, pictures.board(seat_picture, status, marks=view.found))
                    for seat, seat_picture in pairs
                ]
            )
        )


env, parallel_env, raw_env = make_env_functions(__name__)
