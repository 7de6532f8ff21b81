"""Hanabi against OpenSpiel's, card by card; what is secret, and what ends a game."""

import random
import re
from collections import Counter
from dataclasses import replace

import pytest
from game_contract import compare_encoding, find_numbers, rotate
from playable import unless

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.cards.hanabi import ALL, COLORS, COPIES, Hanabi
from gem_ma.testing import check_env

LETTERS = "RYGWB"


def theirs_of(move, agent, agents):
    """Return a move as OpenSpiel says it."""
    kind, *rest = move.split()
    if kind != "hint":
        return f"({kind.title()} {int(rest[0]) - 1})"
    away = (agents.index(rest[0]) - agents.index(agent)) % len(agents)
    what = f"color {rest[1][0].upper()}" if rest[1] in COLORS else f"rank {rest[1]}"
    return f"(Reveal player +{away} {what})"


def shown_by(text):
    """Return what OpenSpiel shows of a position: numbers, fireworks, and what hints have left."""
    lives, hints = (int(re.search(rf"{name} tokens: (\d)", text)[1]) for name in ("Life", "Info"))
    built = tuple(int(n) for n in re.search("Fireworks: (.*)", text)[1].split() for n in n[1:])
    known = re.findall(r"^(\w\w) \|\| \w\w\|(\w*?)(\d*)$", text, re.MULTILINE)
    deck = int(re.search(r"Deck size: (\d+)", text)[1])
    gone = re.search("Discards:(.*)", text)[1].split()
    return lives, hints, built, known, deck, Counter(gone)


def ours_of(state, seat):
    """Return the same of ours, hands from a seat on."""
    known = []
    for at in range(len(state.agents)):
        player = (seat + at) % len(state.agents)
        for card, bits in zip(state.hands[player], state.known[player], strict=True):
            name = "XX" if not at else f"{LETTERS[card[0]]}{card[1] + 1}"
            colors = "".join(letter for n, letter in enumerate(LETTERS) if bits[0] >> n & 1)
            ranks = "".join(str(n + 1) for n in range(5) if bits[1] >> n & 1)
            known.append((name, colors, ranks))
    gone = Counter(f"{LETTERS[c]}{r + 1}" for c, r in state.discarded)
    return state.lives, state.hints, state.built, known, state.left, gone


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_against_openspiel(players):
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[openspiel]'")
    other = pyspiel.load_game(f"hanabi(players={players})")
    env, ends = gem_ma.make("game:Hanabi-v0", players=players), Counter()
    for seed in range(30):
        rng = random.Random(seed)
        env.reset(seed=seed)
        state, theirs = env.match.state, other.new_initial_state()
        agents = state.agents
        coming = [card for hand in state.hands for card in hand] + list(reversed(state.deck))
        while True:
            while theirs.is_chance_node():
                color, rank = coming.pop(0)
                theirs.apply_action(5 * color + rank)
            assert bool(env.match.waiting_seats) != theirs.is_terminal()
            state = env.match.state
            score = theirs.returns()[0]
            assert state.score == score
            assert state.returns() == dict.fromkeys(agents, score / 25)
            if theirs.is_terminal():
                break
            (agent,), seat = env.match.waiting_seats, theirs.current_player()
            assert agents.index(agent) == seat
            assert ours_of(state, seat) == shown_by(theirs.observation_string(seat))
            named = {theirs.action_to_string(seat, n): n for n in theirs.legal_actions()}
            legal = {move: theirs_of(move, agent, agents) for move in state.legal(agent)}
            assert set(legal.values()) == set(named)
            careful = [move for move in legal if fits(state, move, agent)]
            move = rng.choice(careful if careful and rng.random() < 0.9 else list(legal))
            theirs.apply_action(named[legal[move]])
            env.step_seats({agent: move})
        ends["lives" if not state.lives else "deck" if not state.left else "all"] += 1
    assert ends["lives"]
    assert ends["deck"]


def fits(state, move, agent):
    """Return whether a move plays a card that fits, or none, so that games go on for long."""
    kind, *rest = move.split()
    if kind != "play":
        return True
    color, rank = state.hands[state.agents.index(agent)][int(rest[0]) - 1]
    return state.built[color] == rank


