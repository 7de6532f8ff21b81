"""Negotiation: buyer and seller with secret values agree on several issues at once."""

import functools
import itertools
from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.markets import offers
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, InvalidMove, Maybe, Message, clip_repr, parse_choice
from gem_ma.scene import TextTable

AGENTS = ("buyer", "seller")
ISSUES = {
    "price": ("400", "450", "500", "550"),
    "delivery": ("1 week", "2 weeks", "3 weeks", "4 weeks"),
    "warranty": ("1 year", "2 years", "3 years", "5 years"),
    "payment": ("at once", "30 days", "60 days", "90 days"),
    "support": ("none", "letters", "phone", "visits"),
    "finish": ("plain", "oil", "wax", "paint"),
    "training": ("none", "1 day", "2 days", "3 days"),
    "amount": ("10", "20", "40", "80"),
}
OPTIONS = 4  # of each issue
MOST = 5  # largest number of issues
TOTAL = 100  # value of the best options together, for each seat
ALONE = 10, 40  # value of no deal: lowest and highest
GAIN = 10  # some deal is better than no deal by this much, for both
ACCEPT, REJECT, LEAVE = ANSWERS = (*offers.TO_OFFERS, "leave")
PROPOSE = "propose: "
SMALL_TALK = ("Hello.", "What matters most to you?", "I need more than that.")


@dataclass(frozen=True, slots=True)
class State:
    issues: tuple[str, ...]
    # For each seat, issue and option; None: hidden.
    values: tuple[tuple[tuple[int, ...], ...] | None, ...]
    alone: tuple[Maybe[int], ...]  # value of no deal, by seat
    left: int  # replies until the game is over
    turn: int = 0
    offer: Maybe[tuple[int, ...]] = None  # the option of each issue
    proposer: int | None = None
    deal: bool = False
    over: bool = False

    def to_act(self):
        return () if self.over or not self.left else (AGENTS[self.turn],)

    def returns(self):
        if self.to_act():
            return dict.fromkeys(AGENTS, 0.0)
        payoffs = [self.worth(i, self.offer) if self.deal else self.alone[i] for i in range(2)]
        return {a: n / TOTAL for a, n in zip(AGENTS, payoffs, strict=True)}

    def seen_by(self, agent):
        seat = AGENTS.index(agent)
        values = tuple([v if i == seat else None for i, v in enumerate(self.values)])
        alone = tuple([v if i == seat else None for i, v in enumerate(self.alone)])
        return replace(self, values=values, alone=alone)

    def legal(self, agent):
        """Return the answers, all proposals, and example messages."""
        answers = (ACCEPT, REJECT) if self.proposer == 1 - self.turn else ()
        return (*answers, *_proposals(self.issues), *SMALL_TALK, LEAVE)

    def worth(self, seat, options):
        """Return the value of a choice of options for a seat."""
        return sum(row[i] for row, i in zip(self.values[seat], options, strict=True))

    def move(self, move):
        """Apply an answer, a proposal, or a message, which only passes the turn."""
        after = replace(self, left=self.left - 1, turn=1 - self.turn)
        if move == LEAVE:
            return replace(after, over=True)
        if move == ACCEPT:
            return replace(after, deal=True, over=True)
        if move == REJECT:
            return replace(after, offer=None, proposer=None)
        if isinstance(move, tuple):
            return replace(after, offer=move, proposer=self.turn)
        return after


