"""The rules of games against another library's implementation of the same games."""

import importlib
import itertools

import numpy as np
import pytest

import gem_ma
from gem_ma.envs.cards.kuhn_poker import AGENTS, CARDS, KuhnPoker, State

NO_ORACLES = "pip install 'gem-ma[oracles]'"
GAMES = 1000
SEED = 2  # one that leads to draws in Connect Four, where 1 game in 400 is one


def column_by_column(cell):
    """Return the number that PettingZoo gives to a tic-tac-toe cell, or we to one of theirs."""
    return cell % 3 * 3 + cell // 3


def play_both(ours, theirs, rng, renumber):
    """Play one random game in both libraries, compare every turn, and return the final rewards."""
    ours.reset(seed=int(rng.integers(1 << 32)))
    theirs.reset()
    while True:
        terminated = [ours.terminations[seat] for seat in ours.possible_agents]
        assert terminated == [theirs.terminations[seat] for seat in theirs.possible_agents]
        assert not any(ours.truncations.values())
        if any(terminated):
            break
        seat, their_seat = ours.agent_selection, theirs.agent_selection
        assert ours.possible_agents.index(seat) == theirs.possible_agents.index(their_seat)
        *_, info = ours.last()
        mask = theirs.observe(their_seat)["action_mask"]
        legal = [renumber(int(text)) for text in info["legal_actions"]]
        assert sorted(legal) == np.flatnonzero(mask).tolist()
        move = int(rng.choice(legal))
        ours.step(str(renumber(move)))
        theirs.step(move)
    rewards = tuple(float(theirs.rewards[seat]) for seat in theirs.possible_agents)
    assert tuple(ours.rewards[seat] for seat in ours.possible_agents) == rewards
    paid = {}
    for seat in ours.agent_iter():
        _, paid[seat], *_ = ours.last()
        ours.step(None)
    assert tuple(paid[seat] for seat in ours.possible_agents) == rewards
    return rewards


# PettingZoo warns of its own modules' names since 1.27.
@pytest.mark.filterwarnings("ignore:The old environment creation API:DeprecationWarning")
@pytest.mark.parametrize(
    ("id", "module", "renumber"),
    [
        ("game:ConnectFour-v0", "connect_four_v3", int),
        ("game:TicTacToe-v0", "tictactoe_v3", column_by_column),
    ],
)
def test_random_games_agree_with_pettingzoo(id, module, renumber):
    pytest.importorskip("pygame", reason=NO_ORACLES)
    classic = importlib.import_module(f"pettingzoo.classic.{module}")
    ours, theirs, rng = gem_ma.make(id), classic.raw_env(), np.random.default_rng(SEED)
    outcomes = {play_both(ours, theirs, rng, renumber) for _ in range(GAMES)}
    assert outcomes == {(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)}


OPENSPIEL = {"check": 0, "fold": 0, "bet": 1, "call": 1}  # it names them pass and bet


def walk(game, ours, theirs, known):
    """Compare a node and all below it, and yield deal and betting of every terminal node."""
    assert theirs.is_terminal() == (not ours.to_act())
    if theirs.is_terminal():
        assert [ours.returns()[seat] for seat in AGENTS] == theirs.returns()
        yield ours.cards, ours.bets
        return
    assert ours.returns() == dict.fromkeys(AGENTS, 0.0)
    player = theirs.current_player()
    seat = AGENTS[player]
    view = ours.seen_by(seat)
    assert ours.to_act() == (seat,)
    assert [OPENSPIEL[text] for text in view.legal(seat)] == theirs.legal_actions()
    known.add((view, theirs.information_state_string(player)))
    for text in view.legal(seat):
        move = game.read(text, view, seat)
        after = game.advance(ours, {seat: move}, np.random.default_rng(0))
        yield from walk(game, after, theirs.child(OPENSPIEL[text]), known)


def test_the_whole_tree_of_kuhn_poker_agrees_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel", reason=NO_ORACLES)
    root = pyspiel.load_game("kuhn_poker").new_initial_state()
    known, ends = set(), []
    for deal in itertools.permutations(range(3), 2):
        ours = State(tuple(CARDS[card] for card in deal))
        ends += walk(KuhnPoker(), ours, root.child(deal[0]).child(deal[1]), known)
    assert len(ends) == len(set(ends)) == 6 * 5
    # A seat that is to act knows as much here as there: views and information sets pair off.
    views, information_sets = zip(*known, strict=True)
    assert len(known) == len(set(views)) == len(set(information_sets)) == 12