def test_all_fireworks_end_the_game():
    """A deck in order is played through by one who plays what fits."""
    game = Hanabi()
    whole = [(c, r) for c in range(5) for r, n in enumerate(COPIES) for _ in range(n)]
    once = [(c, r) for r in range(5) for c in range(5)]
    rest = list((Counter(whole) - Counter(once)).elements())
    state = game.dealt(rest + once[::-1])
    for _ in range(100):
        if not state.to_act():
            break
        (agent,) = state.to_act()
        own = state.hands[state.turn]
        fit = [n for n, (color, rank) in enumerate(own, 1) if state.built[color] == rank]
        hints = [move for move in state.legal(agent) if move.startswith("hint")]
        move = f"play {fit[0]}" if fit else (hints or ["discard 1"])[0]
        state = game.advance(state, {agent: move}, None)
    assert state.score == 25
    assert state.returns() == {"player_0": 1.0, "player_1": 1.0}


def test_nobody_sees_its_own_cards():
    env = gem_ma.make("game:Hanabi-v0", players=3)
    for seed in range(20):
        env.reset(seed=seed)
        state = env.match.state
        mixed = list(state.hands[0])
        deck = list(state.deck)
        random.Random(seed).shuffle(deck)
        other = replace(state, hands=(tuple(deck[:5]), *state.hands[1:]), deck=tuple(mixed))
        assert state.seen_by("player_0") == replace(other.seen_by("player_0"), left=state.left)
        assert state.seen_by("player_1") != other.seen_by("player_1")
        assert state.seen_by("player_0").deck is None
        assert state.known == ((ALL,) * 5,) * 3


@pytest.mark.parametrize(
    ("players", "max_turns"), [(2, 12), unless(False, 2, None), unless(False, 5, None)]
)
def test_the_contract(players, max_turns):
    env = gem_ma.make("game:Hanabi-v0", players=players, max_turns=max_turns)
    check_env(env, seeds=1, processes=max_turns is None)


def test_what_is_refused_says_why():
    game = Hanabi(3)
    env = gem_ma.make("game:Hanabi-v0", players=3)
    env.reset(seed=0)
    view = env.match.make_view("player_0")
    for text, why in (
        ("discard 1", "all 8 hints are there"),
        ("hint player_0 red", "cannot give yourself"),
        ("play 6", "not a legal move"),
        ("hint player_9 red", "not a legal move"),
        ("", "not a legal move"),
    ):
        with pytest.raises(InvalidMove, match=why):
            game.read(text, view, "player_0")
    with pytest.raises(InvalidMove, match="no hints left"):
        game.read("hint player_1 red", replace(view, hints=0), "player_0")
    assert Hanabi().read("Hint 1", _two(), "player_0").startswith("hint player_1 1")


def _two():
    state = Hanabi().dealt(
        [(c, r) for c in range(5) for r, n in enumerate(COPIES) for _ in range(n)]
    )
    hand = ((0, 0), *state.hands[1][1:])
    return replace(state, hands=(state.hands[0], hand)).seen_by("player_0")


def read_numbers(text, agent):
    """Return what a player reads of the table as numbers."""
    hands, names = {}, []
    for line in text.splitlines():
        if player := re.match(r"(player_\d)(?: \(you\))?(?: has left\.|:)", line):
            names.append(player[1])
            hands[player[1]] = []
        elif told := re.match(r"  \d: (.*); as far as hints say: (.*), (.*)", line):
            card, colors, ranks = told.groups()
            seen = [color in card for color in COLORS] + [card.endswith(n) for n in "12345"]
            known = [color in colors or colors == "any colour" for color in COLORS]
            known += [n in ranks or ranks == "any rank" for n in "12345"]
            hands[names[-1]].append([*seen, *known])
    size = 5 if len(names) < 4 else 4
    row = []
    for name in rotate(names, names.index(agent)):
        row += [*hands[name], *[[0] * 20] * (size - len(hands[name]))]
    row = [float(n) for part in row for n in part]
    built = re.search(r"Fireworks: (.*)", text)[1]
    gone = re.search(r"Discarded: (.*)", text)[1]
    row += [find_numbers(one)[0] / 5 for one in built.split(", ")]
    row += [gone.count(f"{color} {n + 1}") / COPIES[n] for color in COLORS for n in range(5)]
    hints, lives, deck, *turns = find_numbers(re.search(r"Hints: .*", text)[0])
    row += [hints / 8, lives / 3, deck / (50 - size * len(names))]
    row += [turns[0] / (len(names) + 1) if turns else 0, bool(turns)]
    acts = re.search(r"To act: (\S+)", text)
    return row + [bool(acts) and name == acts[1] for name in rotate(names, names.index(agent))]


def test_the_numbers_say_what_the_text_says():
    compare_encoding("game:Hanabi-v0", read_numbers, steps=120)
    compare_encoding("game:Hanabi-v0", read_numbers, players=5)
