"""Diplomacy: four powers negotiate in public and in secret, then all order their armies at once."""

import math
from collections import Counter
from dataclasses import dataclass, replace

from gem_ma.envs.parlour import pictures
from gem_ma.envs.parlour.diplomacy import orders
from gem_ma.envs.parlour.diplomacy.board import CENTRES, HOMES, NEAR, PLACES, POWERS, PROVINCES
from gem_ma.envs.parlour.diplomacy.judge import judge
from gem_ma.game import Game, InvalidMove, Message, clip_repr
from gem_ma.scene import Shapes

TALK, ORDER, RETREAT, BUILD, OVER = "talk", "order", "retreat", "build", "over"
SEASONS = ("spring", "autumn")
GOAL = len(CENTRES) // 2 + 1  # centres that win at once
SILENT, WAIT, HOLD = "nothing", "wait", "hold"
COLORS = {"north": "blue", "east": "red", "south": "yellow", "west": "green"}
Army = tuple[str, str]  # a province, and the power that owns the army
_MIXED = 24  # number of complete sets of orders that `legal` lists


@dataclass(frozen=True, slots=True)
class State:
    armies: tuple[Army, ...]  # sorted
    owners: tuple[str, ...]  # owner of each of the CENTRES, or ""
    years: int
    season: int = 0  # seasons since the start
    phase: str = TALK
    talks: int = 1  # replies of each power in a season, before it orders
    talked: int = 0
    dislodged: tuple[tuple[str, str, tuple[str, ...]], ...] = ()  # province, power, retreats
    left: tuple[str, ...] = ()  # powers that forfeited

    def to_act(self):
        if self.phase == OVER:
            return ()
        if self.phase == RETREAT:
            powers = {power for _, power, retreats in self.dislodged if retreats}
        elif self.phase == BUILD:
            powers = {power for power in POWERS if self.builds(power)}
        else:
            powers = {power for _, power in self.armies}
        return tuple([power for power in POWERS if power in powers and power not in self.left])

    def out(self):
        return self.left

    def returns(self):
        """Return each power's share of the centres at the end; a winner gets 1, the others 0."""
        counts = {power: 0 if power in self.left else self.count(power) for power in POWERS}
        if self.phase != OVER:
            return dict.fromkeys(POWERS, 0.0)
        if max(counts.values()) >= GOAL:
            return {power: float(n >= GOAL) for power, n in counts.items()}
        return {power: n / len(CENTRES) for power, n in counts.items()}

    def seen_by(self, agent):
        return self  # the State holds nothing secret; messages go only to their receivers

    def count(self, power):
        return self.owners.count(power)

    def own(self, power):
        """Return the provinces in which a power has armies."""
        return tuple([at for at, owner in self.armies if owner == power])

    def occupied(self):
        return tuple([at for at, _ in self.armies])

    def builds(self, power):
        """Return how many armies a power may build; negative if it must disband."""
        surplus = self.count(power) - len(self.own(power))
        return min(surplus, len(self.sites(power))) if surplus > 0 else surplus

    def sites(self, power):
        """Return where a power may build: on free home centres that it owns."""
        owner = dict(zip(CENTRES, self.owners, strict=True))
        return tuple(
            [at for at in HOMES[power][:2] if owner[at] == power and at not in self.occupied()]
        )

    def legal(self, agent):
        """Return example messages, or orders for single armies and for all armies."""
        others = [power for power in POWERS if power != agent]
        if self.phase == TALK:
            speeches = [f"to {power}: I will not attack you." for power in others]
            return (SILENT, "to all: Let us keep peace.", *speeches)
        if self.phase == ORDER:
            orders_by_army = [orders.every(at, self.occupied()) for at in self.own(agent)]
            order_sets = [
                "; ".join(
                    str(army_orders[(7 * n + 5 * n * i + i) % len(army_orders)])
                    for i, army_orders in enumerate(orders_by_army)
                )
                for n in range(_MIXED)
            ]
            return tuple(
                dict.fromkeys(
                    [*order_sets, *(str(o) for army_orders in orders_by_army for o in army_orders)]
                )
            )
        if self.phase == RETREAT:
            own_dislodged = [
                (at, retreats) for at, power, retreats in self.dislodged if power == agent
            ]
            return (
                *(f"{at} - {to}" for at, retreats in own_dislodged for to in retreats),
                "disband",
            )
        if self.builds(agent) < 0:
            return tuple([f"disband {at}" for at in self.own(agent)])
        return (*(f"build {at}" for at in self.sites(agent)), WAIT)

    def order(self, given):
        armies, dislodged, _ = judge(self.armies, given)
        after = replace(self, armies=armies, dislodged=dislodged, phase=RETREAT)
        return after if after.to_act() else after.retreat({})

    def retreat(self, moves):
        """Let dislodged armies retreat; armies without a place of their own are removed."""
        retreats = [
            (at, to) for power_retreats in moves.values() for at, to in power_retreats or ()
        ]
        target_counts = Counter(to for _, to in retreats)
        owners = {at: power for at, power, _ in self.dislodged}
        survivors = [(to, owners[at]) for at, to in retreats if target_counts[to] == 1]
        after = replace(self, armies=tuple(sorted([*self.armies, *survivors])), dislodged=())
        return after.fall() if self.season % 2 else after.next()

    def fall(self):
        """Count centres, then build and disband."""
        holders = dict(self.armies)
        owners = tuple(
            [holders.get(c, owner) for c, owner in zip(CENTRES, self.owners, strict=True)]
        )
        after = replace(self, owners=owners, phase=BUILD)
        if max(map(after.count, POWERS)) >= GOAL:
            return replace(after, phase=OVER)
        return after if after.to_act() else after.build({})

    def build(self, moves):
        armies = dict(self.armies)
        for power in POWERS:
            many, requests = self.builds(power), moves.get(power) or ()
            if many > 0:
                armies |= dict.fromkeys(requests[:many], power)
            elif many < 0:
                first = dict.fromkeys((*requests, *self.own(power)))
                for at in [*first][:-many]:
                    del armies[at]
        return replace(self, armies=tuple(sorted(armies.items()))).next()

    def next(self):
        """Begin the next season, unless the last is over or no power has armies."""
        season = self.season + 1
        is_over = season == 2 * self.years
        after = replace(self, season=season, talked=0, phase=TALK if self.talks else ORDER)
        return replace(after, phase=OVER) if is_over or not after.to_act() else after

    def leave(self, agent):
        """Remove a seat; its armies hold where they are."""
        return replace(self, left=(*self.left, agent))


