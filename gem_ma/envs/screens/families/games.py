"""Games played with the mouse: mines, pairs, and noughts and crosses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gem_ma.envs.screens.families.family import Family, Step, pick
from gem_ma.envs.screens.sheet import Sheet
from gem_ma.envs.screens.ui import Event, Ui


class Mines(Family["Mines.Model"]):
    """Tasks to open all cells of a field that have no mine."""

    like = "minesweeper"
    application = "game"
    wide = 300

    class Model(NamedTuple):
        side: int
        mines: frozenset[int]
        opened: frozenset[int] = frozenset()
        flags: frozenset[int] = frozenset()
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        side = 3 + difficulty // 3
        while True:
            free, *cells = pick(rng, range(side * side), side * side)
            model = self.Model(side, frozenset(cells[: 1 + (side * side) // 6]))
            model = self._open(model, free)
            if model.done is None:  # the first cell does not solve the task
                return model

    def goal(self, model: Model) -> str:
        return (
            f"Open every cell without a mine ({len(model.mines)} of them have one). A number says "
            "how many of the cells around have mines; a right click puts a flag."
        )

    def _around(self, model: Model, cell: int) -> list[int]:
        row, column = divmod(cell, model.side)
        return [
            r * model.side + c
            for r in range(max(0, row - 1), min(model.side, row + 2))
            for c in range(max(0, column - 1), min(model.side, column + 2))
            if (r, c) != (row, column)
        ]

    def _open(self, model: Model, cell: int) -> Model:
        open_cells, pending = set(model.opened), [cell]
        while pending:
            one = pending.pop()
            if one in open_cells:
                continue
            open_cells.add(one)
            if not any(near in model.mines for near in self._around(model, one)):
                pending += self._around(model, one)
        done = True if len(open_cells) == model.side**2 - len(model.mines) else None
        return model._replace(opened=frozenset(open_cells), done=done)

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        size = min(sheet.choose_side(32, 48), (sheet.low - sheet.y) // model.side)
        left, top = sheet.x, sheet.y
        for cell in range(model.side**2):
            row, column = divmod(cell, model.side)
            x, y = left + column * size, top + row * size
            if cell in model.opened:
                near = sum(one in model.mines for one in self._around(model, cell))
                sheet.at("box", f"open{cell}", x, y, size, size)
                text = str(near) if near else ""
                at = x + size // 2 - 4, y + (size - sheet.line) // 2
                sheet.at("label", f"near{cell}", *at, 14, sheet.line, text=text)
            else:
                text = "!" if cell in model.flags else ""
                sheet.at("button", f"cell{cell}", x, y, size, size, text=text, tone="gray")

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if not event.id.startswith("cell"):
            return model
        cell = int(event.id[4:])
        if event.kind == "right":
            return model._replace(flags=model.flags ^ {cell})
        if event.kind != "click" or cell in model.flags:
            return model
        if cell in model.mines:
            return model._replace(done=False)
        return self._open(model, cell)

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        for cell in range(model.side**2):
            if cell not in model.mines and cell not in model.opened:
                return ("right" if cell in model.flags else "click"), f"cell{cell}"
        raise LookupError("no cell is left to open")


class Pairs(Family["Pairs.Model"]):
    """Tasks to find all pairs of cards that are face down."""

    like = "memory"
    application = "game"
    wide = 360

    class Model(NamedTuple):
        cards: tuple[str, ...]
        found: frozenset[int] = frozenset()
        up: tuple[int, ...] = ()
        left: int = 0

    FIGURES = ("disc", "square", "triangle", "diamond", "star", "hexagon", "heart", "cross", "plus")

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        pairs = 2 + difficulty // 2
        figures = pick(rng, self.FIGURES, pairs)
        return self.Model(tuple(pick(rng, [*figures, *figures], 2 * pairs)), left=2 * pairs)

    def goal(self, model: Model) -> str:
        pairs = len(model.cards) // 2
        return f"Find the {pairs} pairs. Two cards are turned at a time, {2 * pairs} times at most."

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        sheet.label(f"Turns left: {model.left}", tone="quiet")
        side, top = sheet.choose_side(60, min(76, sheet.w // 5 - 8)), sheet.y
        for number, figure in enumerate(model.cards):
            row, column = divmod(number, 5)
            x, y = sheet.x + (side + 8) * column, top + (side + 8) * row
            if number in model.found or number in model.up:
                sheet.at("box", f"open{number}", x, y, side, side)
                at = x + (side - 44) // 2, y + (side - 44) // 2
                sheet.at("image", f"figure{number}", *at, 44, 44, text=figure, tone="blue")
            else:
                sheet.at("cell", f"card{number}", x, y, side, side, tone="gray")

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind != "click" or not event.id.startswith("card"):
            return model
        up = (*(model.up if len(model.up) < 2 else ()), int(event.id[4:]))
        if len(up) < 2:
            return model._replace(up=up)
        same = model.cards[up[0]] == model.cards[up[1]]
        matched_cards = model.found | set(up) if same else model.found
        return model._replace(up=() if same else up, found=matched_cards, left=model.left - 1)

    def score(self, model: Model, ui: Ui) -> float | None:
        if len(model.found) == len(model.cards):
            return 1.0
        return None if model.left else 0.0

    def plan(self, model: Model, ui: Ui) -> Step:
        if len(model.up) == 1:
            figure = model.cards[model.up[0]]
            other = next(
                n for n, one in enumerate(model.cards) if one == figure and n != model.up[0]
            )
            return "click", f"card{other}"
        left = [n for n in range(len(model.cards)) if n not in model.found and n not in model.up]
        return "click", f"card{left[0]}"


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class Noughts(Family["Noughts.Model"]):
    """Tasks to play noughts and crosses against an opponent who looks one move ahead."""

    like = "tic-tac-toe"
    application = "game"

    class Model(NamedTuple):
        board: str
        chance: tuple[int, ...]  # cells in the order of the opponent's other moves
        games: int
        won: int = 0
        done: bool | None = None

    def start(self, rng: np.random.Generator, difficulty: int) -> Model:
        return self.Model("." * 9, tuple(pick(rng, range(9), 9)), 1 + difficulty // 4)

    def goal(self, model: Model) -> str:
        if model.games == 1:
            return "You are X. Win or draw a game of noughts and crosses."
        return f"You are X. Win or draw {model.games} games of noughts and crosses."

    def _won(self, board: str, who: str) -> bool:
        return any(all(board[cell] == who for cell in line) for line in LINES)

    def _answer(self, board: str, chance: tuple[int, ...]) -> int:
        """Return the opponent's move: the winning one, or else the first free cell of `chance`."""
        free = [cell for cell in range(9) if board[cell] == "."]
        for cell in free:
            if self._won(board[:cell] + "O" + board[cell + 1 :], "O"):
                return cell
        return next(cell for cell in chance if cell in free)

    def draw(self, sheet: Sheet, model: Model, ui: Ui) -> None:
        sheet.label(f"Game {model.won + 1} of {model.games}", tone="quiet")
        side, top = sheet.choose_side(56, 84), sheet.y
        left = sheet.x + (sheet.w - 3 * side) // 2
        for cell, mark in enumerate(model.board):
            row, column = divmod(cell, 3)
            x, y = left + side * column, top + side * row
            if mark == ".":
                sheet.at("cell", f"cell{cell}", x, y, side, side)
                continue
            sheet.at("box", f"box{cell}", x, y, side, side)
            figure, color = ("cross", "blue") if mark == "X" else ("ring", "red")
            rim = (side - 48) // 2
            sheet.at("image", f"mark{cell}", x + rim, y + rim, 48, 48, text=figure, tone=color)

    def update(self, model: Model, event: Event, ui: Ui) -> Model:
        if event.kind != "click" or not event.id.startswith("cell"):
            return model
        cell = int(event.id[4:])
        board = model.board[:cell] + "X" + model.board[cell + 1 :]
        if not self._won(board, "X") and "." in board:
            other = self._answer(board, model.chance)
            board = board[:other] + "O" + board[other + 1 :]
            if self._won(board, "O"):
                return model._replace(board=board, done=False)
        if self._won(board, "X") or "." not in board:
            wins = model.won + 1
            chance = (*model.chance[1:], model.chance[0])
            return model._replace(
                board="." * 9, won=wins, chance=chance, done=True if wins == model.games else None
            )
        return model._replace(board=board)

    def score(self, model: Model, ui: Ui) -> float | None:
        return None if model.done is None else float(model.done)

    def plan(self, model: Model, ui: Ui) -> Step:
        return "click", f"cell{self._best(model)}"

    def _best(self, model: Model) -> int:
        """Return a move after which the opponent, whose moves are known, does not win."""
        free = [cell for cell in (4, 0, 2, 6, 8, 1, 3, 5, 7) if model.board[cell] == "."]
        return next((cell for cell in free if self._safe(model.board, cell, model.chance)), free[0])

    def _safe(self, board: str, cell: int, chance: tuple[int, ...]) -> bool:
        board = board[:cell] + "X" + board[cell + 1 :]
        if self._won(board, "X") or "." not in board:
            return True
        other = self._answer(board, chance)
        board = board[:other] + "O" + board[other + 1 :]
        if self._won(board, "O"):
            return False
        return any(self._safe(board, one, chance) for one in range(9) if board[one] == ".")
