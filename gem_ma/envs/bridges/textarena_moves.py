"""The legal moves of TextArena's games, and the moves for lost turns and seats that left."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np

Cell: TypeAlias = tuple[int, int]
Moves: TypeAlias = tuple[str, ...]


class TextArenaGame(Protocol):
    """An environment of TextArena in the middle of a game."""

    state: Any

    def get_observation(self) -> tuple[int, list[tuple[int, str, object]]]:
        """Return the seat that is to act, and its messages: sender, text and kind."""
        ...

    def __getattr__(self, name: str) -> Any:
        """Return an attribute that only some games have."""
        ...


# Lists the legal moves of an environment from the last board of a seat, and the seat.
MoveList: TypeAlias = Callable[[TextArenaGame, str, int], Moves]

# The message of a seat that says nothing in these games. It is always accepted.
SILENCE = {
    "Debate": "(says nothing)",
    "DontSayIt": "(says nothing)",
    "IteratedPrisonersDilemma": "(says nothing)",
    "IteratedStagHunt": "(says nothing)",
    "MarketEntryGame": "[S]",
    "PublicGoodsGame": "[0]",
    "SimpleBlindAuction": "(says nothing)",
    "SimpleNegotiation": "(says nothing)",
    "Taboo": "[...]",  # no letters: "rabbit" has an empty taboo word, which every word contains
    "ThreePlayerIPD": "(says nothing)",
}

# Moves for a seat that has left, if neither SILENCE nor its first legal move works. If TextArena
# refuses such a move, it removes the seat.
_ABSENT = {
    "Briscola": "[play 1]",
    "CharacterConclave": "." * 1000,
    "Poker": "[Fold]",
    "SettlersOfCatan": "[0] [deny] [done]",
}

STRICT = ("Snake", "Surround")  # here an illegal reply loses the game, and is not refused


def stand_in(family: str, env: TextArenaGame, seat: int) -> str | None:
    """Return the move for a seat that has left, or None to skip the seat."""
    if family == "ThreePlayerTicTacToe":
        return None
    if family in ("LiarsDice", *STRICT):
        return ""  # the rules of the game remove the seat
    if family == "SantoriniBaseFixed":
        return str(env._get_valid_moves(seat).partition(",")[0])
    text = _ABSENT.get(family) or SILENCE.get(family, "")
    return text if text or family not in LISTS else LISTS[family](env, "", seat)[0]


def _on_board(env: TextArenaGame, board: str, seat: int) -> Moves:
    """Return the moves that a board lists as "Valid moves: [4], [5]" or "Available Moves: ..."."""
    start = board.rfind("oves: ") + 6
    if start < 6:
        return ()
    end = board.find("\n", start)
    return tuple(board[start : end if end > 0 else None].split(", "))


def _chess(env: TextArenaGame, board: str, seat: int) -> Moves:
    """Return the moves that the board lists, or the legal moves if the board is hidden."""
    legal = env.state.game_state["board"].legal_moves
    return _on_board(env, board, seat) or tuple([f"[{move.uci()}]" for move in legal])


def _fixed(*moves: str) -> MoveList:
    return lambda env, board, seat: moves


def _cells(env: TextArenaGame, board: str, seat: int) -> Moves:
    """Return the empty cells of a square, by number."""
    rows = env.state.game_state["board"]
    cells = [cell for row in rows for cell in row]
    return tuple([f"[{number}]" for number, cell in enumerate(cells) if not cell.strip()])


def _slides(env: TextArenaGame, board: str, seat: int) -> Moves:
    """Return the ways in which a board of 2048 can be tilted."""
    rows = env.state.game_state["board"]
    moves = []
    for name, lines in (
        ("[Up]", [column[::-1] for column in zip(*rows, strict=True)]),
        ("[Down]", list(zip(*rows, strict=True))),
        ("[Left]", [row[::-1] for row in rows]),
        ("[Right]", rows),
    ):
        pairs = [pair for line in lines for pair in itertools.pairwise(line)]
        if any(a and (not b or a == b) for a, b in pairs):
            moves.append(name)
    return tuple(moves)


def _buttons(env: TextArenaGame, board: str, seat: int) -> Moves:
    return tuple([f"[{button}]" for button in env.buttons])


def _cups(env: TextArenaGame, board: str, seat: int) -> Moves:
    return tuple([f"[{cup}]" for cup in range(env.num_cups)])


def _lights(env: TextArenaGame, board: str, seat: int) -> Moves:
    side = range(env.size)
    return tuple([f"[{row} {column}]" for row in side for column in side])


def _disks(env: TextArenaGame, board: str, seat: int) -> Moves:
    towers = env.state.game_state["towers"]
    top = {name: disks[-1] if disks else 99 for name, disks in towers.items()}
    return tuple([f"[{a} {b}]" for a in top for b in top if top[a] < top[b]])


def _columns(env: TextArenaGame, board: str, seat: int) -> Moves:
    row = env.state.game_state["board"][0]
    return tuple([f"[col {column}]" for column, cell in enumerate(row) if cell == "."])


def _piles(env: TextArenaGame, board: str, seat: int) -> Moves:
    piles = env.state.game_state["piles"]
    return tuple([f"[{i} {n + 1}]" for i, pile in enumerate(piles) for n in range(pile)])


def _flips(env: TextArenaGame, board: str, seat: int) -> Moves:
    moves = env.state.game_state["valid_moves"]
    return tuple([f"[{row}, {column}]" for row, column in moves]) or ("[pass]",)


def _pairs(env: TextArenaGame, board: str, seat: int) -> Moves:
    rows = env.state.game_state["board"]
    empty = [i for i, cell in enumerate(cell for row in rows for cell in row) if not cell]
    return tuple([f"[{a},{b}]" for a in empty for b in empty if a < b])


def _steps(env: TextArenaGame, board: str, seat: int) -> Moves:
    """Return the moves of Breakthrough."""
    rows = env.state.game_state["board"]
    own_piece, other_piece, step = (("W", "B", 1), ("B", "W", -1))[seat]
    moves = []
    for r, row in enumerate(rows):
        if not 0 <= r + step < len(rows):
            continue
        for c, piece in enumerate(row):
            if piece == own_piece:
                for to, occupant in ((c - 1, other_piece), (c, ""), (c + 1, other_piece)):
                    if 0 <= to < len(row) and rows[r + step][to] == occupant:
                        moves.append(f"[{_FILES[c]}{r + 1}{_FILES[to]}{r + step + 1}]")
    return tuple(moves)


_FILES = "abcdefghijklmnopqrstuvwxyz"


def _fingers(env: TextArenaGame, board: str, seat: int) -> Moves:
    """Return the moves of Chopsticks."""
    hands = env.state.game_state["hands"]
    own_hands, other_hands = hands[seat], hands[1 - seat]
    attacks = [
        f"[attack {a} {b}]" for a in (0, 1) for b in (0, 1) if own_hands[a] and other_hands[b]
    ]
    total = sum(own_hands)
    splits = [f"[split {n} {total - n}]" for n in range(total + 1) if [n, total - n] != own_hands]
    return (*attacks, *splits)


def _kuhn(env: TextArenaGame, board: str, seat: int) -> Moves:
    return tuple([f"[{move}]" for move in env.state.game_state["current_legal_action_tree"]])


def _indian(env: TextArenaGame, board: str, seat: int) -> Moves:
    """Return the moves of Indian poker, with bets and raises of one chip only."""
    state = env.state.game_state
    chips, call_amount = (
        state["player_chips"][seat],
        state["highest_bet"] - state["current_bets"][seat],
    )
    if not call_amount:
        return ("[check]", "[bet 1]") if chips else ("[check]",)
    moves = ["[fold]"]
    moves += ["[call]"] if chips >= call_amount else []
    moves += ["[raise 1]"] if chips > call_amount else []
    return tuple(moves)


def _poker(env: TextArenaGame, board: str, seat: int) -> Moves:
    """Return the moves of poker, with raises by the big blind only."""
    state = env.state.game_state
    call_amount = state["current_bet"] - state["player_bets"][seat]
    return ("[Fold]", "[Call]" if call_amount > 0 else "[Check]", f"[Raise {env.big_blind}]")


def _hand(env: TextArenaGame, board: str, seat: int) -> Moves:
    return tuple([f"[{_FACES.get(c, c)}]" for c in env.state.game_state["player_hands"][seat]])


_FACES = {1: "A", 11: "J", 12: "Q", 13: "K"}


def _money(env: TextArenaGame, board: str, seat: int) -> Moves:
    return tuple([f"[{card}]" for card in sorted(env.state.game_state["player_money"][seat])])


def _tricks(env: TextArenaGame, board: str, seat: int) -> Moves:
    hand = env.state.game_state["players"][seat]["hand"]
    return tuple([f"[play {n}]" for n in range(1, len(hand) + 1)])


def _golf(env: TextArenaGame, board: str, seat: int) -> Moves:
    state = env.state.game_state
    if state["turn_phase"] == "draw":
        return ("[draw]", "[take]") if state["discard_pile"] else ("[draw]",)
    rows, columns = range(1, env.num_rows + 1), range(1, env.num_columns + 1)
    swaps = [f"[swap {row} {column}]" for row in rows for column in columns]
    return tuple(swaps if state.get("took_from_discard") else ["[discard]", *swaps])


def _bids(env: TextArenaGame, board: str, seat: int) -> Moves:
    """Return the moves of liar's dice, with bids of no more dice than there are."""
    state = env.state.game_state
    least, face = state["current_bid"]["quantity"], state["current_bid"]["face_value"]
    maximum = sum(state["remaining_dice"].values())
    bids = [
        f"[Bid: {n}, {f}]"
        for n in range(max(least, 1), maximum + 1)
        for f in range(max(face, 1), 7)
        if (n, f) != (least, face)
    ]
    return ("[Call]", *bids) if least else tuple(bids)


