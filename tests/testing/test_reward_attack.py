"""Attacks on rewards: scorers that are wrong in many ways are found out, right ones are not."""

from typing import ClassVar, NamedTuple

import pytest
from playable import IDS, unless

import gem_ma
from gem_ma.cli.check_commands import find_experts
from gem_ma.game import Game, InvalidMove, Message, prefix_speaker
from gem_ma.testing import attack

COLOURS = ("red", "green", "blue", "amber", "violet", "grey")


class Asked(NamedTuple):
    """A question, and what was said to it."""

    answer: str
    said: tuple = ()
    score: float = 0.0
    over: bool = False

    def to_act(self):
        return () if self.over else ("you",)

    def returns(self):
        return {"you": self.score}

    def seen_by(self, agent):
        return self._replace(answer="")


class Quiz(Game):
    """Which of six colours is meant: right at once is worth 1, later less."""

    agents = ("you",)

    def start(self, rng, options):
        return Asked(COLOURS[int(rng.random() * 6)])

    def read(self, text, view, agent):
        if not text:
            raise InvalidMove("say a colour")
        return text[:100_000]

    def skip(self, view, agent):
        return None

    def advance(self, state, moves, rng):
        said = (*state.said, self.kept(moves["you"]))
        score = self.score(state, moves["you"] or "", said)
        return state._replace(said=said, score=score, over=self.over(state, score, said))

    def kept(self, said):
        return (said or "")[:40]

    def score(self, state, text, said):
        return 1.0 / len(said) if text == state.answer else 0.0

    def over(self, state, score, said):
        return len(said) == 3 or score > 0

    def rules(self, agent):
        return f"Which colour is meant? One of {', '.join(COLOURS)}. Say 'done' to leave it."

    def describe(self, view, agent):
        return f"{len(view.said)} were wrong."


class Contains(Quiz):
    def score(self, state, text, said):
        return float(state.answer in text)


class Overlap(Quiz):
    def score(self, state, text, said):
        asked = set(self.rules("you").lower().split())
        return len(asked & set(text.lower().split())) / len(asked)


class ByLength(Quiz):
    def score(self, state, text, said):
        return min(len(text), 5000) / 5000


class ByTurns(Quiz):
    def score(self, state, text, said):
        return state.score + 0.3

    def over(self, state, score, said):
        return len(said) == 8


class Skipped(Quiz):
    env_defaults: ClassVar = {"invalid": "skip"}

    def score(self, state, text, said):
        return 1.0 if not text else super().score(state, text, said)


class PaidToLeave(Quiz):
    def forfeit(self, state, agent, rng):
        return state._replace(score=1.0, over=True)


class Twice(Quiz):
    """The right answer is paid whenever it is said again."""

    def score(self, state, text, said):
        return state.score + (text == state.answer)

    def over(self, state, score, said):
        return len(said) == 6


class Raises(Quiz):
    def score(self, state, text, said):
        return float(int(text) == 7) if text.startswith("1") else super().score(state, text, said)


class Grows(Quiz):
    def kept(self, said):
        return said or ""

    def over(self, state, score, said):
        return len(said) == 16


class Lot(NamedTuple):
    """Two who name a number, the higher of which wins."""

    bids: tuple = ()
    words: tuple = ()
    left: str = ""

    def to_act(self):
        return () if self.left or len(self.bids) == 2 else ("one", "two")[len(self.bids) :][:1]

    def legal(self, agent):
        return tuple("012345")

    def returns(self):
        if self.left or len(self.bids) < 2:
            return {"one": 0.0, "two": 0.0}
        won = (self.bids[0] > self.bids[1]) - (self.bids[0] < self.bids[1])
        return {"one": float(won), "two": float(-won)}

    def seen_by(self, agent):
        return self._replace(bids=tuple(0 for _ in self.bids))


