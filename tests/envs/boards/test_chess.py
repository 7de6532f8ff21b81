"""Chess: perft counts, random games beside the package itself, draws, how moves are named."""

import numpy as np
import pytest
from playable import unless

import gem_ma
from gem_ma import InvalidMove
from gem_ma.agents.search import SearchAgent
from gem_ma.rollouts.rollout import rollout
from gem_ma.testing import certify, check_env

chess = pytest.importorskip("chess", reason="pip install 'gem-ma[games]'")

from gem_ma.envs.boards.chess import UCI_MOVES, Chess

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ROOKS = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
PROMOTING = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"
BACK_RANKS = "1r4k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
BACK_RANKS_AND_QUEENS = "1r4k1/4qppp/8/8/8/8/4QPPP/R5K1 w - - 0 1"
RNG = np.random.default_rng(0)


def after(game, *names):
    state = game.start(RNG, {})
    for name in names:
        seat = state.to_act()[0]
        state = game.advance(state, {seat: game.read(name, state, seat)}, RNG)
    return state


def perft(state, depth):
    """Count the lines of play of this length, the last move of each by the list of moves."""
    legal = state.legal(None)
    return len(legal) if depth == 1 else sum(perft(state.play(name), depth - 1) for name in legal)


@pytest.mark.parametrize(
    ("fen", "counts"),
    [
        (chess.STARTING_FEN, (20, 400, 8902)),
        (KIWIPETE, (48, 2039)),
        (ROOKS, (14, 191, 2812, 43238)),
        (PROMOTING, (6, 264, 9467)),
        pytest.param(chess.STARTING_FEN, (20, 400, 8902, 197281), marks=pytest.mark.slow),
        pytest.param(KIWIPETE, (48, 2039, 97862), marks=pytest.mark.slow),
    ],
)
def test_perft(fen, counts):
    state = Chess(fen).start(RNG, {})
    assert tuple(perft(state, depth) for depth in range(1, len(counts) + 1)) == counts


def result(board):
    if board.is_game_over():
        return board.result()
    return "1/2-1/2" if board.is_repetition(3) or board.is_fifty_moves() else "*"


RESULTS = {"1-0": (1.0, -1.0), "0-1": (-1.0, 1.0), "1/2-1/2": (0.0, 0.0)}


def play_beside(seed):
    """Play one random game in both, named in any notation, and return how it ended."""
    rng, board = np.random.default_rng(seed), chess.Board()
    env = gem_ma.Env(Chess())
    env.reset(seed=seed)
    while result(board) == "*":
        seat = env.agent_selection
        assert seat == ("white" if board.turn else "black")
        rows = [line[2:] for line in env.observe(seat)["text"].splitlines()[-12:-4]]
        assert "\n".join(rows) == str(board)
        moves = list(board.legal_moves)
        assert sorted(env.info(seat)["legal_actions"]) == sorted(move.uci() for move in moves)
        taking = list(board.generate_legal_captures())
        moves = taking if taking and rng.random() < 0.9 else moves  # shorter games
        move = moves[rng.integers(len(moves))]
        names = move.uci(), board.san(move), board.lan(move), f"{board.fullmove_number}. {move}"
        env.step(names[rng.integers(4)])
        board.push(move)
    assert env.to_act == ()
    assert tuple(env.rewards.values()) == RESULTS[result(board)]
    return env.game_state.end


@pytest.mark.parametrize(
    "seeds", [range(20), *(unless(False, range(50 * n, 50 * n + 50)) for n in range(4))]
)
def test_random_games_agree_with_the_package(seeds):
    assert len({play_beside(seed) for seed in seeds}) >= 3


def test_mate():
    state = after(Chess(), "f3", "e5", "g4", "Qh4#")
    assert (state.end, state.to_act()) == ("checkmate", ())
    assert state.returns() == {"white": -1.0, "black": 1.0}
    state = after(Chess(), "e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7")
    assert state.returns() == {"white": 1.0, "black": -1.0}


@pytest.mark.parametrize(
    ("fen", "moves", "end"),
    [
        ("7k/8/4Q1K1/8/8/8/8/8 w - - 0 1", ["e6f7"], "stalemate"),
        ("7k/8/8/8/8/8/1p6/K7 w - - 0 1", ["Kxb2"], "draw: neither side can mate"),
        (None, ["Nf3", "Nf6", "Ng1", "Ng8"] * 2, "draw: threefold repetition"),
        ("7k/8/8/8/8/8/8/KR6 w - - 98 80", ["Rb2", "Kg8"], "draw: fifty moves"),
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 80", ["Ra8#"], "checkmate"),  # a mate comes first
    ],
)
def test_how_games_end(fen, moves, end):
    game = Chess() if fen is None else Chess(fen)
    assert after(game, *moves[:-1]).end is None
    last = after(game, *moves)
    assert last.end.startswith(end)
    assert last.to_act() == ()
    assert any(last.returns().values()) == (end == "checkmate")


