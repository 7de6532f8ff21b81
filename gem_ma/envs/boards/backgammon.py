"""Backgammon: two agents race their men home past each other, by the roll of two dice."""

import functools
import itertools
from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, InvalidMove, Message, clip_repr, parse_choice
from gem_ma.scene import Shapes

AGENTS = ("white", "black")
MEN, HOME, POINTS, BAR, OFF = 15, 6, 24, 25, 0
TURNS = 500  # of both seats, including turns without a legal move
FIRST = tuple({24: 2, 13: 5, 8: 3, 6: 5}.get(point, 0) for point in range(BAR + 1))
PIPS = {1: "4", 2: "08", 3: "048", 4: "0268", 5: "02468", 6: "023568"}  # in thirds, row by row
NAMES = {**{str(point): point for point in range(1, BAR)}, "bar": BAR, "off": OFF}
TIMES = {f"({n})": n for n in range(1, 5)}  # suffix of a step that is made several times
LONGEST = 60  # longest move that is parsed, in characters


def _steps(men, die):
    """Yield each step with one die for the seat to move: (from, to, men after)."""
    own_men, other = men
    last = max(point for point, n in enumerate(own_men) if n) if any(own_men[1:]) else 0
    for start in (BAR,) if own_men[BAR] else range(last, 0, -1):
        end = max(start - die, OFF)
        if not own_men[start] or (end == OFF and (last > HOME or (start < die and start < last))):
            continue
        hit = end != OFF and other[BAR - end]
        if hit and hit > 1:
            continue
        after = list(own_men)
        after[start] -= 1
        after[end] += 1
        theirs = other
        if hit:
            other_after = list(other)
            other_after[BAR - end] = 0
            other_after[BAR] += 1
            theirs = tuple(other_after)
        yield start, end, (tuple(after), theirs)


@functools.lru_cache(1 << 10)  # asked several times a turn
def _plays(men, dice):
    """Return all ways to play the dice, using as many as possible: steps -> men."""
    high, low = max(dice), min(dice)
    if high == low:
        plays = {(): men}
        for _ in range(4):
            plays = _further(plays, high) or plays
        return {steps: after for steps, after in plays.items() if steps}
    first, second = _further({(): men}, high), _further({(): men}, low)
    return {**_further(first, low), **_further(second, high)} or first or second


def _further(found, die):
    """Return all plays extended by one step with a die."""
    return {
        _ordered((*steps, (start, end))): after
        for steps, men in found.items()
        for start, end, after in _steps(men, die)
    }


def _ordered(steps):
    """Return steps in a fixed order: from the highest point down, longer steps first."""
    return tuple(sorted(steps, key=lambda step: (-step[0], step[1])))


@functools.lru_cache(1 << 10)
def _legal(men, dice):
    """Return one name for each position that can be reached: name -> men."""
    ends: dict[tuple[tuple[int, ...], ...], str] = {}
    for steps, after in _plays(men, dice).items():
        ends.setdefault(after, _named(steps))
    return {name: after for after, name in ends.items()}


@functools.lru_cache(1 << 10)
def _dice_to_play(men, dice):
    """Return the dice that must be played this turn; a double counts up to four times."""
    high, low = dice
    count = max(map(len, _plays(men, dice)), default=0)
    if high == low or count == 2:
        return (high, low, high, low)[:count] if high == low else dice
    return (high if _further({(): men}, high) else low,) * count


@functools.lru_cache(1 << 12)
def _can_play(men, dice):
    """Return whether all of these dice can be played, in some order."""
    return not dice or any(
        _can_play(after, _without(dice, die)) for die in {*dice} for *_, after in _steps(men, die)
    )


@functools.lru_cache(1 << 10)
def _next_steps(men, dice):
    """Return each step after which the other dice can be played: name -> (men, other dice)."""
    steps = {}
    for die in sorted({*dice}, reverse=True):
        left = _without(dice, die)
        for start, _, after in _steps(men, die):
            if _can_play(after, left):
                steps[_name_step(die, start)] = after, left
    return steps


def _without(dice, die):
    at = dice.index(die)
    return dice[:at] + dice[at + 1 :]


def _name_step(die, start):
    return f"{die} from {'bar' if start == BAR else start}"


