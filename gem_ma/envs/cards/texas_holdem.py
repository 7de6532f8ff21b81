"""Texas hold'em: two cards each, five open cards for all, four betting rounds without a limit."""

import itertools
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.cards.deck import DECK, rank
from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, InvalidMove, Maybe, Message, clip_repr, parse_choice
from gem_ma.scene import Cards

BLINDS = (1, 2)
ROUNDS = {0: "before the flop", 3: "flop", 4: "turn", 5: "river"}  # by the number of open cards
DEALT = {0: 3, 3: 1, 4: 1}  # cards dealt openly after each round
WHEEL = (12, 3, 2, 1, 0)  # the lowest straight: the ace counts as 1
HANDS = (
    *("high card", "pair", "two pairs", "three of a kind", "straight", "flush", "full house"),
    *("four of a kind", "straight flush"),
)


def value(cards):
    """Return the strength of the best five of these cards: index in HANDS, then ranks."""
    return max(map(_of_five, itertools.combinations(cards, 5)))


def _of_five(cards):
    counts = Counter(map(rank, cards))
    ranks = tuple(sorted(counts, key=lambda one: (counts[one], one), reverse=True))
    shape = tuple(sorted(counts.values(), reverse=True))
    flush = len({card[-1] for card in cards}) == 1
    straight = len(ranks) == 5 and (ranks[0] - ranks[4] == 4 or ranks == WHEEL)
    if straight:
        ranks = ranks if ranks != WHEEL else (3,)
        return (8 if flush else 4, ranks[0])
    kinds = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}
    return (5 if flush else kinds.get(shape, 0), *ranks)


@dataclass(frozen=True, slots=True)
class State:
    agents: tuple[str, ...]
    stack: int  # chips that each seat began with
    cards: tuple[Maybe[tuple[str, str]], ...]  # None: hidden
    bets: tuple[int, ...]  # of this round
    waiting: tuple[int, ...]  # the seats still to act in this round, in order
    paid: tuple[int, ...]  # in earlier rounds
    board: tuple[str, ...] = ()
    folded: tuple[int, ...] = ()
    least: int = BLINDS[1]  # least amount of the next raise

    def to_act(self):
        return (self.agents[self.waiting[0]],) if self.waiting else ()

    def out(self):
        return tuple([self.agents[seat] for seat in self.folded]) if self.waiting else ()

    def live(self):
        return [seat for seat in range(len(self.agents)) if seat not in self.folded]

    def spent(self):
        return tuple([a + b for a, b in zip(self.paid, self.bets, strict=True)])

    def returns(self):
        contributions, winners = self.spent(), self.winners()
        rewards = [
            -float(n) if seat in self.folded or winners else 0.0
            for seat, n in enumerate(contributions)
        ]
        for seat in winners:
            rewards[seat] += sum(contributions) / len(winners)
        return dict(zip(self.agents, rewards, strict=True))

    def winners(self):
        """Return the seats that share the pot; () while it is open."""
        live = self.live()
        if self.waiting or len(live) == 1:
            return () if self.waiting else tuple(live)
        best = max(value(self.cards[seat] + self.board) for seat in live)
        return tuple([s for s in live if value(self.cards[s] + self.board) == best])

    def seen_by(self, agent):
        own_seat = self.agents.index(agent)
        live = self.live()
        visible_seats = {own_seat, *(live if not self.waiting and len(live) > 1 else ())}
        cards = tuple(
            [hand if seat in visible_seats else None for seat, hand in enumerate(self.cards)]
        )
        return replace(self, cards=cards)

    def legal(self, agent):
        seat, highest = self.agents.index(agent), max(self.bets)
        answers = ("check",) if self.bets[seat] == highest else ("fold", "call")
        room = self.stack - self.paid[seat]  # the largest possible bet of this round
        lowest = min(highest + self.least, room)
        return (*answers, *(f"raise {n}" for n in range(lowest, room + 1) if n > highest))

    def fold(self, seat):
        waiting = tuple([s for s in self.waiting if s != seat])
        new_state = replace(self, folded=(*self.folded, seat), waiting=waiting)
        return replace(new_state, waiting=()) if len(new_state.live()) == 1 else new_state

    def put(self, seat, bet):
        """Set a seat's bet of this round; after a raise all others act again."""
        highest, bets = max(self.bets), (*self.bets[:seat], bet, *self.bets[seat + 1 :])
        after = replace(self, bets=bets, waiting=self.waiting[1:])
        if bet <= highest:
            return after
        others = tuple([s for s in self.order(seat + 1) if s != seat])
        return replace(after, waiting=others, least=max(self.least, bet - highest))

    def order(self, first):
        """Return the seats that have not folded, in order from `first` on."""
        n = len(self.agents)
        seats = [(first + i) % n for i in range(n)]
        return tuple([s for s in seats if s not in self.folded])

    def dealt(self, rng):
        """Return the state in the next round; if nobody can bet, all cards are dealt."""
        state = self
        while not state.waiting and len(state.live()) > 1 and len(state.board) in DEALT:
            used_cards = {card for hand in state.cards for card in hand} | set(state.board)
            remaining = [card for card in DECK if card not in used_cards]
            indices = rng.choice(len(remaining), DEALT[len(state.board)], replace=False).tolist()
            contributions = state.spent()
            all_in = contributions[state.live()[0]] == state.stack
            first = 1 if len(state.agents) == 2 else 0
            state = replace(
                state,
                board=(*state.board, *(remaining[i] for i in indices)),
                paid=contributions,
                bets=(0,) * len(contributions),
                waiting=() if all_in else state.order(first),
                least=BLINDS[1],
            )
        return state


