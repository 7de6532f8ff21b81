"""SkyRL-gym adapter: one seat as a BaseTextEnv.

    skyrl_gym.register(id="gem_ma", entry_point="gem_ma.training.trainers.skyrl:SkyRLSeatEnv")

Checked by tests/training against SkyRL-gym 0.4.
"""

from __future__ import annotations

from typing import Any

from gem_ma.chat.messages import to_openai_chat
from gem_ma.training.trainers.seats import SyncSeat, make_seat
from gem_ma.validation.json_types import JSONMapping, JSONObject

try:
    from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput
except ImportError as error:
    raise ImportError("this adapter needs SkyRL-gym: pip install skyrl-gym==0.4.0") from error


class SkyRLSeatEnv(BaseTextEnv):
    """One seat of a game, described by the configuration and by the data set's row.

    Args:
        env_config: settings for all rows: `env`, an id; `seat`, `others` and `make` as `make_seat`
            takes them; `max_turns`, SkyRL's own limit.
        extras: settings of one row, which override `env_config`, with `seed` and `options` of the
            start.
    """

    def __init__(self, env_config: Any = None, extras: JSONMapping | None = None):
        super().__init__()
        extras = extras or {}
        settings = {**dict(env_config or {}), **extras}
        if "env" not in settings:
            raise ValueError(
                "got no environment: expected env=ID in environment.skyrl_gym.gem_ma or in the row"
            )
        self.seed, self.options = extras.get("seed"), extras.get("options")
        seat = make_seat(
            settings["env"],
            settings.get("seat"),
            settings.get("others"),
            **dict(settings.get("make", {})),
        )
        self.sync_seat = SyncSeat(seat)
        self.max_turns = settings.get("max_turns")  # SkyRL's own limit
        self.truncated = False

    def init(self, prompt: Any) -> tuple[list[JSONObject], JSONObject]:
        """Start an episode; the prompt of the row is not used."""
        self.turns = 0
        outcome = self.sync_seat.reset(self.seed, self.options)
        return to_openai_chat(outcome.messages), {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Reply; the step's reward is the seat's reward until it is to act again."""
        self.turns += 1
        outcome = self.sync_seat.step(action)
        new = [message for message in outcome.messages if message["role"] != "assistant"]
        limit = self.max_turns is not None and self.turns >= self.max_turns
        self.truncated = outcome.truncated or (limit and not self.sync_seat.done)
        return BaseTextEnvStepOutput(
            observations=to_openai_chat(new),
            reward=outcome.reward,
            done=self.sync_seat.done or limit,
            metadata={},
        )

    def get_metrics(self) -> JSONObject:
        """Return the metrics of an episode that SkyRL logs."""
        return {
            "return": self.sync_seat.reward,
            "turns": self.turns,
            "truncated": float(self.truncated),
        }
