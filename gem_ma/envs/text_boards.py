"""Detection of boards in the texts of other libraries, so that they are drawn as boards.

A board consists of rows of short signs with the same spaces and bars between them. Regular rule
lines and labels for rows and columns are allowed. A board counts only if writing it back gives
exactly the original text. All other text stays text, so nothing is lost.
"""

import functools
import re
from typing import NamedTuple

from gem_ma.scene import Grid, RichText, Tile

MAX_TEXT_LENGTH = 10_000  # characters; longer texts are not searched
MAX_BOARD_SIZE = 40  # rows or columns of a board
MAX_SIGN_LENGTH = 3  # characters
BOARD_GROUNDS = ("", "blue", "red", "green", "yellow", "gray", "purple", "orange", "brown", "black")
_RULE_LINE = re.compile(r"[ +|=\u2500-]+")
_DASHES = re.compile(r"[-=\u2500]{3}")  # a rule line contains this
_TOKEN = re.compile(r"[^\s|]+")
_WORDS = re.compile(r"[^\W\d_]{3}|```")
_DRAWING_SIGN = re.compile(r"[\u2500-\u259f\\/=]")  # rows with these signs are drawings or formulas


class TextBoard(NamedTuple):
    """A board found in a text: the signs of each row, and how its lines are written."""

    cells: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...]
    lines: tuple[str, ...]
    width: tuple[int, ...]  # of the columns, including that of row labels if there are any
    align: str  # < ^ > as in format strings, and "|" for one space at the left
    edges: tuple[str, ...]  # text before, between and after the cells, the same in every row
    rules: tuple[tuple[int, str], ...]  # rule lines: index of the row below, and the text
    head: tuple[int, str]  # the line of column labels: index of the row below, and the text, or ""
    after: bool  # whether the rows have labels at their ends too

    def write(self):
        """Return the lines that the board was read from."""
        lines = []
        rules = list(self.rules)
        for number, cells in enumerate([*self.cells, ()]):
            if self.head[1] and self.head[0] == number and not number:
                lines.append(self.head[1])
            while rules and rules[0][0] == number:
                lines.append(rules.pop(0)[1])
            if self.head[1] and self.head[0] == number and number:
                lines.append(self.head[1])
            if cells:
                label = self.lines[number : number + 1]
                cells = (*label, *cells, *(label if self.after else ()))
                parts = map(_pad_cell, cells, self.width, [self.align] * len(cells))
                line = "".join(e + p for e, p in zip(self.edges, [*parts, ""], strict=True))
                lines.append(line)
        return lines


@functools.lru_cache(64)
def build_text_scene(text):
    """Return a scene in which the boards of a text are drawn; None if it has no board."""
    if len(text) > MAX_TEXT_LENGTH:
        return None
    parts = [
        _build_grid(part) if isinstance(part, TextBoard) else part for part in split_boards(text)
    ]
    return RichText(text, tuple(parts)) if any(isinstance(part, Grid) for part in parts) else None


def split_boards(text):
    """Split a text into its boards and the text around them, in order."""
    lines, parts, words, at = text.split("\n"), [], [], 0
    while at < len(lines):
        board, end = None, at
        if _may_begin_board(lines[at]):
            board, end = _find_longest_board(lines, at)
        if board is None:
            words.append(lines[at])
            at += 1
        else:
            parts += ["\n".join(words)] if words else []
            parts.append(board)
            words, at = [], end
    return [*parts, "\n".join(words)] if words else parts


def _may_begin_board(line):
    """Return whether a line can begin a board: it is a rule, or has only short signs."""
    signs = _TOKEN.findall(line)
    return len(line) <= 6 * MAX_BOARD_SIZE and (
        _is_rule(line)
        or ("|" in line and all(len(sign) <= MAX_SIGN_LENGTH for sign in signs))
        or (len(signs) > 1 and all(len(sign) <= MAX_SIGN_LENGTH for sign in signs))
    )