_WAYS = _fixed("[up]", "[down]", "[left]", "[right]")
LISTS: dict[str, MoveList] = {
    "2048": _slides,
    "Bandit": _buttons,
    "Blackjack": _fixed("[Hit]", "[Stand]"),
    "Breakthrough": _steps,
    "Briscola": _tricks,
    "Chess": _chess,
    "Chopsticks": _fingers,
    "ConnectFour": _columns,
    "Crusade": _on_board,
    "FifteenPuzzle": _on_board,
    "GameOfPureStrategy": _hand,
    "Golf": _golf,
    "HighSociety": _money,
    "IndianPoker": _indian,
    "IteratedMatchingPennies": _fixed("[heads]", "[tails]"),
    "IteratedRockPaperScissors": _fixed("[rock]", "[paper]", "[scissors]"),
    "KuhnPoker": _kuhn,
    "LiarsDice": _bids,
    "LightsOut": _lights,
    "Nim": _piles,
    "Othello": _flips,
    "PigDice": _fixed("[roll]", "[hold]"),
    "Poker": _poker,
    "QuantumTicTacToe": _pairs,
    "ReverseTicTacToe": _cells,
    "Secretary": _fixed("[accept]", "[continue]"),
    "SimpleTak": _cells,
    "Snake": _WAYS,
    "SpiteAndMalice": _on_board,
    "Surround": _WAYS,
    "ThreeCardMonte": _cups,
    "ThreePlayerGOPS": _hand,
    "ThreePlayerTicTacToe": _cells,
    "TicTacToe": _cells,
    "TowerOfHanoi": _disks,
    "WildTicTacToe": _on_board,
}