class Diplomacy(Game[State]):
    """Four powers negotiate and order armies, in two seasons a year.

    Args:
        years: how many years are played at most, 1 to 20.
        talks: how often all powers speak in a season before they order, 0 to 5.
    """

    agents = POWERS
    unlisted_moves = "the armies have too many combinations of orders, and a letter may be any text"

    def __init__(self, years: int = 3, talks: int = 1):
        if not 1 <= years <= 20 or not 0 <= talks <= 5:
            raise ValueError(f"years={years}, talks={talks}: expected years 1 to 20, talks 0 to 5")
        self.years, self.talks = years, talks

    def start(self, rng, options):
        armies = tuple(sorted((at, power) for power in POWERS for at in HOMES[power][:2]))
        owner = dict(armies)
        owners = tuple([owner.get(at, "") for at in CENTRES])
        return State(armies, owners, self.years, 0, TALK if self.talks else ORDER, self.talks)

    def read(self, text, view, agent):
        """Return messages, orders, retreats, or places to build or disband."""
        if view.phase == TALK:
            return _messages(text, agent)
        if text.casefold().strip(" .") in (HOLD, WAIT, SILENT, "none"):
            return ()
        if view.phase == ORDER:
            return orders.read(text, view.own(agent), view.occupied())
        if view.phase == RETREAT:
            retreats = {at: places for at, power, places in view.dislodged if power == agent}
            return _retreats(text, retreats)
        many = view.builds(agent)
        return _places(text, view.sites(agent) if many > 0 else view.own(agent), abs(many))

    def advance(self, state, moves, rng):
        if state.phase == TALK:
            talk_count = state.talked + 1
            return replace(
                state, talked=talk_count, phase=ORDER if talk_count == state.talks else TALK
            )
        if state.phase == ORDER:
            return state.order(
                [order for power_orders in moves.values() for order in power_orders or ()]
            )
        return state.retreat(moves) if state.phase == RETREAT else state.build(moves)

    def skip(self, view, agent):
        return None

    def forfeit(self, state, agent, rng):
        """Leave; the armies of the power hold where they are."""
        after = state.leave(agent)
        if after.to_act() or after.phase == OVER:
            return after
        if not any(power not in after.left for _, power in after.armies):
            return replace(after, phase=OVER)
        return after.retreat({}) if after.phase == RETREAT else after.build({})

    def tell(self, before, moves, after):
        lost_messages = [
            Message(None, "game", f"{a} lost its turn.") for a, m in moves.items() if m is None
        ]
        if before.phase == TALK:
            return [*lost_messages, *_told(moves)]
        messages = list(lost_messages)
        if before.phase == ORDER:
            messages += _ordered(before, moves)
        else:
            for power, move in moves.items():
                if move:
                    messages.append(Message(None, "game", _done(before, power, move)))
        if after.owners != before.owners:
            messages.append(Message(None, "game", f"{_score(after)}."))
        if after.phase == OVER:
            messages.append(Message(None, "game", f"The game is over. {_score(after)}."))
        return messages

    def rules(self, agent):
        near = "; ".join(f"{at}: {' '.join(NEAR[at])}" for at in PROVINCES)
        homes = "; ".join(f"{power} {' '.join(HOMES[power][:2])}" for power in POWERS)
        talk = (
            f"In each season all speak at once, {self.talks} times: reply with lines that begin "
            "with to all: or to a power, such as to east:, which only that power hears, or with "
            f"{SILENT}; each has at most {pictures.LONGEST} characters, and binds nobody. Then"
            if self.talks
            else "In each season"
        )
        return (
            f"You are playing Diplomacy as {agent}, one of the powers {', '.join(POWERS)}. Who has "
            f"{GOAL} of the {len(CENTRES)} centres wins and has 1, the others 0; else, after "
            f"{self.years} years of two seasons, spring and autumn, each has its share of the "
            f"centres. {talk} all order their armies at once: ARD - CAL moves, ARD H holds, ARD S "
            "BIR supports an army that does not move, ARD S BIR - CAL one that moves there; write "
            "; between orders. Whoever has no order holds. All armies are as strong, and one is "
            "stronger by one for each that supports it. One army at most is in a province: the "
            "strongest comes in or stays, and where several are as strong, nobody comes in, and "
            "who was there stays. Two do not change places. A support is cut when its army is "
            "attacked by another power, unless from where the support goes, or is driven out. "
            "Nobody drives out an army of its own power, or helps to. Who is driven out retreats: "
            "ARD - PER, or disband. After autumn a centre is of who stands there, and stays so; "
            "who has more centres than armies builds at home, in free centres of its own: build "
            "ARD, or wait; who has fewer disbands: disband ARD. "
            f"Homes: {homes}. Centres: {' '.join(CENTRES)}. What lies beside what: {near}."
        )

    def describe(self, view, agent):
        lines = [f"{p}: armies {' '.join(view.own(p)) or 'none'}" for p in POWERS]
        owners = list(zip(CENTRES, view.owners, strict=True))
        for power in (*POWERS, ""):
            centres = [at for at, owner in owners if owner == power]
            lines.append(f"Centres of {power or 'nobody'}: {' '.join(centres) or 'none'}")
        return "\n".join([*lines, *self.status(view)])

    def status(self, view):
        if view.phase == OVER:
            return ("The game is over", _score(view))
        when = f"{SEASONS[view.season % 2]} of year {view.season // 2 + 1} of {view.years}"
        phase_texts = {TALK: f"talk {view.talked + 1} of {view.talks}", ORDER: "orders"}
        lines = [f"{when}: {phase_texts.get(view.phase, view.phase)}"]
        for at, power, retreats in view.dislodged:
            lines.append(f"{at} of {power} may go to {' '.join(retreats) or 'no place'}")
        if view.phase == BUILD:
            many = [(power, view.builds(power)) for power in view.to_act()]
            lines += [f"{p} {'builds' if n > 0 else 'disbands'} {abs(n)}" for p, n in many]
        return tuple(lines)

    def picture(self, view, agent):
        """Draw centres as discs in their owner's colour, and armies as squares."""
        owner = dict(zip(CENTRES, view.owners, strict=True))
        ways = [_way(PLACES[at], PLACES[to]) for at in NEAR for to in NEAR[at] if at < to]
        items, labels = [], []
        for at, (x, y) in PLACES.items():
            color = COLORS.get(owner.get(at, ""), "white" if at in owner else "gray")
            items.append(("disc" if at in owner else "hexagon", color, x, y, 0.13, 0.0))
            of = owner.get(at)
            labels.append((f"{at} {of[0]}" if of else at, "", x, min(y + 0.088, 0.975), 0.04))
        for at, power in view.armies:
            x, y = PLACES[at]
            items.append(("square", COLORS[power], x, y, 0.075, 0.0))
            labels.append((power[0].upper(), "", x, y, 0.06))
        return Shapes(tuple(items), "", tuple(ways), tuple(labels), self.status(view))


