"""OpenSpiel's games, sequential or simultaneous, with the episode's own random numbers."""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from gem_ma.envs import text_boards
from gem_ma.envs.bridges.openspiel_ids import CHESSLIKE, RULES, WITHOUT
from gem_ma.envs.registry import MissingRequirement, Spec
from gem_ma.game import Game, parse_choice
from gem_ma.validation.extras import require_extra

if TYPE_CHECKING:
    import pyspiel

MOST = 10  # players
_LOUD = re.compile(r"\x1b\[[\d;]*m")  # codes for colours of a terminal
# Prefixes of an action's name that give its player or its number.
_BEFORE = re.compile(
    r"(?:\[P\d+\] ?|[Pp]l?\d+: ?|Player: \d+ Action: |Player \d+ (?=bid: )|player=\d+ move=|\d+ - "
    r"|[, ]+)+"
)
_IN_BRACKETS = re.compile(r"\(([^(),]+)\)")
_FEN = re.compile(r"[\w?+~ \[\]]+(?:/[\w?+~ \[\]]*){3,}")


def specs() -> list[Spec]:
    """Return the Specs of OpenSpiel's games with their default arguments."""
    return [_spec(name) for name in RULES]


def known(id: str) -> Spec | None:
    """Return the Spec of a game with arguments, as in os:hex(board_size=5)."""
    name = id.partition(":")[2]
    return _spec(name) if name.partition("(")[0] in RULES and name.endswith(")") else None


def find(id: str) -> Spec | None:
    """Return the Spec of any other game that the installed OpenSpiel has, or None."""
    known_spec = known(id)
    if known_spec is not None:
        return known_spec
    name = id.partition(":")[2]
    for beginning, reason in WITHOUT.items():
        if name.startswith(beginning):
            return Spec(id, f"{__name__}:OpenSpiel", {"game": name}, (f"broken: {reason}",))
    try:
        import pyspiel
    except ImportError:
        return None
    return _spec(name) if name.partition("(")[0] in pyspiel.registered_names() else None


def _spec(name: str) -> Spec:
    return Spec(f"os:{name}", f"{__name__}:OpenSpiel", {"game": name}, ("openspiel:pyspiel",))


class Position(NamedTuple):
    """A state of OpenSpiel that is never changed: moves are applied to a clone."""

    inner: pyspiel.State
    seats: tuple[str, ...]
    game: OpenSpiel  # the same object in all states
    left: tuple[str, ...] = ()  # seats that have forfeited; their moves are random

    def asked(self):
        """Return the seats that OpenSpiel waits for."""
        inner = self.inner
        if inner.is_terminal():
            return ()
        if inner.is_simultaneous_node():
            return tuple([seat for n, seat in enumerate(self.seats) if inner.legal_actions(n)])
        return (self.seats[inner.current_player()],)

    def to_act(self):
        return tuple([seat for seat in self.asked() if seat not in self.left])

    def out(self):
        return self.left

    def returns(self):
        returns = dict(zip(self.seats, self.inner.returns(), strict=True))
        return returns | dict.fromkeys(self.left, self.game.least)

    def numbered(self, agent):
        """Return the numbers of a seat's legal actions by name."""
        number = self.seats.index(agent)
        return named(self.inner, number)

    def legal(self, agent):
        return tuple(self.numbered(agent)) if agent in self.to_act() else ()

    def seen_by(self, agent):
        acting, number = self.to_act(), self.seats.index(agent)
        returns = dict.fromkeys(self.seats, 0.0)
        if not acting or self.game.open:
            returns = self.returns()
        observation = self.game.told(self.inner, number)
        return View(agent, acting, observation, self.legal(agent), returns, self.left)


class View(NamedTuple):
    """A seat's view of a state: its information state as text, and its legal moves."""

    agent: str
    acting: tuple[str, ...]
    text: str
    moves: tuple[str, ...]
    paid: Mapping[str, float]
    left: tuple[str, ...]

    def to_act(self):
        return self.acting

    def out(self):
        return self.left

    def returns(self):
        return self.paid

    def legal(self, agent):
        return self.moves if agent == self.agent else ()

    def seen_by(self, agent):
        return self


