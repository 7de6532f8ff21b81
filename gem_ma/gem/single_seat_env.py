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
    """A seat whose `reset` takes what GEM's take, and with what else GEM's environments have.

    Args:
        seed: of the first episode, unless its `reset` has one.
        again: makes another one like this.
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
        """Begin an episode, of a task the one that asks question number `idx`."""
        if seed is None:
            seed = self._first_seed
        self._first_seed = None
        if idx is not None:
            options = {**(options or {}), "index": idx}
        return super().reset(seed=seed, options=options)

    @property
    def max_turns(self) -> int | None:
        """How many turns an episode has at most, if there is a limit."""
        core = self.env.core
        rule = inspect.signature(type(core.game)).parameters.get("max_turns")
        limits = (
            getattr(self.env, "max_turns", None),  # of a wrapper
            self.env.match.config.max_turns,
            getattr(core.game, "max_turns", None),
            core.spec.kwargs.get("max_turns", rule.default) if rule else None,
        )
        return min((one for one in limits if one is not None), default=None)

    def __dir__(self) -> list[str]:
        """List what there is: GEM's own wrappers copy all of it."""
        over_data = hasattr(self.env.core.game, "rows")
        return [one for one in super().__dir__() if over_data or one not in ("answer", "dataset")]

    @property
    def dataset(self) -> Any:
        """The rows that a task draws its questions from; what is no task over data has none."""
        rows = getattr(self.env.core.game, "rows", None)
        if rows is None:
            raise AttributeError(f"{self.env_id} draws from no dataset")
        return rows

    @property
    def answer(self) -> Any:
        """What the dataset has in the column of answers, or of tests, for the question asked."""
        rows, game = self.dataset, cast(Any, self.env.core.game)  # a task over data
        return rows[self.env.match.state.index][game.columns[1]]

    def get_state(self) -> GymnasiumSnapshot:
        """Return this point of the episode, for `set_state`."""
        return self.snapshot()

    def set_state(self, state: GymnasiumSnapshot) -> None:
        """Go back to a point of an episode, of this environment or of one made like it."""
        self.restore(state)

    def spawn(self, same_state: bool = False, **kwargs: object) -> SingleSeatEnv:
        """Return another one made like this, at the same point or at its beginning.

        Args:
            **kwargs: arguments of `make` that change.
        """
        if self._make_another is None:
            raise ValueError("only what gem.make has made can spawn()")
        env = self._make_another(**kwargs)
        if same_state:
            env.set_state(self.get_state())
        return env


Env.register(SingleSeatEnv)  # so that isinstance(env, gem.Env) holds
