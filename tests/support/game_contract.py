"""What is asked of every game, asked in the game's own test file.

    class TestContract(GameContract):
        id = "game:Mine-v0"
        seats = ("first", "second")
        zero_sum = True
        pays = "1 for a win, -1 for a loss, 0 for a draw"
        outcomes = {(1, -1), (-1, 1), (0, 0)}
        draws = {"dice": ({}, lambda state: state.dice, even(range(1, 7)))}
        records = {"game:Mine-v0": "0123456789abcdef 0123456789abcdef ..."}

A game that draws after its start has `draws_later`, one that encodes its views has `numbers`, and
one that hides something has a test `test_secrets`; a test here says what is lacking. What the
records are is printed by `python tests/support/hashes.py game:Mine-v0`.
"""

import ast
import functools
import itertools
import math
import re
from collections import Counter
from pathlib import Path

import hashes
import numpy as np

import gem_ma

TESTS = Path(__file__).parents[1]
SEEDS = 300  # of what is drawn
PLAYS, TURNS = 12, 200  # at random
ENCODED_PLAYS, ENCODED_TURNS = 3, 60
RECORDED = TESTS / "envs" / "hashes.txt"  # records of the games that came before this file


def fits(outcomes, expected):
    """Fail where outcomes are not about as frequent as expected, by a chi-square test."""
    counts, k = Counter(outcomes), len(expected) - 1
    assert counts.keys() <= expected.keys(), "something came that cannot"
    assert math.isclose(sum(expected.values()), 1)
    total = counts.total()
    assert total >= 5 * len(expected), "too few to say"
    off = sum((counts[x] - p * total) ** 2 / (p * total) for x, p in expected.items())
    # What chance exceeds once in 10,000 times, after Wilson and Hilferty.
    assert off <= k * (1 - 2 / (9 * k) + 3.72 * math.sqrt(2 / (9 * k))) ** 3, counts


def even(kinds):
    """Return how likely each of these is where none is likelier."""
    kinds = list(kinds)
    return dict.fromkeys(kinds, 1 / len(kinds))


@functools.cache
def contracted_ids():
    """Return the ids whose games have a contract in a test file, with that file.

    Returns:
        A dict from each id to the path; levels such as `game:Mine-v0-easy` have that of their game.
    """
    found = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "(GameContract)" in text else ():
            if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
                found |= dict.fromkeys(_ids_of(node), path)
    return found


def _ids_of(node):
    """Return the ids that a class of tests names as its own, with their levels."""
    if not any(isinstance(base, ast.Name) and base.id == "GameContract" for base in node.bases):
        return []
    (id,) = (
        one.value.value
        for one in node.body
        if isinstance(one, ast.Assign) and [target.id for target in one.targets] == ["id"]
    )
    return levels_of(id)


def levels_of(id):
    """Return all ids of the game of this one."""
    return [one for one in gem_ma.list_envs(f"{id}*") if one == id or one.startswith(f"{id}-")]


@functools.cache
def recorded():
    """Return the hashes of episodes in `tests/envs/hashes.txt`, by id."""
    found = {}
    for line in RECORDED.read_text().splitlines():
        id, _, held = line.rsplit(" ", 2)
        found.setdefault(id, []).append(held)
    return found


def views(game, seed, steps=ENCODED_TURNS):
    """Play at random, with lost turns and leavers; yield each state."""
    rng = np.random.default_rng(seed)
    state = game.start(rng, {})
    for _ in range(steps):
        yield state
        if not state.to_act():
            return
        if len(game.agents) > 2 and rng.random() < 0.03:
            state = game.forfeit(state, state.to_act()[0], rng)
            continue
        moves = {}
        for seat in state.to_act():
            view = state.seen_by(seat)
            legal = view.legal(seat)
            lost = type(game).skip is not gem_ma.Game.skip and rng.random() < 0.05
            text = legal[int(rng.integers(len(legal)))]
            moves[seat] = game.skip(view, seat) if lost else game.read(text, view, seat)
        state = game.advance(state, moves, rng)
    yield state


def compare_encoding(id, read, *, seeds=ENCODED_PLAYS, steps=ENCODED_TURNS, **arguments):
    """Fail where `encode` of a view differs from what `read` finds in its text.

    Args:
        id: the game's id
        read: a function from the text of a view and a seat to the numbers
        seeds: how many games are played
        steps: moves of each, at the most
        arguments: of the game
    """
    game, compared = gem_ma.make(id, **arguments).game, 0
    for seed in range(seeds):
        for state in views(game, seed, steps):
            for seat in game.agents:
                view = state.seen_by(seat)
                encoded = game.encode(view, seat)
                expected = np.array(read(game.describe(view, seat), seat), np.float32)
                assert encoded.dtype == np.float32
                assert encoded.shape == expected.shape
                np.testing.assert_allclose(encoded, expected, atol=1e-6)
                compared += 1
    assert compared > seeds


def compared_ids():
    """Return the ids that test files hand to `compare_encoding`."""
    calls = re.compile(r'compare_encoding\(\s*"(game:[^"]+)"')
    texts = (path.read_text(encoding="utf-8") for path in sorted(TESTS.rglob("test_*.py")))
    return {id for text in texts for id in calls.findall(text)}


def one_hot(index, size):
    """Return a row with a 1 at this place, or with none where it is None."""
    return [float(i == index) for i in range(size)]


def find_numbers(text):
    """Return the whole numbers of a text."""
    return [int(number) for number in re.findall(r"\d+", text)]


def rotate(things, first):
    """Return things in their order from one of them on."""
    return [*things[first:], *things[:first]]


