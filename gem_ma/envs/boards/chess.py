"""Chess: two agents play by the standard rules, as the `chess` package implements them."""

import functools
from typing import NamedTuple

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.uci_moves import UCI_MOVES
from gem_ma.game import Game, InvalidMove, clip_repr
from gem_ma.scene import Grid, Tile

try:
    import chess
except ImportError as error:
    raise ImportError("Chess needs the package chess: pip install 'gem-ma[games]'") from error

AGENTS = ("white", "black")
FILES, RANKS = tuple("abcdefgh"), tuple("87654321")
FIGURES = ("pawn", "knight", "bishop", "rook", "queen", "king")
LETTERS = "PNBRQKpnbrqk"  # as in FEN; in the order of the planes
NAMES = tuple(f"{agent} {figure}" for agent in AGENTS for figure in FIGURES)
AROUND = " \t\r\n.,;:!?\"'`*$()[]<>"
TILES = (  # a symbol is a piece and its square: light (-) or dark (=)
    *(
        (letter + shade, Tile(name.split()[1], name.split()[0], ground, name=said))
        for letter, name in zip(LETTERS, NAMES, strict=True)
        for shade, ground, said in (
            ("-", "light-square", f"{name} ({letter})"),
            ("=", "dark-square", ""),
        )
    ),
    (".-", Tile(ground="light-square")),
    (".=", Tile(ground="dark-square")),
)
UCI = frozenset(UCI_MOVES)


class State(NamedTuple):
    fen: str = chess.STARTING_FEN
    past: tuple[str, ...] = ()  # positions since the last capture or pawn move, with this one
    end: str | None = None  # how the game ended; None while it continues
    san: bool = False  # list moves in SAN rather than UCI
    last: str = ""  # the last move in UCI

    def to_act(self):
        return () if self.end else (AGENTS[self.fen.split(" ", 2)[1] == "b"],)

    def returns(self):
        if self.end != "checkmate":
            return {"white": 0.0, "black": 0.0}
        reward = 1.0 if " b " in self.fen else -1.0  # the side to move was mated
        return {"white": reward, "black": -reward}

    def seen_by(self, agent):
        return self  # nothing is hidden

    def legal(self, agent):
        return tuple(_moves(self.fen, self.san))

    def play(self, name):
        board = _board(self.fen).copy(stack=False)
        move = _moves(self.fen, self.san)[name]
        board.push(move)
        return self.at(board, self.past if board.halfmove_clock else (), move.uci())

    def at(self, board, past, last=""):
        """Return the state of a board; draws that a player could claim end the game."""
        fen = board.fen()
        position = fen.rsplit(" ", 2)[0]  # pieces, side, castling, and en passant where it is legal
        past = (*past, position)
        end = None
        if not _moves(fen, False):
            end = "checkmate" if board.is_check() else "stalemate"
        elif board.is_insufficient_material():
            end = "draw: neither side can mate"
        elif past.count(position) >= 3:
            end = "draw: threefold repetition"
        elif board.halfmove_clock >= 100:
            end = "draw: fifty moves without capture or pawn's move"
        return State(fen, past, end, self.san, last)