class TexasHoldem(Game[State]):
    def __init__(self, players: int = 2, stack: int = 100):
        if not 2 <= players <= 6:
            raise ValueError(f"players={players}: expected 2 to 6")
        if not 2 * BLINDS[1] <= stack <= 1000:
            raise ValueError(f"stack={stack}: expected {2 * BLINDS[1]} to 1000")
        self.agents = tuple(f"player_{i}" for i in range(players))
        self.stack = stack
        self.zero_sum = players == 2
        raises = (f"raise {n}" for n in range(1, stack + 1))  # a seat may have only one chip left
        self.moves = ("fold", "check", "call", *raises)

    def start(self, rng, options):
        n = len(self.agents)
        cards = [DECK[i] for i in rng.choice(len(DECK), 2 * n, replace=False).tolist()]
        hands = tuple(zip(cards[::2], cards[1::2], strict=True))
        order = tuple([(2 + i) % n for i in range(n)])  # the blinds act last, small one first
        bets = (*BLINDS, *(0,) * (n - 2))
        return State(self.agents, self.stack, hands, bets, order, (0,) * n)

    def read(self, text, view, agent):
        legal = view.legal(agent)
        words = text.casefold().replace("all in", "all-in").replace("bet", "raise").split()
        choice = " ".join(word for word in words if word not in ("to", "chips"))
        if choice.strip(".!") in ("all-in", "raise all-in"):
            return legal[-1] if legal[-1].startswith("raise") else parse_choice("call", legal)
        try:
            return parse_choice(choice, legal)
        except InvalidMove:
            raise InvalidMove(
                f"{clip_repr(text)} is not a legal move{_why(choice, legal)}"
            ) from None

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        seat = state.waiting[0]
        if move == "fold":
            after = state.fold(seat)
        elif move.startswith("raise"):
            after = state.put(seat, int(move.split()[1]))
        else:
            after = state.put(seat, max(state.bets))
        return after.dealt(rng)

    def skip(self, view, agent):
        return view.legal(agent)[0]  # check, or fold

    def forfeit(self, state, agent, rng):
        """Fold, even out of turn."""
        seat = state.agents.index(agent)
        return state if seat in state.folded else state.fold(seat).dealt(rng)

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        messages = [Message(None, seat, move)]
        new = after.board[len(before.board) :]
        if new:
            messages.append(Message(None, "game", f"Laid open: {' '.join(new)}."))
        if not after.waiting:
            messages += [Message(None, "game", line) for line in _ending(after)]
        return messages

    def rules(self, agent):
        n = len(self.agents)
        opener = "player_0" if n == 2 else f"player_{2 % n}"
        later = "player_1" if n == 2 else "player_0, or the next one who is left,"
        return (
            f"You are playing no-limit Texas hold'em as {agent}, one of {n}, for one hand. Each "
            f"seat has {self.stack} chips and gets two cards that only it sees. player_0 pays the "
            f"small blind of {BLINDS[0]}, player_1 the big blind of {BLINDS[1]}. There are four "
            "rounds of bets: before the flop, and after three, four and five cards have been laid "
            f"open for all. {opener} begins the first round, {later} the others. In turn: who owes "
            "nothing may check; who owes may call, which pays as much as the highest bet of the "
            "round, or fold, which loses what was paid. Both may raise: raise 12 brings your bet "
            f"of this round to 12. A raise goes up by at least {BLINDS[1]}, and by at least as "
            "much as the last raise of the round, unless it is all you have. A round ends when all "
            "who are left have paid the same. If one is left, it wins the pot; else, after the "
            "last round, the best five of the own two cards and the five open ones win: straight "
            "flush, four of a kind, full house, flush, straight, three of a kind, two pairs, pair, "
            "high card; equal hands share. You earn the chips that you win or lose. Reply with "
            "fold, check, call, or raise and a number."
        )

    def describe(self, view, agent):
        lines = []
        contributions = view.spent()
        for seat, (name, hand) in enumerate(zip(view.agents, view.cards, strict=True)):
            cards = " ".join(hand) if hand else "? ?"
            you = " (you)" if name == agent else ""
            stack = "folded" if seat in view.folded else f"{view.stack - contributions[seat]} chips"
            lines.append(f"{name}{you}: {cards}, {stack}, bet {view.bets[seat]}")
        return "\n".join([f"Open cards: {' '.join(view.board) or 'none'}", *lines, *_status(view)])

    def picture(self, view, agent):
        contributions = view.spent()
        rows = [("open", (*view.board, *("?",) * (5 - len(view.board))))]
        for seat, hand in enumerate(view.cards):
            stack = "folded" if seat in view.folded else f"has {view.stack - contributions[seat]}"
            rows.append((f"p{seat} {stack}, bet {view.bets[seat]}", hand or ("?", "?")))
        return Cards(tuple(rows), (*_status(view), *make_turn_caption(view)))

    def encode(self, view, agent):
        """Return the own and the open cards, each one-hot over the deck, and the own seat.

        Then, for each seat from the own one on: its remaining chips (0 after a fold) and its bet of
        this round, as shares of its first chips, and whether it has folded. Last is the share of
        all chips that is in the pot.
        """
        many, own = len(view.agents), view.agents.index(agent)
        cards = np.zeros((2, len(DECK)), np.float32)
        for row, held in zip(cards, (view.cards[own], view.board), strict=True):
            row[[DECK.index(card) for card in held]] = 1
        spent = view.spent()
        seats = [
            (
                0 if seat in view.folded else 1 - spent[seat] / view.stack,
                view.bets[seat] / view.stack,
                seat in view.folded,
            )
            for seat in (*range(own, many), *range(own))
        ]
        place = np.arange(many) == own
        pot = [sum(spent) / (many * view.stack)]
        return np.concatenate([cards.ravel(), place, np.ravel(seats), pot]).astype(np.float32)