_SOKOBAN_DEPTH = 299  # moves of the search for a start
_SOKOBAN_POSITIONS = 300_000  # positions of a room that the search visits at most


def search_sokoban_start(
    room_state: np.ndarray, room_structure: np.ndarray, search_depth: int = 100
) -> tuple[np.ndarray, int, dict[Cell, Cell]]:
    """Find a start of Sokoban as TextArena's `reverse_playing` does, but with bit sets.

    It plays backwards from the solved room, depth first, and keeps the first position with the
    highest score: the number of pulls times the distance of the boxes. TextArena's function copies
    a room for every move that it tries, and takes half a minute for most rooms.

    Args:
        room_state: The solved room, with the player in it.
        room_structure: The room without player and boxes: 0 is a wall, 2 a target.
        search_depth: Not used, neither here nor in TextArena.

    Returns:
        The room at the start, its score, and the cell of the box for each target.
    """
    width, structure = room_structure.shape[1], room_structure.reshape(-1).tolist()
    floor = sum(1 << cell for cell, kind in enumerate(structure) if kind)
    targets = [cell for cell, kind in enumerate(structure) if kind == 2]
    on_target = sum(1 << cell for cell in targets)
    ways = [  # distances by target and cell
        [abs(cell // width - a) + abs(cell % width - b) for cell in range(len(structure))]
        for a, b in (divmod(target, width) for target in targets)
    ]
    (player,) = np.flatnonzero(room_state == 5).tolist()
    # Player, boxes, pulled boxes, cell of each box, number of pulls, distance, moves left
    position = player, on_target, 0, tuple(targets), 0, 0, _SOKOBAN_DEPTH
    best, best_score = position, -1
    size = len(structure)
    explored: set[int] = set()
    stack = [position]
    while stack and len(explored) < _SOKOBAN_POSITIONS:
        position = stack.pop()
        player, boxes, pulled, places, pulls, way, left = position
        key = (boxes << size | pulled) << size | 1 << player
        if key in explored:
            continue
        explored.add(key)
        score = 0 if (boxes | 1 << player) & on_target else pulls * way
        if score > best_score:
            best, best_score = position, score
        if left == 1:
            continue
        free = floor & ~boxes
        for step in (1, -1, width, -width):  # the last is visited first: up, down, left, right
            ahead, behind = player + step, player - step
            if not free >> ahead & 1:
                continue
            if not boxes >> behind & 1:
                key = (boxes << size | pulled) << size | 1 << ahead
                if key not in explored:
                    stack.append((ahead, boxes, pulled, places, pulls, way, left - 1))
                continue
            box, gone, here = places.index(behind), 1 << behind, 1 << player
            moved = (*places[:box], player, *places[box + 1 :])
            longer = way + ways[box][player] - ways[box][behind]
            now = boxes ^ gone | here, pulled & ~gone | here
            stack.append((ahead, *now, moved, pulls + 1, longer, left - 1))
    player, boxes, pulled, places, *_ = best
    room = room_structure.copy()
    cells = room.reshape(-1)
    for cell in places:
        cells[cell] = 3 if pulled >> cell & 1 else 4
    cells[player] = 5
    located = {
        divmod(target, width): divmod(place, width)
        for target, place in zip(targets, places, strict=True)
    }
    return room, best_score, located
