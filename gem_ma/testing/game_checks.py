"""Checks of the rules of a game, without an environment."""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
from typing import Any

import numpy as np
from gymnasium import spaces

from gem_ma.engine.seeding import derive_seed
from gem_ma.game import Game, InvalidMove, Message, SeatMoves, State
from gem_ma.testing.env_probe import EnvProbe
from gem_ma.testing.fingerprints import fingerprint

_MAX_LAST_MOVES = 100  # of one turn


class GameChecks(EnvProbe):
    """Checks of a Game and its States."""

    @functools.cached_property
    def encoding_space(self) -> spaces.Box | None:
        """The space of the numbers that a seat sees."""
        return self.core.encoding_space()

    def check_seats(self) -> None:
        agents = self.game.agents
        self.expect(agents, "Game.agents names no seat")
        self.expect(len(set(agents)) == len(agents), f"a seat is named twice: {agents}")
        for agent in agents:
            self.expect(isinstance(agent, str) and agent, f"{agent!r} is no name of a seat")
            self.expect(agent not in ("game", "tool", "system"), f"no seat may be named {agent}")
            self.expect(str(self.game.rules(agent)).strip(), f"no rules for {agent}")
        moves = self.game.moves
        if moves is not None:
            self.expect(len(set(moves)) == len(moves), "a move is listed twice in Game.moves")
        self.expect(
            len(agents) < 3 or type(self.game).forfeit is not Game.forfeit,
            "a game of three or more seats continues after a forfeit: define Game.forfeit",
        )

    def check_rules(self, seed: int) -> None:
        game, rng = self.game, np.random.default_rng(seed)
        state = game.start(rng, {})
        self.expect(
            not any(state.returns().values()), f"returns are not 0 at the start: {state.returns()}"
        )
        final_returns: dict[str, float] = {}
        for turn in range(self.max_turns):
            self.check_position(state, final_returns)
            to_act = state.to_act()
            if not to_act:
                return
            if turn < 30:
                self.check_forfeits(state, to_act[turn % len(to_act)], rng)
            moves = {a: self.choose_move(state, a, derive_seed(seed, turn)) for a in to_act}
            original_moves, original_state = dict(moves), fingerprint(state)
            after = game.advance(state, moves, rng)
            self.expect(moves == original_moves, "advance changed the moves it was given")
            self.expect(
                fingerprint(state) == original_state,
                "advance changed the state; expected a new one",
            )
            self.check_messages(state, moves, after)
            state = after
        if self.core.match.config.max_turns is None:
            self.expect(False, f"no end after {self.max_turns} random turns (seed {seed})")

    def check_position(self, state: State, gone: dict[str, float]) -> None:
        agents, original_state = self.game.agents, fingerprint(state)
        to_act = state.to_act()
        self.expect(isinstance(to_act, tuple), f"to_act returned {to_act!r}, expected a tuple")
        self.expect(set(to_act) <= set(agents), f"to_act names {to_act}; seats are {agents}")
        self.expect(len(set(to_act)) == len(to_act), f"to_act names a seat twice: {to_act}")
        self.check_frozen(state)
        returns = state.returns()
        self.expect(set(returns) == set(agents), f"returns has {set(returns)}; seats are {agents}")
        for agent, value in returns.items():
            self.expect(
                isinstance(value, int | float) and math.isfinite(value),
                f"the return of {agent} is {value!r}, expected a finite number",
            )
        out = set(state.out()) if hasattr(state, "out") else set()
        self.expect(out <= set(agents), f"out names {out}; seats are {agents}")
        if self.game.simultaneous and to_act:
            here = set(agents) - out
            self.expect(
                set(to_act) == here,
                f"in a simultaneous game to_act must name all of {here}, got {to_act}",
            )
        self.expect(not out & set(to_act), f"{out & set(to_act)} is in both out and to_act")
        self.expect(
            set(gone) <= out or not to_act, f"{set(gone) - out} was out and is no longer in out"
        )
        for agent in out:
            value = gone.setdefault(agent, returns[agent])
            self.expect(value == returns[agent], f"{agent} is out, but its return changed")
        for agent in agents:
            view = state.seen_by(agent)
            self.expect(
                view.seen_by(agent) == view,
                f"seen_by({agent!r}) of a view differs from this view; expected an equal one",
            )
            self.check_words(view, agent)
            if agent in to_act:
                self.check_legal(view, agent)
        self.check_words(state, None)
        self.expect(
            fingerprint(state) == original_state, "a method that only reads changed the state"
        )

    def check_frozen(self, state: object) -> None:
        fields: tuple[dataclasses.Field[object], ...] = ()
        if dataclasses.is_dataclass(state):
            fields = dataclasses.fields(state)
        for field in fields:
            try:
                setattr(state, field.name, getattr(state, field.name))
            except (AttributeError, TypeError):
                continue
            self.expect(False, f"State.{field.name} can be set: make the dataclass frozen")
        for field in fields:
            value = getattr(state, field.name)
            self.expect(
                not isinstance(value, list | dict | set | bytearray),
                f"State.{field.name} is a {type(value).__name__}, which is mutable; use a tuple or "
                "another immutable type",
            )

    def check_words(self, view: State, agent: str | None) -> None:
        game = self.game
        text = game.describe(view, agent)
        self.expect(isinstance(text, str) and text, f"describe returned {text!r} for {agent}")
        self.expect(text == game.describe(view, agent), f"describe varies for {agent}")
        if agent is not None:
            numbers = game.encode(view, agent)
            if numbers is not None:
                space = self.encoding_space
                if space is None or not space.contains(numbers):  # printing a space takes long
                    self.expect(False, f"encode returned numbers that are not in {space}")
                if (
                    game.encoding_space is None
                ):  # in the space of another library, zeros may have a meaning
                    self.expect(numbers.any(), "encode returned only zeros")

    def check_legal(self, view: State, agent: str) -> None:
        if not hasattr(view, "legal"):
            return
        game, legal = self.game, view.legal(agent)
        self.expect(len(legal), f"{agent} is to act and has no legal move")
        self.expect(len(set(legal)) == len(legal), f"a legal move of {agent} is listed twice")
        for text in legal:
            try:
                game.read(text, view, agent)
            except InvalidMove as error:
                self.expect(False, f"{text!r} is in legal({agent!r}), but read says: {error}")
        if game.moves is not None:
            names = game.name_moves(legal)
            self.expect(
                set(names) <= set(game.moves),
                f"{set(names) - set(game.moves)} is legal, but not in Game.moves",
            )
            self.expect(
                len(set(names)) == len(legal), f"two legal moves of {agent} have the same name"
            )
            for text, name in zip(legal, names, strict=True):
                self.expect(
                    name == text or game.read(name, view, agent) == game.read(text, view, agent),
                    f"{name!r} is read as another move than {text!r}",
                )
            self.expect(
                not game.simultaneous or len(legal) == len(game.moves),
                f"in a simultaneous game all of Game.moves must be legal, got {legal} for {agent}",
            )
            for text in game.moves if not game.legal_is_partial else ():
                if text not in legal and text not in names:
                    try:
                        game.read(text, view, agent)
                    except InvalidMove:
                        continue
                    self.expect(False, f"read takes {text!r}, which legal({agent!r}) does not list")

    def choose_move(self, state: State, agent: str, number: int) -> Any:
        view = state.seen_by(agent)
        if hasattr(view, "legal"):
            legal = view.legal(agent)
            return self.game.read(legal[derive_seed(number) % len(legal)], view, agent)
        return self.game.skip(view, agent)

    def check_forfeits(self, state: State, agent: str, rng: np.random.Generator) -> None:
        game, alone = self.game, copy.deepcopy(rng)
        after = game.forfeit(state, agent, alone)
        if after is not None:
            self.expect(agent not in after.to_act(), f"{agent} forfeited and is still in to_act")
            self.expect(
                after.returns()[agent] <= state.returns()[agent],
                f"the return of {agent} grows by a forfeit",
            )
            present = set(game.agents) - set(state.out() if hasattr(state, "out") else ())
            if len(present) > 2 and not after.to_act():
                last = self.is_last(state, agent, rng)
                self.expect(last, f"the game ended when {agent} of {present} forfeited")
        elif len(game.agents) > 2:
            self.expect(False, "forfeit returned None in a game of three or more")
        if type(game).skip is not Game.skip and len(state.to_act()) == 1:
            move = game.skip(state.seen_by(agent), agent)
            next_state = game.advance(state, {agent: move}, alone)
            self.check_messages(state, {agent: move}, next_state)

    def is_last(self, state: State, agent: str, rng: np.random.Generator) -> bool:
        """Return whether the game ends with the turn of a seat, tried with moves that skip."""
        alone = copy.deepcopy(rng)
        for _ in range(_MAX_LAST_MOVES):
            if set(state.to_act()) - {agent}:
                return False
            if not state.to_act():
                return True
            move = self.game.skip(state.seen_by(agent), agent)
            state = self.game.advance(state, {agent: move}, alone)
        return False

    def check_messages(self, before: State, moves: SeatMoves, after: State) -> None:
        for message in self.game.tell(before, moves, after) or ():
            self.expect(isinstance(message, Message), f"tell gave {message!r}, not a Message")
            self.expect(isinstance(message.text, str), f"tell gave the text {message.text!r}")
            roles = {*self.game.agents, "game", "tool"}
            self.expect(
                message.role in roles,
                f"tell: unknown role {message.role!r}; expected game, tool or a seat",
            )
            to = set(self.game.agents) if message.to is None else set(message.to)
            self.expect(to <= set(self.game.agents), f"tell: unknown seats in to={message.to}")