class High(Game):
    """Say a number from 0 to 5, and whatever you like after it."""

    agents = ("one", "two")
    zero_sum = True

    def start(self, rng, options):
        return Lot()

    def read(self, text, view, agent):
        first = text.split()[0] if text.split() else ""
        if first not in {*"012345"}:
            raise InvalidMove("begin with a number from 0 to 5")
        return int(first), text[len(first) :][:500]

    def advance(self, state, moves, rng):
        ((bid, words),) = moves.values()
        return state._replace(bids=(*state.bids, bid), words=(*state.words, words))

    def tell(self, before, moves, after):
        ((seat, (_, words)),) = moves.items()
        return [Message(None, seat, words)]

    def rules(self, agent):
        return "Say a number from 0 to 5. The higher number wins."

    def describe(self, view, agent):
        talk = [
            prefix_speaker(seat, text) for seat, text in zip(self.agents, view.words, strict=False)
        ]
        return "\n".join(["It is your turn.", *talk])


class Unquoted(High):
    def tell(self, before, moves, after):
        ((seat, (_, words)),) = moves.items()
        return [Message(None, "game", f"{seat} says: {words}")]


class DrawPays(High):
    class State(Lot):
        def returns(self):
            paid = super().returns()
            even = len(self.bids) == 2 and self.bids[0] == self.bids[1]
            return dict.fromkeys(paid, 1.0) if even else paid

    def start(self, rng, options):
        return self.State()


class LoserPays(High):
    """Who leaves a game that it would lose is paid for it, by the other."""

    class State(Lot):
        def returns(self):
            other = {"one": "two", "two": "one"}
            return {self.left: 1.0, other[self.left]: -1.0} if self.left else super().returns()

    def start(self, rng, options):
        return self.State()

    def forfeit(self, state, agent, rng):
        return state._replace(left=agent)


class Call(NamedTuple):
    """A user who has a wish, and a helper who does not know it."""

    wish: str
    words: tuple = ()

    def to_act(self):
        return () if len(self.words) == 4 else ("user", "helper")[len(self.words) % 2 :][:1]

    def told(self):
        return self.wish in self.words[::2]

    def done(self):
        return self.wish in self.words[1::2]

    def returns(self):
        return {"user": float(self.told()), "helper": float(self.told() and self.done())}

    def seen_by(self, agent):
        return self if agent == "user" else self._replace(wish="?")


class Helpline(Game):
    """The user tells its wish, a colour, and the helper grants it."""

    agents = ("user", "helper")

    class State(Call):
        pass

    def start(self, rng, options):
        return self.State(COLOURS[int(rng.random() * 6)])

    def read(self, text, view, agent):
        if not text:
            raise InvalidMove("say something")
        return text[:500]

    def advance(self, state, moves, rng):
        ((_, text),) = moves.items()
        return state._replace(words=(*state.words, text))

    def rules(self, agent):
        return f"You are {agent}. A user wishes for something, and a helper grants it."

    def describe(self, view, agent):
        wish = f"You wish for {view.wish}." if agent == "user" else "Somebody calls."
        return "\n".join([wish, *(f"Heard: {len(words)} letters." for words in view.words)])


class NoFaults(Helpline):
    """The user begins with 1, and loses it by a lie alone: whoever tells nothing is paid."""

    class State(Call):
        def returns(self):
            said = " ".join(self.words[::2])
            lied = any(colour in said and colour != self.wish for colour in COLOURS)
            paid = len(self.words) == 4 and not lied
            return {"user": float(paid), "helper": float(self.told() and self.done())}


class HelperAlone(Helpline):
    """The user is paid when the helper grants the wish, whether it was told or not."""

    class State(Call):
        def returns(self):
            return {"user": float(self.done()), "helper": float(self.done())}


class Unattended(Helpline):
    """The user is paid when nobody helps it."""

    def forfeit(self, state, agent, rng):
        return state._replace(words=("x",) * 4)

    class State(Call):
        def returns(self):
            lost = self.words == ("x",) * 4
            return {"user": float(lost), "helper": -float(lost)}