def _status(view):
    caption = f"Pot {sum(view.spent())}, round: {ROUNDS[len(view.board)]}"
    if not view.waiting:
        return (caption,)
    call_amount = max(view.bets) - view.bets[view.waiting[0]]
    return (f"{caption}, to call: {call_amount}",)


def _ending(after):
    """Yield who shows which hand, and who wins."""
    winners, live = after.winners(), after.live()
    if len(live) > 1:
        for seat in live:
            hand = HANDS[value(after.cards[seat] + after.board)[0]]
            yield f"{after.agents[seat]} shows {' '.join(after.cards[seat])}: {hand}."
    names = " and ".join(after.agents[seat] for seat in winners)
    yield f"{names} {'wins' if len(winners) == 1 else 'share'} the pot of {sum(after.spent())}."


def _why(said, legal):
    """Return why a move is not allowed now."""
    if said.startswith("raise"):
        raises = [move for move in legal if move.startswith("raise")]
        if not raises:
            return ": all chips are in"
        return f": a raise may be from {raises[0].split()[1]} to {raises[-1].split()[1]}"
    if said in ("fold", "call") and "check" in legal:
        return ": you owe nothing, so check or raise"
    if said == "check":
        return ": you owe chips, so call, raise or fold"
    return ""


env, parallel_env, raw_env = make_env_functions(__name__)
