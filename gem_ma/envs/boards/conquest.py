"""Conquest: armies fight with dice for the twelve lands of a map; most lands at the end win."""

import math
from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, InvalidMove, Message, clip_repr, parse_choice
from gem_ma.scene import Shapes

COLORS = ("red", "blue", "white", "black")
FIGURES = (("disc", 0.105), ("square", 0.1), ("diamond", 0.12), ("pentagon", 0.115))  # of seats
REGIONS = {  # name: its lands, and its colour in the picture
    "frost": ("alder birch cedar", "gray"),
    "river": ("delta ember fjord", "green"),
    "sands": ("gorge haven islet", "orange"),
    "woods": ("jetty knoll lagoon", "purple"),
}
LANDS = tuple(land for lands, _ in REGIONS.values() for land in lands.split())
PLACES = (  # position of each land in the picture
    *((0.14, 0.12), (0.38, 0.10), (0.26, 0.36), (0.64, 0.12), (0.88, 0.24), (0.66, 0.38)),
    *((0.12, 0.60), (0.36, 0.64), (0.20, 0.86), (0.62, 0.64), (0.88, 0.58), (0.74, 0.86)),
)
BETWEEN = "birch-delta cedar-fjord cedar-gorge fjord-jetty ember-knoll haven-jetty islet-lagoon"
NEW, BONUS, FIRST = 3, 2, 2  # armies per turn, per whole region, and per land at the start
HALF = 5  # n armies are encoded as n / (n + HALF), which stays below 1
DONE = "done"


def _borders():
    """Return the neighbours of each land: all of its region, and some outside."""
    neighbors: list[set[int]] = [set() for _ in LANDS]
    for first, land in enumerate(LANDS):
        for second, other in enumerate(LANDS):
            is_apart = first // 3 != second // 3
            if first != second and (
                not is_apart or {f"{land}-{other}", f"{other}-{land}"} & BORDERS
            ):
                neighbors[first].add(second)
    return tuple(tuple(sorted(near)) for near in neighbors)


BORDERS = set(BETWEEN.split())
BESIDE = _borders()
PAIRS = tuple((one, two) for one, near in enumerate(BESIDE) for two in near)


class State(NamedTuple):
    seats: int
    rounds: int
    owners: tuple[int, ...]  # seat that owns each land
    armies: tuple[int, ...]
    new: int  # armies still to be placed; attacks are allowed when it is 0
    turn: int = 0
    round: int = 1
    gone: tuple[int, ...] = ()
    rolled: tuple[tuple[int, ...], ...] = ()  # dice of the last attack, of both sides

    def live(self):
        return [s for s in range(self.seats) if s in self.owners and s not in self.gone]

    def to_act(self):
        is_over = len(self.live()) < 2 or self.round > self.rounds
        return () if is_over else (COLORS[self.turn],)

    def out(self):
        live = self.live()
        return tuple([COLORS[s] for s in range(self.seats) if s not in live])

    def winners(self):
        """Return the seats with the most lands; among these, only those with the most armies."""
        sizes = {seat: self.size(seat) for seat in self.live()}
        return [seat for seat, size in sizes.items() if size == max(sizes.values())]

    def size(self, seat):
        armies = [n for owner, n in zip(self.owners, self.armies, strict=True) if owner == seat]
        return len(armies), sum(armies)

    def returns(self):
        share = 1 / (self.seats - 1)
        winners = self.winners() if not self.to_act() else self.live()
        reward = (
            (self.seats - len(winners)) * share / len(winners)
            if winners and not self.to_act()
            else 0.0
        )
        return {COLORS[s]: reward if s in winners else -share for s in range(self.seats)}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        owned_flags = [owner == self.turn for owner in self.owners]
        if self.new:
            return tuple(
                [f"place {land}" for land, is_own in zip(LANDS, owned_flags, strict=True) if is_own]
            )
        ways = [(a, b) for a, b in PAIRS if owned_flags[a] and self.armies[a] > 1]
        attacks = [f"attack {LANDS[a]} {LANDS[b]}" for a, b in ways if not owned_flags[b]]
        moves = [f"move {LANDS[a]} {LANDS[b]}" for a, b in ways if owned_flags[b]]
        return (*attacks, *moves, DONE)

    def put(self, changes):
        """Return the state with changed numbers of armies: land -> number."""
        armies = [changes.get(land, n) for land, n in enumerate(self.armies)]
        return self._replace(armies=tuple(armies), rolled=())

    def attack(self, start, end, rng):
        """Roll up to three dice against up to two; compare the highest, then the next."""
        attackers, defenders = self.armies[start], self.armies[end]
        dice = [
            tuple(sorted(rng.integers(1, 7, many).tolist(), reverse=True))
            for many in (min(3, attackers - 1), min(2, defenders))
        ]
        pairs = list(zip(*dice, strict=False))
        losses = sum(own_die <= other_die for own_die, other_die in pairs)
        attackers, defenders = attackers - losses, defenders - (len(pairs) - losses)
        after = self.put(
            {start: attackers, end: defenders} if defenders else {start: 1, end: attackers - 1}
        )
        if not defenders:
            owners = list(self.owners)
            owners[end] = self.turn
            after = after._replace(owners=tuple(owners))
        return after._replace(rolled=tuple(dice))

    def ended(self):
        """Return the state in which the next remaining seat begins its turn."""
        live, state = self.live(), self
        for turn in range(self.turn + 1, self.turn + self.seats + 1):
            if turn % self.seats in live:
                state = self._replace(
                    turn=turn % self.seats, round=self.round + (turn >= self.seats)
                )
                break
        return state._replace(new=state.income(), rolled=())

    def income(self):
        regions_owned = [
            all(self.owners[3 * i + j] == self.turn for j in range(3)) for i in range(4)
        ]
        return NEW + BONUS * sum(regions_owned)