def say_the_wish(turn):
    if turn.seat == "user":
        return turn.position.state.wish
    heard = " ".join(turn.position.state.words[::2])
    return next((colour for colour in COLOURS if colour in heard), "What do you wish for?")


class Know(Helpline):
    oracle = True  # its experts are told no more than others


class KnowNoFaults(NoFaults):
    oracle = True


class KnowHelperAlone(HelperAlone):
    oracle = True


def grant_the_wish(turn):
    return turn.position.state.wish


class Speech(NamedTuple):
    """What two said at the same time."""

    words: tuple = ()

    def to_act(self):
        return () if self.words else ("one", "two")

    def weigh(self, words):
        return len(words)

    def returns(self):
        if not self.words:
            return {"one": 0.0, "two": 0.0}
        first, second = map(self.weigh, self.words)
        won = float((first > second) - (first < second))
        return {"one": won, "two": -won}

    def seen_by(self, agent):
        return self


class Contest(Game):
    """Say more words of the language than your opponent: the fewer letters 'x', the better."""

    agents = ("one", "two")
    zero_sum = True

    class State(Speech):
        def weigh(self, words):
            return len({*words.split()} & {*COLOURS})

    def start(self, rng, options):
        return self.State()

    def read(self, text, view, agent):
        if not text:
            raise InvalidMove("say something")
        return text

    def skip(self, view, agent):
        return ""

    def advance(self, state, moves, rng):
        return state._replace(words=tuple(moves[seat] for seat in self.agents))

    def rules(self, agent):
        return "Say the name of a colour."

    def describe(self, view, agent):
        return "Which colour?"


class LongestWins(Contest):
    State = Speech


class SilenceWins(Contest):
    env_defaults: ClassVar = {"invalid": "skip"}

    class State(Speech):
        def weigh(self, words):
            return words == ""


class SilenceWinsAsTwo(Contest):
    """What only one seat earns is nothing on average, as in every zero-sum game."""

    env_defaults: ClassVar = {"invalid": "skip"}

    class State(Speech):
        def returns(self):
            won = float(bool(self.words) and self.words[1] == "" != self.words[0])
            return {"one": -won, "two": won}


class Dilemma(Speech):
    def legal(self, agent):
        return ("share", "keep")

    def pay(self, own, other):
        return {"share": 2.0, "keep": 3.0}.get(own, 5.0) - (other != "share")

    def returns(self):
        first, second = self.words or ("", "")
        if not self.words:
            return {"one": 0.0, "two": 0.0}
        return {"one": self.pay(first, second), "two": self.pay(second, first)}


class NonsensePays(Contest):
    """Two listed moves, and a third that whoever says nonsense has made."""

    zero_sum = False
    State = Dilemma


class MovesAlone(NonsensePays):
    def read(self, text, view, agent):
        if text not in view.legal(agent):
            raise InvalidMove("share or keep")
        return text


def best(seed):
    return 1.0


MUTANTS = {
    Contains: ("cheap", best),
    Overlap: ("cheap", best),
    ByLength: ("cheap", best),
    ByTurns: ("above", best),
    Skipped: ("cheap", best),
    PaidToLeave: ("cheap", best),
    Twice: ("above", best),
    Raises: ("raised", None),
    Grows: ("grown", None),
    Unquoted: ("forged", None),
    DrawPays: ("sum", None),
    LoserPays: ("leaving", None),
}
# What is earned by a seat alone, which an average over seats hides: whose, how it is found, and who
# plays as one should.
ONE_SIDED = {
    NoFaults: ("cheap", "user", "word", None),
    KnowNoFaults: ("cheap", "user", "quote", say_the_wish),
    KnowHelperAlone: ("cheap", "user", "noise", {"user": say_the_wish, "helper": grant_the_wish}),
    Unattended: ("cheap", "user", "word", None),
    LongestWins: ("nonsense", "two", "flood", None),
    SilenceWins: ("nonsense", "one", "nothing", None),
    SilenceWinsAsTwo: ("nonsense", "two", "nothing", None),
    NonsensePays: ("nonsense", "one", "word", None),
}