class OpenSpiel(Game):
    """Any sequential or simultaneous game of OpenSpiel for at most ten players.

    Args:
        game: a name for pyspiel.load_game, with arguments in brackets: "hex(board_size=5)".
    """

    def __init__(self, game="tic_tac_toe"):
        with require_extra("openspiel", "os:"):
            import pyspiel
        for beginning, reason in WITHOUT.items():
            if game.startswith(beginning):
                raise MissingRequirement(f"os:{game}: {reason}")
        try:
            self.theirs = pyspiel.load_game(game)
        except pyspiel.SpielError as error:
            raise ValueError(f"OpenSpiel cannot make game={game!r}: {error}") from None
        kind = self.theirs.get_type()
        players = self.theirs.num_players()
        if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD or players > MOST:
            raise ValueError(
                f"game={game!r}: expected at most {MOST} players and no mean-field game, got "
                f"{players} players"
            )
        self.name, self.kind = game, kind
        self.agents = tuple(f"player_{n}" for n in range(players)) if players > 1 else ("player",)
        self.zero_sum = kind.utility == pyspiel.GameType.Utility.ZERO_SUM
        self.open = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
        low = self.theirs.min_utility()
        self.least = float(low) if math.isfinite(low) else -1.0  # return of a seat that forfeits
        self.drawn = kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC

    def start(self, rng, options):
        spiel_game = self.theirs
        if self.drawn:  # the game draws chance itself, from a seed
            import pyspiel

            parameters = dict(spiel_game.get_parameters(), rng_seed=int(rng.integers(1 << 31)))
            spiel_game = pyspiel.load_game(spiel_game.get_type().short_name, parameters)
        return self._after(spiel_game.new_initial_state(), (), rng)

    def _after(self, inner, left, rng):
        """Return the position after chance nodes and the random moves of forfeited seats."""
        while not inner.is_terminal():
            if inner.is_chance_node():
                actions, weights = zip(*inner.chance_outcomes(), strict=True)
                at = 0 if len(actions) == 1 else rng.choice(len(actions), p=_even(weights))
                inner.apply_action(actions[at])
                continue
            state = Position(inner, self.agents, self, left)
            if state.to_act():
                return state
            self._apply(inner, {}, rng)
        return Position(inner, self.agents, self, left)

    def _apply(self, inner, numbers, rng):
        """Apply the seats' numbered actions, and random ones for seats without a number."""
        state = Position(inner, self.agents, self)
        for seat in state.asked():
            if seat not in numbers:
                actions = inner.legal_actions(self.agents.index(seat))
                numbers[seat] = actions[int(rng.integers(len(actions)))]
        if inner.is_simultaneous_node():
            inner.apply_actions([numbers.get(agent, 0) for agent in self.agents])
        else:
            (number,) = numbers.values()
            inner.apply_action(number)

    def read(self, text, view, agent):
        return parse_choice(text, view.legal(agent))

    def advance(self, state, moves, rng):
        inner = state.inner.clone()
        numbers = {agent: state.numbered(agent)[move] for agent, move in moves.items()}
        self._apply(inner, numbers, rng)
        return self._after(inner, state.left, rng)

    def forfeit(self, state, agent, rng):
        if len(self.agents) < 3:
            return None
        return self._after(state.inner.clone(), (*state.left, agent), rng)

    def told(self, inner, number):
        """Return a player's information in OpenSpiel's own words, made readable."""
        kind = self.kind
        observation = inner.observation_string(number) if kind.provides_observation_string else ""
        if (self.open and observation) or not kind.provides_information_state_string:
            return self._readable(observation)
        information = inner.information_state_string(number)
        if observation.strip() in information:
            return self._readable(information)
        return f"{self._readable(observation)}\n\n{self._readable(information)}"

    def _readable(self, text):
        text = "\n".join(line.rstrip() for line in _LOUD.sub("", text).strip("\n").splitlines())
        if self.kind.short_name in CHESSLIKE and (match := _FEN.match(text)):
            return f"{_board(match[0].strip())}\n\n{text}"
        return text

    def rules(self, agent):
        name, players = self.kind.short_name, len(self.agents)
        summary = RULES.get(name, "Its rules are OpenSpiel's.")
        parameters = ", ".join(
            f"{key}={value}"
            for key, value in self.theirs.get_parameters().items()
            if isinstance(value, bool | int | float | str) and len(str(value)) < 40
        )
        seat = f"You are player {self.agents.index(agent)} of {players}. " if players > 1 else ""
        low, high = self.theirs.min_utility(), self.theirs.max_utility()
        return f"{self.kind.long_name}. {summary}\n\n{seat}It pays {low:g} to {high:g}." + (
            f" It is played with {parameters}." if parameters else ""
        )

    def describe(self, view, agent):
        if agent is None:
            return self._readable(str(view.inner)) or "The game is over."
        if view.text:
            return view.text
        if not view.acting:
            return "The game is over."
        return (
            "It is your turn." if agent in view.acting else f"{' and '.join(view.acting)} to move."
        )

    def tell(self, before, moves, after):
        return None if self.open else []

    def picture(self, view, agent):
        return text_boards.build_text_scene(self.describe(view, agent))


def named(inner: pyspiel.State, number: int) -> dict[str, int]:
    """Return the legal actions of a player by unique names."""
    actions: dict[str, int] = {}
    for action in inner.legal_actions(number):
        name = plain(inner.action_to_string(number, action))
        if name in actions:
            name = next(
                candidate
                for n in itertools.count(2)
                if (candidate := f"{name} #{n}") not in actions
            )
        actions[name] = action
    return actions


@functools.lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Return an action's name without the prefix for its player or number."""
    text = " ".join(_LOUD.sub("", name).split())
    prefix = _BEFORE.match(text)
    rest = text[prefix.end() :] if prefix else text
    bracketed = _IN_BRACKETS.fullmatch(rest)
    return (bracketed[1] if bracketed else rest) or text or "nothing"


def _even(weights):
    """Scale probabilities to add up to 1, which rounded ones may not."""
    total = sum(weights)
    return [weight / total for weight in weights]


def _board(fen):
    """Return the rows of a board in FEN, with a dot for each empty square."""
    rows = []
    for row in fen.split(" ")[0].partition("[")[0].split("/"):
        rows.append(re.sub(r"\d+", lambda match: "." * int(match[0]), row))
    return "\n".join(" ".join(re.findall(r"\+?.", row)) for row in rows)