class GameContract:
    """The tests that every game has beside those of its rules.

    Attributes:
        id: the game's id, without a level
        seats: what they are called
        zero_sum, simultaneous, conversation, blocking, oracle, max_tool_calls: what the game says
            of itself
        pays: what a seat earns, in a sentence; the next release has it under "Scoring"
        outcomes: final returns that are possible, as tuples in the order of the seats, or a
            function that tells whether such a tuple is
        draws: what a first state draws: a name -> (arguments of the game, a function from a state
            to its outcomes, how likely each is)
        draws_later: what a move draws: a name -> (a function from an rng to the outcomes of one
            move, how likely each is)
        numbers: a function from the text of a view and a seat to what `encode` says of that view
        records: an id -> hashes of its episodes, with spaces between them
    """

    id = ""
    seats = ("player",)
    zero_sum = False
    simultaneous = False
    conversation = False
    blocking = False
    oracle = False
    max_tool_calls = None
    pays = ""
    outcomes = frozenset()
    draws = {}
    draws_later = {}
    numbers = None
    records = {}

    def plays(self):
        """Play at random, with lost turns and leavers; yield the states of each play."""
        game = gem_ma.make(self.id).game
        for seed in range(PLAYS):
            rng = np.random.default_rng(seed)
            states = [game.start(rng, {})]
            while (acting := states[-1].to_act()) and len(states) < TURNS:
                if len(game.agents) > 2 and rng.random() < 0.03:
                    states.append(game.forfeit(states[-1], acting[0], rng))
                    continue
                moves = {seat: self.choose(game, states[-1], seat, rng) for seat in acting}
                states.append(game.advance(states[-1], moves, rng))
            yield game, states

    def choose(self, game, state, seat, rng):
        """Return a random move, or now and then that of a seat that lost its turn."""
        view = state.seen_by(seat)
        if type(game).skip is not gem_ma.Game.skip and rng.random() < 0.05:
            return game.skip(view, seat)
        legal = view.legal(seat)
        return game.read(legal[int(rng.integers(len(legal)))], view, seat)

    def test_what_it_says_of_itself(self):
        game = gem_ma.make(self.id).game
        assert gem_ma.make(self.id).possible_agents == list(self.seats)
        for name in (
            *("zero_sum", "simultaneous", "conversation", "blocking", "oracle"),
            "max_tool_calls",
        ):
            assert getattr(game, name) == getattr(self, name), name

    def test_what_is_drawn_at_the_start(self):
        game = gem_ma.make(self.id).game
        first = {repr(game.start(np.random.default_rng(seed), {})) for seed in range(5)}
        assert len(first) == 1 or self.draws, "first states differ: say in `draws` what is drawn"
        for name, (arguments, outcomes, expected) in self.draws.items():
            game = gem_ma.make(self.id, **arguments).game
            states = (game.start(np.random.default_rng(seed), {}) for seed in range(SEEDS))
            found = list(itertools.chain.from_iterable(map(outcomes, states)))
            assert found, name
            fits(found, expected)

    def test_what_is_drawn_later(self):
        assert not self.draws_by_moves() or self.draws_later, (
            "moves draw: say in `draws_later` what is drawn"
        )
        for name, (step, expected) in self.draws_later.items():
            each = (step(np.random.default_rng(seed)) for seed in range(SEEDS))
            found = list(itertools.chain.from_iterable(each))
            assert found, name
            fits(found, expected)

    def draws_by_moves(self):
        """Tell whether a move leads elsewhere under another rng."""
        for game, states in self.plays():
            for turn, state in enumerate(states[:-1]):
                rng = np.random.default_rng(turn)
                moves = {seat: self.choose(game, state, seat, rng) for seat in state.to_act()}
                after = {
                    repr(game.advance(state, moves, np.random.default_rng(seed)))
                    for seed in range(3)
                }
                if len(after) > 1:
                    return True
        return False

    def test_numbers_say_what_the_text_says(self):
        game = gem_ma.make(self.id).game
        encodes = type(game).encode is not gem_ma.Game.encode
        assert encodes == (self.numbers is not None), (
            "`numbers` reads from the text of a view what `encode` says of it"
        )
        for game, states in self.plays() if encodes else ():
            for state, seat in itertools.product(states, game.agents):
                view = state.seen_by(seat)
                found = game.encode(view, seat)
                expected = np.array(self.numbers(game.describe(view, seat), seat), np.float32)
                assert found.shape == expected.shape
                np.testing.assert_allclose(found, expected, atol=1e-6)

    def test_what_it_pays(self):
        assert self.pays
        possible = self.outcomes if callable(self.outcomes) else set(self.outcomes).__contains__
        ends = [(game, states[-1]) for game, states in self.plays() if not states[-1].to_act()]
        assert ends, f"no random play ends within {TURNS} moves"
        for game, state in ends:
            returns = tuple(state.returns()[seat] for seat in game.agents)
            assert possible(returns), returns
            assert sum(returns) == 0 or not self.zero_sum, returns

    def test_what_is_hidden_has_a_test(self):
        for game, states in self.plays():
            for state, seat in itertools.product(states, game.agents):
                if state.seen_by(seat) != state:
                    assert hasattr(self, "test_secrets"), (
                        f"{seat} does not see all: `test_secrets` holds that nothing leaks"
                    )
                    return

    def test_episodes_are_those_of_before(self):
        old = {id: recorded()[id] for id in levels_of(self.id) if id in recorded()}
        own = {id: held.split() for id, held in self.records.items()}
        assert not old.keys() & own.keys(), "these are in tests/envs/hashes.txt"
        now = {id: list(hashes.hashes_of(id)) for id in levels_of(self.id)}
        assert now == old | own