def _way(one, two):
    """Return a line between the edges of two provinces."""
    (a, b), (c, d) = one, two
    t = 0.07 / math.hypot(c - a, d - b)
    return "gray", a + t * (c - a), b + t * (d - b), c - t * (c - a), d - t * (d - b), 0.01


def _messages(text, agent):
    """Return (receiver, text) pairs of a reply; text without a name is for all."""
    if text.casefold().strip(" .") == SILENT:
        return ()
    if len(text) > (len(POWERS) + 1) * pictures.LONGEST:
        raise InvalidMove(f"a reply has at most {(len(POWERS) + 1) * pictures.LONGEST} characters")
    texts: dict[str, str] = {}
    to = "all"
    for line in text.splitlines():
        head, colon, rest = line.partition(":")
        name = head.casefold().strip().removeprefix("to ").strip()
        if colon and head.casefold().strip().startswith("to ") and name in (*POWERS, "all"):
            if name == agent:
                raise InvalidMove("you cannot write to yourself")
            to, line = name, rest.strip()
        if line.strip():
            texts[to] = f"{texts[to]}\n{line}" if to in texts else line
    if not texts:
        raise InvalidMove(f"write to all: or to a power: and what you say, or {SILENT}")
    return tuple([(to, pictures.message(words)) for to, words in texts.items()])