def _is_rule(line):
    return bool(_RULE_LINE.fullmatch(line) and _DASHES.search(line))


def _is_dotted_rule(line):
    """Return whether a line is a dotted rule such as "- - - -"."""
    many = line.count("-")
    return many > 3 and line.strip(" ") == " ".join("-" * many)


def _find_longest_board(lines, at):
    end = at
    while end < len(lines) and end - at < 2 * MAX_BOARD_SIZE + 4 and _may_begin_board(lines[end]):
        end += 1
    if at and not _ends_board(lines[at - 1]):
        return None, at
    for stop in range(end, at + 1, -1):
        board = (
            _parse_board(lines[at:stop]) if stop == len(lines) or _ends_board(lines[stop]) else None
        )
        if board is not None:
            return board, stop
    return None, at


def _ends_board(line):
    """Return whether a line separates a board from other text: it is empty or has words."""
    return not line.strip() or bool(_WORDS.search(line))


def _parse_board(lines):
    """Parse all the lines as one board; None if they are not a board."""
    for rules in (_is_rule, _is_dotted_rule, None):
        rule_flags = [rules is not None and rules(line) for line in lines]
        if rules is None or any(rule_flags):
            for head in (None, 0, len(lines) - 1):
                board = _parse_rows(lines, rule_flags, head)
                if board is not None and board.write() == lines:
                    return board
    return None


def _parse_rows(lines, ruled, head):
    """Parse lines as a board, given the rule lines and the index of the line of column labels."""
    if head is not None and ruled[head]:
        return None
    rows: list[str] = []
    rules, rows_before = [], 0
    for number, line in enumerate(lines):
        if number == head:
            rows_before = len(rows)
        elif ruled[number]:
            rules.append((len(rows), line))
        else:
            rows.append(line)
    if not 2 <= len(rows) <= MAX_BOARD_SIZE or not _are_rules_regular(rules, len(rows), head == 0):
        return None
    layout = _parse_spaced_rows(rows) or _parse_barred_rows(rows)
    if layout is None:
        return None
    table, starts, width, align, edges = layout
    columns, spare = (), 0
    if head is not None:
        # Whether a rule separates the labels from the board.
        is_underlined = bool(rules) and rules[0][0] == 0 == rows_before
        columns, spare = _parse_labels(lines[head], table, starts, width, is_underlined)
        if not columns:
            return None
    names = tuple([row[0] for row in table if spare])
    cells = tuple([tuple(row[spare > 0 : -1 if spare == 2 else None]) for row in table])
    if not _is_board(cells):
        return None
    above = rows_before, "" if head is None else lines[head]
    return TextBoard(
        cells, columns, names, tuple(width), align, tuple(edges), tuple(rules), above, spare == 2
    )


def _parse_labels(line, table, starts, width, under):
    """Return the column labels in a line, and how many table columns are row labels."""
    labels = list(_TOKEN.finditer(line))
    names, spare = tuple([label.group() for label in labels]), len(starts) - len(labels)
    is_doubled = spare == 2 and all(row[0] == row[-1] for row in table)  # row labels on both sides
    middles = [start + wide / 2 for start, wide in zip(starts, width, strict=True)][spare > 0 :]
    pairs = zip(labels, middles, strict=False)
    is_aligned = all(abs(sum(label.span()) / 2 - middle) <= 1.5 for label, middle in pairs)
    count_fits = spare == 1 or is_doubled or (spare == 0 and under)
    return (
        (names, spare) if count_fits and is_aligned and len(set(names)) == len(names) else ((), 0)
    )


def _is_board(cells):
    """Return whether cells can be a board: at least 3 x 3, or 2 x 2 if all are digits."""
    signs = "".join(map("".join, cells))
    least = 2 if signs.isdecimal() else 3
    return (
        len(cells) >= least
        and least <= len(cells[0]) <= MAX_BOARD_SIZE
        and not _DRAWING_SIGN.search(signs)
    )


