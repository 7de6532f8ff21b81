"""An agent that searches game trees, for games of perfect information."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gem_ma.chat.turn import Turn
from gem_ma.engine.seeding import derive_seed, seed_rng
from gem_ma.validation.arguments import check_each

# return of each seat, plies to the end under best play, plies of the longest play below
StateValue: TypeAlias = tuple[tuple[float, ...], int, int]
TranspositionTable: TypeAlias = "dict[Any, StateValue | None]"

_DEFAULT_SIMULATIONS, _DEFAULT_NODES = 200, 20_000
_MAX_DEPTH = 400  # plies of an exact search, which is recursive
_MAX_PLIES = 1000  # plies of a simulation
_MAX_TABLE_SIZE = 200_000  # states in the tables
_TIE_SALT, _PLAYOUT_SALT = 1, 2  # make the two kinds of draws independent
_PENDING_VALUE: StateValue = ((), 0, 0)  # marks a state whose search is in progress


class SearchAgent:
    """An agent that plays the move that a search finds best, given that each seat plays for itself.

    It plays games of perfect information in which one seat acts at a time and legal moves are
    listed; in any other game a turn raises ValueError. A small game without chance is searched to
    its end. Any other game is judged by simulated play (Monte Carlo tree search). The agent prefers
    earlier wins and later losses. Among equally good moves, the seeds draw one.

    Args:
        depth: Plies to search, instead of to the end. A position there is worth the seats' returns.
            None: search to the end.
        simulations: Games played to their end for a move if the search is not exact (200). If this
            is set and `nodes` is not, no search is exact.
        nodes: States that an exact search to the end may visit (20,000). 0: always simulate.
    """

    portable = True
    prefers_single_turns = True

    def __init__(
        self,
        depth: int | None = None,
        simulations: int | None = None,
        nodes: int | None = None,
        seed: int = 0,
    ):
        if depth is not None and not 1 <= depth <= _MAX_DEPTH:
            raise ValueError(f"depth={depth}: expected 1 to {_MAX_DEPTH}, or None")
        if nodes is None:
            nodes = _DEFAULT_NODES if simulations is None else 0
        simulations = _DEFAULT_SIMULATIONS if simulations is None else simulations
        if simulations < 1:
            raise ValueError(f"simulations={simulations}: expected 1 or more")
        if nodes < 0:
            raise ValueError(f"nodes={nodes}: expected 0 or more")
        self.depth = depth
        self.simulations = simulations
        self.nodes = nodes
        self.seed = seed
        self._tables: dict[Any, TranspositionTable] = {}

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        if turn.position is None:
            raise ValueError(
                f"{turn.env_id} gives {turn.seat} no position to search from: a SearchAgent needs "
                "a game of perfect information whose legal moves are listed and in which one seat "
                "acts at a time"
            )
        game, state = turn.position
        seat = _find_mover(game, state)
        if seat != turn.seat:
            raise ValueError(f"{turn.seat} is not to act here, but {seat or 'nobody'}")
        legal = _list_legal_moves(game, state, seat)
        best = [0] if len(legal) == 1 else self._search_exactly(game, state, seat, legal)
        if not best:
            seed = derive_seed(self.seed, turn.seed, _PLAYOUT_SALT)
            best = _simulate_moves(game, state, seat, legal, self.simulations, seed)
        chosen = best[derive_seed(self.seed, turn.seed, _TIE_SALT) % len(best)]
        wrapped = turn.legal  # the same moves, in the reply format
        return wrapped[chosen] if wrapped and len(wrapped) == len(legal) else legal[chosen]

    def _search_exactly(self, game: Any, state: Any, seat: str, legal: Sequence[str]) -> list[int]:
        """Return the indices of the best moves, or an empty list if exact search is impossible."""
        try:
            hash(state)
        except TypeError:  # an unhashable state cannot be found in a table
            return []
        table, left = self._find_table(game), self.depth or 0
        value = _make_searcher(game, table, None if left else self.nodes)
        place, scores = game.agents.index(seat), []
        try:
            if not left:
                self._solve(game, state, table)
            for text in legal:
                after = game.advance(state, {seat: game.read(text, state, seat)}, _ForbiddenRng())
                returns, plies, _ = value(after, left - 1)
                scores.append(_compute_score(returns[place], plies))
        except _InexactSearch:
            return []
        return _find_best(scores)

    def _find_table(self, game: Any) -> TranspositionTable:
        """Return the transposition table of a game. Its contents do not change replies."""
        args, kwargs = game.init_args
        key: Any = (type(game), args, tuple(kwargs.items()))
        try:
            hash(key)
        except TypeError:  # an unhashable argument
            key = game
        if sum(map(len, list(self._tables.values()))) > max(_MAX_TABLE_SIZE, self.nodes):
            self._tables = {}
        return self._tables.setdefault(key, {})

    def _solve(self, game: Any, state: Any, table: TranspositionTable) -> None:
        """Put the state and all states that can follow it into the table, or raise _InexactSearch.

        The table holds a state only together with all that can follow it. A state that is missing
        is searched with an empty table, so that remembered states do not change how far `nodes`
        reaches.
        """
        if state not in table:
            new: TranspositionTable = {}
            try:
                _make_searcher(game, new, self.nodes)(state, -1)
            except _InexactSearch:
                table[state] = None
            else:
                table.update(new)
        if table[state] is None:
            raise _InexactSearch

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_tables"}

    def __setstate__(self, fields: Mapping[str, object]) -> None:
        self.__dict__.update(fields, _tables={})

    def __repr__(self) -> str:
        default = {
            "depth": None,
            "simulations": _DEFAULT_SIMULATIONS,
            "nodes": _DEFAULT_NODES,
            "seed": 0,
        }
        settings = {name: getattr(self, name) for name in default}
        parts = [f"{name}={value}" for name, value in settings.items() if value != default[name]]
        return f"SearchAgent({', '.join(parts)})"


class _InexactSearch(Exception):
    """Raised if an exact search meets chance, a repeated state or more states than it may visit."""


class _ForbiddenRng:
    """A stand-in for a random generator that raises _InexactSearch if it is used."""

    def __getattr__(self, name: str) -> Any:
        raise _InexactSearch


class _LazyRng:
    """A random generator that is made when it is first used."""

    def __init__(self, seed: int):
        self._seed = seed
        self._rng: np.random.Generator | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._rng is None:
            self._rng = np.random.Generator(np.random.PCG64(0))
            seed_rng(self._rng, self._seed)
        return getattr(self._rng, name)


def _find_mover(game: Any, state: Any) -> str | None:
    """Return the seat that is to move, or None at the end of the game."""
    acting: tuple[str, ...] = state.to_act()
    if not acting:
        return None
    if len(acting) > 1:
        raise ValueError(
            f"{', '.join(acting)} act at the same time in {type(game).__name__}; a SearchAgent "
            "needs a game in which one seat acts at a time"
        )
    for agent in game.agents:
        if state.seen_by(agent) is not state:
            raise ValueError(
                f"{agent} does not see all of {type(game).__name__}; a SearchAgent needs a game of "
                "perfect information"
            )
    return acting[0]


def _list_legal_moves(game: Any, state: Any, seat: str) -> Sequence[str]:
    legal: Sequence[str] = state.legal(seat)
    if not legal:
        raise ValueError(
            f"{type(game).__name__} lists no legal moves of {seat}, who is to act; a SearchAgent "
            "needs at least one"
        )
    return legal


def _list_returns(game: Any, state: Any) -> tuple[float, ...]:
    returns = state.returns()
    return tuple([returns[agent] for agent in game.agents])


def _compute_score(mine: float, plies: int) -> tuple[float, int]:
    """Return the sort key of a value for a seat: its return, then earlier wins, later losses."""
    return mine, -plies if mine > 0 else plies if mine < 0 else 0


def _find_best(scores: Sequence[Any]) -> list[int]:
    highest = max(scores)
    return [i for i, score in enumerate(scores) if score == highest]


def _make_searcher(
    game: Any, table: TranspositionTable, nodes: int | None
) -> Callable[[Any, int], StateValue]:
    """Return a function that computes the value of a state: `left` plies deep if nodes is None."""
    agents, advance, read, dice = game.agents, game.advance, game.read, _ForbiddenRng()

    def compute_value(state: Any, left: int) -> StateValue:
        key = (state, left) if nodes is None else state
        known = table.get(key)
        if known is not None:
            if known is _PENDING_VALUE:
                raise _InexactSearch
            return known
        if nodes is not None:
            if len(table) >= nodes or left < -_MAX_DEPTH:
                raise _InexactSearch
            table[key] = _PENDING_VALUE
        seat = _find_mover(game, state)
        if seat is None or left == 0:
            table[key] = best = _list_returns(game, state), 0, 0
            return best
        place, highest, height = agents.index(seat), (-math.inf, 0), 0
        for text in _list_legal_moves(game, state, seat):
            after = advance(state, {seat: read(text, state, seat)}, dice)
            returns, plies, below = compute_value(after, left - 1)
            height = max(height, below + 1)
            score = _compute_score(returns[place], plies + 1)
            if score > highest:
                highest, sooner = score, (returns, plies + 1)
        if height > _MAX_DEPTH:
            raise _InexactSearch
        table[key] = best = *sooner, height
        return best

    return compute_value


class _TreeNode:
    """A node of the search tree: the visits and total returns of simulations through its moves."""

    __slots__ = ("children", "totals", "visits")

    def __init__(self, seats: int):
        self.children: dict[str, _TreeNode] = {}
        self.totals = [0.0] * seats
        self.visits = 0


def _simulate_moves(
    game: Any, state: Any, seat: str, legal: Sequence[str], simulations: int, seed: int
) -> list[int]:
    """Return the indices of the moves that simulated play finds best.

    Chance is drawn separately for each simulation. A node represents a sequence of moves, for all
    outcomes of chance along it.
    """
    agents = game.agents
    own = agents.index(seat)
    root = _TreeNode(len(agents))
    low, high = math.inf, -math.inf
    most = -math.inf
    for number in range(simulations):
        returns, path = _simulate_play(game, state, root, high - low, derive_seed(seed, number))
        low, high = min(low, *returns), max(high, *returns)
        most = max(most, returns[own])
        for node in path:
            node.visits += 1
            node.totals = [a + b for a, b in zip(node.totals, returns, strict=True)]
    ends = _find_endings(game, state, seat, legal)
    if ends and max(ends.values()) >= most:  # no move is better than one that wins at once
        return [i for i, value in ends.items() if value == max(ends.values())]
    scores: list[tuple[int, float]] = []
    for move in legal:
        child = root.children.get(move)
        scores.append((child.visits, child.totals[own] / child.visits) if child else (0, 0.0))
    return _find_best(scores)


def _find_endings(game: Any, state: Any, seat: str, legal: Sequence[str]) -> dict[int, float]:
    """Return the values of the moves that end the game without chance, by index."""
    ends = {}
    for i, text in enumerate(legal):
        try:
            after = game.advance(state, {seat: game.read(text, state, seat)}, _ForbiddenRng())
        except _InexactSearch:
            continue
        if not after.to_act():
            ends[i] = after.returns()[seat]
    return ends


def _simulate_play(
    game: Any, state: Any, root: _TreeNode, span: float, seed: int
) -> tuple[tuple[float, ...], list[_TreeNode]]:
    """Play once to the end: by the tree while it has statistics, then at random."""
    agents, dice, draw = game.agents, _LazyRng(seed), seed
    node: _TreeNode | None = root
    path = [root]
    for _ in range(_MAX_PLIES):
        seat = _find_mover(game, state)
        if seat is None:
            break
        legal = _list_legal_moves(game, state, seat)
        draw = derive_seed(draw)
        if node is None:
            text = legal[draw % len(legal)]
        else:
            new = [move for move in legal if move not in node.children]
            if new:
                text = new[draw % len(new)]
                path.append(node.children.setdefault(text, _TreeNode(len(agents))))
                node = None
            else:
                text = _select_move(node, legal, agents.index(seat), span)
                node = node.children[text]
                path.append(node)
        state = game.advance(state, {seat: game.read(text, state, seat)}, dice)
    return _list_returns(game, state), path


def _select_move(node: _TreeNode, legal: Sequence[str], place: int, span: float) -> str:
    """Return the move to try next: one with a high mean or few visits (UCB1)."""
    log, after = math.log(node.visits), node.children

    def compute_bound(move: str) -> float:
        tried = after[move]
        return tried.totals[place] / tried.visits + span * math.sqrt(log / tried.visits)

    return max(legal, key=compute_bound)
