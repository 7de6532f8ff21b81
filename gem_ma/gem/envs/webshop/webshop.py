"""WebshopEnv: the web shop, with the names of GEM's arguments."""

from __future__ import annotations

from gem_ma.gem.envs.named_env import NamedEnv


class WebshopEnv(NamedEnv):
    """The environment `webshop:buy` with GEM's arguments and defaults.

    Args:
        observation_mode: "text", "text_rich" or "html".
        split: "train" or "test".
        max_turns: the number of turns.
        show_attrs: whether products have a page with their attributes.
        session: without effect: `reset(idx=...)` takes the number of a goal.
        session_prefix: without effect.
        error_tolerance: how many invalid replies an episode may have.
        format_error_reward: the reward of an invalid reply, at most 0.
    """

    def __init__(
        self,
        observation_mode: str = "text",
        split: str = "train",
        max_turns: int = 15,
        show_attrs: bool = False,
        session: str | None = None,
        session_prefix: str | None = None,
        error_tolerance: int = 0,
        format_error_reward: float = 0,
    ):
        super().__init__(
            "webshop:buy",
            observation_mode=observation_mode,
            split=split,
            max_turns=max_turns,
            show_attrs=show_attrs,
            session=session,
            session_prefix=session_prefix,
            error_tolerance=error_tolerance,
            format_error_reward=format_error_reward,
        )