class Negotiation(Game[State]):
    """Two agents agree on several issues at once, or on nothing.

    Args:
        issues: how many issues there are, each with four options.
        turns: how often each seat may speak, proposals and answers included.
    """

    agents = AGENTS
    legal_is_partial = True

    def __init__(self, issues: int = 4, turns: int = 6):
        if not 2 <= issues <= MOST or turns < 1:
            raise ValueError(
                f"issues={issues}, turns={turns}: expected issues 2 to {MOST}, turns at least 1"
            )
        self.issues, self.turns = issues, turns
        self.moves = (*ANSWERS, *_numbered_proposals(issues), *SMALL_TALK)

    def start(self, rng, options):
        names = tuple(ISSUES)
        issues = tuple([names[i] for i in sorted(rng.permutation(len(names))[: self.issues])])
        while True:
            orders = [_orders(rng) for _ in issues]
            values = tuple(
                [_values(_weights(rng, self.issues), [pair[i] for pair in orders]) for i in (0, 1)]
            )
            alone = tuple([int(n) for n in rng.integers(ALONE[0], ALONE[1] + 1, size=2)])
            state = State(issues, values, alone, 2 * self.turns)
            if any(a >= alone[0] + GAIN and b >= alone[1] + GAIN for a, b in worths(state)):
                return state

    def read(self, text, view, agent):
        """Return an answer, a proposal as a tuple, or the message unchanged."""
        return offers.read(text, view, ANSWERS, lambda said: _offer(said, view.issues))

    def name_moves(self, legal):
        proposals = iter(_numbered_proposals(self.issues))
        return tuple([next(proposals) if text.startswith(PROPOSE) else text for text in legal])

    def advance(self, state, moves, rng):
        return state.move(*moves.values())

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        if move is None:
            messages = [Message(None, "game", f"{seat} lost its turn.")]
        elif isinstance(move, tuple):
            messages = [Message(None, "game", f"{seat} proposes {named(after)}.")]
        elif move == LEAVE:
            messages = [Message(None, "game", f"{seat} leaves.")]
        elif move in ANSWERS:
            messages = [Message(None, "game", f"{seat} {move}s the proposal.")]
        else:
            messages = [Message(None, seat, move)]
        if not after.to_act():
            text = f"A deal: {named(after)}." if after.deal else "There is no deal."
            messages.append(Message(None, "game", text))
        return messages

    def report(self, state):
        """Report how good the deal is, by `pareto` and `joint`."""
        return {
            "deal": state.deal,
            "pareto share": pareto(state) if state.deal else 0.0,
            "joint share": joint(state) if state.deal else 0.0,
        }

    def rules(self, agent):
        return (
            f"You are {agent} of the two agents buyer and seller, who talk about {self.issues} "
            f"issues. Each has {OPTIONS} options, and a deal names one for every issue. What an "
            "option is worth to you only you know; the other has values of its own, on some "
            f"issues as yours, on others against them. The best of everything is worth {TOTAL} to "
            f"each of you. You speak in turn, {self.turns} times each. Reply with one of these: "
            "any message to the other; propose: price 450, delivery 2 weeks (but with each of your "
            "issues, in any order); leave, which ends the talk; or, to a proposal of the other on "
            "the table, accept or reject. A proposal stays there until it is answered or another "
            f"one is made. With a deal you earn what it is worth to you, as a share of {TOTAL}; "
            "without one, what you have without a deal, which only you know too."
        )

    def describe(self, view, agent):
        def worth(issue, option):
            values = [(a, v) for a, v in zip(AGENTS, view.values, strict=True) if v]
            return ", ".join(f"{a} {v[issue][option]}".removeprefix(f"{agent} ") for a, v in values)

        lines = []
        for i, issue in enumerate(view.issues):
            options = [f"{option} ({worth(i, k)})" for k, option in enumerate(ISSUES[issue])]
            lines.append(f"{issue}: {'; '.join(options)}")
        return "\n".join([*lines, *self.status(view)])

    def status(self, view):
        table = named(view) if view.offer else "nothing"
        by = f"{AGENTS[view.proposer]} proposes" if view.offer and not view.deal else "On the table"
        alternatives = [
            f"{a} {n}" for a, n in zip(AGENTS, view.alone, strict=True) if n is not None
        ]
        end = [] if view.to_act() else ["It is over"]
        return (
            f"{'Deal' if view.deal else by}: {table}",
            f"Without a deal: {', '.join(alternatives)}",
            *end,
            f"Replies left: {view.left}",
            *make_turn_caption(view),
        )

    def picture(self, view, agent):
        """Draw the value of each option as a number and a bar; proposed options are highlighted."""
        maximum = max(max(row) for values in view.values if values for row in values)
        rows = []
        for i, issue in enumerate(view.issues):
            cells = [issue]
            for k, option in enumerate(ISSUES[issue]):
                known_values = [values[i][k] for values in view.values if values]
                worth = "|".join(map(str, known_values))
                if view.offer and view.offer[i] == k:
                    cells.append((f"{option}\n>{worth}<", "yellow", 1.0))
                else:
                    share = sum(known_values) / len(known_values) / maximum
                    cells.append((f"{option}\n{worth}", "green", 0.12 * share))
            rows.append(tuple(cells))
        status = self.status(view)
        return TextTable(
            tuple(rows), status=(status[0].split(":")[0] if view.offer else status[0], *status[1:])
        )

    def encode(self, view, agent):
        """Return the value of each option of each issue, then the proposal, one-hot.

        Then come whether the proposal is the own one, whether it is the other's, the value of no
        deal, the replies left, and whether it is the own turn. Values are shares of the best
        possible deal.
        """
        own = AGENTS.index(agent)
        offered = np.zeros((self.issues, OPTIONS), np.float32)
        if view.offer is not None:
            offered[np.arange(self.issues), view.offer] = 1
        values = np.array(view.values[own]) / TOTAL
        makers = [view.proposer == seat and not view.deal for seat in (own, 1 - own)]
        rest = [view.alone[own] / TOTAL, view.left / (2 * self.turns), view.to_act() == (agent,)]
        parts = values.ravel(), offered.ravel(), makers, rest
        return np.concatenate(parts).astype(np.float32)