def test_castling_and_en_passant_make_another_position():
    # The king's tour costs the right to castle: the first position does not count.
    shuffle = ["Nc3", "Nc6", "Nb1", "Nb8"]
    state = after(Chess(), "e4", "e5", "Ke2", "Ke7", "Ke1", "Ke8", *shuffle)
    assert state.end is None
    assert after(Chess(), "e4", "e5", "Ke2", "Ke7", "Ke1", "Ke8", *shuffle, *shuffle).end
    # An en passant that nobody can take is none.
    assert after(Chess(), "e4").fen.split()[3] == "-"
    assert after(Chess(), "e4", "a6", "e5", "d5").fen.split()[3] == "d6"


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("b1c3", "b1c3"),
        ("B1C3.", "b1c3"),
        ("Nc3", "b1c3"),
        ("Nc3!?", "b1c3"),
        ("1. Nc3", "b1c3"),
        ("bxa3", "b2a3"),
        ("Bxa3", "c5a3"),  # the case tells a bishop from a pawn
        ("O-O-O", "e1c1"),
        ("0-0", "e1g1"),
        ("h8=N+", "h7h8n"),
        ("h7h8Q", "h7h8q"),
    ],
)
def test_a_move_by_its_names(text, move):
    game = Chess("4k3/7P/8/2B5/8/n7/1P6/RN2K2R w KQ - 0 1")
    if move == "e1c1":
        game = Chess("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
    assert game.read(text, game.start(RNG, {}), "white") == move


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Rd3", "more than one move"),
        ("e7e5", "no piece of yours"),
        ("e4d4", "no piece of yours"),
        ("e2d3", "your king would be in check"),
        ("h7h8", "say what the pawn becomes, h7h8q"),
        ("a3b4", "not a legal move"),
        ("--", "is no move"),
        ("0000", "is no move"),
        ("Nf3", "no legal move"),
        ("castle", "no legal move"),
        ("", "no legal move"),
        ("e2e4 e7e5", "no legal move"),
        ("\u0664", "no legal move"),
    ],
)
def test_what_is_no_move(text, reason):
    game = Chess("k3r3/p6P/8/8/8/R6R/4B3/4K3 w - - 0 1")
    with pytest.raises(InvalidMove, match=reason):
        game.read(text, game.start(RNG, {}), "white")


def test_moves_in_standard_notation():
    game = Chess(notation="san")
    assert {"Nf3", "e4"} < set(game.start(RNG, {}).legal("white"))
    state = after(game, "e2e4", "d5", "exd5", "d8d5", "Nc3", "Qe5+")
    assert "Be2" in state.legal("white")
    assert "check" in game.describe(state, "white")
    assert game.read("f1e2", state, "white") == "Be2"


def test_every_move_has_a_number_and_a_square():
    assert len(UCI_MOVES) == len(set(UCI_MOVES)) == 1968
    game = Chess()
    planes = game.encode(after(game, "e4"), "black")
    assert planes[6, 4, 4] == 1  # white's pawn
    assert planes[5, 0, 4] == 1  # the own king
    assert planes[:12].sum() == 32


@pytest.mark.parametrize(
    "arguments", [{"fen": "x"}, {"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}, {"notation": "lan"}]
)
def test_what_makes_no_game(arguments):
    with pytest.raises(ValueError, match="expected"):
        Chess(**arguments)


def test_a_game_that_is_over_is_none():
    with pytest.raises(ValueError, match="the game is over in this position"):
        Chess("7k/8/8/8/8/8/8/K7 w - - 0 1")


def test_the_contract_and_the_pictures():
    env = gem_ma.Env(Chess(KIWIPETE, notation="san"), max_turns=6)
    check_env(env, seeds=1)
    assert certify(gem_ma.Env(Chess(ROOKS)), views=30).distance > 0


def search_beats_chance(fen, episodes, max_turns):
    env = gem_ma.Env(Chess(fen), id="game:Chess-v0", max_turns=max_turns)
    agents = [SearchAgent(depth=2), "random"]  # it sees a mate in one, its own and the other's
    played = rollout(env, agents, episodes=episodes, seed=5, shuffle=True)
    decided = [(seat, e.returns[seat]) for e in played for seat, a in e.agents.items()
               if a != "random" and e.returns[seat]]  # fmt: skip
    assert {seat for seat, _ in decided} == {"white", "black"}
    assert sum(won == 1 for _, won in decided) >= 0.95 * len(decided)
    return len(decided)


def test_search_beats_chance():
    assert search_beats_chance(BACK_RANKS, 6, max_turns=24) >= 4


@pytest.mark.slow
def test_search_beats_chance_in_more_games():
    assert search_beats_chance(BACK_RANKS, 16, max_turns=40) >= 8


@pytest.mark.slow
@pytest.mark.parametrize("fen", [BACK_RANKS, BACK_RANKS_AND_QUEENS])
def test_search_beats_chance_in_longer_games(fen):
    assert search_beats_chance(fen, 10, max_turns=200) >= 5