def _are_rules_regular(rules, rows, headed):
    """Return whether all rules are alike and at regular distances."""
    if not rules:
        return True
    places = [place for place, _ in rules]
    inner = [place for place in places if 0 < place < rows]
    step = inner[0] if inner else 1
    return (
        len({line for _, line in rules}) == 1
        and len(set(places)) == len(places)
        and inner in ([], list(range(step, rows, step)))
        and ((0 in places) == (rows in places) or headed)
    )


def _parse_spaced_rows(rows):
    """Parse rows in which every cell has a sign; None if there are other rows."""
    tokens = [list(_TOKEN.finditer(row)) for row in rows]
    many = len(tokens[0])
    if many < 2 or any(len(row) != many for row in tokens):
        return None
    columns = list(zip(*tokens, strict=True))
    if any(len(sign.group()) > MAX_SIGN_LENGTH for row in tokens for sign in row):
        return None
    for align in "><":
        ends = [{sign.span()[align == ">"] for sign in column} for column in columns]
        if all(len(end) == 1 for end in ends):
            width = [max(len(sign.group()) for sign in column) for column in columns]
            starts = [
                end.pop() - (wide if align == ">" else 0)
                for end, wide in zip(ends, width, strict=True)
            ]
            table = [[sign.group() for sign in row] for row in tokens]
            return _split_edges(rows, table, starts, width, align)
    return None


def _parse_barred_rows(rows):
    """Parse rows whose cells are between bars and may be empty; None if there are other rows."""
    cuts = [i for i, sign in enumerate(rows[0]) if sign == "|"]
    if not cuts or any([i for i, c in enumerate(row) if c == "|"] != cuts for row in rows):
        return None
    spans = list(zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(rows[0])], strict=True))
    spans = [
        (start, stop)
        for start, stop in spans
        if any(row[start:stop].strip() for row in rows) or start not in (0, cuts[-1] + 1)
    ]
    if len(spans) < 2 or len({len(row) for row in rows}) > 1:
        return None
    starts, width = [start for start, _ in spans], [stop - start for start, stop in spans]
    table = [[row[start:stop].strip() for start, stop in spans] for row in rows]
    if any(len(sign) > MAX_SIGN_LENGTH or " " in sign for row in table for sign in row):
        return None
    for align in "^<>|":
        layout = _split_edges(rows, table, starts, width, align)
        if layout is not None:
            return layout
    return None


def _split_edges(rows, table, starts, width, align):
    """Return the parts of rows, or None if the text between cells differs from row to row."""
    behind = [0, *(start + wide for start, wide in zip(starts, width, strict=True))]
    edges = [rows[0][a:b] for a, b in zip(behind, [*starts, len(rows[0])], strict=True)]
    if set("".join(edges)) - set(" |"):
        return None
    for row, cells in zip(rows, table, strict=True):
        parts = [_pad_cell(cell, wide, align) for cell, wide in zip(cells, width, strict=True)]
        if "".join(e + p for e, p in zip(edges, [*parts, ""], strict=True)) != row:
            return None
    return table, starts, width, align, edges


def _pad_cell(cell, width, align):
    return f" {cell}".ljust(width) if align == "|" else f"{cell:{align}{width}}"


def _build_grid(board):
    """Return a board as a Grid: one tile per sign, with colours if the board is made of digits."""
    signs = sorted({sign for row in board.cells for sign in row})
    many = sum(map(len, board.cells))
    matrix = all(len(s) == 1 and s in "0123456789" for s in signs) and len(signs) < many
    tiles = [
        (sign, Tile(ground=BOARD_GROUNDS[int(sign)] if matrix else "", text=sign)) for sign in signs
    ]
    return Grid(board.cells, _intern_tiles(tuple(tiles)), (), board.columns, board.lines)


@functools.lru_cache(64)
def _intern_tiles(tiles):
    """Return the same object for equal tiles, because renderers compare tiles by identity."""
    return tiles