STEPS = tuple(_name_step(die, start) for die in PIPS for start in range(BAR, OFF, -1))


def _named(steps):
    return " ".join(
        f"{'bar' if start == BAR else start}/{'off' if end == OFF else end}" for start, end in steps
    )


class State(NamedTuple):
    men: tuple[tuple[int, ...], ...]  # of each seat: borne off, on its points 1 to 24, on the bar
    dice: tuple[int, int]
    turn: int  # of the seat that moves: an index into AGENTS
    past: int = 0  # turns so far
    lost: tuple[tuple[int, tuple[int, int]], ...] = ()  # seat and dice of each turn lost since
    rest: tuple[int, ...] | None = None  # with stepwise=True, the dice still to play; else None

    def to_act(self):
        is_over = self.past >= TURNS or any(men[OFF] == MEN for men in self.men)
        return () if is_over else (AGENTS[self.turn],)

    def returns(self):
        lead = float((self.men[0][OFF] == MEN) - (self.men[1][OFF] == MEN))
        return {"white": lead, "black": -lead}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def mine(self):
        """Return the men of both seats, those of the seat that moves first."""
        return (self.men[self.turn], self.men[1 - self.turn])

    def legal(self, agent):
        if self.rest is None:
            return tuple(_legal(self.mine(), self.dice))
        return tuple(_next_steps(self.mine(), self.rest))

    def moved(self, name):
        """Return the men after a move, and the dice left; None if a move is a whole turn."""
        if self.rest is None:
            return _legal(self.mine(), self.dice)[name], None
        return _next_steps(self.mine(), self.rest)[name]

    def play(self, name, rng):
        men, rest = (self.mine(), self.rest and ()) if name is None else self.moved(name)
        men = men[:: 1 - 2 * self.turn]
        state = State(men, self.dice, self.turn, self.past, (), rest)
        return state if rest else state.after((), rng)

    def rolled(self):
        """Return the state with its dice to play set, if moves are single steps."""
        if self.rest is None:
            return self
        rest = _dice_to_play(self.mine(), self.dice) if self.to_act() else ()
        return self._replace(rest=rest)

    def after(self, lost, rng):
        """Return the state after the next roll; a seat that cannot move loses its turn."""
        state = self
        while True:
            dice = _roll(rng) if state._replace(past=state.past + 1).to_act() else self.dice
            state = State(state.men, dice, 1 - state.turn, state.past + 1, lost, self.rest)
            if not state.to_act() or _plays(state.mine(), dice):
                return state.rolled()
            lost = (*lost, (state.turn, dice))


def _roll(rng):
    high, low = sorted(rng.integers(1, 7, 2).tolist(), reverse=True)
    return high, low


