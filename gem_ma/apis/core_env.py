"""CoreEnv: the interface of the innermost Env, as views and wrappers use it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from gymnasium import spaces

from gem_ma.apis.aec_state import AECState
from gem_ma.engine.action_parsing import SeatActions
from gem_ma.engine.match import Match
from gem_ma.engine.observations import ObservationBuilder
from gem_ma.envs.registry import Spec
from gem_ma.game import Game
from gem_ma.validation.json_types import JSONObject

if TYPE_CHECKING:
    from gem_ma.apis.text_space import UnicodeText  # slow to import

ActionSpace: TypeAlias = "UnicodeText | spaces.Discrete"
"""The space of a seat's actions: texts, or the numbers of moves."""
RenderFrame: TypeAlias = np.ndarray | str | None
"""The result of `render`: pixels, a text, or None if it is printed at once."""


class CoreEnv(Protocol):
    """The interface of the Env inside all wrappers, as views and wrappers use it."""

    id: str
    game: Game
    match: Match
    observation_builder: ObservationBuilder
    aec_state: AECState
    agent_selection: str | None
    possible_agents: list[str]
    metadata: JSONObject
    render_mode: str | None
    suppress_render: bool
    has_own_views: bool

    @property
    def agents(self) -> list[str]: ...
    @property
    def spec(self) -> Spec: ...
    @property
    def to_act(self) -> tuple[str, ...]: ...
    @property
    def turns(self) -> int: ...
    @property
    def game_state(self) -> Any: ...
    def action_space(self, agent: str) -> ActionSpace: ...
    def get_end_flags(self, agent: str) -> tuple[bool, bool]: ...
    def collect_end_flags(
        self, seats: Sequence[str]
    ) -> tuple[dict[str, bool], dict[str, bool]]: ...
    def sync_aec_state(self) -> None: ...
    def record_view_step(self, rewards: Mapping[str, float]) -> None: ...
    def set_end_flags(self, given: Mapping[str, tuple[bool, bool]]) -> None: ...
    def truncate(self) -> None: ...
    def get_state_space(self) -> spaces.Box: ...
    def encoding_space(self) -> spaces.Box | None: ...
    def state(self) -> np.ndarray: ...
    def render(self, agent: str | None = None) -> RenderFrame: ...
    def submit_in_parts(
        self, replies: SeatActions
    ) -> Generator[Callable[[], object], Any, Mapping[str, float]]: ...