def _told(moves):
    """Yield messages to their receivers; private ones are marked."""
    for agent, speeches in moves.items():
        for to, words in speeches or ():
            if to == "all":
                yield Message(tuple([p for p in POWERS if p != agent]), agent, words)
            else:
                yield Message((to,), agent, f"(to you alone) {words}")


def _ordered(before, moves):
    """Yield what each power ordered, and the results."""
    all_orders = [order for power_orders in moves.values() for order in power_orders or ()]
    _, dislodged, completed_moves = judge(before.armies, all_orders)
    for power in POWERS:
        own = [order for order in all_orders if order.at in before.own(power)]
        order_texts = [
            f"{order} (fails)"
            if order.to and not order.of and order.at not in completed_moves
            else f"{order}"
            for order in own
        ]
        if before.own(power):
            yield Message(None, "game", f"{power}: {'; '.join(order_texts) or 'no orders'}.")
    for at, power, retreats in dislodged:
        end = "is driven out" if retreats else "is driven out and gone"
        yield Message(None, "game", f"The army of {power} in {at} {end}.")


def _done(before, power, some):
    if before.phase == RETREAT:
        return f"{power} retreats: {'; '.join(f'{at} - {to}' for at, to in some)}."
    return f"{power} {'builds' if before.builds(power) > 0 else 'disbands'}: {' '.join(some)}."


def _score(state):
    return f"Centres: {', '.join(f'{power} {state.count(power)}' for power in POWERS)}"


def _retreats(text, free):
    """Return where dislodged armies go."""
    targets = {}
    for words in orders.clauses(text):
        if words[0] == "disband":
            continue
        at = orders.province(words[0])
        if at not in free:
            raise InvalidMove(f"no army of yours was driven out of {at}: {', '.join(free)}")
        if words[1:] == ["disband"]:
            continue
        if len(words) != 3 or words[1] != "-" or words[2].upper() not in free[at]:
            places = ", ".join(free[at])
            raise InvalidMove(f"{at} may go to {places}: write {at} - {places[:3]}, or disband")
        targets[at] = words[2].upper()
    return tuple(targets.items())


def _places(text, there, most):
    """Return where armies are built or disbanded."""
    words = [word for part in orders.clauses(text) for word in part]
    places = [orders.province(w) for w in words if w not in ("build", "disband", "-", "and", "h")]
    places = list(dict.fromkeys(places))
    if not 1 <= len(places) <= most or not set(places) <= set(there):
        raise InvalidMove(
            f"{clip_repr(' '.join(places))}: expected 1 to {most} of {', '.join(there) or 'none'}"
        )
    return tuple(places)