class Backgammon(Game[State]):
    """Two agents race their men home; a move is a whole turn, or one step.

    Args:
        stepwise: whether a move is a single step from a fixed list of 150, not a whole turn.
    """

    agents = AGENTS
    zero_sum = True
    unlisted_moves = (
        "turns can be played in some 150,000 ways; stepwise=True has a list of 150 moves"
    )

    def __init__(self, stepwise: bool = False):
        self.stepwise = stepwise
        if stepwise:
            self.moves = STEPS

    def start(self, rng, options):
        white = black = 0
        while white == black:  # each rolls one die; the higher one begins and plays both dice
            white, black = rng.integers(1, 7, 2).tolist()
        dice = max(white, black), min(white, black)
        rest = () if self.stepwise else None
        return State((FIRST, FIRST), dice, int(black > white), rest=rest).rolled()

    def read(self, text, view, agent):
        """Return the canonical name of a move; its steps may be in any order and notation."""
        if self.stepwise:
            return _read_step(text, view)
        legal = _legal(view.mine(), view.dice)
        choice = text.casefold().replace("*", "").replace(",", " ").strip(" .`'\"")
        try:
            return parse_choice(choice, legal)
        except InvalidMove:
            pass
        steps = _read(choice)
        if not steps:
            raise InvalidMove(f"{clip_repr(text)} is no move such as {next(iter(legal))}")
        by_end = {after: name for name, after in legal.items()}
        plays = _plays(view.mine(), view.dice)
        exactly = _ordered(steps)
        if exactly in plays:
            return by_end[plays[exactly]]
        points = list(view.mine()[0])
        for start, end in steps:
            points[start] -= 1
            points[end] += 1
        candidates = [name for after, name in by_end.items() if after[0] == tuple(points)]
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            raise InvalidMove(f"{clip_repr(text)} can be played in several ways; say each step")
        count = max(len(play) for play in plays)
        raise InvalidMove(
            f"{clip_repr(text)} cannot be played with {view.dice[0]} and {view.dice[1]}: a move "
            f"here "
            f"has {count} step{'s' * (count > 1)}, such as {next(iter(legal))}"
        )

    def advance(self, state, moves, rng):
        return state.play(*moves.values(), rng)

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        messages = [Message(None, "game", f"{seat} lost its turn.")]
        if move is not None:
            (_, other_men), _ = before.moved(move)
            hits = other_men[BAR] - before.mine()[1][BAR]
            hit = f", which hits {hits} {'man' if hits == 1 else 'men'}" if hits else ""
            roll = f"{before.dice[0]} and {before.dice[1]}"
            messages = [Message(None, "game", f"{seat} rolled {roll} and played {move}{hit}.")]
        for turn, (first, second) in after.lost:
            messages.append(
                Message(None, "game", f"{AGENTS[turn]} rolls {first} and {second} and cannot move.")
            )
        return messages

    def rules(self, agent):
        other = AGENTS[1 - AGENTS.index(agent)]
        reply = "Reply with all steps of your move: 8/5 6/5, bar/20 13/8, or 6/off 3/off."
        if self.stepwise:
            reply = (
                "Reply with one step, a die and where its man comes from: 3 from 8, or 5 from bar. "
                "You are asked again until your dice are played."
            )
        return (
            f"You are playing backgammon as {agent} against {other}. Each has {MEN} men on "
            f"{POINTS} points. You count the points from your side: your men move from {POINTS} "
            f"down to 1 and then off the board. {other} counts them the other way: your point 24 "
            "is its point 1. In your turn two dice are rolled. Each die moves one man by so many "
            "points; the same man may use both; with two equal dice there are four such steps. A "
            f"man may not come to a point on which {other} has two men or more. If {other} has one "
            "man there, it is hit and goes to the bar. While you have men on the bar, they have to "
            "come in first: a die of 5 brings one to your point 20. When all your men are on "
            "points 1 to 6, they may go off: a man on point 4 with a 4, or with a higher die if "
            "none of yours is on a higher point. You have to use both dice (all four steps) if "
            "that can be done, and if only one of them can be used, the higher one where possible. "
            "If you cannot move, your turn is lost by itself. Who has all men off first wins; "
            f"after {TURNS} turns it is a draw. {reply}"
        )

    def describe(self, view, agent):
        seat = AGENTS.index(agent) if agent else 0
        own_name, other_name = AGENTS[seat], AGENTS[1 - seat]
        own_men, other_men = view.men[seat], view.men[1 - seat]
        lines = [
            f"Points as {own_name} counts them, with how many men are there:",
            f"{own_name}: {_places(own_men)}",
            f"{other_name}: {_places(other_men, flip=True)}",
        ]
        return "\n".join([*lines, *self.status(view)])

    def status(self, view):
        pips = ", ".join(
            f"{a} {sum(point * n for point, n in enumerate(men))}"
            for a, men in zip(AGENTS, view.men, strict=True)
        )
        dice_lines = (f"Dice: {view.dice[0]} and {view.dice[1]}",) if view.to_act() else ()
        if view.rest:
            dice_lines = (*dice_lines, f"To play: {' '.join(map(str, view.rest))}")
        return (
            f"Turn {view.past + 1} of {TURNS}. To go: {pips}",
            *dice_lines,
            *make_turn_caption(view),
        )

    def picture(self, view, agent):
        seat = AGENTS.index(agent) if agent else 0
        pitch = 1 / 14
        items, labels = [], []
        for point in range(1, POINTS + 1):
            x, top = _place(point, pitch)
            turn = 180.0 if top else 0.0
            shade = ("red", "gray")[point % 2]
            items.append(("spike", shade, x, 0.25 if top else 0.75, 0.38, turn))
            labels.append((str(point), "", x, 0.03 if top else 0.97, 0.05))
        for side in (seat, 1 - seat):
            for point, n in enumerate(view.men[side]):
                at = point if side == seat or point in (BAR, OFF) else BAR - point
                x, top = _place(at, pitch)
                if at in (BAR, OFF):
                    top = side != seat
                for i in range(min(n, 5)):
                    y = 0.06 + (i + 0.5) * 0.94 * pitch
                    y = y + 0.02 if at == BAR else y
                    items.append(("disc", AGENTS[side], x, y if top else 1 - y, 0.9 * pitch, 0.0))
                if n > 5:
                    labels.append((str(n), "", x, y if top else 1 - y, 0.05))
        labels.append(("bar", "", 6.5 * pitch, 0.5, 0.04))
        labels.append(("off", "", 13.5 * pitch, 0.5, 0.04))
        lines = [("brown", x * pitch, 0.05, x * pitch, 0.95, 0.006) for x in (6, 7, 13)]
        if view.to_act():
            left = (3 if view.turn == seat else 10) * pitch
            for i, die in enumerate(view.dice):
                items += _die(die, left + 1.4 * pitch * (i - 0.5))
        return Shapes(tuple(items), "", tuple(lines), tuple(labels), self.status(view), "board")

    def encode(self, view, agent):
        """Return the men, own seat first, then the dice, one-hot, and the turns.

        Men are shares of all, on the points 1 to 24 as the own seat counts them, on the bar and
        off. Last come whether it is the own turn, and the share of turns played. With
        stepwise=True, six more numbers say how often each die is still to be played, in quarters.
        """
        seat = AGENTS.index(agent)
        own, other = view.men[seat], view.men[1 - seat]
        points = range(1, BAR)
        men = [*(own[p] for p in points), own[BAR], own[OFF]]
        men += [*(other[BAR - p] for p in points), other[BAR], other[OFF]]
        acts = view.to_act()
        dice = [bool(acts) and die == side for die in view.dice for side in range(1, 7)]
        rest = [acts == (agent,), view.past / TURNS]
        if view.rest is not None:
            rest += [view.rest.count(side) / 4 for side in range(1, 7)]
        return np.concatenate([np.array(men) / MEN, dice, rest]).astype(np.float32)