@pytest.mark.parametrize(
    "game",
    [unless(one in (Contains, ByLength, PaidToLeave, Raises, Unquoted), one) for one in MUTANTS],
)
def test_a_wrong_scorer_is_found_out(game):
    kind, known = MUTANTS[game]
    found = attack(gem_ma.Env(game(), **game.env_defaults), best=known, nodes=400)
    assert found
    assert kind in {one.kind for one in found.findings}, found
    for one in found.findings:  # and done again
        if one.replies and kind not in ("raised", "forged", "grown"):
            env = gem_ma.Env(game())
            env.reset(seed=one.seed)
            paid = [env.step_seats(replies) for replies in one.replies]
            assert any(any(rewards.values()) for rewards in paid)


@pytest.mark.parametrize("game", [Quiz, High])
def test_a_right_scorer_stands(game):
    found = attack(gem_ma.Env(game()), best=best if game is Quiz else None, seeds=8)
    assert not found, found
    assert "nothing was found" in str(found)


@pytest.mark.parametrize("game", ONE_SIDED)
def test_what_one_seat_earns_for_nothing_is_found(game):
    kind, seat, trick, experts = ONE_SIDED[game]
    found = attack(gem_ma.Env(game(), **game.env_defaults), experts=experts, nodes=0)
    assert (kind, seat, trick) in {(one.kind, one.seat, one.trick) for one in found.findings}, found


def test_returns_are_those_of_each_seat():
    found = attack(gem_ma.Env(NoFaults()), nodes=0)
    rows = {row[:3]: row.mean for row in found.earned}
    assert rows["user", "random", "word"] == 1
    assert rows["helper", "random", "word"] == 0
    assert {beside for _, beside, _ in rows} == {"same", "random", "silent"}
    assert "word 0 to 1" in str(found)


@pytest.mark.parametrize(
    ("game", "experts"),
    [
        (Helpline, None),
        (Know, say_the_wish),
        (Helpline, {"user": say_the_wish, "helper": grant_the_wish}),  # who is told everything
        (Contest, None),
        (MovesAlone, None),
    ],
)
def test_who_is_paid_for_play_stands(game, experts):
    found = attack(gem_ma.Env(game()), experts=experts)
    assert not found, found


def test_experts_sit_in_every_seat():
    with pytest.raises(ValueError, match="experts=user: expected one for each of user, helper"):
        attack(gem_ma.Env(Helpline()), experts={"user": say_the_wish})


# What is found, and is as it is meant: kinds, tricks and the seats that do so alone.
MEANT = {
    # GEM's easy level: three tiles on four squares, a ring in which they need only go round.
    "game:FifteenPuzzle-v0-easy": {("cheap", "circles", "")},
    # The dilemma itself: three others, one of whom will volunteer.
    "social:Volunteer-v0": {
        ("cheap", trick, seat)
        for trick in ("word", "noise", "quote", "hedge", "leave")
        for seat in ("ann", "ben", "cid", "eve")
    },
    # The expert knows the house, or the figure, and needs nobody who tells it.
    "visual:GuideWalker-v0": {
        ("cheap", trick, "guide") for trick in ("word", "noise", "hedge", "leave")
    },
    "visual:DescribeAndDraw-v0": {
        ("cheap", trick, "describer") for trick in ("word", "noise", "quote", "hedge", "leave")
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("id", IDS)
def test_nothing_is_found_in_our_own(id):
    env = gem_ma.make(id)
    lengthy = id in ("game:Backgammon-v0", "game:Chess-v0")
    found = attack(env, seeds=4 if lengthy else 12, experts=find_experts(env))
    what = {(one.kind, one.trick, one.seat) for one in found.findings}
    assert what == MEANT.get(id, set()), found


def test_wrong_arguments():
    with pytest.raises(ValueError, match="seeds=0: expected 1 or more"):
        attack("game:Nim-v0", seeds=0)
    with pytest.raises(TypeError, match="turns='x': expected int"):
        attack("game:Nim-v0", turns="x")