def worths(state):
    """Return the value of each possible deal for both seats."""
    deals = itertools.product(range(OPTIONS), repeat=len(state.issues))
    return [(state.worth(0, deal), state.worth(1, deal)) for deal in deals]


def pareto(state):
    """Return 1 if no deal is better for both, else the fraction of a better deal that both got."""
    payoffs = [state.worth(seat, state.offer) for seat in (0, 1)]
    if not any(payoffs):
        return 0.0
    better = max(
        min(other / own for own, other in zip(payoffs, both, strict=True) if own)
        for both in worths(state)
    )
    return 1 / better


def joint(state):
    """Return the sum of both seats' values, as a share of the largest possible sum."""
    best = max(map(sum, worths(state)))
    return sum(state.worth(seat, state.offer) for seat in (0, 1)) / best


def named(state):
    """Return the proposed deal as text."""
    pairs = zip(state.issues, state.offer, strict=True)
    return ", ".join(f"{issue} {ISSUES[issue][k]}" for issue, k in pairs)


def _offer(text, issues):
    """Return the deal in a text such as "price 450, delivery 2 weeks"."""
    numbers = text.strip(" :.!\n").split()
    if len(numbers) == len(issues) and set(numbers) <= set("1234"):
        return tuple([int(number) - 1 for number in numbers])
    choices = {}
    parts = [p for p in text.casefold().replace(";", ",").split(",") if p.strip(" :.!\n")]
    for part in parts[: MOST + 1]:
        issue, _, option = part.strip(" :.!\n").replace(":", " ").replace("=", " ").partition(" ")
        if issue not in issues:
            raise InvalidMove(f"{clip_repr(issue)} is no issue; the issues are {', '.join(issues)}")
        try:
            choices[issue] = ISSUES[issue].index(parse_choice(option.strip(), ISSUES[issue]))
        except InvalidMove:
            raise InvalidMove(
                f"{clip_repr(option)} is no option of {issue}: {', '.join(ISSUES[issue])}"
            ) from None
    missing = [issue for issue in issues if issue not in choices]
    if missing or len(parts) > len(issues):
        raise InvalidMove(
            f"a proposal names each issue once: {', '.join(issues)}"
            + (f"; missing: {', '.join(missing)}" if missing else "")
        )
    return tuple([choices[issue] for issue in issues])


@functools.cache
def _numbered_proposals(count):
    """Return the proposals in the order of `_proposals`, with numbers in place of options.

    With words, each choice of issues would have its own list.
    """
    deals = itertools.product("1234", repeat=count)
    return tuple([PROPOSE + " ".join(deal) for deal in deals])


@functools.cache
def _proposals(issues):
    deals = itertools.product(*(ISSUES[issue] for issue in issues))
    return tuple(
        [
            PROPOSE
            + ", ".join(f"{issue} {option}" for issue, option in zip(issues, deal, strict=True))
            for deal in deals
        ]
    )


def _orders(rng):
    """Return both seats' ranks of an issue's options, 0 the worst: opposed, equal or random."""
    ranking = tuple(range(OPTIONS)) if rng.random() < 0.5 else tuple(range(OPTIONS))[::-1]
    draw = rng.random()
    if draw < 0.6:
        return ranking, tuple([OPTIONS - 1 - rank for rank in ranking])
    if draw < 0.8:
        return ranking, ranking
    return ranking, tuple(rng.permutation(OPTIONS).tolist())


def _weights(rng, many):
    """Return the value of the best option of each issue; together they are worth TOTAL."""
    draws = [int(n) for n in rng.integers(1, 10, size=many)]
    ends = [TOTAL * sum(draws[: i + 1]) // sum(draws) for i in range(many)]
    return [end - start for start, end in zip([0, *ends], ends, strict=False)]


def _values(weights, orders):
    """Return the value of each option of each issue: the weight times the share of its rank."""
    return tuple(
        [
            tuple([weight * rank // (OPTIONS - 1) for rank in order])
            for weight, order in zip(weights, orders, strict=True)
        ]
    )


env, parallel_env, raw_env = make_env_functions(__name__)