class Conquest(Game[State]):
    moves = (
        *(f"place {land}" for land in LANDS),
        *(f"{what} {LANDS[a]} {LANDS[b]}" for what in ("attack", "move") for a, b in PAIRS),
        DONE,
    )

    def __init__(self, players: int = 3, rounds: int = 8):
        if not 2 <= players <= 4:
            raise ValueError(f"players={players}: expected 2 to 4")
        if not 1 <= rounds <= 50:
            raise ValueError(f"rounds={rounds}: expected 1 to 50")
        self.agents = COLORS[:players]
        self.rounds = rounds
        self.zero_sum = players == 2

    def start(self, rng, options):
        many = len(self.agents)
        owners = [0] * len(LANDS)
        for i, land in enumerate(rng.permutation(len(LANDS)).tolist()):
            owners[land] = i % many
        state = State(many, self.rounds, tuple(owners), (FIRST,) * len(LANDS), 0)
        return state._replace(new=state.income())

    def read(self, text, view, agent):
        words = text.casefold().replace(",", " ").replace("->", " ").split()
        choice = " ".join(word for word in words if word not in ("from", "to", "in", "on", "with"))
        try:
            return parse_choice(choice, view.legal(agent))
        except InvalidMove:
            reason = _why(choice.strip(" ."), view)
            raise InvalidMove(f"{clip_repr(text)} is not a legal move{reason}") from None

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        kind, *lands = move.split()
        where = [LANDS.index(land) for land in lands]
        if kind == "place":
            (at,) = where
            return state.put({at: state.armies[at] + state.new})._replace(new=0)
        if kind == "attack":
            return state.attack(*where, rng)
        if kind == "move":
            start, end = where
            state = state.put({start: 1, end: state.armies[end] + state.armies[start] - 1})
        return state.ended()

    def skip(self, view, agent):
        return view.legal(agent)[0] if view.new else DONE

    def forfeit(self, state, agent, rng):
        """Continue without a seat; its armies stay on their lands."""
        seat = COLORS.index(agent)
        new_state = state._replace(gone=(*state.gone, seat))
        return new_state.ended() if seat == state.turn else new_state

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        messages = [Message(None, seat, move)]
        if after.rolled:
            attack_dice, defense_dice = (" ".join(map(str, dice)) for dice in after.rolled)
            end = LANDS.index(move.split()[2])
            capture = f" {seat} takes {LANDS[end]}." if after.owners[end] == before.turn else ""
            messages.append(
                Message(
                    None, "game", f"{seat} rolls {attack_dice} against {defense_dice}.{capture}"
                )
            )
        return messages

    def rules(self, agent):
        lands = "; ".join(
            f"{name}: {', '.join(land_names.split())}" for name, (land_names, _) in REGIONS.items()
        )
        figures = ", ".join(
            f"a {color} {figure}" for color, (figure, _) in zip(self.agents, FIGURES, strict=False)
        )
        return (
            f"You are playing Conquest as {agent}, one of {len(self.agents)}. The map has twelve "
            f"lands in four regions ({lands}). All lands of a region touch each other, and so do "
            f"{', '.join(BETWEEN.split())}. At the start the lands are dealt, with {FIRST} armies "
            f"on each. Your turn begins with {NEW} new armies, and {BONUS} more for each region "
            "that is all yours: place alder puts them all there. Then you may attack as often as "
            "you like: attack alder birch, from a land of yours with two armies or more, on a land "
            "of another's that touches it. You roll a die for each army but one, three at most; "
            "the defender one for each, two at most. The highest dice are compared, then the next: "
            "the lower one loses an army, and you do when they are equal. When the last defender "
            "is lost the land is yours, and all your armies but one go there. Your turn ends with "
            "done, or with a move, which brings all armies but one from a land of yours to another "
            "that touches it: move alder birch. Who has no land left is out. Who holds all lands "
            f"wins; after {self.rounds} rounds it is who has most lands, and of these who has most "
            "armies; equal ones share. The winner earns what the others lose, 1 in all. In a "
            f"picture armies stand on {figures}. Reply with place, attack or move and the names of "
            "lands, or with done."
        )

    def describe(self, view, agent):
        lines = []
        for i, name in enumerate(REGIONS):
            holdings = [f"{LANDS[n]} {COLORS[view.owners[n]]} {view.armies[n]}" for n in _three(i)]
            lines.append(f"{name}: {', '.join(holdings)}")
        return "\n".join([*lines, *self.status(view)])

    def status(self, view):
        dice = (" against ".join(" ".join(map(str, side)) for side in view.rolled),)
        dice_lines = tuple(f"Rolled: {text}" for text in dice if text)
        left_lines = (
            (f"Left: {', '.join(COLORS[seat] for seat in view.gone)}",) if view.gone else ()
        )
        if not view.to_act():
            winners = " and ".join(COLORS[seat] for seat in view.winners())
            return (*dice_lines, *left_lines, f"Over: {winners} won")
        phase = f"{view.new} armies to place" if view.new else "attack, move or done"
        return (
            f"Round {view.round} of {view.rounds}: {phase}",
            *dice_lines,
            *left_lines,
            *make_turn_caption(view),
        )

    def picture(self, view, agent):
        items, labels, lines = [], [], []
        for first, second in PAIRS:
            if first < second:
                lines.append(("", *_between(PLACES[first], PLACES[second], 0.075), 0.008))
        for land, (x, y) in enumerate(PLACES):
            _, region = list(REGIONS.values())[land // 3]
            items.append(("hexagon", region, x, y, 0.15, 0.0))
            figure, wide = FIGURES[view.owners[land]]
            items.append((figure, COLORS[view.owners[land]], x, y, wide, 0.0))
            labels.append((str(view.armies[land]), "", x, y, 0.06))
            labels.append((LANDS[land], "", x, y + 0.1, 0.045))
        return Shapes(tuple(items), "", tuple(lines), tuple(labels), self.status(view))

    def encode(self, view, agent):
        """Return for each land its owner, one-hot from the own seat on, and n/(n+5) for n armies.

        Then come, from the own seat on, whose turn it is and who has left. Last are the armies to
        place and the round; both are 0 when the game is over.
        """
        seats, own = len(self.agents), COLORS.index(agent)
        lands = np.zeros((len(LANDS), seats + 1), np.float32)
        for land, (owner, armies) in enumerate(zip(view.owners, view.armies, strict=True)):
            lands[land, (owner - own) % seats] = 1
            lands[land, seats] = armies / (armies + HALF)
        here = np.zeros((2, seats), np.float32)
        counts = [0.0, 0.0]
        if view.to_act():
            here[0, (view.turn - own) % seats] = 1
            counts = [view.new / (NEW + BONUS * len(REGIONS)), view.round / view.rounds]
        for seat in view.gone:
            here[1, (seat - own) % seats] = 1
        return np.concatenate([lands.ravel(), here.ravel(), counts]).astype(np.float32)


def _three(region):
    return range(3 * region, 3 * region + 3)


def _between(one, two, gap):
    """Return the line between two places, shortened by a gap at both ends."""
    across, down = two[0] - one[0], two[1] - one[1]
    share = gap / math.hypot(across, down)
    ends = ((one, share), (one, 1 - share))
    return [round(part, 4) for (x, y), far in ends for part in (x + far * across, y + far * down)]


def _why(said, view):
    """Return why a move is not allowed now; "" if there is no such move at all."""
    kind, *lands = said.split() or [""]
    if said not in Conquest.moves:
        return ""
    if view.new:
        return f": place your {view.new} armies first, on a land of yours"
    if kind == "place":
        return ": your armies are placed, so attack, move or say done"
    start, end = (LANDS.index(land) for land in lands)
    if view.owners[start] != view.turn:
        return f": {LANDS[start]} is not yours"
    if view.armies[start] < 2:
        return f": {LANDS[start]} has one army, which stays"
    is_own = view.owners[end] == view.turn
    return f": {LANDS[end]} is {'yours already' if is_own else 'not yours'}"


env, parallel_env, raw_env = make_env_functions(__name__)