def _place(point, pitch):
    """Return the centre of a point from left to right, and whether it is in the upper half."""
    if point in (BAR, OFF):
        return (6.5 if point == BAR else 13.5) * pitch, False
    top = point > 12
    column = point - 13 if top else 12 - point
    return (column + 0.5 + (column >= 6)) * pitch, top


def _die(die, x):
    """Return the shapes of a die in the middle of the board."""
    items = [("square", "white", x, 0.5, 0.1, 0.0)]
    for pip in map(int, PIPS[die]):
        across, down = (pip % 3 - 1) * 0.026, (pip // 3 - 1) * 0.026
        items.append(("disc", "black", x + across, 0.5 + down, 0.02, 0.0))
    return items


def _places(men, flip=False):
    points = [(BAR - point if flip else point, men[point]) for point in range(1, BAR)]
    where = " ".join(f"{point}:{n}" for point, n in sorted(points, reverse=True) if n)
    return f"{where or 'none on points'}, bar {men[BAR]}, off {men[OFF]}"


def _read_step(text, view):
    legal = _next_steps(view.mine(), view.rest)
    try:
        return parse_choice(" ".join(text.split()), legal)
    except InvalidMove:
        dice = " ".join(map(str, view.rest))
        raise InvalidMove(
            f"{clip_repr(text)} is no step that {dice} allows, such as {next(iter(legal))}"
        ) from None


def _read(said):
    """Return the steps in a text; () if it is not a move."""
    steps: list[tuple[int, int]] = []
    for token in said.split() if len(said) <= LONGEST else ():
        times = TIMES.get(token[-3:], 0)
        places = [NAMES.get(place, -1) for place in (token[:-3] if times else token).split("/")]
        if len(places) < 2 or -1 in places:
            return []
        steps += [*itertools.pairwise(places)] * (times or 1)
    return steps


env, parallel_env, raw_env = make_env_functions(__name__)
