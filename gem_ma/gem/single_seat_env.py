"""SingleSeatEnv: one seat of an environment, with the methods that scripts for GEM call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.gymnasium_view import GymnasiumSnapshot, GymnasiumView
from gem_ma.chat.agent import SeatAgents
from gem_ma.game import ResetOptions
from gem_ma.gem.core import Env, ResetResult


class SingleSeatEnv(GymnasiumView):
    """A seat of an environment, with the methods and attributes of GEM's environments.

    Args:
        env: the environment.
        agent: the seat; None: the only seat.
        others: the agents of the other seats.
        seed: the seed of the first episode, unless its `reset` has one.
        again: a function that makes another environment like this one, for `spawn`.
    """

    def __init__(
        self,
        env: AECEnv,
        *,
        agent: str | None = None,
        others: SeatAgents | None = None,
        seed: int | None = None,
        again: Callable[..., SingleSeatEnv] | None = None,
    ):
        super().__init__(env, agent=agent, others=others)
        self.seed, self.env_id = seed, env.core.id
        self._first_seed = seed
        self._make_another = again

    def reset(
        self,
        seed: int | None = None,
        idx: int | None = None,
        *,
        options: ResetOptions | None = None,
    ) -> ResetResult:
        """Begin an episode; `idx` is the number of the question of a task."""
        if seed is None:
            seed = self._first_seed
        self._first_seed = None
        if idx is not None:
            options = {**(options or {}), "index": idx}
        return super().reset(seed=seed, options=options)

    @property
    def max_turns(self) -> int | None:
        """The maximum number of turns of an episode, or None without a limit."""
        core = self.env.core
        rule = inspect.signature(type(core.game)).parameters.get("max_turns")
        limits = (
            getattr(self.env, "max_turns", None),  # of a TimeLimit
            self.env.match.config.max_turns,
            getattr(core.game, "max_turns", None),
            core.spec.kwargs.get("max_turns", rule.default) if rule else None,
        )
        return min((one for one in limits if one is not None), default=None)

    def __dir__(self) -> list[str]:
        """List the attributes that exist, since GEM's own wrappers copy all of them."""
        over_data = hasattr(self.env.core.game, "rows")
        return [one for one in super().__dir__() if over_data or one not in ("answer", "dataset")]

    @property
    def dataset(self) -> Any:
        """The rows from which a task over data draws its questions; other games have none."""
        rows = getattr(self.env.core.game, "rows", None)
        if rows is None:
            raise AttributeError(f"{self.env_id} has no dataset")
        return rows

    @property
    def answer(self) -> Any:
        """The dataset's cell with the answer, or the tests, for the current question."""
        rows, game = self.dataset, cast(Any, self.env.core.game)  # a task over data
        return rows[self.env.match.state.index][game.columns[1]]

    def get_state(self) -> GymnasiumSnapshot:
        """Return a snapshot of the episode for `set_state`."""
        return self.snapshot()

    def set_state(self, state: GymnasiumSnapshot) -> None:
        """Restore a snapshot of this environment or of one made like it."""
        self.restore(state)

    def spawn(self, same_state: bool = False, **kwargs: object) -> SingleSeatEnv:
        """Return another environment made like this one.

        Args:
            same_state: whether it continues from the state of this one; by default it is new.
            **kwargs: arguments of `make` that differ.
        """
        if self._make_another is None:
            raise ValueError("spawn() needs an environment of gem.make, this one was made directly")
        env = self._make_another(**kwargs)
        if same_state:
            env.set_state(self.get_state())
        return env


Env.register(SingleSeatEnv)  # so that isinstance(env, gem.Env) holds