class Chess(Game[State]):
    agents = AGENTS
    unlisted_moves = "names in notation='san' depend on the position; notation='uci' has a list"
    zero_sum = True

    def __init__(self, fen: str = chess.STARTING_FEN, notation: str = "uci"):
        if notation not in ("uci", "san"):
            raise ValueError(f"notation={notation!r}: expected 'uci' or 'san'")
        board = chess.Board(fen)  # raises a ValueError that says what is wrong with a FEN
        if not board.is_valid():
            raise ValueError(f"fen={fen!r}: expected a legal position of chess")
        self.first = State(san=notation == "san").at(board, ())
        if self.first.end:
            raise ValueError(
                f"fen={fen!r}: the game is over in this position ({self.first.end}); expected a "
                "position from which it can be played"
            )
        self.moves = UCI_MOVES if notation == "uci" else None

    def start(self, rng, options):
        return self.first

    def read(self, text, view, agent):
        """Return the move's name in the notation of the game."""
        names = _moves(view.fen, view.san)
        if text in names:
            return text
        name = text.strip(AROUND)
        number, dot, rest = name.partition(".")
        if dot and number.isdecimal():  # a leading move number, as in books
            name = rest.strip(AROUND)
        if name.lower() in _moves(view.fen, False):
            move = chess.Move.from_uci(name.lower())
        elif name in UCI:
            raise InvalidMove(f"{name} is not a legal move here{_why(name, view.fen)}")
        else:
            try:
                move = _board(view.fen).parse_san(name[:20])
            except chess.AmbiguousMoveError:
                raise InvalidMove(f"{name} could be more than one move; say from where") from None
            except ValueError:
                raise InvalidMove(
                    f"{clip_repr(name)} is no legal move, neither as e2e4 nor as Nf3"
                ) from None
        for legal_name, other in names.items():
            if other == move:
                return legal_name
        raise InvalidMove(f"{clip_repr(name)} is no move")  # a null move, which SAN allows

    def advance(self, state, moves, rng):
        return state.play(*moves.values())

    def rules(self, agent):
        return (
            f"You are playing chess as {agent}, by the usual rules; white's pieces are capital "
            "letters, black's small ones, and white begins at the foot of the board. Who mates the "
            "king wins. It is a draw by stalemate, when neither side has the pieces to mate, and "
            "at once when a position comes up for the third time or when fifty moves of each side "
            "went by without a capture or a pawn's move. Reply with a move in UCI or in standard "
            "notation: e2e4 or e4, g1f3 or Nf3, e1g1 or O-O, e7e8q or e8=Q."
        )

    def describe(self, view, agent):
        rows = zip(RANKS, _rows(view.fen), strict=True)
        lines = [f"{rank} {' '.join(row)}" for rank, row in rows]
        return "\n".join([*lines, f"  {' '.join(FILES)}", *self.status(view)])

    def status(self, view):
        _, side, castling, passant, clock, number = view.fen.split(" ")
        check = ", check" if _board(view.fen).is_check() else ""
        times = view.past.count(view.past[-1])
        return (
            view.end or f"Move {number}, {AGENTS[side == 'b']} to move{check}",
            f"Castling {castling}, en passant {passant}",
            f"Clock {clock} of 100, position seen {times}x",
        )

    def picture(self, view, agent):
        shades = "-=-=-=-=", "=-=-=-=-"
        rows = enumerate(_rows(view.fen))
        cells = tuple(
            [tuple(map("".join, zip(row, shades[i % 2], strict=True))) for i, row in rows]
        )
        return Grid(cells, TILES, _mark_squares(view.last), FILES, RANKS, self.status(view))

    def encode(self, view, agent):
        """Return planes of eight rows, rank 8 first.

        Twelve planes show the pieces, own first: pawn, knight, bishop, rook, queen, king. Further
        planes show en passant, castling rights (own first, king's side first), which side is white,
        the halfmove clock, and how often the position has occurred.
        """
        _, _, castling, passant, clock, _ = view.fen.split(" ")
        cells = np.array([list(row) for row in _rows(view.fen)])
        black = agent == "black"
        planes = np.zeros((20, 8, 8), np.float32)
        for i, letter in enumerate(LETTERS.swapcase() if black else LETTERS):
            planes[i] = cells == letter
        if passant != "-":
            planes[12, RANKS.index(passant[1]), FILES.index(passant[0])] = 1
        for i, right in enumerate("kqKQ" if black else "KQkq"):
            planes[13 + i] = right in castling
        planes[17] = not black
        planes[18] = int(clock) / 100
        planes[19] = min(view.past.count(view.past[-1]), 3) / 3
        return planes

    def report(self, state):
        return {"end": state.end, "fen": state.fen}


@functools.lru_cache(maxsize=1024)
def _board(fen):
    """Return a shared board that must not be changed; copy it to make moves."""
    return chess.Board(fen)


@functools.lru_cache(maxsize=1024)
def _mark_squares(move):
    """Return row and column of the squares of a move in UCI."""
    squares = move[:2], move[2:4]
    return tuple([(RANKS.index(rank), FILES.index(file)) for file, rank in filter(None, squares)])


@functools.lru_cache(maxsize=1024)
def _moves(fen, san):
    """Return the legal moves by name."""
    board = chess.Board(fen) if san else _board(fen)  # naming a move in SAN plays it and undoes it
    return {board.san(m) if san else m.uci(): m for m in board.legal_moves}


@functools.lru_cache(maxsize=1024)
def _rows(fen):
    """Return the rows of the board, rank 8 first, with points for free squares."""
    board = fen.partition(" ")[0]
    for many in "12345678":
        board = board.replace(many, "." * int(many))
    return tuple(board.split("/"))


def _why(name, fen):
    """Return what is wrong with a UCI move; "" if there is no simple reason."""
    letter = _rows(fen)[RANKS.index(name[1])][FILES.index(name[0])]
    if not (letter.islower() if " b " in fen else letter.isupper()):
        return f": {name[:2]} holds no piece of yours"
    if name + "q" in _moves(fen, False):
        return f": say what the pawn becomes, {name}q for example"
    if chess.Move.from_uci(name) in _board(fen).pseudo_legal_moves:
        return ": your king would be in check"
    return ""


env, parallel_env, raw_env = make_env_functions(__name__)
